import { passwordLength } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { refusalNamed, tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { DeadLink } from '#app/components/dead-link.tsx'
import { Heading } from '#app/components/heading.tsx'
import { NewPasswordField } from '#app/components/new-password-field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'

/** A link that is no good says so before anybody has thought of a password. */
export const loader = withApi(async ({ api, page, url, redirectTo }) => {
  const token = url.searchParams.get('token') ?? ''
  const { refusal } =
    token === ''
      ? { refusal: refusalNamed(url.searchParams.get('error') ?? '', page.locale) }
      : await tryCall(api.passwords.checkResetLink({ token, callbackURL: '/login' }), page.locale)
  const dead = isDeadLink(refusal)
  return { token: dead ? '' : token, refusal: dead ? refusal : null, redirectTo, shortest: passwordLength.min }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token'], async ({ api, redirectTo, field }) => {
  await api.passwords.reset({ token: field('token'), newPassword: field('newPassword') })
  throw redirect(withTarget('/login?notice=password-reset', redirectTo))
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.resetPassword.title)

export default function ResetPassword() {
  const text = useMailedText('resetPassword')
  useHiddenToken()
  const { redirectTo, ...loaded } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const refusal = isDeadLink(failure?.error) ? failure?.error : loaded.refusal
  const token = refusal ? '' : failure?.typed.token || loaded.token
  if (token === '') return <DeadLink text={text} newPassword={text.newLink} error={refusal} redirectTo={redirectTo} />
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <PageForm action={withTarget('/reset-password', redirectTo)} failure={failure}>
        <input type="hidden" name="token" value={token} />
        <NewPasswordField label={text.password} shortest={loaded.shortest} autoFocus={!failure} />
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
    </>
  )
}
