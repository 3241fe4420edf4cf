import type { Answer } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const getRefusal = ({ status, code, headers }: Answer) => [status, code, headers.get('content-type')]
const notFound = [404, 'NOT_FOUND', 'application/json; charset=utf-8']

describe('an unknown path', () => {
  // Full URLs where a relative URL would be read as another host or normalized.
  test.each([
    '/auth',
    '/auth/',
    '/auth/unknown',
    '/auth/sign-in',
    '/auth/sign-in/',
    '/auth/sign-in/email/',
    '/auth/sign-in/email/x',
    '/auth//sign-in/email',
    '/auth/sign-in//email',
    `${app.baseUrl}//auth/sign-in/email`,
    `${app.baseUrl}//sign-in/email`,
    '/AUTH/sign-in/email',
    '/auth/SIGN-IN/email',
    '/auth/sign-in/Email',
    '/auth%2fsign-in/email',
    '/auth/sign-in%2Femail',
    '/auth/sign-in/email%2f',
    '/auth/sign-in%5cemail',
    '/auth/sign-in/email%20',
    '/auth/sign-in/email%00',
    '/auth/sign-in/email;x=1',
    '/auth/sign-in/email.json',
    '/auth/%2e%2e%2fauth/sign-in/email',
    '/auth/sign-in/ema\u0131l',
    '/auth/%',
    '/auth/%zz',
    '/auth/%c0%af',
    '/auth/%E0%A4%A',
    '/auth/__proto__',
    '/auth/constructor',
    '/auth/toString',
    '/auth/hasOwnProperty',
    '/authx/sign-in/email',
    '/api/auth/sign-in/email',
    '/healthz/',
    '/HEALTHZ',
    '/unknown',
    '/',
    `/${'a'.repeat(8000)}`,
  ])('%s answers 404 in JSON to GET and POST', async (path) => {
    const tab = app.browser()
    expect(getRefusal(await tab.get(path))).toEqual(notFound)
    expect(getRefusal(await tab.post(path, { email: 'ada@example.test', password: 'x' }))).toEqual(notFound)
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    'answers 404 to %s, without an Allow header',
    async (method) => {
      const answer = await app.browser().request(method, '/auth/unknown')
      expect(getRefusal(answer)).toEqual(notFound)
      expect(answer.headers.get('allow')).toBeNull()
    },
  )

  test('answers 404 without a body to HEAD', async () => {
    const answer = await app.browser().request('HEAD', '/auth/unknown')
    expect([answer.status, answer.body]).toEqual([404, ''])
  })

  test('reveals nothing of the service: no path, version or stack', async () => {
    const { body, headers } = await app.browser().get('/auth/%3Cscript%3Ealert(1)%3C/script%3E')
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'There is nothing at this address' })
    expect([...headers.keys()]).not.toContain('x-powered-by')
    expect([...headers.keys()]).not.toContain('server')
  })
})

describe('another spelling of a known path', () => {
  test.each([
    '/auth/./get-session',
    '/auth/x/../get-session',
    '/auth/%2e/get-session',
    '/auth/x/%2E%2e/get-session',
    '/auth/get-session?x',
    '/auth/get-session#x',
  ])('%s reaches the route', async (path) => {
    const tab = await app.signedIn()
    expect((await tab.get(path)).body).toMatchObject({ user: { email: tab.person.email } })
  })

  const spellings = [
    '/auth/sign-in/email',
    '/auth/sign-in/%65mail',
    '/auth/%73ign-in/email',
    '/auth/./sign-in/email',
    '/auth/sign-in/email?x',
    '/auth/x/../sign-in/email',
  ]

  test.each(spellings)('%s has the same origin check', async (path) => {
    const { email, password } = await app.verified()
    const answer = await app.browser({ origin: 'https://evil.test' }).post(path, { email, password })
    expect([answer.status, answer.code, answer.setCookies]).toEqual([403, 'INVALID_ORIGIN', []])
  })

  test('T22: shares the rate limit of the route', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const { email } = await limited.verified()
    const guessPassword = (count: number) =>
      limited.browser().post(spellings[count % spellings.length] ?? '', { email, password: 'something else' })
    for (let count = 0; count < 10; count += 1) expect((await guessPassword(count)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    for (let count = 0; count < spellings.length; count += 1) expect((await guessPassword(count)).code).toBe('TOO_MANY_REQUESTS')
  })
})
