import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createVerifier, type Requirements, type Verification, type VerifierOptions } from '@floorpass/server'
import { createApiKey } from '@floorpass/testing/api-keys'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { startTokenIssuer } from '@floorpass/testing/token-issuer'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const audience = 'https://orders.example.test'
const app = await createTestApp({ TOKEN_AUDIENCES: audience })
const calls: Request[] = []
const verifier = createVerifier({
  issuer: app.baseUrl,
  audience,
  fetch: async (input, init) => {
    const request = new Request(input, init)
    calls.push(request)
    return app.edge.fetch(request, { peerAddress: '127.0.0.1' })
  },
})

const cookieOf = (tab: Browser) => ({ headers: { cookie: [...tab.cookies].map((pair) => pair.join('=')).join('; ') } })
const bearer = (token: string) => ({ headers: new Headers({ authorization: `Bearer ${token}` }) })
async function tokenOf(tab: Browser): Promise<string> {
  const { body } = await tab.get(`/auth/token?audience=${encodeURIComponent(audience)}`)
  return (body as { token: string }).token
}
const outcome = (result: Verification) => {
  if (result.ok) return result.caller
  const { status, code, wwwAuthenticate } = result.refusal
  return [status, code, wwwAuthenticate].filter(Boolean).join(' ')
}

describe('a request of a program', () => {
  test('names the owner and the key, by either header, and is refused after the key is deleted', async () => {
    const tab = await app.signedIn()
    const { id, key } = await createApiKey(tab, { permissions: { order: ['read'] } })
    const expected = {
      ok: true,
      caller: { userId: tab.userId, sessionId: '', keyId: id, scopes: ['order:read'], acr: 'aal1', amr: [], authTime: 0 },
    }
    expect(await verifier.verifyRequest(bearer(key))).toMatchObject(expected)
    expect(await verifier.verifyRequest({ headers: { 'x-api-key': key } })).toMatchObject(expected)
    await tab.post('/auth/api-key/delete', { keyId: id })
    expect(outcome(await verifier.verifyRequest(bearer(key)))).toBe('401 INVALID_API_KEY Bearer error="invalid_token"')
    expect(outcome(await verifier.verifyBearer(bearer(key)))).toBe('401 UNAUTHORIZED Bearer error="invalid_token"')
  })

  test.each([
    [{ scope: 'order:place' }, '403 INSUFFICIENT_SCOPE'],
    [{ acr: 'aal2' as const }, '401 INSUFFICIENT_USER_AUTHENTICATION'],
    [{ maxAge: 900 }, '401 INSUFFICIENT_USER_AUTHENTICATION'],
    [{ org: 'another' }, '403 ORGANIZATION_REQUIRED'],
    [{ role: 'member' as const }, '403 ROLE_REQUIRED'],
  ])('does not meet %j', async (requirements, refusal) => {
    const { key } = await createApiKey(await app.signedIn(), { permissions: { order: ['read'] } })
    expect(outcome(await verifier.verifyRequest(bearer(key), requirements))).toContain(refusal)
  })
})

