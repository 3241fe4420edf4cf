import { createSecretBox } from '@floorpass/api'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()
const firstSecret = 'a secret that only tests know, long enough'
const secondSecret = 'another secret that only tests know, also long'

/** Replaces the AUTH_SECRETs until the test ends, as a restart would. */
function restartWith(...secrets: string[]) {
  const { secretBox } = app.service.deps
  app.service.deps.secretBox = createSecretBox(secrets)
  onTestFinished(() => {
    app.service.deps.secretBox = secretBox
  })
}

async function signInWithFactor() {
  const clock = holdClock()
  const tab = await app.signedIn()
  const setUp = await switchOnTwoFactor(tab, tab.person.password)
  const signIn = async () => {
    clock.advance(60)
    const browser = app.browser()
    await browser.post('/auth/sign-in/email', tab.person)
    return browser
  }
  const signInWithCode = async (code?: string) =>
    (await signIn()).post('/auth/two-factor/verify', { code: code ?? setUp.authenticator.code() })
  return { ...setUp, tab, clock, signIn, signInWithCode }
}

test('T181: a second factor survives a new AUTH_SECRET, and no longer needs the old one after its next use', async () => {
  const { signInWithCode } = await signInWithFactor()
  restartWith(secondSecret, firstSecret)
  expect((await signInWithCode()).status).toBe(200)
  restartWith(secondSecret)
  expect((await signInWithCode()).status).toBe(200)
})

test('T181: after an old AUTH_SECRET is removed, unused authenticators fail and backup codes still work', async () => {
  const { signInWithCode, backupCodes, tab } = await signInWithFactor()
  restartWith(secondSecret)
  expect((await signInWithCode()).code).toBe('INVALID_CODE')
  expect((await signInWithCode(backupCodes[0])).status).toBe(200)
  const errors = app.warnings()
  const err = expect.objectContaining({ message: 'sealed with a secret that AUTH_SECRET no longer lists' })
  expect(errors).toEqual([expect.objectContaining({ msg: 'two-factor secret cannot be opened', err })])
  expect(JSON.stringify(errors)).not.toContain(tab.person.email)
})

test('a pending sign-in must start again when its AUTH_SECRET is removed', async () => {
  const { signIn, authenticator } = await signInWithFactor()
  const browser = await signIn()
  restartWith(secondSecret)
  expect((await browser.post('/auth/two-factor/verify', { code: authenticator.code() })).code).toBe('INVALID_TWO_FACTOR_COOKIE')
})

test('a pending set-up must start again when its AUTH_SECRET is removed', async () => {
  const tab = await app.signedIn()
  const { password } = tab.person
  await setUpTwoFactor(tab, password)
  restartWith(secondSecret)
  expect((await tab.post('/auth/two-factor/get-totp-uri', { password })).code).toBe('TOTP_NOT_ENABLED')
  await switchOnTwoFactor(tab, password)
})
