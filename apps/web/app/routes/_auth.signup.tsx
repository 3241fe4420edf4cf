import { passwordLength } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { CheckYourMail } from '#app/components/check-your-mail.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { NewPasswordField } from '#app/components/new-password-field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ProviderLinks } from '#app/components/provider-links.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, redirectTo }) => {
  if (await api.sessions.get()) throw redirect(redirectTo ?? '/dashboard')
  return { redirectTo, shortest: passwordLength.min, providers: page.providers }
})

export const action = withApiForm(['name', 'email'], async ({ api, redirectTo, field }) => {
  const email = field('email').trim()
  await api.signIn.signUp({ name: field('name'), email, password: field('password'), callbackURL: redirectTo ?? undefined })
  return { sentTo: email }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.signUp.title)

export default function SignUp() {
  const text = useText('signUp')
  const { redirectTo, shortest, providers } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) return <CheckYourMail occasion="sign-up" email={result.sentTo} redirectTo={redirectTo} />
  return (
    <>
      <Heading title={text.title}>
        {text.haveOne} <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </Heading>
      <PageForm action={withTarget('/signup', redirectTo)} failure={result}>
        <Field name="name" label={text.name} autoComplete="name" />
        <Field name="email" type="email" label={text.email} hint={text.emailHint} autoComplete="username" inputMode="email" />
        <NewPasswordField name="password" label={text.password} shortest={shortest} />
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
      <ProviderLinks providers={providers} redirectTo={redirectTo} />
    </>
  )
}