describe('a request of a signed-in person', () => {
  test('names the caller, by cookie, by bearer token and by the token alone', async () => {
    const tab = await app.signedIn()
    const { id } = await found(tab)
    const expected = {
      ok: true,
      caller: {
        userId: tab.userId,
        sessionId: ((await tab.get('/auth/get-session')).body as { session: { id: string } }).session.id,
        keyId: null,
        organizationId: id,
        role: 'owner',
        scopes: expect.arrayContaining(['account:read', 'order:read']),
        acr: 'aal1',
        amr: ['pwd'],
        authTime: expect.closeTo(Date.now() / 1000, -2),
        hold: null,
      },
    }
    expect(await verifier.verifyRequest(cookieOf(tab))).toEqual(expected)
    const token = await tokenOf(tab)
    expect(await verifier.verifyRequest(bearer(token))).toEqual(expected)
    expect(await verifier.verifyBearer(bearer(token))).toMatchObject(expected)
    expect(await verifier.verifyToken(token)).toMatchObject({ ...expected, claims: { aud: audience, trading: false } })
  })

  test('is refused at once after sign-out by the service, and by its token alone only after two minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const [cookie, token] = [cookieOf(tab), await tokenOf(tab)]
    await tab.post('/auth/sign-out')
    expect(outcome(await verifier.verifyRequest(cookie))).toBe('401 UNAUTHORIZED Bearer')
    expect(outcome(await verifier.verifyRequest(bearer(token)))).toBe('401 UNAUTHORIZED Bearer error="invalid_token"')
    expect(await verifier.verifyBearer(bearer(token))).toMatchObject({ ok: true })
    clock.advance(126)
    expect(outcome(await verifier.verifyBearer(bearer(token)))).toBe('401 UNAUTHORIZED Bearer error="invalid_token"')
  })

  test('meets or misses the same requirements by the service and by its token', async () => {
    const strong = await app.signedIn()
    const [plain, outsider] = [await app.signedIn(), await app.signedIn()]
    await switchOnTwoFactor(strong, strong.person.password)
    const { id } = await found(plain)
    const table: Requirements[] = [
      {},
      { acr: 'aal2' },
      { acr: 'aal2', maxAge: 300 },
      { maxAge: 300 },
      { scope: 'order:read' },
      { scope: ['order:read', 'order:place'] },
      { org: id },
      { org: id, role: 'owner' },
      { role: 'member' },
      { org: id, role: 'owner', scope: 'order:place', acr: 'aal1', maxAge: 60 },
    ]
    const refusals = new Set<unknown>()
    for (const tab of [strong, plain, outsider]) {
      const token = await tokenOf(tab)
      for (const requirements of table) {
        const results = await Promise.all([
          verifier.verifyRequest(cookieOf(tab), requirements),
          verifier.verifyRequest(bearer(token), requirements),
          verifier.verifyToken(token, requirements),
        ])
        const [asked, askedWithToken, alone] = results.map(outcome)
        expect([requirements, askedWithToken, alone]).toEqual([requirements, asked, asked])
        if (typeof asked === 'string') refusals.add(asked.split(' ')[1])
      }
    }
    expect([...refusals].sort()).toEqual([
      'INSUFFICIENT_SCOPE',
      'INSUFFICIENT_USER_AUTHENTICATION',
      'ORGANIZATION_REQUIRED',
      'ROLE_REQUIRED',
    ])
  })
})

describe('a request without a valid session', () => {
  test('is refused without a call when it carries no credentials', async () => {
    const before = calls.length
    for (const headers of [{}, new Headers(), { cookie: '' }, { 'x-auth-user': 'eve' }] as const) {
      expect(outcome(await verifier.verifyRequest({ headers }))).toBe('401 UNAUTHORIZED Bearer')
      expect(outcome(await verifier.verifyBearer({ headers }))).toBe('401 UNAUTHORIZED Bearer')
    }
    expect(calls.length).toBe(before)
  })

  test('is refused with a made-up cookie or token, and headers of the caller name no user', async () => {
    const spoofed = { 'x-auth-user': 'eve', 'x-auth-session': 'eve', 'x-auth-acr': 'aal2', 'x-auth-time': '1' }
    const cookie = { cookie: `local-floorpass_session=${'a'.repeat(43)}`, ...spoofed }
    expect(outcome(await verifier.verifyRequest({ headers: cookie }))).toBe('401 UNAUTHORIZED Bearer')
    expect(calls.at(-1)?.headers.get('x-auth-user')).toBeNull()
    expect(outcome(await verifier.verifyRequest(bearer('made-up')))).toBe('401 UNAUTHORIZED Bearer error="invalid_token"')
  })

  test('is refused with a token of another audience', async () => {
    const tab = await app.signedIn()
    const { token } = (await tab.get('/auth/token')).body as { token: string }
    for (const verify of [verifier.verifyRequest, verifier.verifyBearer]) {
      expect(outcome(await verify(bearer(token)))).toBe('401 UNAUTHORIZED Bearer error="invalid_token"')
    }
  })

  test('is refused, not passed, when a requirement is wrong', async () => {
    const tab = await app.signedIn()
    for (const wrong of [{ acr: 'aal0' }, { role: 'onwer' }, { maxAge: Number.NaN }, { maxAge: -1 }] as never[]) {
      expect(outcome(await verifier.verifyRequest(cookieOf(tab), wrong))).toBe('403 VALIDATION_ERROR')
    }
  })
})

