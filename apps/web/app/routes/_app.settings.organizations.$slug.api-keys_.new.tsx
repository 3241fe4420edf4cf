import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { createApiKey, keptOfNewKey, loadNewApiKey } from '#app/api-key-page.server.ts'
import { ApiKeyMade } from '#app/components/api-key-made.tsx'
import { NewApiKeyForm } from '#app/components/new-api-key-form.tsx'
import { pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { pageTitle } from '#app/page-title.ts'

export const loader = withApi(async (args) => {
  const { id, slug } = (await loadOrganization(args)).organization
  return { id, slug, form: await loadNewApiKey(args, id) }
})

export const action = withApiForm(keptOfNewKey, (args) => createApiKey(args, args.field('organizationId')))

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.newApiKey.title)

export default function CreateOrganizationApiKey() {
  const { id, slug, form } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const path = pathOfOrganization(slug, 'api-keys')
  if (result && !result.error) return <ApiKeyMade made={result.made} path={path} />
  const hidden = <input type="hidden" name="organizationId" value={id} />
  return <NewApiKeyForm {...form} path={path} hidden={hidden} failure={result} />
}
