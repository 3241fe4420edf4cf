import { createSecretBox } from '@floorpass/api'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { beginSignIn, signInWithFactor } from '@floorpass/testing/sign-in'
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

async function createFactor() {
  const factor = await signInWithFactor(app, holdClock())
  const signInLater = () => {
    factor.clock.advance(60)
    return beginSignIn(app, factor.person)
  }
  const signInWithCode = async (code = '') =>
    (await signInLater()).post('/auth/two-factor/verify', { code: code || factor.authenticator.code() })
  return { ...factor, signInLater, signInWithCode }
}

test('T181: a second factor survives a new AUTH_SECRET, and no longer needs the old one after its next use', async () => {
  const { signInWithCode } = await createFactor()
  restartWith(secondSecret, firstSecret)
  expect((await signInWithCode()).status).toBe(200)
  restartWith(secondSecret)
  expect((await signInWithCode()).status).toBe(200)
})

test('T181: after an old AUTH_SECRET is removed, unused authenticators fail and backup codes still work', async () => {
  const { signInWithCode, backupCodes, tab } = await createFactor()
  restartWith(secondSecret)
  expect((await signInWithCode()).code).toBe('INVALID_CODE')
  expect((await signInWithCode(backupCodes[0])).status).toBe(200)
  const errors = app.warnings()
  const err = expect.objectContaining({ message: 'sealed with a secret that AUTH_SECRET no longer lists' })
  expect(errors).toEqual([expect.objectContaining({ msg: 'two-factor secret cannot be opened', err })])
  expect(JSON.stringify(errors)).not.toContain(tab.person.email)
})

test('a pending sign-in must start again when its AUTH_SECRET is removed', async () => {
  const { signInLater, authenticator } = await createFactor()
  const browser = await signInLater()
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
