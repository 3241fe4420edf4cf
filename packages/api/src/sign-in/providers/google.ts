import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { emailAddress } from '../../kernel/fields.ts'
import { ProviderError, type SocialProvider } from '../../social/social-provider.ts'
import { buildAuthorizationUrl, exchangeCode, type ProviderCredentials } from './oauth-client.ts'
import { boundedFetch, requestJson } from './provider-request.ts'

type GoogleOptions = ProviderCredentials & { issuer: string }

const discoverySchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
})

type Endpoints = z.infer<typeof discoverySchema> & { keys: ReturnType<typeof createRemoteJWKSet> }

/** OpenID Connect Core, section 2. */
const subjectSchema = z.string().regex(/^[\x21-\x7e]{1,255}$/)

const endpointsLifetime = 60 * 60 * 1000
const allowedAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA']

/** Works with any OpenID provider at `issuer`. Reads the identity only from the verified ID token. */
export function createGoogle(options: GoogleOptions): SocialProvider {
  const endpoints = createEndpointCache(options.issuer)

  return {
    id: 'google',
    name: 'Google',
    origin: new URL(options.issuer).origin,
    issuer: options.issuer,
    async authorizationUrl(attempt, { scopes, loginHint, locale, reauthenticate }) {
      const { authorization_endpoint } = await endpoints()
      const url = buildAuthorizationUrl(options, authorization_endpoint, attempt, ['openid', 'email', 'profile', ...scopes])
      url.searchParams.set('nonce', attempt.nonce)
      url.searchParams.set('hl', locale)
      if (loginHint !== undefined) url.searchParams.set('login_hint', loginHint)
      if (reauthenticate) {
        // Google ignores the standard `max_age` and reads `claims`.
        url.searchParams.set('max_age', '0')
        url.searchParams.set('claims', JSON.stringify({ id_token: { auth_time: { essential: true } } }))
      }
      return url
    },
    async identify(code, attempt) {
      const { token_endpoint, keys } = await endpoints()
      const { idToken, ...tokens } = await exchangeCode(options, token_endpoint, code, attempt)
      if (idToken === null) throw new ProviderError('identity-refused', 'the provider sent no ID token')
      const claims = await verifyIdToken(idToken, keys, options)
      if (claims.nonce !== attempt.nonce) throw new ProviderError('identity-refused', 'the nonce of the ID token does not match')
      const email = emailAddress.safeParse(claims.email)
      const sub = subjectSchema.safeParse(claims.sub)
      if (!sub.success) throw new ProviderError('identity-refused', 'the ID token has no valid subject')
      return {
        subject: sub.data,
        email: email.success ? email.data : null,
        emailVerified: claims.email_verified === true,
        name: typeof claims.name === 'string' ? claims.name : '',
        image: typeof claims.picture === 'string' ? claims.picture : null,
        authenticatedAt: claims.auth_time === undefined ? null : parseAuthTime(claims.auth_time),
        tokens,
      }
    },
  }
}

/** A malformed `auth_time` becomes 1970, so it never counts as recent. */
function parseAuthTime(seconds: unknown): Date {
  const date = new Date(Number(seconds) * 1000)
  return date.getTime() >= 0 ? date : new Date(0)
}

async function verifyIdToken(idToken: string, keys: Endpoints['keys'], { issuer, clientId }: GoogleOptions): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      // Google may omit the scheme (OpenID Connect Core 3.1.3.7).
      issuer: [issuer, issuer.replace(/^https:\/\//, '')],
      audience: clientId,
      algorithms: allowedAlgorithms,
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: 30,
    })
    if (Array.isArray(payload.aud) && payload.azp !== clientId)
      throw new ProviderError('identity-refused', 'the ID token is for another client')
    return payload
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause
    if (isTokenError(cause)) throw new ProviderError('identity-refused', 'the ID token failed verification', { cause })
    throw new ProviderError('unavailable', "could not read the provider's keys", { cause })
  }
}

const isTokenError = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC')

function createEndpointCache(issuer: string): () => Promise<Endpoints> {
  let cached: { endpoints: Endpoints; readAt: number } | undefined
  let refresh: Promise<Endpoints> | undefined
  const read = async () => {
    const endpoints = await readEndpoints(issuer)
    cached = { endpoints, readAt: Date.now() }
    return endpoints
  }
  return async () => {
    if (cached && cached.readAt + endpointsLifetime >= Date.now()) return cached.endpoints
    refresh ??= read().finally(() => {
      refresh = undefined
    })
    if (!cached) return refresh
    // Serve the stale document if the refresh fails.
    refresh.catch(() => {})
    return cached.endpoints
  }
}

async function readEndpoints(issuer: string): Promise<Endpoints> {
  const { status, body } = await requestJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const document = discoverySchema.safeParse(body)
  if (status !== 200 || !document.success || document.data.issuer !== issuer) {
    throw new ProviderError('unavailable', `the provider's discovery document is not usable: status ${status}`)
  }
  const keys = createRemoteJWKSet(new URL(document.data.jwks_uri), {
    timeoutDuration: 10_000,
    cooldownDuration: 5_000,
    [customFetch]: boundedFetch,
  })
  return { ...document.data, keys }
}
