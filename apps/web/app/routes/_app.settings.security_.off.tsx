import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { OwnerProof, proofOf } from '#app/components/owner-proof.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api }) => {
  const { hasPassword } = await api.twoFactor.get()
  return { hasPassword }
})

export const action = withApiForm([], async ({ api, field }) => {
  await api.twoFactor.disable(proofOf(field))
  throw redirect('/settings/security')
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.twoFactorOff.title)

export default function SwitchOffTwoFactor() {
  const text = useText('twoFactorOff')
  const { hasPassword } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      <PageForm action="/settings/security/off" failure={failure}>
        <OwnerProof hasPassword={hasPassword} />
        <div>
          <SubmitButton look="danger">{text.submit}</SubmitButton>
        </div>
      </PageForm>
      <p>
        <TextLink to="/settings/security">{text.back}</TextLink>
      </p>
    </Card>
  )
}
