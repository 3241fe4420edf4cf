import { redirect } from '@remix-run/node'
import { withApi } from '#app/api.server.ts'

/** The session comes first: a signed-out visitor goes to /login in one step. */
export const loader = withApi(async ({ api }) => {
  await api.sessions.require()
  throw redirect('/settings/profile')
})
