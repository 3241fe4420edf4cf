import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { describe, expect, test } from 'vitest'
import { app, differs, makeStale, readSession, type Session, signIn } from './suite.ts'

const hour = 3600
const day = 24 * hour
const cookieOf = (setCookies: string[]) => setCookies.find((cookie) => cookie.startsWith('local-floorpass_session='))
const secondsLeft = (session?: Session) => Math.round((Date.parse(session?.expiresAt ?? '') - Date.now()) / 1000)

describe('the session cookie (routes/session-api, cookies)', () => {
  test('lives seven days, for every path, out of reach of scripts and other sites', async () => {
    const { setCookies, tab } = await signIn(await app.verified())
    const attributes = cookieOf(setCookies)?.split('; ').slice(1)
    expect(attributes?.sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax'])
    expect(secondsLeft((await readSession(tab))?.session)).toBeGreaterThan(6 * day)
  })

  test('ends with the browser without "remember me", and its session within a day', async () => {
    const clock = holdClock()
    const { setCookies, tab } = await signIn(await app.verified(), { rememberMe: false })
    expect(cookieOf(setCookies)).not.toContain('Max-Age')
    const first = await readSession(tab)
    expect(secondsLeft(first?.session)).toBeLessThanOrEqual(day)
    clock.advance(day - hour)
    expect((await readSession(tab))?.session.expiresAt).toBe(first?.session.expiresAt)
    clock.advance(hour)
    expect(await readSession(tab)).toBeNull()
  })

  test('is extended once its session is a day old, and never past 400 days', async () => {
    const clock = holdClock()
    const { tab } = await signIn(await app.verified())
    clock.advance(day + 1)
    const renewed = await tab.get('/auth/get-session')
    const maxAge = Number(/Max-Age=(\d+)/.exec(cookieOf(renewed.setCookies) ?? '')?.[1])
    expect([maxAge, maxAge <= 400 * day]).toEqual([7 * day, true])
    expect(secondsLeft((renewed.body as { session: Session }).session)).toBe(7 * day)
  })

  test('is cleared when its session has expired', async () => {
    const clock = holdClock()
    const { tab } = await signIn(await app.verified())
    clock.advance(7 * day + 1)
    const answer = await tab.get('/auth/get-session')
    expect([answer.status, answer.body]).toEqual([200, null])
    expect(cookieOf(answer.setCookies)).toContain('Max-Age=0')
  })
})

describe('get-session (routes/session-api)', () => {
  test('is null without a session', async () => {
    const answer = await app.browser().get('/auth/get-session')
    expect([answer.status, answer.body]).toEqual([200, null])
  })

  test.each(['signed in', 'signed out'])('must not be stored by caches: %s', async (state) => {
    const tab = state === 'signed in' ? (await signIn(await app.verified())).tab : app.browser()
    const answer = await tab.get('/auth/get-session')
    expect([answer.body !== null, answer.headers.get('cache-control')]).toEqual([
      state === 'signed in',
      expect.stringContaining('no-store'),
    ])
  })

  differs('Which answers below `/auth` caches may store', 'lets caches store no answer to a signed-in user', async () => {
    const { tab } = await signIn(await app.verified())
    expect((await tab.get('/auth/list-accounts')).headers.get('cache-control')).toContain('no-store')
  })

  test('is read by GET only', async () => {
    expect((await app.browser().post('/auth/get-session')).status).toBe(405)
  })
})

describe('ending sessions (routes/session-api, routes/sign-out)', () => {
  test('signing out answers success and clears the session', async () => {
    const { tab } = await signIn(await app.verified())
    const answer = await tab.post('/auth/sign-out')
    expect(answer.body).toEqual({ success: true })
    expect(cookieOf(answer.setCookies)).toContain('Max-Age=0')
    expect(await readSession(tab)).toBeNull()
  })

  test('lists the sessions, revokes the own one, and all from another', async () => {
    const person = await app.verified()
    const [first, second] = [(await signIn(person)).tab, (await signIn(person)).tab]
    expect((await first.get('/auth/list-sessions')).body).toHaveLength(2)
    const token = (await readSession(first))?.session.token
    expect((await first.post('/auth/revoke-session', { token })).body).toEqual({ status: true })
    expect(await readSession(first)).toBeNull()
    expect((await second.post('/auth/revoke-sessions')).body).toEqual({ status: true })
    expect(await readSession(second)).toBeNull()
  })

  test('a revoked session does nothing more', async () => {
    const person = await app.verified()
    const [first, second] = [(await signIn(person)).tab, (await signIn(person)).tab]
    expect((await second.post('/auth/revoke-other-sessions')).body).toEqual({ status: true })
    expect(outcome(await first.post('/auth/change-password', { currentPassword: person.password, newPassword: 'x' }))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
  })
})

describe('the age of a session (routes/session-api)', () => {
  test('matters to a sensitive act', async () => {
    const tab = await app.signedIn()
    await makeStale(tab.userId)
    expect(outcome(await tab.post('/auth/unlink-account', { providerId: 'credential' }))).toEqual([403, 'SESSION_NOT_FRESH'])
  })

  differs('May list-sessions need a fresh session', 'does not matter to the list of sessions', async () => {
    const tab = await app.signedIn()
    await makeStale(tab.userId)
    expect((await tab.get('/auth/list-sessions')).body).toHaveLength(1)
  })
})

describe('fields of a session (routes/session-api)', () => {
  const question = '`POST /update-session`'
  differs(question, 'cannot be changed: neither its token nor its user', async () => {
    const tab = await app.signedIn()
    const before = await readSession(tab)
    for (const fields of [{ token: 'malicious' }, { userId: 'another-user' }, { theme: 'dark' }, {}])
      expect(outcome(await tab.post('/auth/update-session', fields))).toEqual([404, 'NOT_FOUND'])
    expect(await readSession(tab)).toEqual(before)
  })
})
