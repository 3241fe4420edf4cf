import { CodeChallengeMethod, OAuth2Client, OAuth2Tokens } from 'arctic'
import { ProviderError, type SocialAttempt, type SocialIdentity } from '../../social/social-provider.ts'
import { requestJson } from './provider-request.ts'

export type ProviderCredentials = { clientId: string; clientSecret: string; redirectUri: string }

export type TokenResponse = SocialIdentity['tokens'] & { idToken: string | null }

export function buildAuthorizationUrl(
  { clientId, redirectUri }: ProviderCredentials,
  endpoint: string,
  { state, codeVerifier }: SocialAttempt,
  scopes: readonly string[],
): URL {
  const client = new OAuth2Client(clientId, null, redirectUri)
  return client.createAuthorizationURLWithPKCE(endpoint, state, CodeChallengeMethod.S256, codeVerifier, [...scopes])
}

/** Throws ProviderError. Replaces arctic's request, which has no limits (ADR 007). */
export async function exchangeCode(
  { clientId, clientSecret, redirectUri }: ProviderCredentials,
  endpoint: string,
  code: string,
  { codeVerifier }: SocialAttempt,
): Promise<TokenResponse> {
  const { status, body } = await requestJson(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      code,
    }),
  })
  if (status >= 500 || typeof body !== 'object' || body === null)
    throw new ProviderError('unavailable', `the token endpoint answered ${status}`)
  // GitHub answers errors with status 200.
  if (status !== 200 || 'error' in body)
    throw new ProviderError('code-refused', `the provider refused the code: ${getOAuthError(body)}`)
  return readTokens(new OAuth2Tokens(body))
}

/** RFC 6749, section 5.2. */
const getOAuthError = (body: object): string =>
  'error' in body && typeof body.error === 'string' && /^[\w.-]{1,64}$/.test(body.error) ? body.error : 'no reason given'

const maxExpirySeconds = 10 * 365 * 86_400

function readTokens(tokens: OAuth2Tokens): TokenResponse {
  try {
    const seconds = 'expires_in' in tokens.data ? Number(tokens.data.expires_in) : Number.NaN
    const expires = seconds >= 0 && seconds <= maxExpirySeconds
    return {
      accessToken: tokens.accessToken(),
      refreshToken: tokens.hasRefreshToken() ? tokens.refreshToken() : null,
      expiresAt: expires ? new Date(Date.now() + seconds * 1000) : null,
      scopes: tokens.hasScopes()
        ? tokens
            .scopes()
            .flatMap((scope) => scope.split(','))
            .filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope))
            .slice(0, 50)
        : [],
      idToken: 'id_token' in tokens.data ? tokens.idToken() : null,
    }
  } catch (cause) {
    throw new ProviderError('unavailable', 'the token endpoint answered without a token', { cause })
  }
}
