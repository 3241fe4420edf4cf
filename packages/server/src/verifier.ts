import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import { type AccessTokenClaims, type Caller, readCaller } from './caller.ts'
import type { Follower } from './follower.ts'
import { type Refusal, refuse } from './refusal.ts'
import { findRefusal, type Requirements, toParameters } from './requirements.ts'

type Refused = { ok: false; refusal: Refusal }
export type Verification = { ok: true; caller: Caller } | Refused
export type TokenVerification = { ok: true; caller: Caller; claims: AccessTokenClaims } | Refused

/** Takes a Request of the Fetch standard or of Node. Resolves to the caller or to a refusal; never rejects. */
export type Verify = (request: { headers: HeadersLike }, requirements?: Requirements) => Promise<Verification>
type HeadersLike = { get(name: string): string | null } | Record<string, string | string[] | undefined>

export type VerifierOptions = {
  /** The public origin of the service, its BASE_URL: the `iss` of its tokens. */
  issuer: string
  /** The resource that your server is, one of the service's TOKEN_AUDIENCES. Tokens for another one are refused. */
  audience: string
  /** Where your server reaches the service. Default: `issuer`. */
  serviceUrl?: string
  /** A service secret with scope `session:verify`: names your server when it asks on behalf of many callers. */
  serviceKey?: string
  /** Replaces the global fetch. */
  fetch?: typeof fetch
  /** How long the service may take to answer; later the request is refused with 503. Default: 2000. */
  timeoutMs?: number
  /** By how many seconds the clocks may differ. Default: 5. */
  clockTolerance?: number
  /** Lets `verifyBearer` and `verifyToken` refuse what was revoked. While it is not current, they refuse with SERVICE_UNAVAILABLE. */
  follower?: Follower
}

export type Verifier = {
  /**
   * Asks the service about the session cookie, the bearer token or the secret of an API key: what was revoked is refused at once.
   * Refusals: UNAUTHORIZED, INSUFFICIENT_USER_AUTHENTICATION, INSUFFICIENT_SCOPE, ORGANIZATION_REQUIRED, ROLE_REQUIRED,
   * SERVICE_UNAVAILABLE; for a key also INVALID_API_KEY, KEY_DISABLED, KEY_EXPIRED, IP_NOT_ALLOWED, RATE_LIMITED.
   */
  verifyRequest: Verify
  /**
   * Checks the bearer token of a request here, without the service. Without a follower, a revoked session passes until its token expires.
   * With one, a token of a changed session, user or membership is UNAUTHORIZED: the caller gets a new one. Same refusals.
   */
  verifyBearer: Verify
  /** Checks an access token here, as `verifyBearer`, and returns its claims. Same refusals. Never rejects. */
  verifyToken(token: string, requirements?: Requirements): Promise<TokenVerification>
}

const invalidToken = 'Bearer error="invalid_token"'

/** jose's other errors mean that the keys could not be read. */
const tokenFaults = [
  ...[errors.JWTExpired, errors.JWTClaimValidationFailed, errors.JWTInvalid, errors.JWSInvalid, errors.JOSENotSupported],
  ...[errors.JWSSignatureVerificationFailed, errors.JOSEAlgNotAllowed, errors.JWKSNoMatchingKey],
]

/**
 * Creates what tells your server who calls. Create one and keep it: it caches the keys of the service.
 * @throws {TypeError} when `issuer` or `serviceUrl` is not a URL, or `audience` is missing.
 */
