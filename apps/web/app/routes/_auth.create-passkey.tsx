import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { withTarget } from '#app/redirect-target.ts'

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, page, url, redirectTo }) => {
  const token = url.searchParams.get('token') ?? ''
  const { answer, refusal } = await tryCall(api.passkeys.checkSignUpLink({ token }), page.locale)
  return { token: isDeadLink(refusal) ? '' : token, email: answer?.email ?? null, refusal, redirectTo }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token', 'email'], async ({ api, redirectTo, field }) => {
  await api.passkeys.registerByLink({ response: readPasskey(field) })
  throw redirect(redirectTo ?? '/dashboard')
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.createPasskey.title)

export default function CreatePasskey() {
  const text = useMailedText('createPasskey')
  useHiddenToken()
  const { redirectTo, ...loaded } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const refusal = isDeadLink(failure?.error) ? failure?.error : failure ? null : loaded.refusal
  const token = refusal ? '' : failure?.typed.token || loaded.token
  const email = failure?.typed.email || loaded.email
  return (
    <>
      <Heading title={text.title}>
        {token !== '' && email && (
          <p>
            {text.lead}
            <strong className="font-semibold text-ink">
              <MailAddress>{email}</MailAddress>
            </strong>
          </p>
        )}
      </Heading>
      {refusal && <FormErrors error={refusal} />}
      {token !== '' && (
        <PageForm action={withTarget('/create-passkey', redirectTo)} failure={failure}>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="email" value={email ?? ''} />
          <PasskeyButton ceremony="registration" link={token} wide fallback={text.withoutScript}>
            {text.submit}
          </PasskeyButton>
        </PageForm>
      )}
      <p className="flex flex-wrap justify-between gap-x-6 gap-y-3">
        <TextLink to={withTarget('/signup?with=passkey', redirectTo)}>{text.newLink}</TextLink>
        <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </p>
    </>
  )
}