describe('a service that does not answer as it should', async () => {
  const issuer = await startTokenIssuer()
  const request = { headers: { cookie: 'local-floorpass_session=any' } }
  const ask = async (options: Partial<VerifierOptions> = {}) =>
    outcome(await createVerifier({ issuer: issuer.url, audience, timeoutMs: 100_000, ...options }).verifyRequest(request))

  const everyHeader = {
    ...{ 'x-auth-user': 'eve', 'x-auth-session': 'eve', 'x-auth-acr': 'aal2', 'x-auth-time': '1700000000' },
    ...{ 'x-auth-scopes': 'order:place', 'x-auth-amr': 'pwd' },
  }

  test('is the only reason: the same answer in order passes', async () => {
    issuer.answerWith({ status: 200, headers: everyHeader, body: '' })
    expect(await ask()).toMatchObject({ userId: 'eve', role: null, hold: null })
  })

  test.each([
    ['an error with the headers of a caller', { status: 500, headers: everyHeader, body: '' }],
    ['a hold that is no number', { status: 200, headers: { ...everyHeader, 'x-auth-hold': 'long' }, body: '' }],
    ['a refusal without a code', { status: 401, body: '{"error":"unauthorized"}' }],
    ['a page with status 200', { status: 200, body: '<html></html>' }],
    ['a user without a session', { status: 200, headers: { 'x-auth-user': 'eve' }, body: '' }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
    ['no content', { status: 204, body: '' }],
    ['a limit', { status: 429, body: '{"code":"TOO_MANY_REQUESTS","message":"Wait"}' }],
    ['an error', { status: 500, body: '{}' }],
    ['a refusal of another program', { status: 403, body: '<html></html>' }],
    ['nothing', 'never'],
  ] as const)('lets no request pass: %s', async (_, answer) => {
    issuer.answerWith(answer)
    expect(await ask(answer === 'never' ? { timeoutMs: 100 } : {})).toBe('503 SERVICE_UNAVAILABLE')
  })

  test('lets no request pass when it cannot be reached or a custom fetch never settles', async () => {
    const closed = createServer().listen(0)
    const { port } = closed.address() as AddressInfo
    closed.close()
    expect(await ask({ serviceUrl: `http://127.0.0.1:${port}` })).toBe('503 SERVICE_UNAVAILABLE')
    expect(await ask({ fetch: () => new Promise(() => {}), timeoutMs: 100 })).toBe('503 SERVICE_UNAVAILABLE')
    const thrower = () => {
      throw new Error('no network')
    }
    expect(await ask({ fetch: thrower })).toBe('503 SERVICE_UNAVAILABLE')
  })

  test('costs the caller two seconds at most, and 503 says why', async () => {
    issuer.answerWith('never')
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    const result = await createVerifier({ issuer: issuer.url, audience }).verifyRequest(request)
    expect(result).toMatchObject({ ok: false, refusal: { status: 503, cause: { name: 'TimeoutError' } } })
    expect(timeout.mock.calls).toEqual([[2_000]])
  })
})

test('the request names the server by its service key, and is never cached', async () => {
  let sent: RequestInit | undefined
  const asking = createVerifier({
    issuer: 'https://accounts.example.test',
    serviceUrl: 'http://accounts.internal:3000',
    audience,
    serviceKey: 'fps_secret',
    fetch: async (input, init) => {
      sent = init
      expect(String(input)).toBe(
        'http://accounts.internal:3000/auth/verify?acr=aal2&max_age=300&scope=a+b&org=desk&role=admin&audience=https%3A%2F%2Forders.example.test',
      )
      return new Response('', { status: 500 })
    },
  })
  const requirements: Requirements = { acr: 'aal2', maxAge: 300, scope: ['a', 'b'], org: 'desk', role: 'admin' }
  await asking.verifyRequest({ headers: { cookie: 'a=b', host: 'orders', 'x-forwarded-for': '1.1.1.1' } }, requirements)
  expect(Object.fromEntries(new Headers(sent?.headers))).toEqual({ cookie: 'a=b', 'x-service-key': 'fps_secret' })
  expect(sent).toMatchObject({ cache: 'no-store', redirect: 'manual' })
})
