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
import { signInAgain } from '#app/components/sign-in-again.tsx'
import { pageTitle } from '#app/page-title.ts'

const text = {
  title: 'Your data',
  takeTitle: 'Take your data along',
  takeLead:
    'One file with everything we hold on you, readable by people and programs (JSON). No password or other secret is in it. To get it, you must have signed in recently.',
  take: 'Download my data',
  deleteTitle: 'Delete your account',
  password: 'Password',
  passwordHint: 'So that nobody else does this on a device that you left signed in.',
  submit: 'Delete my account for good',
  otherWay: 'No password, or not at hand? We mail you a link. Nothing is deleted before you have opened it and confirmed.',
  mailLink: 'Mail me a link instead',
  sent: ['We have sent a mail to ', '. Nothing is deleted before you open the link in it and confirm.'],
}

export const loader = withApi(async ({ api, url }) => {
  const { user } = await api.sessions.require()
  return { email: user.email, refusal: refusalNamed(url.searchParams.get('refused') ?? '') }
})

export const action = withApiForm(['intent'], async ({ api, field }) => {
  if (field('intent') === 'mail') {
    await api.profile.delete({})
    return { sent: true }
  }
  await api.profile.delete({ password: field('password') })
  throw redirect('/?notice=account-deleted')
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, text.title)

export default function DangerSettings() {
  const { email, refusal } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const failed = failure?.typed.intent
  return (
    <>
      <Card title={text.takeTitle}>
        {refusal && !result && <FormErrors error={refusal} wayOut={signInAgain(refusal)} />}
        <p className="text-ink-soft">{text.takeLead}</p>
        <div>
          <ButtonLink to="/settings/data" look="secondary" reloadDocument>
            {text.take}
          </ButtonLink>
        </div>
      </Card>
      <Card title={text.deleteTitle} danger>
        <DeletionNotes />
        <PageForm
          action="/settings/danger"
          intent="delete"
          reloadDocument
          failure={failed === 'delete' ? failure : undefined}
          wayOut={signInAgain(failure?.error)}
        >
          <PasswordField label={text.password} hint={text.passwordHint} autoComplete="current-password" />
          <div>
            <SubmitButton look="danger">{text.submit}</SubmitButton>
          </div>
        </PageForm>
        <PageForm
          action="/settings/danger"
          intent="mail"
          failure={failed === 'mail' ? failure : undefined}
          className="grid gap-4 border-t border-line pt-5"
        >
          <p className="text-ink-soft">{text.otherWay}</p>
          {result && !result.error && (
            <>
              <Alert look="success" landing>
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
          <div>
            <SubmitButton look="secondary">{text.mailLink}</SubmitButton>
          </div>
        </PageForm>
      </Card>
    </>
  )
}
