import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { createApiKey, keptOfNewKey, loadNewApiKey } from '#app/api-key-page.server.ts'
import { ApiKeyMade } from '#app/components/api-key-made.tsx'
import { NewApiKeyForm } from '#app/components/new-api-key-form.tsx'
import { pageTitle } from '#app/page-title.ts'

export const loader = withApi((args) => loadNewApiKey(args))

export const action = withApiForm(keptOfNewKey, (args) => createApiKey(args))

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.newApiKey.title)

const path = '/settings/api-keys'

export default function CreateApiKey() {
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) return <ApiKeyMade made={result.made} path={path} />
  return <NewApiKeyForm {...loaded} path={path} failure={result} />
}
