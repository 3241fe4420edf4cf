import { data } from '@remix-run/node'
import { withApi } from '#app/api.server.ts'

/** An unknown address below /settings: /login for a signed-out visitor, 404 for a user. */
export const loader = withApi(async ({ api }) => {
  await api.sessions.require()
  throw data(null, { status: 404 })
})

export default function MissingSettings() {
  return null
}
