import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { Status } from '#app/components/status.tsx'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, url, notices }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  return { email: user.email, emailVerified: user.emailVerified, isReauthenticated, notice: getNotice(url, notices.email) }
})

export const action = withApiForm(['newEmail'], async ({ api, field }) => {
  const newEmail = field('newEmail').trim()
  await api.emailAddress.change({ newEmail })
  return { sentTo: newEmail }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.email.title)

export default function EmailSettings() {
  const text = useText('email')
  const { email, emailVerified, isReauthenticated, notice } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  return (
    <>
      <Card>
        {notice && !result && <Alert look="success">{notice}</Alert>}
        <p className="text-ink-soft">{text.lead}</p>
        <Facts
          rows={[
            {
              name: text.current,
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
        {isReauthenticated || failure ? (
          <PageForm action="/settings/email" failure={failure} remedy={reauthenticateLink(failure?.error)}>
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
        ) : (
          <ReauthenticationGate>{text.gate}</ReauthenticationGate>
        )}
      </Card>
    </>
  )
}
