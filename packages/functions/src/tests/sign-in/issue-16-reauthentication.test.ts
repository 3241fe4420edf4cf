import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found, outcome } from '@floorpass/testing/organization'
import { handleOf } from '@floorpass/testing/route-samples'
import { createAuthClient } from 'better-auth/client'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()
const day = 24 * 3600
const quarter = 15 * 60

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const reauthenticate = (tab: Pick<Browser, 'post'>, body: object) => tab.post('/auth/reauthenticate', body)
const withPassword = (tab: Tab) => reauthenticate(tab, { password: tab.person.password })
/** What a sensitive act answers: it changes nothing. */
const act = async (tab: Browser) => outcome(await tab.get('/auth/export-data'))
const allowed = [200, undefined]
const refused = [403, 'SESSION_NOT_FRESH']
const stateOf = async (tab: Browser) => (await tab.get('/auth/reauthentication')).body as { until: string; methods: string[] }
const cookieOf = (tab: Browser) => tab.cookies.get('floorpass_session') ?? ''
const opens = async (cookie: string) =>
  (await app.browser().get('/auth/get-session', { headers: { cookie: `floorpass_session=${cookie}` } })).body !== null
const rowOf = ({ userId }: Tab) => app.db.session.findFirstOrThrow({ where: { userId } })
const events = async ({ userId }: Tab) =>
  (await app.db.auditEvent.findMany({ where: { userId, action: 'reauthenticate' } })).map(({ details, succeeded }) => [
    details,
    succeeded,
  ])
/** The same cookie in so many browsers at once. */
const atOnce = (tab: Tab, count: number, body: object) => {
  const headers = { cookie: `floorpass_session=${cookieOf(tab)}` }
  return Promise.all(Array.from({ length: count }, () => app.browser().post('/auth/reauthenticate', body, { headers })))
}
/** Runs `work` while the password is being compared, for the rest of the test. */
const whileComparing = (work: () => Promise<unknown>) => {
  const { passwords } = app.service.deps
  const { verify } = passwords
  onTestFinished(() => {
    passwords.verify = verify
  })
  passwords.verify = async (hash, password) => {
    await work()
    return verify(hash, password)
  }
}
async function withFactor() {
  const clock = holdClock()
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  clock.advance(quarter + 30)
  expect(await act(tab)).toEqual(refused)
  return { clock, tab, authenticator, backupCodes, userId: tab.userId }
}

describe('a sign-in', () => {
  test('is a proof for 15 minutes, to the second', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const end = new Date(Date.now() + quarter * 1000).toISOString()
    expect(await stateOf(tab)).toEqual({ until: end, methods: ['password'] })
    clock.advance(quarter)
    expect(await act(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await act(tab)).toEqual(refused)
    expect((await stateOf(tab)).until).toBe(end)
  })

  test('T104: proves nothing on a clock that was set back by more than a minute, until the next proof', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(-60)
    expect(await act(tab)).toEqual(allowed)
    clock.advance(-1)
    expect(await act(tab)).toEqual(refused)
    expect(new Date((await stateOf(tab)).until).getTime()).toBeLessThan(Date.now())
    expect(outcome(await withPassword(tab))).toEqual(allowed)
    expect(await act(tab)).toEqual(allowed)
  })

  test('that is extended, or read a hundred times, proves nothing more', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(2 * day)
    expect((await tab.get('/auth/get-session')).setCookies).toHaveLength(1)
    for (let count = 0; count < 100; count += 1) await tab.get('/auth/get-session')
    expect(await act(tab)).toEqual(refused)
  })
})

