import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'
import { routes } from '../../rest/routes.ts'

const trusted = 'https://trade.example.test'
const other = 'http://localhost:5173'
const app = await createTestApp({ TRUSTED_ORIGINS: `${trusted},${other}` })
const client = app.browser({ origin: null })
const exposed = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-retry-after, x-request-id'

const foreign = [
  'https://evil.test',
  'null',
  '*',
  '',
  `${trusted}.evil.test`,
  'https://eviltrade.example.test',
  'https://evil.test/trade.example.test',
  'http://trade.example.test',
  `${trusted}:8443`,
  `${trusted}/`,
  'https://TRADE.example.test',
  'https://user@trade.example.test',
  `${trusted},https://evil.test`,
  `${trusted}, ${trusted}`,
  'http://localhost:5174',
  'http://127.0.0.1:3000',
]

const preflight = (path: string, origin: string, method = 'POST') =>
  client.request('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
  })

const getCorsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
const getVary = (headers: Headers) => (headers.get('vary') ?? '').split(',').map((name) => name.trim().toLowerCase())

const paths = [
  '/auth/sign-in/email',
  '/auth/organization/member/update-role',
  '/auth/callback/google',
  '/auth/any/thing/at/all',
  '/auth',
  '/trpc/signIn.email',
]

describe('a CORS preflight', () => {
  test.each(paths)('T57: from a trusted origin answers with that origin, the methods, headers and max-age: %s', async (path) => {
    for (const origin of [app.baseUrl, trusted, other]) {
      const { status, headers, body } = await preflight(path, origin)
      const routeMethods = routes.filter((route) => `/auth${route.path}` === path).map(({ method }) => method)
      expect([status, body]).toEqual([204, ''])
      expect(getCorsHeaders(headers)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': [...(routeMethods.length > 0 ? routeMethods : ['GET', 'POST']), 'OPTIONS'].join(', '),
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '7200',
        'access-control-expose-headers': exposed,
      })
      expect(getVary(headers)).toContain('origin')
    }
  })

  test.each(foreign)('T58: from the foreign origin %j is refused without a CORS header', async (origin) => {
    for (const path of paths) {
      const { status, headers, code } = await preflight(path, origin)
      expect([status, code, getCorsHeaders(headers)]).toEqual([403, 'INVALID_ORIGIN', {}])
      expect(getVary(headers)).toContain('origin')
    }
  })

  test('without an origin gets no CORS header', async () => {
    const { status, headers } = await client.request('OPTIONS', '/auth/sign-in/email')
    expect([status, getCorsHeaders(headers)]).toEqual([204, {}])
  })

  test('from a foreign origin names TRUSTED_ORIGINS in the log, once a minute for each origin', async () => {
    const clock = holdClock()
    const { browser, logs } = await createTestApp()
    const ask = (origin: string) =>
      browser({ origin: null }).request('OPTIONS', '/auth/get-session', {
        headers: { origin, 'access-control-request-method': 'GET' },
      })
    const getRefusals = () => logs.filter(({ msg }) => String(msg).startsWith('preflight refused'))
    for (const origin of ['https://a.test', 'https://b.test', 'https://a.test', `https://${'c'.repeat(5000)}.test`])
      await ask(origin)
    expect(getRefusals().map(({ origin }) => origin)).toEqual([
      'https://a.test',
      'https://b.test',
      expect.stringMatching(/^https:\/\/c{192}$/),
    ])
    expect(getRefusals()[0]).toMatchObject({ level: 40, msg: expect.stringContaining('TRUSTED_ORIGINS') })
    clock.advance(59)
    await ask('https://a.test')
    expect(getRefusals()).toHaveLength(3)
    clock.advance(1)
    await ask('https://a.test')
    expect(getRefusals()).toHaveLength(4)
    for (let count = 0; count < 300; count += 1) await ask(`https://${count}.test`)
    expect(getRefusals(), 'a flood fills no log').toHaveLength(103)
    clock.advance(60)
    await ask('https://a.test')
    expect(getRefusals()).toHaveLength(104)
  })

  test('counts for no rate limit', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const person = await limited.person()
    const headers = { origin: limited.baseUrl, 'access-control-request-method': 'POST' }
    for (let count = 0; count < 40; count += 1)
      await limited.browser({ origin: null }).request('OPTIONS', '/auth/sign-up/email', { headers })
    expect((await limited.browser().post('/auth/sign-up/email', person)).status).toBe(200)
  })
})

