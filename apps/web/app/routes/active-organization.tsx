import { redirect } from '@remix-run/node'
import { tryCall, withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

/** Chooses the organization that the session acts for, or none. One that the person has left leads to those that remain. */
export const action = withApiForm([], async ({ api, page, field }) => {
  const choice = api.organizations.setActive({ organizationId: field('organizationId') || null })
  const { refusal } = await tryCall(choice, page.locale)
  throw redirect(refusal ? '/settings/organizations' : (page.findTarget(field('redirectTo')) ?? '/dashboard'))
})