describe('reauthenticating by password', () => {
  test('allows sensitive acts for 15 minutes more, to the second', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(3 * day)
    expect(await act(tab)).toEqual(refused)
    const answer = await withPassword(tab)
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    expect((await stateOf(tab)).until).toBe(new Date(Date.now() + quarter * 1000).toISOString())
    clock.advance(quarter)
    expect(await act(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await act(tab)).toEqual(refused)
    expect(await events(tab)).toEqual([[{ method: 'password' }, true]])
  })

  test('T31: changes the token, and the cookie from before opens nothing', async () => {
    const tab = await app.signedIn()
    const [before, handle] = [cookieOf(tab), await handleOf(tab)]
    const answer = await withPassword(tab)
    expect(answer.setCookies).toEqual([
      expect.stringMatching(/^floorpass_session=[\w-]+; HttpOnly; Max-Age=\d+; Path=\/; SameSite=Lax$/),
    ])
    expect([cookieOf(tab) === before, await opens(before), await opens(cookieOf(tab))]).toEqual([false, false, true])
    expect(await handleOf(tab)).not.toBe(handle)
  })

  test('keeps the sign-in time, the end, the organization and the device of the session', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await found(tab)
    const { id: trustedDeviceId } = await app.db.trustedDevice.create({
      data: { userId: tab.userId, secretHash: `device of ${tab.userId}`, expiresAt: new Date(Date.now() + 1e9) },
    })
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { trustedDeviceId } })
    const { createdAt, remember, activeOrganizationId } = await rowOf(tab)
    clock.advance(3 * day)
    await withPassword(tab)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    expect(await rowOf(tab)).toMatchObject({
      createdAt,
      remember,
      activeOrganizationId,
      trustedDeviceId,
      authenticatedAt: new Date(),
    })
  })

  test('T41: never prolongs a session beyond its last day', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { createdAt } = await rowOf(tab)
    for (let passed = 0; passed < 29; passed += 1) {
      clock.advance(day)
      expect((await withPassword(tab)).status).toBe(200)
    }
    expect((await rowOf(tab)).expiresAt).toEqual(new Date(createdAt.getTime() + 30 * day * 1000))
    clock.advance(day)
    expect((await withPassword(tab)).code).toBe('UNAUTHORIZED')
  })

  test('T41: a session that is not remembered still ends after a day and with the browser', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await tab.post('/auth/sign-in/email', { ...tab.person, rememberMe: false })
    const { createdAt } = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId, remember: false } })
    clock.advance(23 * 3600)
    expect((await withPassword(tab)).setCookies[0]).not.toContain('Max-Age')
    const { expiresAt } = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId, remember: false } })
    expect(expiresAt).toEqual(new Date(createdAt.getTime() + day * 1000))
  })

  test('with a wrong password changes nothing', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(quarter + 1)
    expect(await act(tab)).toEqual(refused)
    const [cookie, row] = [cookieOf(tab), await rowOf(tab)]
    const answer = await reauthenticate(tab, { password: 'something else' })
    expect([answer.status, answer.body]).toEqual([400, { code: 'INVALID_PASSWORD', message: 'Invalid password' }])
    expect([cookieOf(tab), await rowOf(tab), await events(tab)]).toEqual([cookie, row, []])
    expect(await act(tab)).toEqual(refused)
  })

  test('without a password on the account is refused', async () => {
    const tab = await app.signedIn()
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    expect((await withPassword(tab)).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
  })

  test('proves it for this session only, not for the other devices', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    clock.advance(quarter + 1)
    await withPassword(tab)
    expect([await act(tab), await act(other)]).toEqual([allowed, refused])
  })

  test('works over tRPC too', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(quarter + 1)
    expect((await tab.post('/trpc/signIn.reauthenticate', { password: tab.person.password })).status).toBe(200)
    expect(await act(tab)).toEqual(allowed)
  })

  test('T92: twenty at once with one cookie leave one live session, and no answer clears its cookie', async () => {
    const tab = await app.signedIn()
    const answers = await atOnce(tab, 20, { password: tab.person.password })
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    for (const { status, code, setCookies } of answers)
      if (status !== 200) expect([status, code, setCookies]).toEqual([401, 'UNAUTHORIZED', expect.not.arrayContaining([/./])])
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    expect(await events(tab)).toHaveLength(1)
    expect(app.unforeseen()).toEqual([])
  })

  test.each<[string, (userId: string) => Promise<unknown>, string]>([
    ['revoked', (userId) => app.db.session.deleteMany({ where: { userId } }), 'UNAUTHORIZED'],
    ['over', (userId) => app.db.session.updateMany({ where: { userId }, data: { expiresAt: new Date() } }), 'UNAUTHORIZED'],
    [
      'of a suspended user',
      (userId) => app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } }),
      'UNAUTHORIZED',
    ],
    ['of a deleted user', (userId) => app.db.user.delete({ where: { id: userId } }), 'CREDENTIAL_ACCOUNT_NOT_FOUND'],
    [
      'of a user whose password was replaced',
      (userId) => app.db.account.updateMany({ where: { userId }, data: { passwordHash: 'another' } }),
      'INVALID_PASSWORD',
    ],
  ])('by a session that is %s meanwhile proves nothing', async (_, end, code) => {
    const tab = await app.signedIn()
    const before = cookieOf(tab)
    whileComparing(() => end(tab.userId))
    expect((await withPassword(tab)).code).toBe(code)
    expect(await app.db.session.count({ where: { userId: tab.userId, authenticatedAt: { not: null } } })).toBe(0)
    expect(await events(tab)).toEqual([])
    expect([before, '']).toContain(cookieOf(tab))
  })

  test('of a suspended user is refused', async () => {
    const tab = await app.signedIn()
    await app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt: new Date() } })
    expect((await withPassword(tab)).code).toBe('UNAUTHORIZED')
  })

  test('signed out is 401', async () => {
    expect(outcome(await reauthenticate(app.browser(), { password: 'anything' }))).toEqual([401, 'UNAUTHORIZED'])
    expect(outcome(await app.browser().get('/auth/reauthentication'))).toEqual([401, 'UNAUTHORIZED'])
  })
})

