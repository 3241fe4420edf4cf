import { passwordLength } from '@floorpass/api/contracts'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { NewPasswordField } from '#app/components/new-password-field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  const accounts = await api.linkedAccounts.list()
  const hasPassword = accounts.some(({ providerId }) => providerId === 'credential')
  return { email: user.email, hasPassword, isReauthenticated, shortest: passwordLength.min }
})

export const action = withApiForm(['intent'], async ({ api, field, text }) => {
  if (field('intent') === 'set') {
    await api.passwords.set({ newPassword: field('newPassword') })
    return { done: text.password.done.set }
  }
  await api.passwords.change({ currentPassword: field('currentPassword'), newPassword: field('newPassword') })
  return { done: text.password.done.change }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.password.title)

export default function PasswordSettings() {
  const text = useText('password')
  const { email, hasPassword, isReauthenticated, shortest } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const settingFirst = !hasPassword
  return (
    <Card>
      {result && !result.error && <Alert look="success">{result.done}</Alert>}
      <p className="text-ink-soft">{settingFirst ? text.setLead : text.lead}</p>
      {settingFirst && !isReauthenticated && !failure ? (
        <ReauthenticationGate>{text.gate}</ReauthenticationGate>
      ) : (
        <PageForm
          key={settingFirst ? 'set' : 'change'}
          action="/settings/password"
          intent={settingFirst ? 'set' : 'change'}
          failure={failure}
          remedy={reauthenticateLink(failure?.error)}
        >
          {/* For password managers: whose password this is. */}
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          {!settingFirst && (
            <div className="grid gap-2">
              <PasswordField name="currentPassword" label={text.current} autoComplete="current-password" />
              <p className="text-sm text-ink-soft">
                {text.forgotten} <TextLink to="/forgot-password">{text.mailLink}</TextLink>
              </p>
            </div>
          )}
          <NewPasswordField label={text.next} shortest={shortest} />
          <div>
            <SubmitButton>{settingFirst ? text.set : text.change}</SubmitButton>
          </div>
        </PageForm>
      )}
    </Card>
  )
}
