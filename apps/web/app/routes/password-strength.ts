import { redirect } from '@remix-run/node'
import { withApiForm } from '#app/api.server.ts'
import type { PasswordVerdict } from '#app/form-result.ts'
import { serverTextIn } from '#app/text.server.ts'

export const loader = () => redirect('/')

/** Answers the new-password field while the user types. */
export const action = withApiForm([], async ({ api, page, field }) => {
  const { problem } = await api.passwords.check({
    password: field('password'),
    name: field('name'),
    email: field('email'),
    token: field('token') || undefined,
  })
  const { fields, passwordAccepted } = serverTextIn(page.locale)
  const verdict: PasswordVerdict = { accepted: problem === null, sentence: problem === null ? passwordAccepted : fields[problem] }
  return Response.json(verdict)
})
