import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { expect } from 'vitest'
import { app, signIn } from './suite.ts'

/** A user with a second factor. The clock stands at a code that was not used. */
export async function withFactor() {
  const clock = holdClock()
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  clock.advance(60)
  return { clock, tab, authenticator, backupCodes, person: tab.person, userId: tab.userId }
}

/** Signs in with the password. Returns the browser that then waits for the code. */
export async function startChallenge(person: { email: string; password: string }, fields: object = {}) {
  const answer = await signIn(person, fields)
  expect(answer.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp'] })
  return answer
}

export const verifyTotp = (tab: Pick<Browser, 'post'>, code: string, fields: object = {}) =>
  tab.post('/auth/two-factor/verify-totp', { code, ...fields })

export const verifyBackup = (tab: Pick<Browser, 'post'>, code: string) =>
  tab.post('/auth/two-factor/verify-backup-code', { code })

export const sessionCookieOf = (setCookies: string[]) =>
  setCookies.find((cookie) => cookie.startsWith('local-floorpass_session='))
