import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { useAdministrationText } from '#app/administration-text.ts'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { CodeField } from '#app/components/code-field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Main } from '#app/components/main.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { withTarget } from '#app/redirect-target.ts'

export const loader = withApi(async ({ api, redirectTo }) => {
  const { methods } = await api.signIn.getReauthentication({})
  return { takesPasskey: methods.includes('passkey'), path: withTarget('/admin/confirm', redirectTo) }
})

export const action = withApiForm(['intent'], async ({ api, redirectTo, field }) => {
  await (field('intent') === 'passkey'
    ? api.signIn.reauthenticate({ passkey: readPasskey(field) })
    : api.signIn.reauthenticate({ code: field('code') }))
  throw redirect(redirectTo ?? '/admin')
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administrationProof.title)

export default function AdministrationProof() {
  const text = useAdministrationText('administrationProof')
  const { takesPasskey, path } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  return (
    <Main className="mx-auto grid w-full max-w-md gap-6">
      <Heading title={text.title}>{takesPasskey ? text.passkeyLead : text.codeLead}</Heading>
      <Card>
        {takesPasskey ? (
          <PageForm action={path} intent="passkey" failure={failure}>
            <PasskeyButton ceremony="authentication" look="primary" wide fallback={text.withoutScript}>
              {text.passkey}
            </PasskeyButton>
          </PageForm>
        ) : (
          <PageForm action={path} intent="code" failure={failure}>
            <CodeField />
            <SubmitButton wide>{text.submit}</SubmitButton>
          </PageForm>
        )}
      </Card>
      <p>
        <TextLink to="/dashboard">{text.cancel}</TextLink>
      </p>
    </Main>
  )
}
