import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion, signInWithPasskey } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const day = 86_400_000
const signIn = '/auth/passkey/verify-authentication'
const userIn = async (tab: Pick<ReturnType<typeof app.browser>, 'get'>) =>
  ((await tab.get('/auth/get-session')).body as { user: { id: string } } | null)?.user.id ?? null
const sessionOf = async (userId: string) => app.db.session.findFirstOrThrow({ where: { userId }, orderBy: { createdAt: 'desc' } })

async function createOwner({ isSyncable = false } = {}) {
  const tab = await app.signedIn()
  const authenticator = createSoftwareAuthenticator({ isSyncable })
  expect((await addPasskey(tab, authenticator, 'Phone')).status).toBe(200)
  return { tab, authenticator, ...tab }
}

describe('signing in with a passkey', () => {
  test('opens a session with two factors and records the use in the same transaction', async () => {
    const { authenticator, userId } = await createOwner()
    const tab = app.browser()
    const answer = await signInWithPasskey(tab, authenticator)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ user: { id: userId }, session: { userId } })
    expect(await userIn(tab)).toBe(userId)
    const session = await sessionOf(userId)
    expect([session.authenticationMethods, session.secondFactorAt !== null]).toEqual([['hwk'], true])
    const passkey = await app.db.passkey.findFirstOrThrow({ where: { userId } })
    expect([passkey.counter, passkey.lastUsedAt !== null]).toEqual([1n, true])
    const [event] = await app.db.auditEvent.findMany({ where: { userId, action: 'sign-in' }, orderBy: { id: 'desc' }, take: 1 })
    expect(event).toMatchObject({ succeeded: true, details: { factor: 'passkey' } })
    const { token } = (await tab.get('/auth/token')).body as { token: string }
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { acr: string; amr: string[] }
    expect([claims.acr, claims.amr]).toEqual(['aal2', ['hwk', 'mfa']])
  })

  test.each(['EdDSA', 'RS256'] as const)('accepts a key that signs with %s, and no other signature', async (algorithm) => {
    const owner = await app.signedIn()
    const authenticator = createSoftwareAuthenticator({ algorithm })
    expect((await addPasskey(owner, authenticator)).status).toBe(200)
    const [tab, thief] = [app.browser(), app.browser()]
    expect((await signInWithPasskey(tab, authenticator)).body).toMatchObject({ user: { id: owner.userId } })
    const { response, ...assertion } = await createAssertion(thief, authenticator)
    const signature = Buffer.from(response.signature, 'base64url')
    signature[5] = (signature[5] ?? 0) ^ 1
    const forged = { ...assertion, response: { ...response, signature: signature.toString('base64url') } }
    expect((await thief.post('/auth/passkey/verify-authentication', { response: forged })).code).toBe('AUTHENTICATION_FAILED')
  })

  test('tells a synced passkey from one that stays on its device', async () => {
    const { authenticator, userId } = await createOwner({ isSyncable: true })
    await signInWithPasskey(app.browser(), authenticator)
    expect((await sessionOf(userId)).authenticationMethods).toEqual(['swk'])
  })

  test('names no account before the passkey does', async () => {
    const options = (await app.browser().get('/auth/passkey/generate-authenticate-options')).body
    expect(options).not.toHaveProperty('allowCredentials')
  })

  test.each([
    ['on another origin', { origin: 'https://evil.example.com' }],
    ['for another relying party', { rpId: 'example.com' }],
    ['by the other ceremony', { type: 'webauthn.create' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['with the handle of another user', { userHandle: Buffer.alloc(32).toString('base64url') }],
    ['without a handle', { userHandle: null }],
  ])('refuses an answer given %s, and uses up the challenge', async (_, deviation) => {
    const { authenticator, userId } = await createOwner()
    const tab = app.browser()
    const options = (await tab.get('/auth/passkey/generate-authenticate-options')).body as { challenge: string; rpId: string }
    const answer = await tab.post(signIn, { response: authenticator.authenticate(options, deviation) })
    expect([answer.status, answer.code]).toEqual([401, 'AUTHENTICATION_FAILED'])
    expect((await tab.post(signIn, { response: authenticator.authenticate(options) })).code).toBe('CHALLENGE_NOT_FOUND')
    expect([await userIn(tab), (await app.db.passkey.findFirstOrThrow({ where: { userId } })).counter]).toEqual([null, 0n])
  })

  test('refuses a wrong signature, an unknown passkey and a suspended user', async () => {
    const { authenticator, userId } = await createOwner()
    const tab = app.browser()
    const forged = await createAssertion(tab, authenticator)
    const altered = { ...forged, response: { ...forged.response, signature: `${forged.response.signature.slice(0, -6)}AAAAAA` } }
    expect((await tab.post(signIn, { response: altered })).code).toBe('AUTHENTICATION_FAILED')
    const known = await createAssertion(tab, authenticator)
    const answer = await tab.post(signIn, { response: { ...known, id: 'unknown', rawId: 'unknown' } })
    expect([answer.status, answer.code]).toEqual([404, 'PASSKEY_NOT_FOUND'])
    expect((await tab.post(signIn, { response: known })).code).toBe('CHALLENGE_NOT_FOUND')
    await app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } })
    expect((await signInWithPasskey(tab, authenticator)).code).toBe('AUTHENTICATION_FAILED')
    expect(await userIn(tab)).toBeNull()
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'refuses a user who is suspended while the request waits for the row',
    async () => {
      const { authenticator, userId } = await createOwner()
      const tab = app.browser()
      const before = await app.db.session.count({ where: { userId } })
      let waiting: ReturnType<typeof signInWithPasskey> | undefined
      await app.db.$transaction(async (tx) => {
        await tx.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } })
        waiting = signInWithPasskey(tab, authenticator)
        await waitForLocks(app)
      })
      expect((await waiting)?.code).toBe('AUTHENTICATION_FAILED')
      expect(await app.db.session.count({ where: { userId } })).toBe(before)
    },
  )

  test('refuses a counter that went back, records it and mails the owner', async () => {
    const { authenticator, userId, person } = await createOwner()
    await signInWithPasskey(app.browser(), authenticator, { counter: 7 })
    const tab = app.browser()
    for (const counter of [7, 6, 0]) {
      const answer = await signInWithPasskey(tab, authenticator, { counter })
      expect([counter, answer.status, answer.code]).toEqual([counter, 401, 'AUTHENTICATION_FAILED'])
    }
    expect(await userIn(tab)).toBeNull()
    const events = await app.db.auditEvent.findMany({ where: { userId, action: 'refuse-passkey' } })
    expect(events.map(({ details }) => details)).toEqual(Array(3).fill({ passkey: 'Phone', reason: 'counter' }))
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toContain('blocked a passkey')
    expect((await signInWithPasskey(tab, authenticator, { counter: 8 })).status).toBe(200)
  })

  test.each([true, false])('refuses a passkey that changes whether it may be synced from %s', async (isSyncable) => {
    const { authenticator } = await createOwner({ isSyncable })
    const answer = await signInWithPasskey(app.browser(), authenticator, { isSyncable: !isSyncable })
    expect([answer.status, answer.code]).toEqual([401, 'AUTHENTICATION_FAILED'])
    expect((await signInWithPasskey(app.browser(), authenticator, { isSyncable })).status).toBe(200)
  })

  test.each([true, false])('keeps the person signed in if asked to: %s', async (rememberMe) => {
    const { authenticator, userId } = await createOwner()
    const tab = app.browser()
    const response = await createAssertion(tab, authenticator)
    await tab.post(signIn, { response, rememberMe })
    expect((await sessionOf(userId)).remember).toBe(rememberMe)
  })

  test('lets another person sign in where a sign-in waits for its second factor', async () => {
    const [waiting, other] = [await createOwner(), await createOwner()]
    await switchOnTwoFactor(waiting.tab, waiting.person.password)
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', waiting.person)
    const options = (await tab.get('/auth/passkey/generate-authenticate-options?discoverable=true')).body as {
      challenge: string
    }
    expect(options).not.toHaveProperty('allowCredentials')
    const response = other.authenticator.authenticate(options)
    expect((await tab.post(signIn, { response })).body).toMatchObject({ user: { id: other.userId } })
  })

  test('accepts an authenticator that never counts', async () => {
    const { authenticator } = await createOwner()
    for (let round = 0; round < 2; round += 1)
      expect((await signInWithPasskey(app.browser(), authenticator, { counter: 0 })).status).toBe(200)
  })

  test('opens one session for twenty requests with one challenge', async () => {
    const { authenticator, userId } = await createOwner()
    const before = await app.db.session.count({ where: { userId } })
    const tab = app.browser()
    const response = await createAssertion(tab, authenticator)
    const answers = await Promise.all(Array.from({ length: 20 }, () => tab.post(signIn, { response })))
    const codes = answers.map(({ status, code }) => code ?? status)
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
    expect(codes.filter((code) => code === 'CHALLENGE_NOT_FOUND')).toHaveLength(19)
    expect(await app.db.session.count({ where: { userId } })).toBe(before + 1)
  })

  test('lets two tabs of one browser wait at the same time', async () => {
    const { authenticator } = await createOwner()
    const browser = app.browser()
    const first = await createAssertion(browser, authenticator)
    const second = await createAssertion(browser, authenticator)
    expect((await browser.post(signIn, { response: first })).status).toBe(200)
    expect((await browser.post(signIn, { response: second })).status).toBe(200)
  })

  test("refuses the challenge of another browser and another user's challenge", async () => {
    const { authenticator } = await createOwner()
    const response = await createAssertion(app.browser(), authenticator)
    const elsewhere = app.browser()
    await elsewhere.get('/auth/passkey/generate-authenticate-options')
    expect((await elsewhere.post(signIn, { response })).code).toBe('CHALLENGE_NOT_FOUND')

    const other = await createOwner()
    const { challenge, rpId } = (await other.tab.get('/auth/passkey/generate-authenticate-options')).body as {
      challenge: string
      rpId: string
    }
    const mine = authenticator.authenticate({ challenge, rpId })
    expect((await other.tab.post(signIn, { response: mine })).code).toBe('AUTHENTICATION_FAILED')
  })

  test('leads to a trusted target only', async () => {
    const { authenticator } = await createOwner()
    const tab = app.browser()
    const response = await createAssertion(tab, authenticator)
    expect((await tab.post(signIn, { response, callbackURL: 'https://evil.example.com' })).code).toBe('INVALID_CALLBACK_URL')
    expect((await tab.post(signIn, { response, callbackURL: '/settings' })).body).toMatchObject({ url: '/settings' })
  })
})

