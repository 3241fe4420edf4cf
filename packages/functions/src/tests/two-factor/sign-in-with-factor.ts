import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { TestApp } from '@floorpass/testing/create-test-app'

/** Signs a new person in and enables two-factor. Returns their browser, authenticator and backup codes. */
export async function signInWithFactor(app: TestApp) {
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  return { tab, authenticator, backupCodes, person: tab.person, userId: tab.userId }
}
