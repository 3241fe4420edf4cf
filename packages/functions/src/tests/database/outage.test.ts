import { createTestApp } from '@floorpass/testing/create-test-app'
import { testDatabase } from '@floorpass/testing/test-database'
import { describe, expect, test } from 'vitest'

describe('T191: while the database is unavailable', async () => {
  const app = await createTestApp()
  const tab = await app.signedIn()
  const cookie = tab.cookies.get('local-floorpass_session')
  const { email, password } = await app.verified()
  const unverified = await app.signUp()
  const { token } = app.outbox.lastTo(unverified.email)
  const database = await app.loseDatabase()

  test.each([
    ['sign-in', () => app.browser().post('/auth/sign-in/email', { email, password })],
    ['sign-up', () => app.browser().post('/auth/sign-up/email', app.person())],
    ['get-session', () => tab.get('/auth/get-session')],
    ['update-user', () => tab.post('/auth/update-user', { name: 'Ada B' })],
    ['sign-out', () => tab.post('/auth/sign-out')],
    ['verify-email', () => app.browser().post('/auth/verify-email', { token })],
    ['send-verification-email', () => app.browser().post('/auth/send-verification-email', { email: unverified.email })],
  ])('%s answers 503 with Retry-After and changes no cookie', async (_, ask) => {
    for (let round = 0; round < 3; round += 1) {
      const answer = await ask()
      expect([answer.status, answer.body, answer.headers.get('retry-after'), answer.setCookies]).toEqual([
        503,
        { code: 'SERVICE_UNAVAILABLE', message: 'The service is not available right now. Please try again in a moment.' },
        '1',
        [],
      ])
    }
  })

  test('tRPC answers the same and changes no cookie', async () => {
    const waiting = app.browser()
    waiting.cookies.set('floorpass_two_factor', 'x'.repeat(43))
    for (const [browser, procedure] of [
      [tab, 'sessions.get'],
      [tab, 'sessions.require'],
      [waiting, 'twoFactor.getChallenge'],
    ] as const) {
      const answer = await browser.get(`/trpc/${procedure}`)
      expect([answer.status, answer.setCookies]).toEqual([503, []])
      expect(answer.body).toMatchObject({ error: { data: { key: 'SERVICE_UNAVAILABLE', retryAfter: 1 } } })
    }
  })

  test('a visitor without a session reads as signed out, without a query', async () => {
    const answer = await app.browser().get('/auth/get-session')
    expect([answer.status, answer.body]).toEqual([200, null])
  })

  test('the process is alive but not ready', async () => {
    const [health, ready] = [await app.browser().get('/healthz'), await app.browser().get('/readyz')]
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }])
    expect([ready.status, ready.code, ready.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1'])
  })

  test('logs the reason and keeps it out of the answer', async () => {
    const { body } = await app.browser().post('/auth/sign-in/email', { email, password })
    expect(JSON.stringify(body)).not.toMatch(/database|postgres|prisma|connect/i)
    const reasons = app.logs.filter(({ msg }) => msg === 'procedure failed')
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons)
      expect(reason).toMatchObject({ key: 'SERVICE_UNAVAILABLE', err: { message: expect.stringMatching(/\S/) } })
    expect(JSON.stringify(app.logs)).not.toContain(cookie)
    expect(JSON.stringify(app.logs)).not.toContain(password)
  })

  if (testDatabase.kind === 'postgres') {
    test('recovers without a restart, and everyone is still signed in', async () => {
      await database.back()
      expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email: tab.person.email } })
      expect((await app.browser().post('/auth/sign-in/email', { email, password })).status).toBe(200)
      expect((await app.browser().post('/auth/verify-email', { token })).status).toBe(200)
      expect((await app.browser().get('/readyz')).status).toBe(200)
    })
  }
})
