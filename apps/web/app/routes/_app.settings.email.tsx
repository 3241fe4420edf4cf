import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { signInAgain } from '#app/components/sign-in-again.tsx'
import { Status } from '#app/components/status.tsx'
import { noticeOf } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'

const text = {
  title: 'E-mail address',
  present: 'Present address',
  confirmed: 'Confirmed',
  unconfirmed: 'Not confirmed',
  changeTitle: 'Change it',
  lead: 'You sign in with this address, and our mails to you go there. To change it, you must have signed in recently.',
  newEmail: 'New address',
  newEmailHint: 'We send a link there. Your address changes once you have opened it and confirmed.',
  submit: 'Send the link',
  // The same for an address that has an account: that one gets no mail.
  sent: ['Confirm in the mail we sent to ', '. Until then your address stays as it is.'],
  nothing: 'Nothing after a few minutes? Look in the spam folder, and check the address above for typing errors.',
  notices: {
    changed: 'Your address is changed. We have told the old one, with a link that undoes the change for a few days.',
  },
}

export const loader = withApi(async ({ api, url }) => {
  const { user } = await api.sessions.require()
  return { email: user.email, emailVerified: user.emailVerified, notice: noticeOf(url, text.notices) }
})

export const action = withApiForm(['newEmail'], async ({ api, field }) => {
  const newEmail = field('newEmail').trim()
  await api.emailAddress.change({ newEmail })
  return { sentTo: newEmail }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, text.title)

export default function EmailSettings() {
  const { email, emailVerified, notice } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  return (
    <>
      <Card title={text.title}>
        {notice && !result && <Alert look="success">{notice}</Alert>}
        <p className="text-ink-soft">{text.lead}</p>
        <Facts
          rows={[
            {
              name: text.present,
              value: <MailAddress>{email}</MailAddress>,
              more: <Status good={emailVerified}>{emailVerified ? text.confirmed : text.unconfirmed}</Status>,
            },
          ]}
        />
      </Card>
      <Card title={text.changeTitle}>
        {result && !result.error && (
          <>
            <Alert look="success">
              <p>
                {text.sent[0]}
                <strong className="font-semibold">
                  <MailAddress>{result.sentTo}</MailAddress>
                </strong>
                {text.sent[1]}
              </p>
              <p className="text-sm">{text.nothing}</p>
            </Alert>
            <LocalMailbox />
          </>
        )}
        <PageForm action="/settings/email" failure={failure} wayOut={signInAgain(failure?.error)}>
          <Field
            name="newEmail"
            type="email"
            label={text.newEmail}
            hint={text.newEmailHint}
            autoComplete="email"
            inputMode="email"
          />
          <div>
            <SubmitButton>{text.submit}</SubmitButton>
          </div>
        </PageForm>
      </Card>
    </>
  )
}
