import { createSecretBox } from '@floorpass/api'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()
const first = 'a secret that only tests know, long enough'
const second = 'another secret that only tests know, also long'

/** The service starts anew with these AUTH_SECRETs. */
function restartWith(...secrets: string[]) {
  const { secretBox } = app.service.deps
  app.service.deps.secretBox = createSecretBox(secrets)
  onTestFinished(() => {
    app.service.deps.secretBox = secretBox
  })
}

async function withFactor() {
  const clock = holdClock()
  const tab = await app.signedIn()
  const setUp = await switchOnTwoFactor(tab, tab.person.password)
  const signIn = async () => {
    clock.advance(60)
    const browser = app.browser()
    await browser.post('/auth/sign-in/email', tab.person)
    return browser
  }
  const enter = async (code?: string) =>
    (await signIn()).post('/auth/two-factor/verify', { code: code ?? setUp.authenticator.code() })
  return { ...setUp, tab, clock, signIn, enter }
}

test('T181: a factor lives on under a new AUTH_SECRET, and needs the old one no more once it was used', async () => {
  const { enter } = await withFactor()
  restartWith(second, first)
  expect((await enter()).status).toBe(200)
  restartWith(second)
  expect((await enter()).status).toBe(200)
})

test('T181: unused until the old one is gone, no code of it is right, and a backup code is', async () => {
  const { enter, backupCodes, tab } = await withFactor()
  restartWith(second)
  expect((await enter()).code).toBe('INVALID_CODE')
  expect((await enter(backupCodes[0])).status).toBe(200)
  const told = app.unforeseen()
  const err = expect.objectContaining({ message: 'sealed with a secret that AUTH_SECRET no longer lists' })
  expect(told).toEqual([expect.objectContaining({ msg: 'two-factor secret cannot be opened', err })])
  expect(JSON.stringify(told)).not.toContain(tab.person.email)
})

test('a sign-in that waits while the secret goes is asked to begin again', async () => {
  const { signIn, authenticator } = await withFactor()
  const browser = await signIn()
  restartWith(second)
  expect((await browser.post('/auth/two-factor/verify', { code: authenticator.code() })).code).toBe('INVALID_TWO_FACTOR_COOKIE')
})

test('a set-up that waits while the secret goes has to be begun again', async () => {
  const tab = await app.signedIn()
  const { password } = tab.person
  await setUpTwoFactor(tab, password)
  restartWith(second)
  expect((await tab.post('/auth/two-factor/get-totp-uri', { password })).code).toBe('TOTP_NOT_ENABLED')
  await switchOnTwoFactor(tab, password)
})
