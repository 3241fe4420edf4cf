import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { changeApiKey, loadApiKeys } from '#app/api-key-page.server.ts'
import { ApiKeyList } from '#app/components/api-key-list.tsx'
import { pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async (args) => {
  const { id, slug } = (await loadOrganization(args)).organization
  return { slug, keys: await loadApiKeys(args, id) }
})

export const action = withApiForm(['intent'], changeApiKey)

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.apiKeys.title)

export default function OrganizationApiKeys() {
  const text = useText('apiKeys')
  const { slug, keys } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const path = pathOfOrganization(slug, 'api-keys')
  return <ApiKeyList {...keys} path={path} title={text.title} lead={text.organizationLead} result={result} />
}
