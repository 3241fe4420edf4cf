import { createHmac } from 'node:crypto'
import { policy } from '@floorpass/api'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { type Answer, outcome } from '@floorpass/testing/browser'
import { holdClock, holdMonotonicClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { createAuthClient } from 'better-auth/client'
import { jwtClient } from 'better-auth/client/plugins'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const audience = 'https://api.example.com'
const app = await createTestApp({ TOKEN_AUDIENCES: `${audience},urn:risk` })

type SignedIn = Awaited<ReturnType<typeof app.signedIn>>

const tokenOf = ({ body }: Answer) => (body as { token: string }).token
const getToken = async (tab: SignedIn, query = '') => tokenOf(await tab.get(`/auth/token${query}`))
const keySet = async () => createLocalJWKSet((await app.browser().get('/auth/jwks')).body as JSONWebKeySet)
const withBearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const verify = (token: string, query = '') => app.browser().get(`/auth/verify${query}`, withBearer(token))

test('a token carries the claims of RFC 9068 and nothing else', async () => {
  const tab = await app.signedIn()
  const { id } = await found(tab)
  const before = Math.floor(Date.now() / 1000)
  const { body } = await tab.get(`/auth/token?audience=${audience}`)
  const { token, expiresIn } = body as { token: string; expiresIn: number }
  const { payload, protectedHeader } = await jwtVerify(token, await keySet(), {
    audience,
    issuer: app.baseUrl,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  })
  const session = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })
  const { iat = 0 } = payload
  expect(iat).toBeGreaterThanOrEqual(before)
  expect([protectedHeader, expiresIn]).toEqual([{ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) }, 120])
  expect(payload).toEqual({
    iss: app.baseUrl,
    aud: audience,
    client_id: app.baseUrl,
    sub: tab.userId,
    sid: session.handle,
    iat,
    nbf: iat,
    exp: iat + 120,
    jti: expect.stringMatching(/^[\da-f-]{36}$/),
    auth_time: Math.floor(session.createdAt.getTime() / 1000),
    acr: 'aal1',
    amr: ['pwd'],
    org: id,
    role: 'owner',
    scope: 'account:read order:read order:cancel withdrawal:read withdrawal:create organization:read',
    trading: false,
  })
})

test('the email is in the token only on request', async () => {
  const tab = await app.signedIn()
  expect(decodeJwt(await getToken(tab))).not.toHaveProperty('email')
  expect(decodeJwt(await getToken(tab, '?scope=email'))).toMatchObject({ email: tab.person.email, email_verified: true })
})

test('a token never outlives its session', async () => {
  const tab = await app.signedIn()
  const expiresAt = new Date(Date.now() + 30_000)
  await app.db.session.updateMany({ where: { userId: tab.userId }, data: { expiresAt } })
  expect(decodeJwt(await getToken(tab)).exp).toBe(Math.floor(expiresAt.getTime() / 1000))
})

test.each([
  ['without a session', '', false, 401, 'UNAUTHORIZED'],
  ['for an audience that is not configured', '?audience=https://evil.example', true, 403, 'INVALID_AUDIENCE'],
  ['with a stronger sign-in than it had', '?acr=aal2', true, 401, 'INSUFFICIENT_USER_AUTHENTICATION'],
  ['with an unknown parameter', '?audiense=x', true, 400, 'VALIDATION_ERROR'],
] as const)('no token %s', async (_, query, isSignedIn, status, code) => {
  const tab = isSignedIn ? await app.signedIn() : app.browser()
  expect(outcome(await tab.get(`/auth/token${query}`))).toEqual([status, code])
})

test("better-auth's jwtClient gets tokens and keys unchanged", async () => {
  const tab = await app.signedIn()
  const client = createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [jwtClient()],
    fetchOptions: { customFetchImpl: tab.fetch },
  })
  const { data } = await client.token()
  const keys = await client.jwks()
  const { payload } = await jwtVerify(data?.token ?? '', createLocalJWKSet(keys.data as JSONWebKeySet))
  expect([payload.sub, payload.aud]).toEqual([tab.userId, app.baseUrl])
})

describe('a token at /auth/verify', () => {
  test('identifies its session and names the organization', async () => {
    const tab = await app.signedIn()
    const { id } = await found(tab)
    const token = await getToken(tab)
    await tab.post('/auth/organization/set-active', { organizationId: null })
    const { status, headers } = await verify(token)
    expect([status, headers.get('x-auth-user'), headers.get('x-auth-org')]).toEqual([200, tab.userId, id])
    expect((await tab.get('/auth/verify')).headers.get('x-auth-org')).toBe('')
  })

  test('is refused at once after sign-out, also by a process that had it in memory', async () => {
    const tab = await app.signedIn()
    const token = await getToken(tab)
    expect((await verify(token)).status).toBe(200)
    await tab.post('/auth/sign-out')
    const { status, headers } = await verify(token)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
  })

  test('is accepted for its own audience only', async () => {
    const tab = await app.signedIn()
    const token = await getToken(tab, `?audience=${audience}`)
    expect((await verify(token)).status).toBe(401)
    expect((await verify(token, '?audience=urn:risk')).status).toBe(401)
    expect((await verify(token, `?audience=${audience}`)).status).toBe(200)
    expect(outcome(await verify(token, '?audience=https://evil.example'))).toEqual([403, 'INVALID_AUDIENCE'])
  })

  test('expires', async () => {
    const clock = holdClock()
    const token = await getToken(await app.signedIn())
    clock.advance(policy.accessToken.lifetime + policy.accessToken.clockTolerance - 1)
    expect((await verify(token)).status).toBe(200)
    clock.advance(2)
    expect((await verify(token)).status).toBe(401)
  })

  test('comes with a fresh token on demand', async () => {
    const tab = await app.signedIn()
    const { headers } = await tab.get(`/auth/verify?token=${audience}`)
    const { payload } = await jwtVerify(headers.get('x-auth-token') ?? '', await keySet(), { audience })
    expect(payload.sub).toBe(tab.userId)
    expect(outcome(await tab.get('/auth/verify?token=https://evil.example'))).toEqual([403, 'INVALID_AUDIENCE'])
  })
})

