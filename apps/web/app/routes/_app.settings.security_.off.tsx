import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Card } from '#app/components/card.tsx'
import { OwnerProof } from '#app/components/owner-proof.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { readOwnerProof } from '#app/owner-proof.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api }) => {
  const { hasPassword, hasPasskey, hasTotp } = await api.twoFactor.get()
  return { hasPassword, takesPasskey: hasPasskey, hasTotp }
})

export const action = withApiForm(['intent'], async ({ api, field }) => {
  await api.twoFactor.disable(readOwnerProof(field))
  throw redirect('/settings/security')
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.twoFactorOff.title)

export default function SwitchOffTwoFactor() {
  const text = useText('twoFactorOff')
  const loaded = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      <OwnerProof {...loaded} action="/settings/security/off" failure={failure} look="danger" submit={text.submit} />
      <p>
        <TextLink to="/settings/security">{text.back}</TextLink>
      </p>
    </Card>
  )
}
