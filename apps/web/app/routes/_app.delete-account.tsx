import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { DeletionNotes } from '#app/components/deletion-notes.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { Main } from '#app/components/main.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

// A target with the token would put it into more addresses, so the link in the email is opened again.
const afterProof = '/delete-account?notice=confirmed'

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, url, redirectTo, notices }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  const notice = getNotice(url, notices.deleteAccount)
  return { email: user.email, token: url.searchParams.get('token') ?? '', isReauthenticated, redirectTo, notice }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token'], async ({ api, redirectTo, field }) => {
  await api.profile.delete({ token: field('token') })
  throw redirect(redirectTo ?? '/?notice=account-deleted')
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.deleteAccount.title)

export default function DeleteAccount() {
  const text = useText('deleteAccount')
  useHiddenToken()
  const { email, isReauthenticated, redirectTo, notice, ...loaded } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const deadLink = isDeadLink(failure?.error)
  const token = deadLink ? '' : failure?.typed.token || loaded.token
  return (
    <Main>
      <Heading title={text.title}>
        {text.lead}
        <strong className="font-semibold text-ink">
          <MailAddress>{email}</MailAddress>
        </strong>
        .
      </Heading>
      <div className="max-w-2xl">
        {token === '' ? (
          <Card>
            {failure && <FormErrors error={failure.error} />}
            {notice && !failure ? <Alert look="success">{notice}</Alert> : <p>{text.deadLead}</p>}
            <div className="flex flex-wrap gap-3">
              <ButtonLink to="/settings/danger">{text.newLink}</ButtonLink>
            </div>
          </Card>
        ) : !isReauthenticated && !failure ? (
          <Card>
            <ReauthenticationGate redirectTo={afterProof}>{text.gate}</ReauthenticationGate>
          </Card>
        ) : (
          <Card>
            <DeletionNotes />
            <PageForm
              action={withTarget('/delete-account', redirectTo)}
              failure={failure}
              remedy={reauthenticateLink(failure?.error, { redirectTo: afterProof })}
              reloadDocument
            >
              <input type="hidden" name="token" value={token} />
              <div className="flex flex-wrap gap-3">
                <SubmitButton look="danger">{text.submit}</SubmitButton>
                <ButtonLink to="/dashboard" look="secondary">
                  {text.keep}
                </ButtonLink>
              </div>
            </PageForm>
          </Card>
        )}
      </div>
    </Main>
  )
}
