import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { ActivityList } from '#app/components/activity-list.tsx'
import { Alert } from '#app/components/alert.tsx'
import { Avatar } from '#app/components/avatar.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Heading } from '#app/components/heading.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { Main } from '#app/components/main.tsx'
import { ExactMoment } from '#app/components/moment.tsx'
import { ScoreBar } from '#app/components/score-bar.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { describeActivity } from '#app/describe-activity.server.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { picturePath } from '#app/picture-path.server.ts'
import { pathOfStep } from '#app/settings-groups.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page }) => {
  const { user } = await api.sessions.require()
  const [security, activity, { hold, lock }] = await Promise.all([
    api.profile.getSecurity(),
    api.profile.listActivity({ limit: 4 }),
    api.protection.get(),
  ])
  const { name, email, emailVerified, twoFactorEnabled, tradingEnabled, riskLevel } = user
  return {
    account: { name, email, emailVerified, twoFactorEnabled, tradingEnabled, riskLevel },
    picture: picturePath(user.image),
    since: momentText(user.createdAt, page.locale),
    stopped: lock.locked ? ('locked' as const) : hold.until ? ('held' as const) : null,
    security: { score: security.score, next: security.next },
    activity: activity.events.map((event) => describeActivity(event, page)),
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.dashboard.title)

type Loaded = ReturnType<typeof useLoaderData<typeof loader>>

export default function Dashboard() {
  const { account, picture, since, stopped, security, activity } = useLoaderData<typeof loader>()
  const text = useText('dashboard')
  const risk = useText('riskLevels')[account.riskLevel].label
  return (
    <Main>
      <div className="flex flex-wrap items-center gap-5">
        <Avatar name={account.name} picture={picture} large />
        <Heading title={text.greeting(account.name)}>{text.lead}</Heading>
      </div>
      {stopped && (
        <Alert>
          <p className="text-pretty">
            {text.stopped[stopped].words} <TextLink to="/settings/protection">{text.stopped[stopped].link}</TextLink>
          </p>
        </Alert>
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        <SecurityCard {...security} />
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
              { name: text.since, value: <ExactMoment {...since} /> },
            ]}
          />
          <p className="flex flex-wrap gap-x-5 gap-y-2">
            <TextLink to="/settings/email">{text.changeEmail}</TextLink>
            <TextLink to="/settings/password">{text.changePassword}</TextLink>
          </p>
        </Card>
        <Card title={text.activity}>
          <ActivityList events={activity} brief />
          <p className="flex flex-wrap gap-x-5 gap-y-2">
            <TextLink to="/settings/activity">{text.allActivity}</TextLink>
            <TextLink to="/settings/sessions">{text.allSessions}</TextLink>
          </p>
        </Card>
      </div>
    </Main>
  )
}

function SecurityCard({ score, next }: Loaded['security']) {
  const text = useText('dashboard')
  return (
    <Card title={text.security}>
      <div className="grid gap-2">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="text-ink-soft">{text.scoreLabel}</span>
          <strong className="text-2xl font-semibold tracking-tight">{text.score(score)}</strong>
        </p>
        <ScoreBar score={score} />
      </div>
      {next === null ? (
        <p>
          <Status good>{text.allDone}</Status>
        </p>
      ) : (
        <div className="grid justify-items-start gap-4">
          <p className="text-pretty">{text.steps[next].why}</p>
          <ButtonLink to={pathOfStep[next]}>{text.steps[next].link}</ButtonLink>
        </div>
      )}
    </Card>
  )
}
