import { setUpTwoFactor } from '@floorpass/testing/authenticator'
import { type Browser, getSessionToken, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { runBeforePasswordCheck } from '@floorpass/testing/password-check'
import { handleOf } from '@floorpass/testing/route-samples'
import { signInWithFactor } from '@floorpass/testing/sign-in'
import { createAuthClient } from 'better-auth/client'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const day = 24 * 3600
const freshSeconds = 15 * 60

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const reauthenticate = (tab: Pick<Browser, 'post'>, body: object) => tab.post('/auth/reauthenticate', body)
const reauthenticateWithPassword = (tab: Tab) => reauthenticate(tab, { password: tab.person.password })
/** A sensitive route that changes nothing. */
const exportData = async (tab: Browser) => outcome(await tab.get('/auth/export-data'))
const allowed = [200, undefined]
const refused = [403, 'SESSION_NOT_FRESH']
const getReauthentication = async (tab: Browser) =>
  (await tab.get('/auth/reauthentication')).body as { until: string; methods: string[] }
const isLive = async (cookie: string) =>
  (await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${cookie}` } })).body !== null
const getSession = ({ userId }: Tab) => app.db.session.findFirstOrThrow({ where: { userId } })
const getEvents = async ({ userId }: Tab) =>
  (await app.db.auditEvent.findMany({ where: { userId, action: 'reauthenticate' } })).map(({ details, succeeded }) => [
    details,
    succeeded,
  ])
/** Sends `count` parallel requests with the same cookie. */
const reauthenticateInParallel = (tab: Tab, count: number, body: object) => {
  const headers = { cookie: `local-floorpass_session=${getSessionToken(tab)}` }
  return Promise.all(Array.from({ length: count }, () => app.browser().post('/auth/reauthenticate', body, { headers })))
}
async function signInWithStaleFactor() {
  const factor = await signInWithFactor(app, holdClock())
  factor.clock.advance(freshSeconds)
  expect(await exportData(factor.tab)).toEqual(refused)
  return factor
}

describe('a sign-in', () => {
  test('counts as a recent authentication for 15 minutes, to the second', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const until = new Date(Date.now() + freshSeconds * 1000).toISOString()
    expect(await getReauthentication(tab)).toEqual({ until, methods: ['password'], satisfied: true })
    clock.advance(freshSeconds)
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await exportData(tab)).toEqual(refused)
    expect((await getReauthentication(tab)).until).toBe(until)
  })

  test('T104: stops counting when the clock goes back more than a minute, until the user reauthenticates', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    expect(outcome(await reauthenticateWithPassword(tab))).toEqual(allowed)
    clock.advance(-60)
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(-1)
    expect(await exportData(tab)).toEqual(refused)
    expect(new Date((await getReauthentication(tab)).until).getTime()).toBeLessThan(Date.now())
    expect(outcome(await reauthenticateWithPassword(tab))).toEqual(allowed)
    expect(await exportData(tab)).toEqual(allowed)
  })

  test('does not become recent when the session is extended or read a hundred times', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(2 * day)
    expect((await tab.get('/auth/get-session')).setCookies).toHaveLength(1)
    for (let count = 0; count < 100; count += 1) await tab.get('/auth/get-session')
    expect(await exportData(tab)).toEqual(refused)
  })
})

describe('reauthenticating with the password', () => {
  test('allows sensitive actions for another 15 minutes, to the second', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(3 * day)
    expect(await exportData(tab)).toEqual(refused)
    const answer = await reauthenticateWithPassword(tab)
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    expect((await getReauthentication(tab)).until).toBe(new Date(Date.now() + freshSeconds * 1000).toISOString())
    clock.advance(freshSeconds)
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await exportData(tab)).toEqual(refused)
    expect(await getEvents(tab)).toEqual([[{ method: 'password' }, true]])
  })

  test('T31: replaces the session token, and the former cookie stops working', async () => {
    const tab = await app.signedIn()
    const [before, handle] = [getSessionToken(tab), await handleOf(tab)]
    const answer = await reauthenticateWithPassword(tab)
    expect(answer.setCookies).toEqual([
      expect.stringMatching(/^local-floorpass_session=[\w-]+; HttpOnly; Max-Age=\d+; Path=\/; SameSite=Lax$/),
    ])
    expect([getSessionToken(tab) === before, await isLive(before), await isLive(getSessionToken(tab))]).toEqual([
      false,
      false,
      true,
    ])
    expect(await handleOf(tab)).not.toBe(handle)
  })

  test("keeps the session's sign-in time, end, organization and device", async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await found(tab)
    const { id: trustedDeviceId } = await app.db.trustedDevice.create({
      data: { userId: tab.userId, secretHash: `device of ${tab.userId}`, expiresAt: new Date(Date.now() + 1e9) },
    })
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { trustedDeviceId } })
    const { createdAt, remember, activeOrganizationId } = await getSession(tab)
    clock.advance(3 * day)
    await reauthenticateWithPassword(tab)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    expect(await getSession(tab)).toMatchObject({
      createdAt,
      remember,
      activeOrganizationId,
      trustedDeviceId,
      authenticatedAt: new Date(),
    })
  })

  test('T41: never extends a session beyond 30 days', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { createdAt } = await getSession(tab)
    for (let passed = 0; passed < 29; passed += 1) {
      clock.advance(day)
      expect((await reauthenticateWithPassword(tab)).status).toBe(200)
    }
    expect((await getSession(tab)).expiresAt).toEqual(new Date(createdAt.getTime() + 30 * day * 1000))
    clock.advance(day)
    expect((await reauthenticateWithPassword(tab)).code).toBe('UNAUTHORIZED')
  })

  test('T41: does not extend a session without "remember me", which ends after a day and with the browser', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await tab.post('/auth/sign-in/email', { ...tab.person, rememberMe: false })
    const { createdAt } = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId, remember: false } })
    clock.advance(23 * 3600)
    expect((await reauthenticateWithPassword(tab)).setCookies[0]).not.toContain('Max-Age')
    const { expiresAt } = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId, remember: false } })
    expect(expiresAt).toEqual(new Date(createdAt.getTime() + day * 1000))
  })

  test('with a wrong password changes nothing', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(freshSeconds + 1)
    expect(await exportData(tab)).toEqual(refused)
    const [cookie, row] = [getSessionToken(tab), await getSession(tab)]
    const answer = await reauthenticate(tab, { password: 'something else' })
    expect([answer.status, answer.body]).toEqual([400, { code: 'INVALID_PASSWORD', message: 'Invalid password' }])
    expect([getSessionToken(tab), await getSession(tab), await getEvents(tab)]).toEqual([cookie, row, []])
    expect(await exportData(tab)).toEqual(refused)
  })

  test('is refused for an account without a password', async () => {
    const tab = await app.signedIn()
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    expect((await reauthenticateWithPassword(tab)).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
  })

  test('counts for this session only, not for other devices', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    clock.advance(freshSeconds + 1)
    await reauthenticateWithPassword(tab)
    expect([await exportData(tab), await exportData(other)]).toEqual([allowed, refused])
  })

  test('works over tRPC too', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(freshSeconds + 1)
    expect((await tab.post('/trpc/signIn.reauthenticate', { password: tab.person.password })).status).toBe(200)
    expect(await exportData(tab)).toEqual(allowed)
  })

  test('T92: leaves one live session when twenty requests with one cookie run in parallel, and no answer clears its cookie', async () => {
    const tab = await app.signedIn()
    const answers = await reauthenticateInParallel(tab, 20, { password: tab.person.password })
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    for (const { status, code, setCookies } of answers)
      if (status !== 200) expect([status, code, setCookies]).toEqual([401, 'UNAUTHORIZED', expect.not.arrayContaining([/./])])
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    expect(await getEvents(tab)).toHaveLength(1)
    expect(app.warnings()).toEqual([])
  })

  test.each<[string, (userId: string) => Promise<unknown>, string]>([
    ['revoked', (userId) => app.db.session.deleteMany({ where: { userId } }), 'UNAUTHORIZED'],
    ['expired', (userId) => app.db.session.updateMany({ where: { userId }, data: { expiresAt: new Date() } }), 'UNAUTHORIZED'],
    [
      'suspended with its user',
      (userId) => app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } }),
      'UNAUTHORIZED',
    ],
    ['deleted with its user', (userId) => app.db.user.delete({ where: { id: userId } }), 'CREDENTIAL_ACCOUNT_NOT_FOUND'],
    [
      'outdated by a new password',
      (userId) => app.db.account.updateMany({ where: { userId }, data: { passwordHash: 'another' } }),
      'INVALID_PASSWORD',
    ],
  ])('is refused when the session is %s during the comparison', async (_, endSession, code) => {
    const tab = await app.signedIn()
    const before = getSessionToken(tab)
    runBeforePasswordCheck(app, () => endSession(tab.userId))
    expect((await reauthenticateWithPassword(tab)).code).toBe(code)
    expect(await app.db.session.count({ where: { userId: tab.userId, authenticatedAt: { not: null } } })).toBe(0)
    expect(await getEvents(tab)).toEqual([])
    expect([before, '']).toContain(getSessionToken(tab))
  })

  test('is refused for a suspended user', async () => {
    const tab = await app.signedIn()
    await app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt: new Date() } })
    expect((await reauthenticateWithPassword(tab)).code).toBe('UNAUTHORIZED')
  })

  test('answers 401 to a signed-out caller', async () => {
    expect(outcome(await reauthenticate(app.browser(), { password: 'anything' }))).toEqual([401, 'UNAUTHORIZED'])
    expect(outcome(await app.browser().get('/auth/reauthentication'))).toEqual([401, 'UNAUTHORIZED'])
  })
})

test.each([
  ['no credential', {}],
  ['two credentials', { password: 'x', code: '123456' }],
  ['a password together with a request for a link', { password: 'x', sendEmail: true }],
  ['an empty password', { password: '' }],
  ['an empty code', { code: '' }],
  ['an empty token', { token: '' }],
  ['a password of numbers', { password: 7 }],
  ['a code of objects', { code: {} }],
  ['a token of lists', { token: [] }],
  ['sendEmail set to false', { sendEmail: false }],
  ['an unknown provider', { provider: 'myspace' }],
])('reauthenticating with %s is refused with a reason', async (_, body) => {
  const clock = holdClock()
  const tab = await app.signedIn()
  clock.advance(freshSeconds + 1)
  const answer = await reauthenticate(tab, body)
  expect(outcome(answer)).toEqual('provider' in body ? [404, 'PROVIDER_NOT_FOUND'] : [400, 'VALIDATION_ERROR'])
  expect(await exportData(tab)).toEqual(refused)
})

describe('reauthenticating with a code', () => {
  test('accepts an authenticator code once', async () => {
    const { tab, authenticator, clock } = await signInWithStaleFactor()
    const code = authenticator.code()
    expect((await reauthenticate(tab, { code })).body).toEqual({ status: true })
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(10)
    expect((await reauthenticate(tab, { code })).code).toBe('INVALID_CODE')
    expect(await getEvents(tab)).toEqual([[{ method: 'code' }, true]])
    expect((await getReauthentication(tab)).methods).toEqual(['password', 'code'])
  })

  test('accepts a backup code once, and mails the owner', async () => {
    const { tab, backupCodes, userId, clock } = await signInWithStaleFactor()
    expect((await reauthenticate(tab, { code: backupCodes[0] })).status).toBe(200)
    expect(await exportData(tab)).toEqual(allowed)
    expect(await app.db.backupCode.count({ where: { userId, usedAt: null } })).toBe(9)
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toMatch(/backup code/i)
    clock.advance(freshSeconds + 1)
    expect((await reauthenticate(tab, { code: backupCodes[0] })).code).toBe('INVALID_BACKUP_CODE')
    expect(await exportData(tab)).toEqual(refused)
  })

  test('counts wrong codes as sign-in does: ten lock the second factor, even for the right code', async () => {
    const { tab, authenticator, userId, clock } = await signInWithStaleFactor()
    for (let count = 0; count < 9; count += 1)
      expect(outcome(await reauthenticate(tab, { code: '000000' }))).toEqual([401, 'INVALID_CODE'])
    expect(await app.db.twoFactor.findUnique({ where: { userId } })).toMatchObject({ failedAttempts: 9, lockedUntil: null })
    await reauthenticate(tab, { code: 'AAAAA-AAAAA' })
    clock.advance(30)
    expect((await reauthenticate(tab, { code: authenticator.code() })).code).toBe('ACCOUNT_TEMPORARILY_LOCKED')
    expect(await exportData(tab)).toEqual(refused)
    expect(outcome(await reauthenticateWithPassword(tab))).toEqual(allowed)
  })

  test('T92: reauthenticates one session when twenty requests send one code in parallel', async () => {
    const { tab, authenticator, userId } = await signInWithStaleFactor()
    const answers = await reauthenticateInParallel(tab, 20, { code: authenticator.code() })
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(code).toBe('UNAUTHORIZED')
    expect([await app.db.session.count({ where: { userId } }), await getEvents(tab)]).toEqual([1, [[{ method: 'code' }, true]]])
  })

  test('needs a confirmed second factor', async () => {
    const tab = await app.signedIn()
    expect((await reauthenticate(tab, { code: '123456' })).code).toBe('TOTP_NOT_ENABLED')
    const { authenticator, backupCodes } = await setUpTwoFactor(tab, tab.person.password)
    expect((await reauthenticate(tab, { code: authenticator.code() })).code).toBe('TOTP_NOT_ENABLED')
    expect((await reauthenticate(tab, { code: backupCodes[0] })).code).toBe('BACKUP_CODES_NOT_ENABLED')
    expect([(await getReauthentication(tab)).methods, await getEvents(tab)]).toEqual([['password'], []])
  })
})

describe('the password or code in the body of a sensitive request', () => {
  test('authenticates this request on a session of any age, but not the next request', async () => {
    const { tab, authenticator, clock, userId } = await signInWithStaleFactor()
    const { password } = tab.person
    clock.advance(5 * day)
    expect((await tab.post('/auth/two-factor/generate-backup-codes', { code: authenticator.code() })).status).toBe(200)
    expect((await tab.post('/auth/two-factor/disable', { password })).status).toBe(200)
    expect((await tab.post('/auth/two-factor/enable', { password })).status).toBe(200)
    expect((await tab.post('/auth/two-factor/get-totp-uri', { password })).status).toBe(200)
    expect(await exportData(tab)).toEqual(refused)
    // While the changed factor holds withdrawals, the password alone deletes nothing.
    clock.advance(day)
    expect((await tab.post('/auth/delete-user', { password })).status).toBe(200)
    expect(await app.db.user.count({ where: { id: userId } })).toBe(0)
  })

  test('of change-password starts a new session that counts as just authenticated', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(5 * day)
    const body = { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' }
    expect((await tab.post('/auth/change-password', body)).status).toBe(200)
    expect(await exportData(tab)).toEqual(allowed)
  })
})

test("better-auth's client recovers from SESSION_NOT_FRESH by signing in again", async () => {
  const clock = holdClock()
  const person = await app.verified()
  const tab = app.browser()
  const client = createAuthClient({ baseURL: app.baseUrl, basePath: '/auth', fetchOptions: { customFetchImpl: tab.fetch } })
  await client.signIn.email(person)
  clock.advance(freshSeconds + 1)
  const former = getSessionToken(tab)
  const newEmail = app.person().email
  expect((await client.changeEmail({ newEmail })).error).toMatchObject({ status: 403, code: 'SESSION_NOT_FRESH' })
  expect((await client.signIn.email(person)).error).toBeNull()
  expect(await client.changeEmail({ newEmail })).toEqual({ data: { status: true }, error: null })
  expect(await isLive(former)).toBe(false)
})

describe('reauthenticating with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('T19: allows five wrong passwords in 15 minutes for each account', async () => {
    const tab = await limited.signedIn()
    for (let count = 0; count < 5; count += 1)
      expect((await reauthenticate(tab, { password: 'wrong guess' })).code).toBe('INVALID_PASSWORD')
    expect(outcome(await reauthenticateWithPassword(tab))).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect((await tab.post('/auth/delete-user', { password: tab.person.password })).code).toBe('TOO_MANY_REQUESTS')
  })

  test('allows thirty codes a minute from one IP address, whatever the account', async () => {
    const tab = await limited.signedIn()
    const answers = await Promise.all(Array.from({ length: 31 }, () => reauthenticate(tab, { code: '000000' })))
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(1)
  })
})
