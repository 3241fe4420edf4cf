import { redirect } from '@remix-run/node'
import { withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

export const action = withApiForm([], async ({ api, page, field }) => {
  await api.signIn.signOut()
  const redirectTo = page.findTarget(field('redirectTo'))
  const query = new URLSearchParams(redirectTo === null ? { notice: 'signed-out' } : { redirectTo })
  throw redirect(`/login?${query}`)
})
