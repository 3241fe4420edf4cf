import { rootRelativePath } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

export const action = withApiForm([], async ({ api, field }) => {
  await api.signIn.signOut()
  const redirectTo = rootRelativePath(field('redirectTo'))
  const query = new URLSearchParams(redirectTo === null ? { notice: 'signed-out' } : { redirectTo })
  throw redirect(`/login?${query}`)
})
