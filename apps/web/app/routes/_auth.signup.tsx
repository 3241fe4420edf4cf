import { passwordLength } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { Fragment } from 'react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { signUpTerms } from '#app/brand.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { CheckYourMail } from '#app/components/check-your-mail.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { NewPasswordField } from '#app/components/new-password-field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ProviderLinks } from '#app/components/provider-links.tsx'
import { PlainLink, TextLink } from '#app/components/text-link.tsx'
import { suggestEmail } from '#app/email-suggestion.server.ts'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'

export const loader = withApi(async ({ api, page, url, redirectTo }) => {
  if (await api.sessions.get()) throw redirect(redirectTo ?? '/dashboard')
  return {
    redirectTo,
    passkeys: page.passkeys,
    withPasskey: page.passkeys && isWithPasskey(url),
    shortest: passwordLength.min,
    providers: page.providers,
    email: page.carriedEmail,
    terms: signUpTerms(page),
  }
})

const isWithPasskey = (url: URL): boolean => url.searchParams.get('with') === 'passkey'

export const action = withApiForm(['name', 'email'], async ({ api, page, url, redirectTo, field }) => {
  const email = field('email').trim()
  if (field('correct') !== '') {
    page.carryEmail(email)
    throw redirect(withTarget('/signup', redirectTo))
  }
  if (isWithPasskey(url)) {
    const name = field('name')
    await api.passkeys.signUp({ name, email, callbackURL: redirectTo ?? undefined })
    page.carryEmail(email)
    return { sentTo: email, name, suggestion: suggestEmail(email) }
  }
  await api.signIn.signUp({ name: field('name'), email, password: field('password'), callbackURL: redirectTo ?? undefined })
  page.carryEmail(email)
  return { sentTo: email, name: null, suggestion: suggestEmail(email) }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.signUp.title)

export default function SignUp() {
  const text = useMailedText('signUp')
  const { redirectTo, passkeys, withPasskey, shortest, providers, email, terms } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) {
    const { sentTo, name, suggestion } = result
    const occasion = name === null ? 'sign-up' : 'passkey'
    return <CheckYourMail occasion={occasion} email={sentTo} name={name} suggestion={suggestion} redirectTo={redirectTo} />
  }
  const other = withPasskey ? '/signup' : '/signup?with=passkey'
  return (
    <>
      <Heading title={text.title}>
        {text.haveOne} <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </Heading>
      <PageForm action={withTarget(withPasskey ? '/signup?with=passkey' : '/signup', redirectTo)} failure={result}>
        <Field name="name" label={text.name} autoComplete="name" autoFocus={!result} />
        <Field
          name="email"
          type="email"
          label={text.email}
          hint={text.emailHint}
          defaultValue={email}
          autoComplete="username"
          inputMode="email"
        />
        {withPasskey ? (
          <p className="text-ink-soft">{text.passkeyLead}</p>
        ) : (
          <NewPasswordField name="password" label={text.password} shortest={shortest} />
        )}
        {terms.length > 0 && (
          <p className="text-sm text-ink-soft">
            {terms.map(({ href, words: [before, link, after] }) => (
              <Fragment key={href}>
                {before}
                <PlainLink href={href}>{link}</PlainLink>
                {after}{' '}
              </Fragment>
            ))}
          </p>
        )}
        <SubmitButton wide>{withPasskey ? text.sendLink : text.submit}</SubmitButton>
      </PageForm>
      <ProviderLinks providers={providers} redirectTo={redirectTo}>
        {passkeys && (
          <ButtonLink to={withTarget(other, redirectTo)} look="provider" wide>
            {withPasskey ? text.usePassword : text.usePasskey}
          </ButtonLink>
        )}
      </ProviderLinks>
    </>
  )
}
