import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { DeletionNotes } from '#app/components/deletion-notes.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, url }) => {
  const { user } = await api.sessions.require()
  return { email: user.email, token: url.searchParams.get('token') ?? '' }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token'], async ({ api, field }) => {
  await api.profile.delete({ token: field('token') })
  throw redirect('/?notice=account-deleted')
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.deleteAccount.title)

export default function DeleteAccount() {
  const text = useText('deleteAccount')
  useHiddenToken()
  const { email, ...loaded } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const deadLink = isDeadLink(failure?.error)
  const token = deadLink ? '' : failure?.typed.token || loaded.token
  return (
    <>
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
            <p>{text.deadLead}</p>
            <div className="flex flex-wrap gap-3">
              <ButtonLink to="/settings/danger">{text.newLink}</ButtonLink>
            </div>
          </Card>
        ) : (
          <Card>
            <DeletionNotes />
            <PageForm action="/delete-account" failure={failure} reloadDocument>
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
    </>
  )
}
