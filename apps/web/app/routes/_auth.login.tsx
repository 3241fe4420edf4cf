import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Checkbox } from '#app/components/choices.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { ProviderLinks } from '#app/components/provider-links.tsx'
import { ProviderRefusal } from '#app/components/provider-refusal.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'
import { socialRefusalOf } from '#app/social-refusal.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url, redirectTo, notices }) => {
  if (await api.sessions.get()) throw redirect(redirectTo ?? '/dashboard')
  const ended = url.searchParams.get('ended') === 'code'
  return {
    redirectTo,
    ended,
    notice: getNotice(url, notices.login),
    refusal: socialRefusalOf(url, page.locale),
    providers: page.providers,
  }
})

export const action = withApiForm(['email', 'rememberMe'], async ({ api, redirectTo, field }) => {
  const rememberMe = field('rememberMe') === 'on'
  const callbackURL = redirectTo ?? '/dashboard'
  const answer = await api.signIn.email({ email: field('email').trim(), password: field('password'), rememberMe, callbackURL })
  throw redirect('twoFactorRedirect' in answer ? withTarget('/two-factor', redirectTo) : callbackURL)
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.login.title)

export default function Login() {
  const text = useText('login')
  const { redirectTo, ended, notice, refusal, providers } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const unverified = failure?.error.key === 'EMAIL_NOT_VERIFIED'
  return (
    <>
      <Heading title={text.title}>
        {text.newHere} <TextLink to={withTarget('/signup', redirectTo)}>{text.signUp}</TextLink>
      </Heading>
      {refusal && !failure && <ProviderRefusal {...refusal} />}
      {ended && !failure && <Alert>{text.ended}</Alert>}
      {notice && !failure && <Alert look="success">{notice}</Alert>}
      <PageForm
        action={withTarget('/login', redirectTo)}
        failure={failure}
        remedy={
          unverified && (
            <SubmitButton form="send-again" look="secondary">
              {text.sendAgain}
            </SubmitButton>
          )
        }
      >
        <Field name="email" type="email" label={text.email} autoComplete="username webauthn" inputMode="email" />
        <PasswordField label={text.password} autoComplete="current-password" />
        <div className="flex flex-wrap justify-between gap-x-6 gap-y-3">
          <Checkbox name="rememberMe" label={text.remember} />
          <TextLink to={withTarget('/forgot-password', redirectTo)}>{text.forgot}</TextLink>
        </div>
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
      <ProviderLinks providers={providers} redirectTo={redirectTo} />
      {unverified && (
        <PageForm id="send-again" action={withTarget('/verify-email', redirectTo)} intent="send" className="hidden">
          <input type="hidden" name="email" value={failure.typed.email} />
        </PageForm>
      )}
    </>
  )
}
