import { rootRelativePath } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { ignoreUnavailable, withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

/** The language of this browser; of the account too, where somebody is signed in: an account's own language wins everywhere. */
export const action = withApiForm([], async ({ api, page, field }) => {
  const locale = field('locale') === 'fr' ? 'fr' : 'en'
  page.rememberLocale(locale)
  // While the database is away the browser remembers it alone: the switch stands on the page that says so.
  await ignoreUnavailable(async () => {
    if (await api.sessions.get()) await api.profile.update({ locale })
  })
  throw redirect(rootRelativePath(field('redirectTo')) ?? '/')
})
