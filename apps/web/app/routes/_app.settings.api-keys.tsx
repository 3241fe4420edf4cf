import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { changeApiKey, loadApiKeys } from '#app/api-key-page.server.ts'
import { ApiKeyList } from '#app/components/api-key-list.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi((args) => loadApiKeys(args))

export const action = withApiForm(['intent'], changeApiKey)

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.apiKeys.title)

export default function ApiKeySettings() {
  const text = useText('apiKeys')
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  return <ApiKeyList {...loaded} path="/settings/api-keys" lead={text.lead} result={result} />
}