describe('a passkey that did not verify its user', () => {
  const possessionOnly = { userVerified: false }

  test('opens no session of an account without a second factor', async () => {
    const { authenticator } = await createOwner()
    const tab = app.browser()
    const answer = await signInWithPasskey(tab, authenticator, possessionOnly)
    expect([answer.status, answer.code, await userIn(tab)]).toEqual([403, 'USER_VERIFICATION_REQUIRED', null])
  })

  test('leads to the code when one is set up, even on a trusted device', async () => {
    const { tab: owner, authenticator, person, userId } = await createOwner()
    const { authenticator: codes } = await switchOnTwoFactor(owner, person.password)
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email: person.email, password: person.password })
    expect((await tab.post('/auth/two-factor/verify', { code: codes.code(1), trustDevice: true })).status).toBe(200)
    await tab.post('/auth/sign-out')
    const answer = await signInWithPasskey(tab, authenticator, possessionOnly)
    expect([answer.status, answer.body]).toEqual([200, { twoFactorRedirect: true, twoFactorMethods: ['totp'] }])
    expect(await userIn(tab)).toBeNull()
    // The same possession is no second factor.
    expect((await signInWithPasskey(tab, authenticator, possessionOnly)).code).toBe('USER_VERIFICATION_REQUIRED')
    await app.db.twoFactor.updateMany({ where: { userId }, data: { lastStep: null } })
    expect((await tab.post('/auth/two-factor/verify', { code: codes.code() })).status).toBe(200)
    expect((await sessionOf(userId)).authenticationMethods).toEqual(['hwk', 'otp'])
  })

  test('does not reauthenticate', async () => {
    const { tab, authenticator } = await createOwner()
    const passkey = await createAssertion(tab, authenticator, possessionOnly)
    expect((await tab.post('/auth/reauthenticate', { passkey })).code).toBe('USER_VERIFICATION_REQUIRED')
  })
})

