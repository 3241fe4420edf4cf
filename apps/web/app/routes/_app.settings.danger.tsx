import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { refusalNamed, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { DeletionNotes } from '#app/components/deletion-notes.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  const { hasPassword } = await api.twoFactor.get()
  const refusal = refusalNamed(url.searchParams.get('refused') ?? '', page.locale)
  return { email: user.email, hasPassword, isReauthenticated, refusal }
})

export const action = withApiForm(['intent'], async ({ api, field }) => {
  if (field('intent') === 'mail') {
    await api.profile.delete({})
    return { sent: true }
  }
  const { message } = await api.profile.delete({ password: field('password') })
  if (message !== 'User deleted') return { sent: true }
  throw redirect('/?notice=account-deleted')
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.yourData.title)

export default function DangerSettings() {
  const text = useText('yourData')
  const { email, hasPassword, isReauthenticated, refusal } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const failed = failure?.typed.intent
  return (
    <>
      <Card title={text.takeTitle}>
        {refusal && !result && <FormErrors error={refusal} />}
        {failure && failed === 'delete' && !hasPassword && <FormErrors error={{ ...failure.error, fields: {} }} />}
        <p className="text-ink-soft">{text.takeLead}</p>
        {isReauthenticated ? (
          <div>
            <ButtonLink to="/settings/data" look="secondary" reloadDocument>
              {text.take}
            </ButtonLink>
          </div>
        ) : (
          <ReauthenticationGate>{text.takeGate}</ReauthenticationGate>
        )}
      </Card>
      <Card title={text.deleteTitle} danger>
        <DeletionNotes />
        {hasPassword && (
          <PageForm action="/settings/danger" intent="delete" reloadDocument failure={failed === 'delete' ? failure : undefined}>
            <PasswordField label={text.password} hint={text.passwordHint} autoComplete="current-password" />
            <div>
              <SubmitButton look="danger">{text.submit}</SubmitButton>
            </div>
          </PageForm>
        )}
        <PageForm
          action="/settings/danger"
          intent="mail"
          failure={failed === 'mail' ? failure : undefined}
          remedy={reauthenticateLink(failure?.error)}
          className="grid gap-4 border-t border-line pt-5"
        >
          <p className="text-ink-soft">{hasPassword ? text.otherWay : text.mailLead}</p>
          {result && !result.error && (
            <>
              <Alert look="success" landing={result}>
                <p>
                  {text.sent[0]}
                  <strong className="font-semibold">
                    <MailAddress>{email}</MailAddress>
                  </strong>
                  {text.sent[1]}
                </p>
              </Alert>
              <LocalMailbox />
            </>
          )}
          {isReauthenticated || failed === 'mail' ? (
            <div>
              <SubmitButton look={hasPassword ? 'secondary' : 'danger'}>
                {hasPassword ? text.mailLink : text.mailOnly}
              </SubmitButton>
            </div>
          ) : (
            <ReauthenticationGate>{text.mailGate}</ReauthenticationGate>
          )}
        </PageForm>
      </Card>
    </>
  )
}