test.each([
  ['no proof', {}],
  ['two proofs', { password: 'x', code: '123456' }],
  ['a proof and a request for a link', { password: 'x', sendEmail: true }],
  ['an empty password', { password: '' }],
  ['an empty code', { code: '' }],
  ['an empty token', { token: '' }],
  ['a password of numbers', { password: 7 }],
  ['a code of objects', { code: {} }],
  ['a token of lists', { token: [] }],
  ['a request for no link', { sendEmail: false }],
  ['an unknown provider', { provider: 'myspace' }],
])('%s is refused with a reason, and proves nothing', async (_, body) => {
  const clock = holdClock()
  const tab = await app.signedIn()
  clock.advance(quarter + 1)
  const answer = await reauthenticate(tab, body)
  expect(outcome(answer)).toEqual('provider' in body ? [404, 'PROVIDER_NOT_FOUND'] : [400, 'VALIDATION_ERROR'])
  expect(await act(tab)).toEqual(refused)
})

describe('reauthenticating by code', () => {
  test('takes a code of the authenticator, once', async () => {
    const { tab, authenticator, clock } = await withFactor()
    const code = authenticator.code()
    expect((await reauthenticate(tab, { code })).body).toEqual({ status: true })
    expect(await act(tab)).toEqual(allowed)
    clock.advance(10)
    expect((await reauthenticate(tab, { code })).code).toBe('INVALID_CODE')
    expect(await events(tab)).toEqual([[{ method: 'code' }, true]])
    expect((await stateOf(tab)).methods).toEqual(['password', 'code'])
  })

  test('takes a backup code, once, and its owner gets a mail', async () => {
    const { tab, backupCodes, userId, clock } = await withFactor()
    expect((await reauthenticate(tab, { code: backupCodes[0] })).status).toBe(200)
    expect(await act(tab)).toEqual(allowed)
    expect(await app.db.backupCode.count({ where: { userId, usedAt: null } })).toBe(9)
    await app.mailed()
    expect(app.outbox.lastTo(tab.person.email).subject).toMatch(/backup code/i)
    clock.advance(quarter + 1)
    expect((await reauthenticate(tab, { code: backupCodes[0] })).code).toBe('INVALID_BACKUP_CODE')
    expect(await act(tab)).toEqual(refused)
  })

  test('counts wrong codes like a sign-in does: ten lock the factor, also for the right code', async () => {
    const { tab, authenticator, userId, clock } = await withFactor()
    for (let count = 0; count < 9; count += 1)
      expect(outcome(await reauthenticate(tab, { code: '000000' }))).toEqual([401, 'INVALID_CODE'])
    expect(await app.db.twoFactor.findUnique({ where: { userId } })).toMatchObject({ failedAttempts: 9, lockedUntil: null })
    await reauthenticate(tab, { code: 'AAAAA-AAAAA' })
    clock.advance(30)
    expect((await reauthenticate(tab, { code: authenticator.code() })).code).toBe('ACCOUNT_TEMPORARILY_LOCKED')
    expect(await act(tab)).toEqual(refused)
    expect(outcome(await withPassword(tab))).toEqual(allowed)
  })

  test('T92: twenty at once with one code: one proof, one session', async () => {
    const { tab, authenticator, userId } = await withFactor()
    const answers = await atOnce(tab, 20, { code: authenticator.code() })
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(code).toBe('UNAUTHORIZED')
    expect([await app.db.session.count({ where: { userId } }), await events(tab)]).toEqual([1, [[{ method: 'code' }, true]]])
  })

  test('needs a factor in use: one that is only prepared, or none, is refused', async () => {
    const tab = await app.signedIn()
    expect((await reauthenticate(tab, { code: '123456' })).code).toBe('TOTP_NOT_ENABLED')
    const { authenticator, backupCodes } = await setUpTwoFactor(tab, tab.person.password)
    expect((await reauthenticate(tab, { code: authenticator.code() })).code).toBe('TOTP_NOT_ENABLED')
    expect((await reauthenticate(tab, { code: backupCodes[0] })).code).toBe('BACKUP_CODES_NOT_ENABLED')
    expect([(await stateOf(tab)).methods, await events(tab)]).toEqual([['password'], []])
  })
})

