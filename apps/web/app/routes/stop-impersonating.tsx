import { redirect } from '@remix-run/node'
import { tryCall, withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

/** Closes the account that an administrator has open, and leads back to its page. */
export const action = withApiForm([], async ({ api, page }) => {
  const { user } = await api.sessions.require()
  const { refusal } = await tryCall(api.administration.stopImpersonating(), page.locale)
  throw redirect(refusal ? '/admin' : `/admin/users/${encodeURIComponent(user.id)}`)
})
