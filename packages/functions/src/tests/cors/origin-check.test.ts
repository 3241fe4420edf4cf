import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const trusted = 'https://trade.example.test'
const app = await createTestApp({ TRUSTED_ORIGINS: trusted })

type Headers = Record<string, string>

const refusedByCode = {
  INVALID_ORIGIN: [
    ['a foreign origin', { origin: 'https://evil.test' }],
    ['T51: the trusted host as a prefix', { origin: `${trusted}.evil.test` }],
    ['T51: the trusted host as a suffix', { origin: 'https://eviltrade.example.test' }],
    ['T51: http for https', { origin: 'http://trade.example.test' }],
    ['T51: another port', { origin: `${trusted}:8443` }],
    ['T51: a path after the trusted origin', { origin: `${trusted}/` }],
    ['T51: the trusted host as a user', { origin: `${trusted}@evil.test` }],
    ['T61: a comma list, trusted first', { origin: `${trusted}, https://evil.test` }],
    ['T61: a comma list, trusted last', { origin: `https://evil.test,${trusted}` }],
    ['T61: the trusted origin twice', { origin: `${trusted}, ${trusted}` }],
    ['an empty origin', { origin: '' }],
    ['a wildcard', { origin: '*' }],
    ['a foreign origin that claims to be same-origin', { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }],
    ['a foreign origin with a trusted referer', { origin: 'https://evil.test', referer: `${trusted}/login` }],
    ['a foreign referer', { referer: 'https://evil.test/' }],
    ['a referer with the trusted host in its path', { referer: `https://evil.test/${trusted}` }],
    ['a referer that is no URL', { referer: 'trade.example.test' }],
    ['an opaque referer', { referer: 'data:text/html,x' }],
    ['a referer from a file', { referer: 'file:///etc/passwd' }],
  ],
  MISSING_OR_NULL_ORIGIN: [
    ['T51: the null origin', { origin: 'null' }],
    ['T51: the null origin from another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['T51: the null origin from a sister site', { origin: 'null', 'sec-fetch-site': 'same-site' }],
    ['T51: the null origin with a trusted referer', { origin: 'null', referer: `${trusted}/login` }],
    ['T52: no origin, from another site', { 'sec-fetch-site': 'cross-site' }],
    ['T52: no origin, from a sister site', { 'sec-fetch-site': 'same-site' }],
    ['T52: no origin, from nowhere', { 'sec-fetch-site': 'none' }],
    ['T52: no origin, and more than one site', { 'sec-fetch-site': 'same-origin, cross-site' }],
  ],
} satisfies Record<string, [string, Headers][]>

const refusals = Object.entries(refusedByCode).flatMap(([code, cases]) =>
  cases.map(([what, headers]) => [what, headers as Headers, code] as const),
)

const allowed: [string, Headers][] = [
  ['the own origin', { origin: app.baseUrl }],
  ['a trusted origin', { origin: trusted }],
  ['a trusted origin from another site', { origin: trusted, 'sec-fetch-site': 'cross-site' }],
  ['the null origin of the same origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['no origin, of the same origin', { 'sec-fetch-site': 'same-origin' }],
  ['no origin, with a trusted referer', { referer: `${trusted}/login?next=/` }],
  ['no origin, with an own referer', { referer: `${app.baseUrl}/login` }],
  ['no origin, with a referer of the origin alone', { referer: `${trusted}/` }],
]

const countSessions = () => app.db.session.count()

describe('the origin check', () => {
  test.each(refusals)('refuses %s with a cookie', async (_, headers, code) => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const before = await app.readAllRows()
    const answer = await app
      .browser({ origin: null })
      .post('/auth/update-user', { name: 'Eve' }, { headers: { ...headers, cookie } })
    expect([answer.status, answer.code, answer.setCookies]).toEqual([403, code, []])
    expect(await app.readAllRows()).toEqual(before)
  })

  test.each(refusals)('T53: refuses %s at sign-in and sign-up without a cookie', async (_, headers, code) => {
    const { email, password } = await app.verified()
    const before = await countSessions()
    const page = app.browser({ origin: null })
    const signIn = await page.post('/auth/sign-in/email', { email, password }, { headers })
    const signUp = await page.post('/auth/sign-up/email', app.person(), { headers })
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await page.post('/auth/sign-in/email', new URLSearchParams({ email, password }).toString(), { headers: form })
    for (const answer of [signIn, signUp, posted])
      expect([answer.status, answer.code, answer.setCookies]).toEqual([403, code, []])
    expect(await countSessions()).toBe(before)
  })

  test.each([trusted, 'https://evil.test'])('names a form on another site that would sign in or sign up: %s', async (origin) => {
    const { email, password } = await app.verified()
    const form = { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const post = (path: string, body: object, more: Headers = {}) =>
      app.browser({ origin: null }).post(path, body, { headers: { ...form, ...more } })
    for (const answer of [
      await post('/auth/sign-in/email', { email, password }),
      await post('/auth/sign-up/email', app.person()),
    ])
      expect([answer.status, answer.code, answer.setCookies]).toEqual([403, 'CROSS_SITE_NAVIGATION_LOGIN_BLOCKED', []])
    const code = origin === trusted ? undefined : 'INVALID_ORIGIN'
    expect((await post('/auth/sign-in/email', { email, password }, { cookie: 'theme=dark' })).code).toBe(code)
    expect((await post('/auth/forget-password', { email })).code).toBe(code)
    expect((await post('/auth/sign-in/email', { email, password }, { 'sec-fetch-mode': 'cors' })).code).toBe(code)
    expect((await post('/auth/sign-in/email', { email, password }, { 'sec-fetch-site': 'same-site' })).code).toBe(code)
  })

  test.each(allowed)('allows %s', async (_, headers) => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const answer = await app
      .browser({ origin: null })
      .post('/auth/update-user', { name: 'Ada B' }, { headers: { ...headers, cookie } })
    expect([answer.status, answer.code]).toEqual([200, undefined])
    const { email, password } = tab.person
    expect((await app.browser({ origin: null }).post('/auth/sign-in/email', { email, password }, { headers })).status).toBe(200)
  })

  test('allows callers other than browsers, which send no origin, referer or cookie', async () => {
    const { email, password } = await app.verified()
    const client = app.browser({ origin: null })
    expect((await client.post('/auth/sign-in/email', { email, password })).status).toBe(200)
    // The client sends a cookie from here on, so it needs an origin.
    expect((await client.post('/auth/sign-out')).code).toBe('MISSING_OR_NULL_ORIGIN')
    expect((await client.post('/auth/sign-out', {}, { headers: { origin: app.baseUrl } })).status).toBe(200)
  })

  test('needs an origin for a request with any cookie', async () => {
    const answer = await app.browser({ origin: null }).post('/auth/sign-out', {}, { headers: { cookie: 'theme=dark' } })
    expect([answer.status, answer.code]).toEqual([403, 'MISSING_OR_NULL_ORIGIN'])
  })

  test.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND'])('runs before the method check: %s', async (method) => {
    const answer = await app.browser().request(method, '/auth/sign-out', { headers: { origin: 'https://evil.test' } })
    expect([answer.status, answer.code]).toEqual([403, 'INVALID_ORIGIN'])
  })

  test('runs before the body is read, and for unknown paths', async () => {
    const page = app.browser({ origin: 'https://evil.test' })
    expect((await page.post('/auth/sign-in/email', '{')).code).toBe('INVALID_ORIGIN')
    expect((await page.post('/auth/unknown')).code).toBe('INVALID_ORIGIN')
    expect((await page.post('/anything')).code).toBe('INVALID_ORIGIN')
  })

  test('allows reading, because the browser hides the answer from a foreign page', async () => {
    const tab = await app.signedIn()
    for (const method of ['GET', 'HEAD']) {
      const answer = await tab.request(method, '/auth/get-session', {
        headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null])
    }
  })
})

describe('the public origin of a request', async () => {
  const secure = await createTestApp({ BASE_URL: 'https://localhost', TRUSTED_ORIGINS: 'http://127.0.0.1' })
  const send = (url: string, origin: string) => secure.browser({ origin }).post(url)

  test('is trusted over https when its host is trusted', async () => {
    expect((await send('https://127.0.0.1/auth/sign-out', 'https://127.0.0.1')).status).toBe(200)
    expect((await send('https://localhost/auth/sign-out', 'https://127.0.0.1')).code).toBe('INVALID_ORIGIN')
    expect((await send('https://evil.test/auth/sign-out', 'https://evil.test')).code).toBe('INVALID_ORIGIN')
  })

  test('T51: is not trusted over http, where anyone on the network can serve a page of our host', async () => {
    expect((await send('http://localhost/auth/sign-out', 'http://localhost')).code).toBe('INVALID_ORIGIN')
  })
})
