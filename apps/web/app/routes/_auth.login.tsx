import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { useState } from 'react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Checkbox } from '#app/components/checkbox.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LastUsed, lastUsedId } from '#app/components/last-used.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { ProviderLinks } from '#app/components/provider-links.tsx'
import { ProviderRefusal } from '#app/components/provider-refusal.tsx'
import { TextButton, TextLink } from '#app/components/text-link.tsx'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { withTarget } from '#app/redirect-target.ts'
import { socialRefusalOf } from '#app/social-refusal.server.ts'
import { serverTextIn } from '#app/text.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url, redirectTo, notices }) => {
  if (await api.sessions.get()) throw redirect(redirectTo ?? '/dashboard')
  // Once: the next person at this browser must not see it.
  page.dropCarriedEmail()
  const text = serverTextIn(page.locale)
  const ended = url.searchParams.get('ended') === 'code'
  return {
    redirectTo,
    ended,
    notice: getNotice(url, notices.login),
    refusal: socialRefusalOf(url, page.locale),
    providers: page.providers,
    passkeys: page.passkeys,
    email: page.carriedEmail,
    lastUsed: page.lastMethod && { method: page.lastMethod, badge: text.lastUsed },
    lockedOut: text.lockedOut({ passkeys: page.passkeys, providers: page.providers.map(({ name }) => name) }),
  }
})

export const action = withApiForm(['intent', 'email', 'rememberMe'], async ({ api, page, redirectTo, field }) => {
  if (field('intent') === 'forgot' || field('forgot') !== '') {
    page.carryEmail(field('email').trim())
    throw redirect(withTarget('/forgot-password', redirectTo))
  }
  const rememberMe = field('rememberMe') === 'on'
  const callbackURL = redirectTo ?? '/dashboard'
  const answer =
    field('intent') === 'passkey'
      ? await api.passkeys.signIn({ response: readPasskey(field), rememberMe, callbackURL })
      : await api.signIn.email({ email: field('email').trim(), password: field('password'), rememberMe, callbackURL })
  throw redirect('twoFactorRedirect' in answer ? withTarget('/two-factor', redirectTo) : callbackURL)
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.login.title)

export default function Login() {
  const text = useText('login')
  const { redirectTo, ended, notice, refusal, providers, passkeys, email, lastUsed, lockedOut } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  // The passkey has a form to itself, and the same choice holds there.
  const [isRemembered, setRemembered] = useState(failure?.typed.rememberMe === 'on')
  const ofPasskey = failure?.typed.intent === 'passkey'
  const badgeOf = (method: string) => lastUsed?.method === method && lastUsed.badge
  const isPlain = !failure && !refusal && !ended
  const unverified = failure?.error.key === 'EMAIL_NOT_VERIFIED'
  const locked = failure?.error.key === 'TOO_MANY_REQUESTS'
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
        intent="password"
        failure={ofPasskey ? undefined : failure}
        remedy={
          (unverified || locked) && (
            <>
              {locked && <p className="mb-3">{lockedOut.lead}</p>}
              <SubmitButton form="remedy" look="secondary">
                {locked ? lockedOut.action : text.sendAgain}
              </SubmitButton>
            </>
          )
        }
      >
        <Field
          name="email"
          type="email"
          label={text.email}
          defaultValue={email}
          autoFocus={isPlain && email === ''}
          autoComplete={passkeys ? 'username webauthn' : 'username'}
          inputMode="email"
        />
        <PasswordField label={text.password} autoComplete="current-password" autoFocus={isPlain && email !== ''} />
        <Checkbox name="rememberMe" label={text.remember} onChange={setRemembered} />
        <LastUsed badge={badgeOf('password')}>
          <SubmitButton wide describedBy={badgeOf('password') ? lastUsedId : undefined}>
            {text.submit}
          </SubmitButton>
        </LastUsed>
        {/* After the button that Enter presses. */}
        <TextButton name="forgot">{text.forgot}</TextButton>
      </PageForm>
      <ProviderLinks providers={providers} redirectTo={redirectTo} lastUsed={lastUsed}>
        {passkeys && (
          <PageForm action={withTarget('/login', redirectTo)} intent="passkey" failure={ofPasskey ? failure : undefined}>
            <input type="hidden" name="rememberMe" value={isRemembered ? 'on' : ''} />
            <LastUsed badge={badgeOf('passkey')}>
              <PasskeyButton
                ceremony="sign-in"
                autofill
                look="provider"
                wide
                describedBy={badgeOf('passkey') ? lastUsedId : undefined}
                fallback={text.withoutPasskey}
              >
                {text.passkey}
              </PasskeyButton>
            </LastUsed>
          </PageForm>
        )}
      </ProviderLinks>
      {(unverified || locked) && (
        <PageForm
          id="remedy"
          action={withTarget(locked ? '/login' : '/verify-email', redirectTo)}
          intent={locked ? 'forgot' : 'send'}
          className="hidden"
        >
          <input type="hidden" name="email" value={failure.typed.email} />
        </PageForm>
      )}
    </>
  )
}
