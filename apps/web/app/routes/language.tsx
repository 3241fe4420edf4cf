import { rootRelativePath } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

/** The language of this browser; of the account too, where somebody is signed in: an account's own language wins everywhere. */
export const action = withApiForm([], async ({ api, page, field }) => {
  const locale = field('locale') === 'fr' ? 'fr' : 'en'
  page.rememberLocale(locale)
  if (await api.sessions.get()) await api.profile.update({ locale })
  throw redirect(rootRelativePath(field('redirectTo')) ?? '/')
})
