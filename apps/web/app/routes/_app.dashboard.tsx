import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { Card, Facts } from '#app/components/card.tsx'
import { Heading } from '#app/components/heading.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { Moment } from '#app/components/moment.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page }) => {
  const { session, user } = await api.sessions.require()
  const { name, email, emailVerified, twoFactorEnabled, tradingEnabled, riskLevel } = user
  return {
    account: { name, email, emailVerified, twoFactorEnabled, tradingEnabled, riskLevel },
    since: momentText(user.createdAt, page.locale),
    signedIn: momentText(session.createdAt, page.locale),
    ends: momentText(session.expiresAt, page.locale),
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.dashboard.title)

export default function Dashboard() {
  const text = useText('dashboard')
  const { account, since, signedIn, ends } = useLoaderData<typeof loader>()
  const risk = useText('riskLevels')[account.riskLevel].label
  return (
    <>
      <Heading title={text.greeting(account.name)}>{text.lead}</Heading>
      <div className="grid gap-6 lg:grid-cols-3">
        <Card title={text.trading}>
          <Facts
            rows={[
              {
                name: text.status,
                value: <Status good={account.tradingEnabled}>{account.tradingEnabled ? text.enabled : text.disabled}</Status>,
              },
              { name: text.risk, value: risk },
            ]}
          />
          <p>
            <TextLink to="/settings/trading">{text.changeTrading}</TextLink>
          </p>
        </Card>
        <Card title={text.account}>
          <Facts
            rows={[
              {
                name: text.address,
                value: <MailAddress>{account.email}</MailAddress>,
                more: <Status good={account.emailVerified}>{account.emailVerified ? text.confirmed : text.unconfirmed}</Status>,
              },
              {
                name: text.twoFactor,
                value: <Status good={account.twoFactorEnabled}>{account.twoFactorEnabled ? text.on : text.off}</Status>,
              },
              { name: text.since, value: <Moment {...since} /> },
            ]}
          />
          <p className="flex flex-wrap gap-x-5 gap-y-2">
            <TextLink to="/settings/email">{text.changeEmail}</TextLink>
            <TextLink to="/settings/password">{text.changePassword}</TextLink>
          </p>
        </Card>
        <Card title={text.session}>
          <Facts
            rows={[
              { name: text.signedIn, value: <Moment {...signedIn} /> },
              { name: text.ends, value: <Moment {...ends} /> },
            ]}
          />
          <p>
            <TextLink to="/settings/sessions">{text.allSessions}</TextLink>
          </p>
        </Card>
      </div>
    </>
  )
}
