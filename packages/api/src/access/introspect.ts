import type { Context } from '../context.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { inspectSession } from '../sessions/session-store.ts'
import { serviceProcedure } from '../trpc.ts'
import { type AccessTokenClaims, readAccessToken, toClaims } from './access-token.ts'
import { describeCaller } from './caller.ts'
import { introspectInput } from './contract.ts'

/** RFC 7662. Tells a service what an access token or the value of a session cookie stands for, without using the session. */
export const introspect = serviceProcedure('session:verify')
  .input(introspectInput)
  .query(async ({ ctx, input: { token } }) =>
    token.includes('.') ? await inspectAccessToken(ctx, token) : await inspectCookie(ctx, token),
  )

const inactive = { active: false as const }

async function inspectCookie(ctx: Context, token: string) {
  const active = await inspectSession(ctx, { token })
  if (!active || active.session.impersonatedBy !== null) return inactive
  const { createdAt, expiresAt } = active.session
  return { ...describe(ctx, active), token_type: 'session' as const, exp: toSeconds(expiresAt), iat: toSeconds(createdAt) }
}

/** The session decides whether the token is active; the token decides about the organization. */
async function inspectAccessToken(ctx: Context, token: string) {
  const claims = await readAccessToken(ctx, token, ctx.settings.tokenAudiences)
  const active = claims && (await inspectSession(ctx, { handle: claims.sid }))
  if (!active || active.user.id !== claims.sub) return inactive
  const { aud, exp, iat, jti } = claims
  return { ...describe(ctx, active, claims), token_type: 'Bearer' as const, aud, exp, iat, jti }
}

const describe = ({ settings: { baseUrl } }: Context, active: ActiveSession, claims?: AccessTokenClaims) => ({
  active: true as const,
  iss: baseUrl,
  client_id: baseUrl,
  ...toClaims(describeCaller(active, claims ? (claims.org ?? null) : undefined)),
})

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)
