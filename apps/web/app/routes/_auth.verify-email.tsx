import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { orSignIn, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { CheckYourMail } from '#app/components/check-your-mail.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, url, redirectTo }) => {
  const isChange = url.searchParams.get('purpose') === 'change'
  const active = isChange ? await api.sessions.get() : null
  const token = url.searchParams.get('token') ?? ''
  return { token, isChange, account: active?.user.email ?? null, redirectTo }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['intent', 'token', 'email'], async ({ api, page, redirectTo, field }) => {
  const token = field('token')
  if (field('intent') === 'send') {
    const email = field('email').trim()
    await api.emailAddress.sendVerification({ email, callbackURL: redirectTo ?? undefined })
    page.carryEmail(email)
    return { sentTo: email }
  }
  if (field('intent') === 'sign-out') {
    await api.signIn.signOut()
    return { signedOutWith: token }
  }
  const signedIn = (await api.sessions.get()) !== null
  // Only a change-email link can require sign-in. It stays good, and its token goes into no further address.
  const signIn = '/login?notice=confirm-change&redirectTo=/settings/email'
  const { user: changed, passwordCleared } = await orSignIn(api.emailAddress.verify({ token }), signIn)
  if (changed && signedIn) throw redirect(redirectTo ?? '/settings/email?notice=changed')
  if (changed) page.carryEmail(changed.email)
  const query = new URLSearchParams({
    notice: changed ? 'address-changed' : passwordCleared ? 'password-cleared' : 'verified',
    ...(redirectTo !== null && { redirectTo }),
  })
  throw redirect(`/login?${query}`)
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.verifyEmail.title)

export default function VerifyEmail() {
  const text = useMailedText('verifyEmail')
  useHiddenToken()
  const loaded = useLoaderData<typeof loader>()
  const { redirectTo } = loaded
  const result = useActionData<typeof action>()
  if (result && 'sentTo' in result) return <CheckYourMail occasion="confirm" email={result.sentTo} redirectTo={redirectTo} />

  const signedOutWith = result && 'signedOutWith' in result ? result.signedOutWith : null
  const failure = result?.error ? result : undefined
  const deadLink = isDeadLink(failure?.error)
  const token = deadLink ? '' : signedOutWith || failure?.typed.token || loaded.token
  const target = withTarget('/verify-email', redirectTo)
  const otherUser = failure?.error.key === 'INVALID_USER'
  return token === '' ? (
    <>
      <Heading title={text.title}>{text.sendLead}</Heading>
      <PageForm action={target} intent="send" failure={failure}>
        <Field name="email" type="email" label={text.email} autoComplete="email" inputMode="email" autoFocus={!failure} />
        <SubmitButton wide>{text.send}</SubmitButton>
      </PageForm>
      {deadLink && (
        <p>
          {text.changing} <TextLink to="/settings/email">{text.changeAgain}</TextLink>
        </p>
      )}
      <p>
        <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </p>
    </>
  ) : (
    <>
      <Heading title={loaded.isChange ? text.changeTitle : text.title}>
        {loaded.isChange ? text.changeLead(loaded.account) : text.confirmLead}
      </Heading>
      {signedOutWith !== null && <Alert look="success">{text.signedOut}</Alert>}
      <PageForm action={target} intent={otherUser ? 'sign-out' : 'confirm'} failure={failure}>
        <input type="hidden" name="token" value={token} />
        <SubmitButton wide>{otherUser ? text.signOut : text.confirm}</SubmitButton>
      </PageForm>
    </>
  )
}
