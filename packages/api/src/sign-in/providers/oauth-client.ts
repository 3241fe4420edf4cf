import { CodeChallengeMethod, OAuth2Client, OAuth2Tokens } from 'arctic'
import { ProviderError, type SocialAttempt, type SocialIdentity } from '../../social-provider.ts'
import { requestJson } from './provider-request.ts'

export type ProviderCredentials = { clientId: string; clientSecret: string; redirectUri: string }

export type TokenAnswer = SocialIdentity['tokens'] & { idToken: string | null }

/** The authorization URL: code flow with PKCE S256. */
export function authorizationUrl(
  { clientId, redirectUri }: ProviderCredentials,
  endpoint: string,
  { state, codeVerifier }: SocialAttempt,
  scopes: readonly string[],
): URL {
  const client = new OAuth2Client(clientId, null, redirectUri)
  return client.createAuthorizationURLWithPKCE(endpoint, state, CodeChallengeMethod.S256, codeVerifier, [...scopes])
}

/** Trades a code for tokens. The request is ours and not arctic's, which waits for ever, follows redirects and reads without end. */
export async function exchangeCode(
  { clientId, clientSecret, redirectUri }: ProviderCredentials,
  endpoint: string,
  code: string,
  { codeVerifier }: SocialAttempt,
): Promise<TokenAnswer> {
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
  // GitHub refuses with 200.
  if (status !== 200 || 'error' in body) throw new ProviderError('code-refused', 'the provider refused the code')
  return readTokens(new OAuth2Tokens(body))
}

function readTokens(tokens: OAuth2Tokens): TokenAnswer {
  try {
    const expires = 'expires_in' in tokens.data && typeof tokens.data.expires_in === 'number'
    return {
      accessToken: tokens.accessToken(),
      refreshToken: tokens.hasRefreshToken() ? tokens.refreshToken() : null,
      expiresAt: expires ? tokens.accessTokenExpiresAt() : null,
      scopes: tokens.hasScopes()
        ? tokens
            .scopes()
            .flatMap((scope) => scope.split(','))
            .filter(Boolean)
        : [],
      idToken: 'id_token' in tokens.data ? tokens.idToken() : null,
    }
  } catch (cause) {
    throw new ProviderError('unavailable', 'the token endpoint answered without a token', { cause })
  }
}
