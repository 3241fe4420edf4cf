import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Page } from '@playwright/test'
import { grantRole } from './grant-role.ts'
import { newPerson } from './person.ts'
import { cookiesOf, createAccount, signIn } from './scene.ts'

/** Signs an administrator in, with a code that was entered just now. */
export async function administrator(page: Page, baseURL: string, role: 'admin' | 'support' | 'auditor') {
  const person = newPerson()
  await createAccount(baseURL, person)
  const tab = await signIn(baseURL, person)
  const { authenticator } = await switchOnTwoFactor(tab, person.password)
  await grantRole(person.email, role)
  const again = await signIn(baseURL, person)
  await again.post('/auth/two-factor/verify', { code: authenticator.code(1), trustDevice: true })
  await page.context().addCookies(cookiesOf(again).map((cookie) => ({ ...cookie, url: baseURL })))
  return { ...person, authenticator }
}
