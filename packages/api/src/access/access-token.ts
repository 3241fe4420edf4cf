import { randomUUID } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Context } from '../context.ts'
import { bearerChallenge } from '../kernel/bearer-challenge.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { Caller } from './caller.ts'
import { signingAlgorithm } from './signing-keys.ts'

// RFC 9068.

type TokenContext = Pick<Context, 'signingKeys' | 'settings'>

export type AccessToken = { token: string; expiresIn: number }

const type = 'at+jwt'

/** INVALID_AUDIENCE. */
export async function signAccessToken(
  { signingKeys, settings: { baseUrl, tokenAudiences } }: TokenContext,
  caller: Caller,
  audience: string,
  moreClaims: JWTPayload = {},
): Promise<AccessToken> {
  if (!tokenAudiences.includes(audience)) throw new AppError('INVALID_AUDIENCE')
  const { id, key } = await signingKeys.current()
  const now = Math.floor(Date.now() / 1000)
  const expiresAt = Math.min(now + policy.accessToken.lifetime, Math.floor(caller.expiresAt.getTime() / 1000))
  const token = await new SignJWT({ ...toClaims(caller), client_id: baseUrl, ...moreClaims })
    .setProtectedHeader({ alg: signingAlgorithm, typ: type, kid: id })
    .setIssuer(baseUrl)
    .setAudience(audience)
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(expiresAt)
    .setJti(randomUUID())
    .sign(key)
  return { token, expiresIn: expiresAt - now }
}

/** The claims of an access token and of an introspection. `exp` is not among them. */
export const toClaims = ({ userId, sessionId, organization, scopes, acr, amr, authTime, tradingEnabled, heldUntil }: Caller) => ({
  sub: userId,
  sid: sessionId,
  auth_time: Math.floor(authTime.getTime() / 1000),
  acr,
  amr,
  ...(organization && { org: organization.id, role: organization.role }),
  scope: scopes.join(' '),
  trading: tradingEnabled,
  ...(heldUntil && { hold: Math.floor(heldUntil.getTime() / 1000) }),
})

export type AccessTokenClaims = { sid: string; sub: string; aud: string; exp: number; iat: number; jti: string; org?: string }

/** Null for a token that we did not sign, that expired or that is for another audience. Whether its session lives is another question. */
export async function readAccessToken(
  { signingKeys, settings: { baseUrl } }: TokenContext,
  token: string,
  audience: string | readonly string[],
): Promise<AccessTokenClaims | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid = '' }) => {
        const key = await signingKeys.findPublicKey(kid)
        if (!key) throw new errors.JWKSNoMatchingKey()
        return key
      },
      {
        algorithms: [signingAlgorithm],
        typ: type,
        issuer: baseUrl,
        audience: [audience].flat(),
        requiredClaims: ['sub', 'sid', 'exp', 'iat', 'jti'],
        clockTolerance: policy.accessToken.clockTolerance,
      },
    )
    return payload as AccessTokenClaims
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

export const invalidTokenError = (): AppError =>
  new AppError('UNAUTHORIZED', { challenge: bearerChallenge({ error: 'invalid_token' }) })
