import { createVerifier, type Requirements, type VerifierOptions } from '@floorpass/server'
import { holdClock } from '@floorpass/testing/clock'
import { startTokenIssuer } from '@floorpass/testing/token-issuer'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'

const audience = 'https://orders.example.test'
const issuer = await startTokenIssuer()
const newVerifier = (options: Partial<VerifierOptions> = {}) => createVerifier({ issuer: issuer.url, audience, ...options })
const verifier = newVerifier()

/** `status code challenge`, or the user. */
async function outcome(token: string, requirements?: Requirements, checking = verifier): Promise<string> {
  const result = await checking.verifyToken(token, requirements)
  if (result.ok) return result.caller.userId
  const { status, code, wwwAuthenticate } = result.refusal
  return [status, code, wwwAuthenticate].filter(Boolean).join(' ')
}

const notValid = '401 UNAUTHORIZED Bearer error="invalid_token"'
const unavailable = '503 SERVICE_UNAVAILABLE'

describe('an access token', () => {
  test('names the caller, and carries typed claims', async () => {
    const signedInAt = Math.floor(Date.now() / 1000) - 60
    const token = await issuer.sign({ hold: 3600, auth_time: signedInAt, email: 'ada@example.test', email_verified: true })
    const result = await verifier.verifyToken(token)
    expect(result).toEqual({
      ok: true,
      caller: {
        userId: 'user-1',
        sessionId: 'session-1',
        keyId: null,
        organizationId: 'desk',
        role: 'admin',
        scopes: ['account:read', 'order:read'],
        acr: 'aal1',
        amr: ['pwd'],
        authTime: signedInAt,
        hold: 3600,
      },
      claims: expect.objectContaining({ sid: 'session-1', trading: false, email: 'ada@example.test' }),
    })
    const alone = await verifier.verifyToken(await issuer.sign({ org: undefined, role: undefined }))
    expect(alone).toMatchObject({ ok: true, caller: { organizationId: null, role: null, hold: null } })
  })

  test.each([
    ['for another audience', { aud: 'https://other.example.test' }],
    ['of another issuer', { iss: 'https://other.example.test' }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without a type', { header: { typ: undefined } }],
    ['that expired', { exp: 1_000_000_000 }],
    ['that is not valid yet', { nbf: 4_000_000_000 }],
    ['without an expiry', { exp: undefined }],
    ['without an audience', { aud: undefined }],
    ['without a user', { sub: undefined }],
    ['without a session', { sid: undefined }],
    ['with an unknown strength', { acr: 'aal9' }],
    ['without a time of authentication', { auth_time: undefined }],
    ['with an unknown role', { role: 'emperor' }],
    ['with an unknown critical header', { header: { crit: ['moon'], moon: 1 } }],
    ['of an unknown key', { header: { kid: 'unknown' } }],
  ])('is refused %s', async (_, claims) => {
    const sign = issuer.sign(claims as never)
    // The signer refuses to make this one.
    const token = await sign.catch(async () => `${btoa('{"alg":"ES256","typ":"at+jwt","crit":["moon"],"moon":1}')}.e30.AAAA`)
    expect(await outcome(token.replaceAll('=', ''))).toBe(notValid)
  })

  test('is refused when its signature is of another key or algorithm', async () => {
    const { header, ...claims } = { header: { alg: 'ES256', typ: 'at+jwt', kid: 'first' }, ...issuer.claims() }
    const other = await generateKeyPair('ES256')
    expect(await outcome(await new SignJWT(claims).setProtectedHeader(header).sign(other.privateKey))).toBe(notValid)
    // Algorithm confusion: the public key as an HMAC secret.
    const secret = new TextEncoder().encode(JSON.stringify(issuer.publicJwk()))
    expect(await outcome(await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(secret))).toBe(notValid)
    const rsa = await generateKeyPair('RS256')
    expect(await outcome(await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256' }).sign(rsa.privateKey))).toBe(
      notValid,
    )
    expect(await outcome(new UnsecuredJWT(claims).encode())).toBe(notValid)
    const [head, , signature] = (await issuer.sign()).split('.')
    expect(await outcome(`${head}.${btoa(JSON.stringify({ ...claims, sub: 'eve' })).replace(/=+$/, '')}.${signature}`)).toBe(
      notValid,
    )
  })

  test('is refused when the service signed it with another algorithm than ES256', async () => {
    const other = await startTokenIssuer()
    await other.addKey('strange', 'ES384')
    const strange = createVerifier({ issuer: other.url, audience })
    expect(await outcome(await other.sign({ header: { alg: 'ES384' } }), {}, strange)).toBe(notValid)
  })

  test.each(['', 'nonsense', 'a.b.c', '....', `${'A'.repeat(100_000)}.e30.AA`])(
    'is refused when it is no token: %#',
    async (token) => {
      expect(await outcome(token)).toBe(notValid)
    },
  )

  test('is accepted when the clocks differ by less than the tolerance', async () => {
    const now = Math.floor(Date.now() / 1000)
    expect(await outcome(await issuer.sign({ exp: now - 2 }))).toBe('user-1')
    expect(await outcome(await issuer.sign({ exp: now - 10 }))).toBe(notValid)
    expect(await outcome(await issuer.sign({ exp: now - 10 }), {}, newVerifier({ clockTolerance: 30 }))).toBe('user-1')
  })
})

describe('the requirements of a route', () => {
  const challenge = (wanted: string) =>
    `401 INSUFFICIENT_USER_AUTHENTICATION Bearer error="insufficient_user_authentication", ${wanted}`
  test.each<[Requirements, string]>([
    [{}, 'user-1'],
    [{ acr: 'aal1', maxAge: 90, scope: 'order:read', org: 'desk', role: 'member' }, 'user-1'],
    [{ acr: 'aal2' }, challenge('acr_values="aal2"')],
    [{ acr: 'aal2', maxAge: 300 }, challenge('acr_values="aal2", max_age="300"')],
    [{ maxAge: 30 }, challenge('acr_values="aal1", max_age="30"')],
    [{ maxAge: 0 }, challenge('acr_values="aal1", max_age="0"')],
    [{ maxAge: Number.NaN }, challenge('acr_values="aal1"')],
    [{ acr: 'aal0' as never }, challenge('acr_values="aal0"')],
    [{ scope: ['order:read', 'account:read'] }, 'user-1'],
    [
      { scope: 'order:read order:place' },
      '403 INSUFFICIENT_SCOPE Bearer error="insufficient_scope", scope="order:read order:place"',
    ],
    [{ scope: 'order' }, '403 INSUFFICIENT_SCOPE Bearer error="insufficient_scope", scope="order"'],
    [{ org: 'other' }, '403 ORGANIZATION_REQUIRED'],
    [{ role: 'admin' }, 'user-1'],
    [{ role: 'owner' }, '403 ROLE_REQUIRED'],
    [{ role: 'onwer' as never }, '403 ROLE_REQUIRED'],
  ])('%j', async (requirements, expected) => {
    expect(await outcome(await issuer.sign(), requirements)).toBe(expected)
  })

  test('refuse a proof more than a minute in the future where a recent one is required', async () => {
    const outcomeAhead = async (seconds: number, requirements: Requirements) =>
      outcome(await issuer.sign({ auth_time: Math.floor(Date.now() / 1000) + seconds }), requirements)
    expect(await outcomeAhead(70, { maxAge: 300 })).toBe(challenge('acr_values="aal1", max_age="300"'))
    expect(await outcomeAhead(70, { maxAge: Number.POSITIVE_INFINITY })).toBe(challenge('acr_values="aal1"'))
    expect(await outcomeAhead(50, { maxAge: 300 })).toBe('user-1')
    expect(await outcomeAhead(70, {})).toBe('user-1')
  })

  test('refuse a caller without an organization where a role is required', async () => {
    const token = await issuer.sign({ org: undefined, role: undefined })
    expect(await outcome(token, { role: 'member' })).toBe('403 ROLE_REQUIRED')
    expect(await outcome(token, { org: 'desk' })).toBe('403 ORGANIZATION_REQUIRED')
  })
})

describe('the keys of the service', () => {
  test('are read once, also under a flood of unknown keys', async () => {
    const flooded = newVerifier()
    const before = issuer.requests.length
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, index) => issuer.sign({ header: { kid: `flood-${index}` } })),
    )
    const outcomes = await Promise.all(tokens.map((token) => outcome(token, {}, flooded)))
    expect(new Set(outcomes)).toEqual(new Set([notValid]))
    expect(await outcome(await issuer.sign(), {}, flooded)).toBe('user-1')
    expect(issuer.requests.slice(before)).toEqual(['/auth/jwks'])
  })

  test('are read again for a new key once the cooldown is over', async () => {
    const clock = holdClock()
    const rotating = newVerifier()
    expect(await outcome(await issuer.sign(), {}, rotating)).toBe('user-1')
    await issuer.addKey('second')
    expect(await outcome(await issuer.sign(), {}, rotating)).toBe(notValid)
    clock.advance(31)
    expect(await outcome(await issuer.sign(), {}, rotating)).toBe('user-1')
  })

  test('are not believed after five minutes without the service', async () => {
    const clock = holdClock()
    const lonely = newVerifier()
    expect(await outcome(await issuer.sign(), {}, lonely)).toBe('user-1')
    issuer.answerWith({ status: 500, body: '{}' })
    clock.advance(299)
    expect(await outcome(await issuer.sign(), {}, lonely)).toBe('user-1')
    clock.advance(2)
    expect(await outcome(await issuer.sign(), {}, lonely)).toBe(unavailable)
    issuer.answerWith(null)
    expect(await outcome(await issuer.sign(), {}, lonely)).toBe('user-1')
  })

  test.each([
    ['an error', { status: 500, body: '{"keys":[]}' }],
    ['a redirect', { status: 302, headers: { location: '/keys' }, body: '' }],
    ['a page', { status: 200, body: '<html></html>' }],
    ['no key set', { status: 200, body: '{"keys":"none"}' }],
    ['nothing', 'never'],
  ] as const)('when the service answers with %s, every token is refused with 503', async (_, answer) => {
    issuer.answerWith(answer)
    expect(await outcome(await issuer.sign(), {}, newVerifier({ timeoutMs: 100 }))).toBe(unavailable)
    issuer.answerWith(null)
  })

  test('when the service cannot be reached, or a custom fetch never settles, every token is refused with 503', async () => {
    const token = await issuer.sign()
    expect(await outcome(token, {}, newVerifier({ serviceUrl: 'http://127.0.0.1:1' }))).toBe(unavailable)
    const hanging = newVerifier({ fetch: () => new Promise(() => {}), timeoutMs: 50 })
    expect(await outcome(token, {}, hanging)).toBe(unavailable)
    const stuckBody = new ReadableStream()
    const halting = newVerifier({ fetch: async () => new Response(stuckBody), timeoutMs: 50 })
    expect(await outcome(token, {}, halting)).toBe(unavailable)
  })
})

test('a verifier without an audience or a valid issuer is refused at once', () => {
  expect(() => createVerifier({ issuer: issuer.url } as never)).toThrow(
    'audience is missing: pass the entry of your server in TOKEN_AUDIENCES',
  )
  expect(() => createVerifier({ issuer: 'accounts', audience })).toThrow('Invalid URL')
})
