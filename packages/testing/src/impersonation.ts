import { makeAdministrator } from './administrators.ts'
import type { TestApp } from './create-test-app.ts'
import type { SignedIn } from './route-samples.ts'

export const reason = 'asked in ticket 4711 why a withdrawal waits'

/** The browser of a new administrator, which now has the account of `user` open. `person` is the administrator. */
export async function impersonate(app: TestApp, { userId }: Pick<SignedIn, 'userId'>): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab)
  const { status, code } = await tab.post('/auth/admin/impersonate-user', { userId, reason })
  if (status !== 200) throw new Error(`not impersonated: ${code}`)
  return tab
}
