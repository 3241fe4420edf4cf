import { loadConfig } from '@floorpass/env'
import { outcome } from '@floorpass/testing/browser'
import { describe, expect, test } from 'vitest'
import { app, differs, readSession, signIn, trusted } from './suite.ts'

const person = await app.verified()
const own = app.baseUrl
const evil = 'https://evil.test'
const foreignNavigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const navigation = { ...foreignNavigation, 'sec-fetch-site': 'same-origin' }
const siteNavigation = { ...foreignNavigation, 'sec-fetch-site': 'same-site' }
const crossFetch = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const cookie = { cookie: 'session=123' }

type Headers = Record<string, string>
const bodyOf = {
  'sign-in': () => ({ email: person.email, password: person.password }),
  'sign-up': () => app.person(),
}
type Route = keyof typeof bodyOf
const routes = Object.keys(bodyOf) as Route[]

/** Sends what a browser or program with these headers sends. */
const send = (route: Route, headers: Headers, fields: object = {}) => {
  const body: Record<string, string> = { ...bodyOf[route](), ...fields }
  const isForm = headers['content-type'] === form['content-type']
  return app
    .browser({ origin: null })
    .post(`/auth/${route}/email`, isForm ? new URLSearchParams(body).toString() : body, { headers })
}

describe('the origin of a request (middlewares/origin-check, routes/sign-in, routes/sign-up)', () => {
  const allowed: [string, Headers][] = [
    ['a page of the service', { origin: own }],
    ['another trusted page', { origin: trusted, ...cookie }],
    ['a navigation of the same origin', { origin: own, ...navigation }],
    ['a navigation of the same site', { origin: trusted, ...siteNavigation }],
    ['a script of the same origin', { origin: own, ...crossFetch }],
    ['a program without cookie, origin and fetch metadata', {}],
    ['a foreign navigation with a cookie and a trusted origin', { origin: own, ...cookie, ...foreignNavigation }],
    [
      'a browser with an expired session cookie',
      { origin: own, cookie: 'local-floorpass_session=expired', ...foreignNavigation },
    ],
    ['a form of the same origin', { origin: own, ...form, ...navigation }],
    ['a form of the same site', { origin: trusted, ...form, ...siteNavigation }],
  ]
  test.each(allowed.flatMap(([what, headers]) => routes.map((route) => [route, what, headers] as const)))(
    'lets %s pass for %s',
    async (route, _, headers) => {
      const answer = await send(route, headers)
      expect(answer.status).toBe(200)
      expect(answer.body).toHaveProperty('user.email')
    },
  )

  const refused: [string, Headers, string][] = [
    ['a foreign page with a cookie', { origin: evil, ...cookie }, 'INVALID_ORIGIN'],
    ['a foreign page without a cookie', { origin: evil }, 'INVALID_ORIGIN'],
    ['a sister page of a trusted one', { origin: 'https://sister.trade.example.test' }, 'INVALID_ORIGIN'],
    ['a foreign referer', { referer: evil }, 'INVALID_ORIGIN'],
    ['a foreign navigation', { origin: evil, ...foreignNavigation }, 'CROSS_SITE_NAVIGATION_LOGIN_BLOCKED'],
    ['a foreign form', { origin: evil, ...form, ...foreignNavigation }, 'CROSS_SITE_NAVIGATION_LOGIN_BLOCKED'],
  ]
  test.each(refused.flatMap(([what, headers, code]) => routes.map((route) => [route, what, headers, code] as const)))(
    'refuses %s to %s',
    async (route, _, headers, code) => {
      expect(outcome(await send(route, headers))).toEqual([403, code])
    },
  )

  test('lets a foreign page read', async () => {
    const answer = await app.browser().get('/auth/get-session', { headers: { origin: evil, ...cookie } })
    expect([answer.status, answer.body]).toEqual([200, null])
  })

  differs('`GET /ok` and `GET /error`', 'has no address that only answers ok', async () => {
    expect(outcome(await app.browser().get('/auth/ok'))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('where a callbackURL leads (auth/trusted-origins, middlewares/origin-check)', () => {
  test.each(['/', '/dashboard?email=123@email.com', '/dashboard+page?test=123+456', `${own}/callback`, `${trusted}/some/path`])(
    'may be %s',
    async (callbackURL) => {
      expect((await signIn(person, { callbackURL })).body).toMatchObject({ redirect: true, url: callbackURL })
    },
  )

  test.each([
    'http://malicious.com',
    `${own}.evil.test`,
    'https://sister.trade.example.test/',
    '//evil.test',
    '/%5C/evil.test',
    '/\\/\\/evil.test',
    '/..%2F..%2Fevil.test',
    "javascript:alert('xss')",
    "data:text/html,<script>alert('xss')</script>",
  ])('may not be %s', async (callbackURL) => {
    const answer = await signIn(person, { callbackURL })
    expect(answer.body).toEqual({ code: 'INVALID_CALLBACK_URL', message: 'Invalid callbackURL' })
    expect([answer.status, await readSession(answer.tab)]).toEqual([403, null])
  })

  test('is text', async () => {
    expect((await signIn(person, { callbackURL: { object: true } })).status).toBe(400)
  })

  const unread = '`callbackURL` in the query of a POST, or at sign-out'
  differs(unread, 'is not read from the query of a POST', async () => {
    const answer = await app.browser().post('/auth/sign-in/email?callbackURL=/a&callbackURL=/b', bodyOf['sign-in']())
    expect([answer.status, answer.body]).toEqual([200, expect.not.objectContaining({ url: expect.anything() })])
  })
  differs(unread, 'does not matter at sign-out', async () => {
    const { tab } = await signIn(person)
    expect((await tab.post('/auth/sign-out', { callbackURL: 'https://evil.test/logout' })).body).toEqual({ success: true })
    expect(await readSession(tab)).toBeNull()
  })
})

describe('what a request says about its way (api/to-auth-endpoints, middlewares/origin-check)', () => {
  test('changes no link: mails name our address', async () => {
    const headers = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' }
    await app.browser().post('/auth/request-password-reset', { email: person.email }, { headers })
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).link.origin).toBe(own)
  })

  differs('`X-Forwarded-For` of a sender that TRUST_PROXY does not name', 'changes no IP address', async () => {
    const tab = app.browser({ ip: '203.0.113.7' })
    await tab.post('/auth/sign-in/email', bodyOf['sign-in'](), { headers: { 'x-forwarded-for': '198.51.100.1' } })
    expect((await readSession(tab))?.session.ipAddress).toBe('203.0.113.7')
  })

  differs('Wildcards in TRUSTED_ORIGINS', 'matches a trusted origin exactly', async () => {
    expect(() => loadConfig({ TRUSTED_ORIGINS: 'https://*.example.test' })).toThrow('TRUSTED_ORIGINS')
  })
})

describe('addresses of no route (api/index, api/to-auth-endpoints)', () => {
  test.each([
    '/auth/sign-in/email/',
    '/x/auth/sign-in/email',
    '/auth/sign-inemail',
    '/auth/sign-in/email%2F',
    '/auth/sign-in%2Femail',
    '/auth/sign-in%252Femail',
    '/auth/sign-in%2femail',
    '/auth/sign-in//email',
    '/auth/sign-in///email',
    '/auth/sign-in%00/email',
    '/auth/sign-in/email%09',
    '/auth/sign-in/email%20',
    '/auth/Sign-In/Email',
    '/auth/SIGN-IN/EMAIL',
    '/auth/Sign-in/email',
  ])('POST %s is not found', async (path) => {
    expect((await app.browser().post(path, bodyOf['sign-in']())).status).toBe(404)
  })

  differs('`GET /ok` and `GET /error`', 'has no page of errors that repeats what a URL says', async () => {
    const answer = await app.browser().get(`/auth/error?error=${encodeURIComponent('<script>')}`)
    expect(outcome(answer)).toEqual([404, 'NOT_FOUND'])
    expect(JSON.stringify(answer.body)).not.toContain('script')
  })
})