describe('the password or code in the body of an act', () => {
  test('is the proof, on a session of any age, and proves nothing for the next act', async () => {
    const { tab, authenticator, clock, userId } = await withFactor()
    const { password } = tab.person
    clock.advance(5 * day)
    expect((await tab.post('/auth/two-factor/generate-backup-codes', { code: authenticator.code() })).status).toBe(200)
    expect((await tab.post('/auth/two-factor/disable', { password })).status).toBe(200)
    expect((await tab.post('/auth/two-factor/enable', { password })).status).toBe(200)
    expect((await tab.post('/auth/two-factor/get-totp-uri', { password })).status).toBe(200)
    expect(await act(tab)).toEqual(refused)
    expect((await tab.post('/auth/delete-user', { password })).status).toBe(200)
    expect(await app.db.user.count({ where: { id: userId } })).toBe(0)
  })

  test('of change-password begins a new session, which is proven', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(5 * day)
    const body = { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' }
    expect((await tab.post('/auth/change-password', body)).status).toBe(200)
    expect(await act(tab)).toEqual(allowed)
  })
})

test("better-auth's client answers SESSION_NOT_FRESH by signing in again", async () => {
  const clock = holdClock()
  const person = await app.verified()
  const tab = app.browser()
  const client = createAuthClient({ baseURL: app.baseUrl, basePath: '/auth', fetchOptions: { customFetchImpl: tab.fetch } })
  await client.signIn.email(person)
  clock.advance(quarter + 1)
  const former = cookieOf(tab)
  const newEmail = app.person().email
  expect((await client.changeEmail({ newEmail })).error).toMatchObject({ status: 403, code: 'SESSION_NOT_FRESH' })
  expect((await client.signIn.email(person)).error).toBeNull()
  expect(await client.changeEmail({ newEmail })).toEqual({ data: { status: true }, error: null })
  expect(await opens(former)).toBe(false)
})

describe('under the limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('T19: five wrong passwords are all that a session can try in a quarter of an hour', async () => {
    const tab = await limited.signedIn()
    for (let count = 0; count < 5; count += 1)
      expect((await reauthenticate(tab, { password: 'wrong guess' })).code).toBe('INVALID_PASSWORD')
    expect(outcome(await withPassword(tab))).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect((await tab.post('/auth/delete-user', { password: tab.person.password })).code).toBe('TOO_MANY_REQUESTS')
  })

  test('thirty codes a minute come from one address, however many accounts they are for', async () => {
    const tab = await limited.signedIn()
    const answers = await Promise.all(Array.from({ length: 31 }, () => reauthenticate(tab, { code: '000000' })))
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(1)
  })
})