export function createVerifier({
  issuer,
  audience,
  serviceUrl = issuer,
  serviceKey,
  follower,
  ...options
}: VerifierOptions): Verifier {
  const { fetch: send = globalThis.fetch, timeoutMs = 2000, clockTolerance = 5 } = options
  // jose would accept the tokens of every audience.
  if (!audience) throw new TypeError('audience is missing: pass the entry of your server in TOKEN_AUDIENCES')
  const expected = { issuer: new URL(issuer).origin, audience, algorithms: ['ES256'], typ: 'at+jwt', clockTolerance }

  /** Also gives up on a custom fetch that ignores its signal. Next caches what is not `no-store`. */
  async function load(url: string | URL, headers: Headers): Promise<Response> {
    const signal = AbortSignal.timeout(timeoutMs)
    const deadline = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const answer = async () => {
      const response = await send(url, { headers, signal, redirect: 'manual', cache: 'no-store' })
      return new Response(await response.text(), { status: response.status, headers: response.headers })
    }
    return Promise.race([answer(), deadline])
  }

  const keys = createRemoteJWKSet(new URL('/auth/jwks', serviceUrl), {
    [customFetch]: (url, { headers }) => load(url, headers),
    cacheMaxAge: 300_000,
  })

  async function verifyToken(token: string, requirements: Requirements = {}): Promise<TokenVerification> {
    try {
      const { payload } = await jwtVerify<AccessTokenClaims>(token, keys, { ...expected, requiredClaims: ['exp', 'iat'] })
      const caller = readCaller((claim) => String((claim && payload[claim]) ?? ''))
      if (!caller) throw new errors.JWTInvalid('a claim is missing or malformed')
      const refused = (follower && findRevocation(follower, payload)) ?? findRefusal(caller, requirements, clockTolerance)
      return refused ?? { ok: true, caller, claims: payload }
    } catch (error) {
      return tokenFaults.some((fault) => error instanceof fault)
        ? refuse('UNAUTHORIZED', invalidToken, error)
        : refuse('SERVICE_UNAVAILABLE', null, error)
    }
  }

  const verifyBearer: Verify = async (request, requirements) => {
    const token = /^Bearer +(\S+)$/i.exec(readHeader(request.headers, 'authorization'))?.[1]
    return token === undefined ? refuse('UNAUTHORIZED', 'Bearer') : verifyToken(token, requirements)
  }

  const verifyRequest: Verify = async (request, requirements = {}) => {
    try {
      const parameters = new URLSearchParams([...toParameters(requirements), ['audience', audience]])
      const headers = new Headers()
      for (const name of ['authorization', 'x-api-key', 'cookie']) {
        const value = readHeader(request.headers, name)
        if (value) headers.set(name, value)
      }
      if ([...headers].length === 0) return refuse('UNAUTHORIZED', 'Bearer')
      if (serviceKey) headers.set('x-service-key', serviceKey)
      return await readAnswer(await load(new URL(`/auth/verify?${parameters}`, serviceUrl), headers))
    } catch (error) {
      return refuse('SERVICE_UNAVAILABLE', null, error)
    }
  }

  return { verifyRequest, verifyBearer, verifyToken }
}

function findRevocation(follower: Follower, claims: AccessTokenClaims) {
  const { isCurrent, ageMs, lastError } = follower.state()
  if (!isCurrent) {
    return refuse('SERVICE_UNAVAILABLE', null, lastError ?? new Error(`the follower last caught up ${ageMs} ms ago`))
  }
  const isRevoked = follower.isTokenRevoked(claims)
  return isRevoked ? refuse('UNAUTHORIZED', invalidToken, new Error('the session ended, or its access changed')) : null
}

function readHeader(headers: HeadersLike, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

/** Only answers of `GET /auth/verify` count: a login page with status 200 names no user. */
async function readAnswer(response: Response): Promise<Verification> {
  const { status, headers } = response
  const caller = status === 200 ? readCaller((_, header) => headers.get(`x-auth-${header}`) ?? '') : null
  if (caller) return { ok: true, caller }
  if (status === 401 || status === 403) {
    const { code, message } = await response.json()
    const wwwAuthenticate = headers.get('www-authenticate')
    if (code && message) return { ok: false, refusal: { status, code, message, wwwAuthenticate } }
  }
  throw new Error(`unexpected answer of /auth/verify: status ${status}`)
}
