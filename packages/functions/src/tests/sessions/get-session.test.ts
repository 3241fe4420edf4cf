import { getSessionToken } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()

type SessionAnswer = { session: { id: string; token: string; expiresAt: string; createdAt: string }; user: { id: string } }

const day = 24 * 3600
const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const getSession = (value: string) =>
  app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${value}` } })
const getMaxAge = (setCookie: string | undefined) => Number(setCookie?.match(/Max-Age=(\d+)/)?.[1])
const getExpiry = ({ body }: { body: unknown }) => new Date((body as SessionAnswer).session.expiresAt).getTime()

describe('get-session', () => {
  test('answers null with 200 and sets no cookie when signed out', async () => {
    const answer = await app.browser().get('/auth/get-session')
    expect([answer.status, answer.body, answer.setCookies]).toEqual([200, null, []])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test("has the shape that better-auth's client reads", async () => {
    const tab = await app.signedIn()
    const { body } = await tab.get('/auth/get-session', { headers: { 'user-agent': 'Firefox/140' } })
    const { session } = body as SessionAnswer
    expect(body).toStrictEqual({
      session: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        token: session.id,
        userId: tab.userId,
        expiresAt: isoDate,
        createdAt: isoDate,
        updatedAt: isoDate,
        ipAddress: '127.0.0.1',
        userAgent: '',
        activeOrganizationId: null,
        impersonatedBy: null,
      },
      user: {
        id: tab.userId,
        name: tab.person.name,
        email: tab.person.email,
        emailVerified: true,
        image: null,
        createdAt: isoDate,
        updatedAt: isoDate,
        twoFactorEnabled: false,
        tradingEnabled: false,
        riskLevel: 'conservative',
        heldUntil: null,
        role: 'user',
      },
    })
    const row = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })
    expect(session.id).toBe(row.handle)
    expect(JSON.stringify(body)).not.toContain(row.id)
    expect(JSON.stringify(body)).not.toContain(getSessionToken(tab))
  })

  test('T179: opens no session for any value that the database stores', async () => {
    await app.signedIn()
    await app.signUp()
    const values = (await app.readAllRows()).flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string')
    expect(values.length).toBeGreaterThan(20)
    for (const value of new Set(values)) {
      if (/^[\x20-\x7e]+$/.test(value) && !value.includes(';'))
        expect([value, (await getSession(value)).body]).toEqual([value, null])
    }
  })

  test('clears a cookie that opens no session', async () => {
    const answer = await getSession('nothing')
    expect([answer.status, answer.body, answer.setCookies]).toEqual([
      200,
      null,
      ['local-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax'],
    ])
  })

  test('is the only route that clears it, so that a late answer cannot remove a newer cookie', async () => {
    const cookie = { headers: { cookie: 'local-floorpass_session=nothing' } }
    const browser = app.browser()
    const answers = [
      await browser.post('/auth/update-user', { name: 'Ada' }, cookie),
      await browser.get('/auth/list-sessions', cookie),
      await browser.post('/trpc/passwords.check', { password: 'plum kettle orbit' }, cookie),
    ]
    expect(answers.map(({ setCookies }) => setCookies)).toEqual([[], [], []])
  })

  test('extends a session in use and its cookie once a day', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const first = getExpiry(await tab.get('/auth/get-session'))
    expect(first - Date.now()).toBe(7 * day * 1000)

    clock.advance(day - 1)
    const early = await tab.get('/auth/get-session')
    expect([getExpiry(early), early.setCookies]).toEqual([first, []])

    clock.advance(1)
    const due = await tab.get('/auth/get-session')
    expect(getExpiry(due) - Date.now()).toBe(7 * day * 1000)
    expect(due.setCookies).toEqual([
      `local-floorpass_session=${getSessionToken(tab)}; HttpOnly; Max-Age=604800; Path=/; SameSite=Lax`,
    ])
    expect((await app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })).expiresAt.getTime()).toBe(getExpiry(due))

    clock.advance(60)
    const after = await tab.get('/auth/get-session')
    expect([getExpiry(after), after.setCookies]).toEqual([getExpiry(due), []])
  })

  test('a change that needs no session does not count as use of the one in its cookie', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(2 * day)
    const read = () => app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })
    const before = await read()
    const { status, setCookies } = await tab.post('/auth/forget-password', { email: app.person().email })
    expect([status, setCookies, await read()]).toEqual([200, [], before])
    await tab.post('/auth/update-user', { name: 'Ada' })
    expect(await read()).not.toEqual(before)
  })

  test('extends a session even when the clock ticks between two reads', async () => {
    const tab = await app.signedIn()
    const twoDaysAgo = new Date(Date.now() - 2 * day * 1000)
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { createdAt: twoDaysAgo, updatedAt: twoDaysAgo } })
    let time = Date.now()
    const spy = vi.spyOn(Date, 'now').mockImplementation(() => {
      time += 7
      return time
    })
    onTestFinished(() => spy.mockRestore())
    const answer = await tab.get('/auth/get-session')
    expect(answer.body).not.toBeNull()
    expect(getMaxAge(answer.setCookies[0])).toBeGreaterThan(0)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
  })

  test('T40: ends a session after seven days without use, even when the cookie stays and no clean-up runs', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const token = getSessionToken(tab)
    clock.advance(7 * day)
    const answer = await getSession(token)
    expect([answer.status, answer.body]).toEqual([200, null])
    expect(getMaxAge(answer.setCookies[0])).toBe(0)
    clock.advance(-6 * day)
    expect((await getSession(token)).body).toBeNull()
  })

  test('T41: ends a session and its cookie after thirty days, however often it is used', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const end = Date.now() + 30 * day * 1000
    for (let count = 1; count < 20; count += 1) {
      clock.advance(1.5 * day)
      const answer = await tab.get('/auth/get-session')
      expect(getExpiry(answer)).toBeLessThanOrEqual(end)
      if (answer.setCookies[0]) expect(Date.now() + getMaxAge(answer.setCookies[0]) * 1000).toBeLessThanOrEqual(getExpiry(answer))
    }
    clock.advance(1.5 * day - 1)
    expect(getExpiry(await tab.get('/auth/get-session'))).toBe(end)
    clock.advance(1)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })

  test('never extends a session without "remember me"', async () => {
    const clock = holdClock()
    const { email, password } = await app.verified()
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email, password, rememberMe: false })
    clock.advance(day - 1)
    expect((await tab.get('/auth/get-session')).setCookies).toEqual([])
    clock.advance(1)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })

  test('T43: keeps ten tabs signed in that extend one session in parallel', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(2 * day)
    const answers = await Promise.all(Array.from({ length: 10 }, () => getSession(getSessionToken(tab))))
    for (const answer of answers) expect(getExpiry(answer)).toBe(Date.now() + 7 * day * 1000)
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
  })

  test('T34: does not bring a revoked session back when an extension is in progress', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(2 * day)
    await Promise.all([getSession(getSessionToken(tab)), app.db.session.deleteMany({ where: { userId: tab.userId } })])
    expect((await getSession(getSessionToken(tab))).body).toBeNull()
  })

  test('T39: signs a suspended user out on the next request', async () => {
    const tab = await app.signedIn()
    await app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt: new Date() } })
    expect((await getSession(getSessionToken(tab))).body).toBeNull()
    expect((await tab.post('/auth/update-user', { name: 'Still here' })).code).toBe('UNAUTHORIZED')
  })

  test('T39: signs a deleted user out on the next request and leaves no session', async () => {
    const tab = await app.signedIn()
    await app.db.user.delete({ where: { id: tab.userId } })
    const answer = await tab.get('/auth/get-session')
    expect([answer.status, answer.body]).toEqual([200, null])
    expect(tab.cookies.has('local-floorpass_session')).toBe(false)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('T191: answers an error and keeps the cookie when sessions cannot be read', async () => {
    const broken = await createTestApp()
    const tab = await broken.signedIn()
    await broken.db.$executeRawUnsafe('ALTER TABLE sessions RENAME TO sessions_away')
    const answer = await tab.get('/auth/get-session')
    expect([answer.status, answer.code, answer.setCookies]).toEqual([500, 'INTERNAL_SERVER_ERROR', []])
    await broken.db.$executeRawUnsafe('ALTER TABLE sessions_away RENAME TO sessions')
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
  })
})
