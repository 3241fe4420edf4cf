import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData } from '@remix-run/react'
import { withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'

export const loader = withAdministration(async ({ api }) => {
  // Asks for the proof before the person types.
  await api.administration.listApprovals()
  return null
})

export const action = withApiForm(['name', 'email', 'reason'], async ({ api, field }) => {
  const fields = { name: field('name'), email: field('email'), reason: field('reason') }
  const { user } = await api.administration.createUser(fields)
  throw redirect(`/admin/users/${encodeURIComponent(user.id)}`)
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administrationNew.title)

export default function NewUser() {
  const text = useAdministrationText('administrationNew')
  const { reason, reasonHint } = useAdministrationText('administrationActs')
  const { back } = useAdministrationText('administrationUser')
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  return (
    <>
      <p>
        <TextLink to="/admin">{back}</TextLink>
      </p>
      <Heading title={text.title}>{text.lead}</Heading>
      <Card>
        <PageForm
          action="/admin/new"
          failure={failure}
          remedy={reauthenticateLink(failure?.error, { path: '/admin/confirm', redirectTo: '/admin/new' })}
        >
          <Field name="name" label={text.name} autoComplete="off" />
          <Field name="email" type="email" label={text.email} autoComplete="off" />
          <Field name="reason" label={reason} hint={reasonHint} maxLength={500} autoComplete="off" />
          <SubmitButton wide>{text.submit}</SubmitButton>
        </PageForm>
      </Card>
    </>
  )
}
