import { defaultLocale, findLocale } from '@floorpass/languages/locales'
import { redirect } from '@remix-run/node'
import { ignoreUnavailable, withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

/** Changes the language of this browser, and of the signed-in user's account, which takes precedence. */
export const action = withApiForm([], async ({ api, page, field }) => {
  const locale = findLocale(field('locale')) ?? defaultLocale
  page.rememberLocale(locale)
  // While the database is away the browser remembers it alone: the switch stands on the page that says so.
  await ignoreUnavailable(async () => {
    const active = await api.sessions.get()
    if (active && active.session.impersonatedBy === null) await api.profile.update({ locale })
  })
  throw redirect(page.findTarget(field('redirectTo')) ?? '/')
})
