import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { emailAddress } from '../../kernel/fields.ts'
import { ProviderError, type SocialProvider } from '../../social/social-provider.ts'
import { authorizationUrl, exchangeCode, type ProviderCredentials } from './oauth-client.ts'
import { boundedFetch, requestJson } from './provider-request.ts'

type GoogleOptions = ProviderCredentials & { issuer: string }

const discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
})

type Endpoints = z.infer<typeof discovery> & { keys: ReturnType<typeof createRemoteJWKSet> }

/** OpenID Connect Core, section 2: ASCII, at most 255. */
const subject = z.string().regex(/^[\x21-\x7e]{1,255}$/)

const endpointsLifetime = 60 * 60 * 1000
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA']

/** Google, or any OpenID provider at `issuer`: code flow with PKCE and nonce; the identity comes from the validated ID token alone. */
export function createGoogle(options: GoogleOptions): SocialProvider {
  const endpoints = cachedEndpoints(options.issuer)

  return {
    id: 'google',
    name: 'Google',
    origin: new URL(options.issuer).origin,
    issuer: options.issuer,
    async authorizationUrl(attempt, { scopes, loginHint, locale, reauthenticate }) {
      const { authorization_endpoint } = await endpoints()
      const url = authorizationUrl(options, authorization_endpoint, attempt, ['openid', 'email', 'profile', ...scopes])
      url.searchParams.set('nonce', attempt.nonce)
      url.searchParams.set('hl', locale)
      if (loginHint !== undefined) url.searchParams.set('login_hint', loginHint)
      if (reauthenticate) {
        // `max_age` is the OpenID Connect standard; Google ignores it and reads `claims`.
        url.searchParams.set('max_age', '0')
        url.searchParams.set('claims', JSON.stringify({ id_token: { auth_time: { essential: true } } }))
      }
      return url
    },
    async identify(code, attempt) {
      const { token_endpoint, keys } = await endpoints()
      const { idToken, ...tokens } = await exchangeCode(options, token_endpoint, code, attempt)
      if (idToken === null) throw new ProviderError('identity-refused', 'the provider sent no ID token')
      const claims = await validate(idToken, keys, options)
      if (claims.nonce !== attempt.nonce) throw new ProviderError('identity-refused', 'the ID token is not for this attempt')
      const email = emailAddress.safeParse(claims.email)
      const sub = subject.safeParse(claims.sub)
      if (!sub.success) throw new ProviderError('identity-refused', 'the ID token names nobody')
      return {
        subject: sub.data,
        email: email.success ? email.data : null,
        emailVerified: claims.email_verified === true,
        name: typeof claims.name === 'string' ? claims.name : '',
        image: typeof claims.picture === 'string' ? claims.picture : null,
        authenticatedAt: claims.auth_time === undefined ? null : dateOf(claims.auth_time),
        tokens,
      }
    },
  }
}

/** A malformed `auth_time` counts as long ago: it proves nothing. */
function dateOf(seconds: unknown): Date {
  const date = new Date(Number(seconds) * 1000)
  return date.getTime() >= 0 ? date : new Date(0)
}

/** Signature by the provider's published keys (a key it has just rotated in is fetched), issuer, audience, expiry, a subject. */
async function validate(idToken: string, keys: Endpoints['keys'], { issuer, clientId }: GoogleOptions): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      // Google may leave out the scheme (OpenID Connect Core, section 3.1.3.7, Google's own note).
      issuer: [issuer, issuer.replace(/^https:\/\//, '')],
      audience: clientId,
      algorithms: asymmetric,
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: 30,
    })
    if (Array.isArray(payload.aud) && payload.azp !== clientId)
      throw new ProviderError('identity-refused', 'the ID token is for another client')
    return payload
  } catch (cause) {
    if (!(cause instanceof ProviderError) && !isAboutToken(cause)) {
      throw new ProviderError('unavailable', "the provider's keys could not be read", { cause })
    }
    throw new ProviderError('identity-refused', 'the ID token does not hold', { cause })
  }
}

/** Of jose's errors, those that do not come from a key set that could not be read. */
const isAboutToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC')

/** The provider's discovery document, read when first needed and, beside the requests, after each hour. */
function cachedEndpoints(issuer: string): () => Promise<Endpoints> {
  let known: { endpoints: Endpoints; readAt: number } | undefined
  let reading: Promise<Endpoints> | undefined
  const read = async () => {
    const endpoints = await readEndpoints(issuer)
    known = { endpoints, readAt: Date.now() }
    return endpoints
  }
  return async () => {
    if (known && known.readAt + endpointsLifetime >= Date.now()) return known.endpoints
    reading ??= read().finally(() => {
      reading = undefined
    })
    if (!known) return reading
    // What held an hour ago is better than nothing: a provider whose document cannot be read may still sign people in.
    reading.catch(() => {})
    return known.endpoints
  }
}

async function readEndpoints(issuer: string): Promise<Endpoints> {
  const { status, body } = await requestJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const document = discovery.safeParse(body)
  if (status !== 200 || !document.success || document.data.issuer !== issuer) {
    throw new ProviderError('unavailable', `the discovery document of the provider cannot be used (${status})`)
  }
  const keys = createRemoteJWKSet(new URL(document.data.jwks_uri), {
    timeoutDuration: 10_000,
    cooldownDuration: 5_000,
    [customFetch]: boundedFetch,
  })
  return { ...document.data, keys }
}
