import { limits } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ RATE_LIMIT: 'on' })

const getLimit = ({ headers }: Answer) => ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))
const isWithin = (seconds: number) => expect.toSatisfy((text: string) => Number(text) > 0 && Number(text) <= seconds)

describe('the RateLimit headers', () => {
  test('show what a caller has left on a limited route, and zero on a 429', async () => {
    const tab = app.browser({ ip: '203.0.113.1' })
    const { points, seconds } = limits['sign-up:ip']
    const signUp = () => tab.post('/auth/sign-up/email', app.person())
    for (let left = points - 1; left >= 0; left -= 1)
      expect(getLimit(await signUp())).toEqual([`${points}`, `${left}`, isWithin(seconds)])
    const refused = await signUp()
    expect(refused.status).toBe(429)
    expect(getLimit(refused)).toEqual([`${points}`, '0', refused.headers.get('retry-after')])
    expect(refused.headers.get('x-retry-after')).toBe(refused.headers.get('retry-after'))
  })

  test('are on other refusals and on tRPC answers too', async () => {
    const tab = app.browser({ ip: '203.0.113.2' })
    const { points } = limits['sign-in:ip']
    const refused = await tab.post('/auth/sign-in/email', { email: 'unknown@example.test', password: 'x' })
    expect([refused.status, ...getLimit(refused).slice(0, 2)]).toEqual([401, `${points}`, `${points - 1}`])
    const procedure = await tab.post('/trpc/signIn.email', { email: 'unknown@example.test', password: 'x' })
    expect([procedure.status, ...getLimit(procedure).slice(0, 2)]).toEqual([401, `${points}`, `${points - 2}`])
  })

  test("show the account's limit to a signed-in caller when it has less left", async () => {
    const tab = await app.signedIn()
    const { points } = limits['update-user:user']
    expect(getLimit(await tab.post('/auth/update-user', { name: 'Ada' })).slice(0, 2)).toEqual([`${points}`, `${points - 1}`])
  })

  test('T11: do not reveal what others tried on an account', async () => {
    const person = await app.verified()
    const guessPassword = (ip: string, email: string) => app.browser({ ip }).post('/auth/sign-in/email', { email, password: 'x' })
    for (let place = 1; place <= 7; place += 1) await guessPassword(`198.51.100.${place}`, person.email)
    const { points } = limits['sign-in:ip']
    for (const email of [person.email, 'unknown-other@example.test'])
      expect(getLimit(await guessPassword(`192.0.2.${email.length}`, email)).slice(0, 2)).toEqual([`${points}`, `${points - 1}`])
    // The refusal reveals only how long to wait.
    for (let place = 11; place <= 13; place += 1) await guessPassword(`198.51.100.${place}`, person.email)
    const refused = await guessPassword('192.0.2.200', person.email)
    expect([refused.status, ...getLimit(refused).slice(0, 2)]).toEqual([429, `${points}`, `${points - 1}`])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  test('count all routes without another limit, and unknown paths, in one number for each caller', async () => {
    const { points, seconds } = limits['request:ip']
    const tab = app.browser({ ip: '203.0.113.3' })
    const requests = [
      () => tab.get('/auth/list-sessions'),
      () => tab.post('/auth/revoke-other-sessions'),
      () => tab.post('/auth/sign-out'),
      () => tab.get('/auth/organization/list'),
      () => tab.get('/auth/unknown'),
      () => tab.get('/trpc/sessions.list'),
      () => tab.post('/auth/update-user', '{'),
    ]
    for (const [index, sendRequest] of requests.entries())
      expect([index, ...getLimit(await sendRequest())]).toEqual([index, `${points}`, `${points - index - 1}`, isWithin(seconds)])
    // Preflights and requests from foreign pages do not count.
    await tab.request('OPTIONS', '/auth/list-sessions', { headers: { origin: app.baseUrl } })
    await tab.post('/auth/sign-out', {}, { headers: { origin: 'https://evil.test' } })
    await Promise.all(Array.from({ length: points - requests.length }, () => tab.get('/auth/unknown')))
    for (const path of ['/auth/list-sessions', '/trpc/sessions.list']) {
      const refused = await tab.get(path, { headers: { origin: app.baseUrl } })
      expect([refused.status, refused.code, ...getLimit(refused).slice(0, 2)]).toEqual([
        429,
        'TOO_MANY_REQUESTS',
        `${points}`,
        '0',
      ])
      expect(refused.headers.get('retry-after')).toEqual(isWithin(seconds))
      expect(refused.headers.get('access-control-allow-origin')).toBe(app.baseUrl)
    }
    // Sessions, health and other callers are not affected.
    for (const path of ['/auth/get-session', '/trpc/sessions.get', '/healthz']) expect((await tab.get(path)).status).toBe(200)
    expect((await app.browser({ ip: '203.0.113.4' }).get('/auth/list-sessions')).status).toBe(401)
  })

  test('are absent on routes without a limit, and when limits are off', async () => {
    const off = await createTestApp()
    for (const answer of [
      await app.browser().get('/auth/get-session'),
      await app.browser().get('/healthz'),
      await off.browser().post('/auth/sign-up/email', off.person()),
    ])
      expect(getLimit(answer)).toEqual([null, null, null])
  })
})
