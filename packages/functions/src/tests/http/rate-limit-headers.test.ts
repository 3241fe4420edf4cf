import { limits } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ RATE_LIMIT: 'on' })

const limitOf = ({ headers }: Answer) => ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))
const within = (seconds: number) => expect.toSatisfy((text: string) => Number(text) > 0 && Number(text) <= seconds)

describe('the RateLimit headers', () => {
  test('say on a limited route what the caller has left, and on a 429 that it is nothing', async () => {
    const tab = app.browser({ ip: '203.0.113.1' })
    const { points, seconds } = limits['sign-up:ip']
    const signUp = () => tab.post('/auth/sign-up/email', app.person())
    for (let left = points - 1; left >= 0; left -= 1)
      expect(limitOf(await signUp())).toEqual([`${points}`, `${left}`, within(seconds)])
    const refused = await signUp()
    expect(refused.status).toBe(429)
    expect(limitOf(refused)).toEqual([`${points}`, '0', refused.headers.get('retry-after')])
    expect(refused.headers.get('x-retry-after')).toBe(refused.headers.get('retry-after'))
  })

  test('are there on refusals of other kinds, and over tRPC', async () => {
    const tab = app.browser({ ip: '203.0.113.2' })
    const { points } = limits['sign-in:ip']
    const refused = await tab.post('/auth/sign-in/email', { email: 'nobody@example.test', password: 'x' })
    expect([refused.status, ...limitOf(refused).slice(0, 2)]).toEqual([401, `${points}`, `${points - 1}`])
    const procedure = await tab.post('/trpc/signIn.email', { email: 'nobody@example.test', password: 'x' })
    expect([procedure.status, ...limitOf(procedure).slice(0, 2)]).toEqual([401, `${points}`, `${points - 2}`])
  })

  test('of a signed-in caller are those of their account, when it has less left', async () => {
    const tab = await app.signedIn()
    const { points } = limits['update-user:user']
    expect(limitOf(await tab.post('/auth/update-user', { name: 'Ada' })).slice(0, 2)).toEqual([`${points}`, `${points - 1}`])
  })

  test('T11: tell nobody what others tried at an account: all that is left is one’s own', async () => {
    const somebody = await app.verified()
    const guess = (ip: string, email: string) => app.browser({ ip }).post('/auth/sign-in/email', { email, password: 'x' })
    for (let place = 1; place <= 7; place += 1) await guess(`198.51.100.${place}`, somebody.email)
    const { points } = limits['sign-in:ip']
    for (const email of [somebody.email, 'nobody-else@example.test'])
      expect(limitOf(await guess(`192.0.2.${email.length}`, email)).slice(0, 2)).toEqual([`${points}`, `${points - 1}`])
    // Nor on the refusal itself: only how long to wait.
    for (let place = 11; place <= 13; place += 1) await guess(`198.51.100.${place}`, somebody.email)
    const refused = await guess('192.0.2.200', somebody.email)
    expect([refused.status, ...limitOf(refused).slice(0, 2)]).toEqual([429, `${points}`, `${points - 1}`])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  test('count what has no limit of its own: reads, revocations and unknown addresses alike, in one number for each caller', async () => {
    const { points, seconds } = limits['request:ip']
    const tab = app.browser({ ip: '203.0.113.3' })
    const asked = [
      () => tab.get('/auth/list-sessions'),
      () => tab.post('/auth/revoke-other-sessions'),
      () => tab.post('/auth/sign-out'),
      () => tab.get('/auth/organization/list'),
      () => tab.get('/auth/unknown'),
      () => tab.get('/trpc/sessions.list'),
      () => tab.post('/auth/update-user', '{'),
    ]
    for (const [index, ask] of asked.entries())
      expect([index, ...limitOf(await ask())]).toEqual([index, `${points}`, `${points - index - 1}`, within(seconds)])
    // Preflights and foreign pages cost their reader nothing.
    await tab.request('OPTIONS', '/auth/list-sessions', { headers: { origin: app.baseUrl } })
    await tab.post('/auth/sign-out', {}, { headers: { origin: 'https://evil.test' } })
    await Promise.all(Array.from({ length: points - asked.length }, () => tab.get('/auth/unknown')))
    for (const path of ['/auth/list-sessions', '/trpc/sessions.list']) {
      const refused = await tab.get(path, { headers: { origin: app.baseUrl } })
      expect([refused.status, refused.code, ...limitOf(refused).slice(0, 2)]).toEqual([
        429,
        'TOO_MANY_REQUESTS',
        `${points}`,
        '0',
      ])
      expect(refused.headers.get('retry-after')).toEqual(within(seconds))
      expect(refused.headers.get('access-control-allow-origin')).toBe(app.baseUrl)
    }
    // Sessions, health and everybody else go on.
    for (const path of ['/auth/get-session', '/trpc/sessions.get', '/healthz']) expect((await tab.get(path)).status).toBe(200)
    expect((await app.browser({ ip: '203.0.113.4' }).get('/auth/list-sessions')).status).toBe(401)
  })

  test('are not on what has no limit, nor while limits are off', async () => {
    const off = await createTestApp()
    for (const answer of [
      await app.browser().get('/auth/get-session'),
      await app.browser().get('/healthz'),
      await off.browser().post('/auth/sign-up/email', off.person()),
    ])
      expect(limitOf(answer)).toEqual([null, null, null])
  })
})
