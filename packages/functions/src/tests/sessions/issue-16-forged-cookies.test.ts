import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { policy } from '@floorpass/api'
import { holdMonotonicClock } from '@floorpass/testing/clock'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSessionFastPath } from '../../session-fast-path.ts'

const app = await createTestApp({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1' })
const { addressPerMinute, devicePerMinute, readsPerSecond } = policy.sessionMisses

let forgedCount = 0
const createForgedCookie = () => {
  forgedCount += 1
  return `local-floorpass_session=${String(forgedCount).padStart(43, 'A')}`
}
const countReads = () => app.service.deps.sessionCache.stats().misses
/** Asserts at most `most` reads, plus those allowed for each second and those still in flight. */
const assertReads = async (most: number, work: () => Promise<unknown>) => {
  const before = countReads()
  const started = performance.now()
  await work()
  const seconds = Math.ceil((performance.now() - started) / 1000) + 1
  expect(countReads() - before).toBeLessThanOrEqual(most + seconds * readsPerSecond + atOnce)
}
/** Number of requests that a flood keeps in flight. */
const atOnce = 50
const paths = ['/auth/get-session', '/auth/get-session?by=edge', '/trpc/sessions.get']
const sendForgedCookie = (ip: string, path: string, more = '') =>
  app.browser({ ip }).get(path, { headers: { cookie: createForgedCookie() + more } })
/** Uses up the reads that an IP address has for unknown cookies. */
const flood = async (ip: string, times: number = addressPerMinute, more?: string) => {
  for (let sent = 0; sent < times; sent += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, at) => sendForgedCookie(ip, paths[at % paths.length] ?? '', more)))
}
const getSessionCookie = ({ cookies }: { cookies: Map<string, string> }) =>
  `local-floorpass_session=${cookies.get('local-floorpass_session')}`
let ipCount = 0
/** Signs the person in with a new browser, from an IP address that no other caller uses. */
const signInFromNewAddress = async ({ email, password }: Person) => {
  ipCount += 1
  const tab = app.browser({ ip: `192.0.2.${ipCount}` })
  expect((await tab.post('/auth/sign-in/email', { email, password })).status).toBe(200)
  return tab
}
const ada = await app.verified()
const getSession = (ip: string, cookie: string) => app.browser({ ip }).get('/auth/get-session', { headers: { cookie } })

describe('cookies that open no session', () => {
  test('cost a bounded number of database reads for each IP address, on every route that reads a session', async () => {
    await assertReads(addressPerMinute, () => flood('198.51.100.1', 3 * addressPerMinute))
    const refusals = await Promise.all(
      Array.from({ length: 90 }, (_, at) => sendForgedCookie('198.51.100.1', paths[at % 3] ?? '')),
    )
    const refused = refusals.find(({ code }) => code === 'TOO_MANY_REQUESTS')
    expect([refused?.status, refused?.headers.get('retry-after'), refused?.setCookies]).toEqual([429, '1', []])
    expect(refusals.filter(({ status }) => ![200, 429].includes(status))).toEqual([])
    expect((await sendForgedCookie('198.51.100.2', '/auth/get-session')).body).toBeNull()
  })

  test('cost no more reads on the fast path, which answers like the edge', async () => {
    const own = createServer(createSessionFastPath(app.service, () => {})).listen(0, '127.0.0.1')
    onTestFinished(() => own.closeAllConnections())
    await once(own, 'listening')
    const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}/auth/get-session`
    const ask = (ip: string, cookie: string) => fetch(url, { headers: { cookie, 'x-forwarded-for': ip } })
    await assertReads(addressPerMinute, async () => {
      for (let sent = 0; sent < 2 * addressPerMinute; sent += atOnce)
        await Promise.all(Array.from({ length: atOnce }, () => ask('198.51.100.3', createForgedCookie())))
    })
    const answers = await Promise.all(Array.from({ length: 2 * readsPerSecond }, () => ask('198.51.100.3', createForgedCookie())))
    const refused = answers.find(({ status }) => status === 429)
    expect(await refused?.json()).toEqual({ code: 'TOO_MANY_REQUESTS', message: expect.any(String) })
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(await (await ask('198.51.100.4', createForgedCookie())).json()).toBeNull()
  })
})

describe("people who share an attacker's IP address", () => {
  const ip = '198.51.100.10'

  test('keep using and changing their cached sessions', async () => {
    const tab = await signInFromNewAddress(ada)
    await getSession(ip, getSessionCookie(tab))
    await flood(ip)
    for (let count = 0; count < 2 * readsPerSecond; count += 1)
      expect((await getSession(ip, getSessionCookie(tab))).body).toMatchObject({ user: { email: ada.email } })
    await flood(ip, 100)
    const headers = { cookie: getSessionCookie(tab) }
    expect((await app.browser({ ip }).post('/auth/update-user', { name: 'Ada' }, { headers })).status).toBe(200)
  })

  test('read their sessions from the database at once in a browser that signed in before, however many there are', async () => {
    const tabs = []
    while (tabs.length < 2 * readsPerSecond) tabs.push(await signInFromNewAddress(ada))
    await flood(ip, addressPerMinute + 200)
    const answers = await Promise.all(
      tabs.map((tab) =>
        getSession(ip, `${getSessionCookie(tab)}; floorpass_known_device=${tab.cookies.get('floorpass_known_device')}`),
      ),
    )
    for (const { body } of answers) expect(body).toMatchObject({ user: { email: ada.email } })
  })

  test('read their sessions from the database within a second in any other browser', async () => {
    const tab = await signInFromNewAddress(ada)
    const clock = holdMonotonicClock()
    await flood(ip)
    expect((await getSession(ip, getSessionCookie(tab))).status).toBe(429)
    clock.advance(1.1)
    // The counters read the clock once in a millisecond.
    await eventually(async () =>
      expect((await getSession(ip, getSessionCookie(tab))).body).toMatchObject({ user: { email: ada.email } }),
    )
  })

  test('lose few more reads when the attacker has a known device', async () => {
    const attacker = await signInFromNewAddress(ada)
    const device = `; floorpass_known_device=${attacker.cookies.get('floorpass_known_device')}`
    await flood('198.51.100.20')
    await assertReads(devicePerMinute, () => flood('198.51.100.20', 1_000, device))
    await assertReads(0, () => flood('198.51.100.20', 500, '; floorpass_known_device=forged'))
  })
})
