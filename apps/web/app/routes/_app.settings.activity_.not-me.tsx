import { type MetaFunction, useLoaderData } from '@remix-run/react'
import type { ReactNode } from 'react'
import { withApi } from '#app/api.server.ts'
import { ButtonLink } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { EndOtherSessions } from '#app/components/end-other-sessions.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api }) => {
  await api.sessions.require()
  const accounts = await api.linkedAccounts.list()
  return { hasPassword: accounts.some(({ providerId }) => providerId === 'credential') }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.notMe.title)

export default function NotMe() {
  const text = useText('notMe')
  const { hasPassword } = useLoaderData<typeof loader>()
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      {hasPassword ? (
        <Step title={text.password} lead={text.passwordLead}>
          <ButtonLink to="/settings/password">{text.changePassword}</ButtonLink>
        </Step>
      ) : (
        <Step title={text.noPassword} lead={text.noPasswordLead}>
          <ButtonLink to="/settings/accounts">{text.accounts}</ButtonLink>
        </Step>
      )}
      <Step title={text.devices} lead={hasPassword ? text.devicesLead : text.devicesOnlyLead}>
        <EndOtherSessions />
      </Step>
      <Step title={text.rest} lead={text.restLead}>
        <ul className="grid gap-2">
          {(['email', 'passkeys', 'accounts', 'security'] as const).map((section) => (
            <li key={section}>
              <TextLink to={`/settings/${section}`}>{text[section]}</TextLink>
            </li>
          ))}
        </ul>
      </Step>
      <p>
        <TextLink to="/settings/activity">{text.back}</TextLink>
      </p>
    </Card>
  )
}

function Step({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <section className="grid justify-items-start gap-3 border-t border-line pt-5">
      <h3 className="font-semibold">{title}</h3>
      <p className="text-ink-soft">{lead}</p>
      {children}
    </section>
  )
}