describe('forged tokens', async () => {
  const tab = await app.signedIn()
  const good = await getToken(tab)
  const claims = decodeJwt(good)
  const header = decodeProtectedHeader(good)
  const { keys } = (await app.browser().get('/auth/jwks')).body as JSONWebKeySet
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const [, body = '', signature = ''] = good.split('.')
  const hmac = (secret: string) => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }

  test.each<[string, string]>([
    ['alg none', new UnsecuredJWT(claims).encode()],
    ['alg none with our header', `${encode({ ...header, alg: 'none' })}.${body}.`],
    ['an HMAC with the public key as its secret', hmac(JSON.stringify(keys[0]))],
    ['other claims under the same signature', `${good.split('.')[0]}.${encode({ ...claims, sub: 'mallory' })}.${signature}`],
    ['another type', `${encode({ ...header, typ: 'JWT' })}.${body}.${signature}`],
    ['an unknown key', `${encode({ ...header, kid: 'unknown' })}.${body}.${signature}`],
    ['no key', `${encode({ alg: 'ES256', typ: 'at+jwt' })}.${body}.${signature}`],
    ['the key in the header', `${encode({ ...header, jwk: keys[0] })}.${body}.${signature.slice(0, -4)}AAAA`],
    ['an empty signature', `${good.split('.')[0]}.${body}.`],
    ['four parts', `${good}.x`],
    ['not JSON', 'a.b.c'],
    ['50 kB', 'a'.repeat(12_000)],
  ])('are refused: %s', async (_, token) => {
    expect(outcome(await verify(token))).toEqual([401, 'UNAUTHORIZED'])
    expect(app.warnings()).toEqual([])
  })

  test('are refused when our key signed them for another issuer, type, time or person', async () => {
    const { id, key } = await app.service.deps.signingKeys.current()
    const sign = (changes: object, typ = 'at+jwt') =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'ES256', typ, kid: id }).sign(key)
    expect((await verify(await sign({}))).status).toBe(200)
    const now = Math.floor(Date.now() / 1000)
    const forged = [
      sign({ iss: 'https://evil.example' }),
      sign({}, 'confirmation+jwt'),
      sign({ nbf: now + 60 }),
      sign({ exp: now - 60 }),
      sign({ exp: undefined }),
      sign({ sub: 'another-user' }),
      sign({ sid: 'unknown' }),
      sign({ sid: undefined }),
      sign({ aud: [] }),
    ]
    expect(await Promise.all(forged.map(async (token) => (await verify(await token)).status))).toEqual(forged.map(() => 401))
  })

  test('with a thousand unknown keys cost no database read', async () => {
    const read = async (kid: number) => (await verify(`${encode({ ...header, kid: `k${kid}` })}.${body}.${signature}`)).status
    const query = vi.spyOn(app.service.deps.sql, '$queryRaw')
    onTestFinished(() => query.mockRestore())
    const statuses = await Promise.all(Array.from({ length: 1_000 }, (_, kid) => read(kid)))
    expect([new Set(statuses), query.mock.calls.length]).toEqual([new Set([401]), 0])
  })
})

test('a token of a strong session says so', async () => {
  const tab = await app.signedIn()
  const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
  await tab.post('/auth/reauthenticate', { code: authenticator.code(1) })
  expect(decodeJwt(await getToken(tab, '?acr=aal2&max_age=60'))).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] })
})

test('a token is not exchanged for another, neither for its own audience nor for a second one', async () => {
  const tab = await app.signedIn()
  const token = await getToken(tab, `?audience=${audience}`)
  for (const other of ['urn:risk', audience, app.baseUrl])
    expect(outcome(await verify(token, `?audience=${audience}&token=${other}`))).toEqual([403, 'INVALID_AUDIENCE'])
})

test.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a, Bearer b', 'bearer\ta'])(
  'a malformed bearer header is invalid, and a cookie beside it does not count: %j',
  async (authorization) => {
    const tab = await app.signedIn()
    expect(outcome(await tab.get('/auth/verify', { headers: { authorization } }))).toEqual([401, 'UNAUTHORIZED'])
  },
)

test('the tokens of ended sessions are limited like invalid cookies, and those of a live session are not', async () => {
  const own = await createTestApp({ RATE_LIMIT: 'on' })
  const [tab, live] = [await own.signedIn(), await own.signedIn()]
  const liveToken = tokenOf(await live.get('/auth/token'))
  const token = tokenOf(await tab.get('/auth/token'))
  await tab.post('/auth/sign-out')
  holdMonotonicClock()
  const statuses = new Set<number>()
  const { addressPerMinute, readsPerSecond } = policy.sessionMisses
  for (let count = 0; count < addressPerMinute + readsPerSecond + 5; count += 1)
    statuses.add((await own.browser().get('/auth/verify', withBearer(token))).status)
  expect([...statuses]).toEqual([401, 503])
  expect((await own.browser().get('/auth/verify', withBearer(liveToken))).status).toBe(200)
})