describe('a passkey as the second factor', () => {
  test.each([true, false])('completes a sign-in by password, user verified: %s', async (userVerified) => {
    const { tab: owner, authenticator, person, userId } = await createOwner()
    await switchOnTwoFactor(owner, person.password)
    const tab = app.browser()
    const credentials = { email: person.email, password: person.password, callbackURL: '/settings', rememberMe: false }
    const asked = await tab.post('/auth/sign-in/email', credentials)
    expect(asked.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp', 'passkey'] })
    const options = (await tab.get('/auth/passkey/generate-authenticate-options')).body
    expect(options).toMatchObject({ allowCredentials: [{ id: authenticator.credentials[0]?.id }] })
    const answer = await signInWithPasskey(tab, authenticator, { userVerified })
    expect([answer.status, answer.body]).toMatchObject([200, { user: { id: userId }, url: '/settings' }])
    const session = await sessionOf(userId)
    expect([session.authenticationMethods, session.remember, session.secondFactorAt !== null]).toEqual([
      ['pwd', 'hwk'],
      false,
      true,
    ])
    expect(await app.db.verification.count({ where: { userId, purpose: 'two-factor', usedAt: null } })).toBe(0)
  })

  test('completes no sign-in after five wrong codes', async () => {
    const { authenticator, person, tab } = await createOwner()
    await switchOnTwoFactor(tab, person.password)
    const browser = app.browser()
    await browser.post('/auth/sign-in/email', person)
    for (let attempt = 0; attempt < 5; attempt += 1) await browser.post('/auth/two-factor/verify', { code: 'aaaaa-aaaaa-aaaaa' })
    const answer = await signInWithPasskey(browser, authenticator, { userVerified: false })
    expect(answer.body).toMatchObject({ twoFactorRedirect: true })
    expect(await userIn(browser)).toBeNull()
  })

  test('is not asked for while two-factor is off', async () => {
    const { person } = await createOwner()
    const answer = await app.browser().post('/auth/sign-in/email', { email: person.email, password: person.password })
    expect(answer.body).toMatchObject({ token: expect.any(String) })
  })

  test('does not complete the sign-in of another user', async () => {
    const { tab: owner, person } = await createOwner()
    await switchOnTwoFactor(owner, person.password)
    const thief = await createOwner()
    const tab = app.browser()
    const options = (await tab.get('/auth/passkey/generate-authenticate-options')).body as { challenge: string; rpId: string }
    await tab.post('/auth/sign-in/email', { email: person.email, password: person.password })
    const answer = await tab.post(signIn, { response: thief.authenticator.authenticate(options, { userVerified: false }) })
    expect([answer.code, await userIn(tab)]).toEqual(['USER_VERIFICATION_REQUIRED', null])
  })
})

describe('reauthenticating with a passkey', () => {
  test('makes an old session fresh, with two factors', async () => {
    const { tab, authenticator, userId } = await createOwner()
    await app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 86_400_000) } })
    expect((await tab.get('/auth/export-data')).code).toBe('SESSION_NOT_FRESH')
    expect((await tab.get('/auth/reauthentication')).body).toMatchObject({ methods: ['passkey', 'password'], satisfied: false })
    expect((await tab.get('/auth/reauthentication?acr=aal2')).body).toMatchObject({ methods: ['passkey'] })
    const passkey = await createAssertion(tab, authenticator)
    expect((await tab.post('/auth/reauthenticate', { passkey })).body).toEqual({ status: true })
    expect((await tab.get('/auth/export-data')).status).toBe(200)
    expect((await tab.get('/auth/reauthentication?acr=aal2&max_age=60')).body).toMatchObject({ satisfied: true })
    expect((await tab.post('/auth/reauthenticate', { passkey })).code).toBe('CHALLENGE_NOT_FOUND')
  })

  test("refuses another user's passkey", async () => {
    const { tab } = await createOwner()
    const other = await createOwner()
    const { challenge, rpId } = (await tab.get('/auth/passkey/generate-authenticate-options')).body as {
      challenge: string
      rpId: string
    }
    const passkey = other.authenticator.authenticate({ challenge, rpId })
    expect((await tab.post('/auth/reauthenticate', { passkey })).code).toBe('PASSKEY_NOT_FOUND')
  })

  test.each(['disable', 'generate-backup-codes'])('proves the owner for two-factor/%s', async (path) => {
    const { tab, authenticator, person, userId } = await createOwner()
    await switchOnTwoFactor(tab, person.password)
    await app.db.passkey.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - day) } })
    const weak = await createAssertion(tab, authenticator, { userVerified: false })
    expect((await tab.post(`/auth/two-factor/${path}`, { passkey: weak })).code).toBe('USER_VERIFICATION_REQUIRED')
    const passkey = await createAssertion(tab, authenticator)
    expect((await tab.post(`/auth/two-factor/${path}`, { passkey })).status).toBe(200)
  })
})

test('the account of a passkey alone sets up a second factor and stays reachable', async () => {
  const { tab, authenticator, userId } = await createOwner()
  await tab.post('/auth/unlink-account', { providerId: 'credential' })
  expect((await setUpTwoFactor(tab)).backupCodes).toHaveLength(10)
  expect((await signInWithPasskey(app.browser(), authenticator)).body).toMatchObject({ user: { id: userId } })
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
