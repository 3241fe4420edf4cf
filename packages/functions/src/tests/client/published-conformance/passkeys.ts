import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { addPasskey, createAssertion, createRegistration, signInWithPasskey } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'
import { app, differs, readSession } from './suite.ts'

type Passkey = { id: string; name: string | null; userId: string; aaguid: string }
const list = async (tab: { get: ReturnType<typeof app.browser>['get'] }) =>
  (await tab.get('/auth/passkey/list-user-passkeys')).body as Passkey[]

/** A signed-in user with a passkey. */
async function owner(name = 'Phone', options: Parameters<typeof createSoftwareAuthenticator>[0] = {}) {
  const tab = await app.signedIn()
  const authenticator = createSoftwareAuthenticator(options)
  const { status, body } = await addPasskey(tab, authenticator, name)
  expect(status).toBe(200)
  return { tab, authenticator, passkey: body as Passkey }
}

describe('adding a passkey (packages/passkey)', () => {
  test('starts with options and a cookie of this browser', async () => {
    const tab = await app.signedIn()
    const { body, setCookies } = await tab.get('/auth/passkey/generate-register-options')
    for (const name of ['challenge', 'rp', 'user', 'pubKeyCredParams']) expect(body).toHaveProperty(name)
    expect(setCookies.join()).toContain('passkey')
  })

  test('needs a session', async () => {
    expect(outcome(await app.browser().get('/auth/passkey/generate-register-options'))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('keeps the name that the person gave, and the model of the authenticator', async () => {
    const aaguid = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'
    const { passkey, tab } = await owner('  My Work Key  ', { aaguid })
    expect(passkey).toMatchObject({ name: 'My Work Key', aaguid, userId: tab.userId })
    expect(await list(tab)).toMatchObject([{ id: passkey.id, credentialID: expect.any(String), aaguid }])
  })

  differs('The name of a passkey that has none', 'names it after its authenticator, and refuses a name of spaces', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator({ aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4' })
    expect((await addPasskey(tab, authenticator, '   ')).code).toBe('VALIDATION_ERROR')
    expect((await addPasskey(tab, authenticator)).body).toMatchObject({ name: 'Google Password Manager' })
  })

  test('uses its challenge once, also at the same moment', async () => {
    const tab = await app.signedIn()
    const response = await createRegistration(tab, createSoftwareAuthenticator())
    const answers = await Promise.all([1, 2].map(() => tab.post('/auth/passkey/verify-registration', { response })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await list(tab)).toHaveLength(1)
  })

  test('refuses what does not verify', async () => {
    const tab = await app.signedIn()
    const response = await createRegistration(tab, createSoftwareAuthenticator(), { origin: 'https://evil.test' })
    expect(outcome(await tab.post('/auth/passkey/verify-registration', { response }))).toEqual([
      400,
      'FAILED_TO_VERIFY_REGISTRATION',
    ])
  })

  test('does not take the challenge of a sign-in', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    const options = (await tab.get('/auth/passkey/generate-authenticate-options')).body as { challenge: string }
    const response = authenticator.register({ challenge: options.challenge, rp: { id: 'localhost' }, user: { id: 'x' } })
    expect(outcome(await tab.post('/auth/passkey/verify-registration', { response }))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
    expect(await list(tab)).toEqual([])
  })
})

describe('signing in with a passkey (packages/passkey)', () => {
  test('starts with options that name the passkeys of a signed-in user only', async () => {
    const { tab } = await owner()
    const path = '/auth/passkey/generate-authenticate-options'
    for (const body of [(await tab.get(path)).body, (await app.browser().get(path)).body])
      for (const name of ['challenge', 'rpId', 'userVerification']) expect(body).toHaveProperty(name)
    expect((await tab.get(path)).body).toMatchObject({ allowCredentials: [expect.anything()] })
    expect((await app.browser().get(path)).body).not.toHaveProperty('allowCredentials')
  })

  test('opens a session and returns the user', async () => {
    const { tab, authenticator } = await owner()
    const other = app.browser()
    expect((await signInWithPasskey(other, authenticator)).body).toMatchObject({
      session: { userId: tab.userId },
      user: { id: tab.userId, email: tab.person.email },
    })
    expect((await readSession(other))?.user.id).toBe(tab.userId)
  })

  test('opens one session when the answer arrives twice at once', async () => {
    const { authenticator } = await owner()
    const tab = app.browser()
    const response = await createAssertion(tab, authenticator)
    const answers = await Promise.all([1, 2].map(() => tab.post('/auth/passkey/verify-authentication', { response })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('refuses what does not verify', async () => {
    const { authenticator } = await owner()
    const answer = await signInWithPasskey(app.browser(), authenticator, { origin: 'https://evil.test' })
    expect(outcome(answer)).toEqual([401, 'AUTHENTICATION_FAILED'])
  })

  test('does not take a challenge of more than five minutes ago', async () => {
    const { authenticator } = await owner()
    const clock = holdClock()
    const tab = app.browser()
    const response = await createAssertion(tab, authenticator)
    clock.advance(301)
    expect((await tab.post('/auth/passkey/verify-authentication', { response })).code).toBe('CHALLENGE_NOT_FOUND')
  })

  test('does not take the challenge of a registration', async () => {
    const { tab, authenticator } = await owner()
    const options = (await tab.get('/auth/passkey/generate-register-options')).body as { challenge: string }
    const response = authenticator.authenticate({ challenge: options.challenge, rpId: 'localhost' })
    expect(outcome(await tab.post('/auth/passkey/verify-authentication', { response }))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
  })
})

describe('the passkeys of a user (packages/passkey)', () => {
  const rename = (tab: Awaited<ReturnType<typeof app.signedIn>>, id: string, name: string) =>
    tab.post('/auth/passkey/update-passkey', { id, name })

  test('are renamed, but not to nothing', async () => {
    const { tab, passkey } = await owner()
    expect((await rename(tab, passkey.id, 'newName')).body).toMatchObject({ passkey: { id: passkey.id, name: 'newName' } })
    expect((await rename(tab, passkey.id, '   ')).status).toBe(400)
    expect(await list(tab)).toMatchObject([{ name: 'newName' }])
  })

  test('are deleted', async () => {
    const { tab, passkey } = await owner()
    expect((await tab.post('/auth/passkey/delete-passkey', { id: passkey.id })).body).toEqual({ status: true })
    expect(await list(tab)).toEqual([])
    expect((await tab.post('/auth/passkey/delete-passkey', { id: passkey.id })).status).toBe(404)
  })

  test('are neither renamed nor deleted by another user', async () => {
    const [{ tab, passkey }, other] = [await owner(), await app.signedIn()]
    expect((await rename(other, passkey.id, 'hacked')).status).toBe(404)
    expect((await other.post('/auth/passkey/delete-passkey', { id: passkey.id })).status).toBe(404)
    expect(await list(tab)).toMatchObject([{ id: passkey.id, name: 'Phone' }])
  })
})
