import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { CheckYourMail } from '#app/components/check-your-mail.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'

export const loader = withApi(async ({ page, redirectTo }) => ({ email: page.carriedEmail, redirectTo }))

export const action = withApiForm(['email'], async ({ api, page, redirectTo, field }) => {
  const email = field('email').trim()
  await api.passwords.requestReset({
    email,
    redirectTo: redirectTo === null ? undefined : withTarget('/reset-password', redirectTo),
  })
  page.carryEmail(email)
  return { sentTo: email }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.forgotPassword.title)

export default function ForgotPassword() {
  const text = useMailedText('forgotPassword')
  const { email, redirectTo } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) return <CheckYourMail occasion="reset" email={result.sentTo} redirectTo={redirectTo} />
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <PageForm action={withTarget('/forgot-password', redirectTo)} intent="send" failure={result}>
        <Field
          name="email"
          type="email"
          label={text.email}
          defaultValue={email}
          autoFocus={!result}
          autoComplete="username"
          inputMode="email"
        />
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
      <p className="text-ink-soft">
        {text.remembered} <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </p>
    </>
  )
}