describe('an answer of the service', () => {
  const cases: [what: string, method: string, path: string, options: object, status: number][] = [
    ['200', 'GET', '/auth/get-session', {}, 200],
    ['400', 'POST', '/auth/sign-in/email', { body: '{' }, 400],
    ['401', 'POST', '/auth/update-user', { body: { name: 'Eve' } }, 401],
    ['404', 'GET', '/auth/unknown', {}, 404],
    ['405', 'GET', '/auth/sign-out', {}, 405],
    ['413', 'POST', '/auth/sign-in/email', { body: 'x'.repeat(70_000), headers: { 'content-length': '70000' } }, 413],
    ['415', 'POST', '/auth/sign-in/email', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415],
    ['200 of tRPC', 'GET', '/trpc/sessions.get', {}, 200],
    ['404 of tRPC', 'GET', '/trpc/unknown', {}, 404],
    ['405 of tRPC', 'GET', '/trpc/signIn.signOut', {}, 405],
  ]

  test.each(cases)(
    'T59: %s to a trusted origin names the origin and allows credentials',
    async (_, method, path, options, expected) => {
      const answer = await app
        .browser({ origin: trusted })
        .request(method, path, { ...options, headers: { origin: trusted, ...(options as { headers?: object }).headers } })
      expect(answer.status).toBe(expected)
      expect(getCorsHeaders(answer.headers)).toEqual({
        'access-control-allow-origin': trusted,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': exposed,
      })
      expect(getVary(answer.headers)).toContain('origin')
    },
  )

  test.each(cases)(
    'T58: %s to a foreign origin, or none, has no CORS header but still varies by origin',
    async (_, method, path, options) => {
      for (const origin of [...foreign, undefined]) {
        const headers = { ...(origin !== undefined && { origin }), ...(options as { headers?: object }).headers }
        const answer = await client.request(method, path, { ...options, headers })
        expect([origin, getCorsHeaders(answer.headers)]).toEqual([origin, {}])
        expect(getVary(answer.headers)).toContain('origin')
      }
    },
  )

  test('T59: 403, 429, 500 and 503 to a trusted origin have the CORS headers too', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on', TRUSTED_ORIGINS: trusted })
    const tab = limited.browser({ origin: trusted })
    const refused = await tab.post('/auth/sign-up/email', { ...limited.person(), callbackURL: 'https://evil.test' })
    for (let count = 0; count < 10; count += 1) await tab.post('/auth/sign-up/email', limited.person())
    const tooMany = await tab.post('/auth/sign-up/email', limited.person())
    const { passwords } = limited.service.deps
    limited.service.deps.passwords = { ...passwords, verify: () => Promise.reject(new TypeError('a bug')) }
    const bug = await tab.post('/auth/sign-in/email', { email: 'ada@example.test', password: 'x' })
    limited.service.deps.passwords = {
      ...passwords,
      verify: () => Promise.reject(Object.assign(new Error('gone'), { code: 'P1001' })),
    }
    const away = await tab.post('/auth/sign-in/email', { email: 'ada@example.test', password: 'x' })

    const answers = [refused, tooMany, bug, away]
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [403, 'INVALID_CALLBACK_URL'],
      [429, 'TOO_MANY_REQUESTS'],
      [500, 'INTERNAL_SERVER_ERROR'],
      [503, 'SERVICE_UNAVAILABLE'],
    ])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(trusted)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(getVary(headers)).toContain('origin')
    }
    expect(bug.body).toEqual({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Something went wrong on our side. The request may not have taken effect.',
    })
  })

  test('outside /auth and /trpc has no CORS header', async () => {
    for (const path of ['/healthz', '/readyz', '/unknown']) {
      expect(getCorsHeaders((await app.browser().get(path, { headers: { origin: trusted } })).headers)).toEqual({})
    }
  })
})

describe('without TRUSTED_ORIGINS', async () => {
  test('local mode trusts only its own port on every loopback name', async () => {
    const local = await createTestApp()
    const allowed = async (origin: string) =>
      (await local.browser().get('/auth/get-session', { headers: { origin } })).headers.get('access-control-allow-origin')
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect(await allowed(origin)).toBe(origin)
    for (const origin of ['http://localhost', 'http://localhost:3001', 'https://localhost:3000', 'http://evil.localhost:3000']) {
      expect(await allowed(origin)).toBeNull()
    }
  })
})
