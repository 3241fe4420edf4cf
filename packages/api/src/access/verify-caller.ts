import type { Context, Deps } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { findServiceBySecret } from '../service-credentials/require-service.ts'
import { findCachedAsIs, findSessionByHandle, findSessionByToken, findToken } from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'
import { invalidTokenError, readAccessToken, signAccessToken } from './access-token.ts'
import type { Caller } from './caller.ts'
import { type Requirements, verifyInput } from './contract.ts'
import { bearerChallenge, requireCaller } from './requirements.ts'

/** Tells another service who calls. A bearer token counts before the cookie. UNAUTHORIZED, INVALID_AUDIENCE, errors of `requireCaller`. */
export const verifyCaller = publicProcedure.input(verifyInput).query(async ({ ctx: publicCtx, input }) => {
  const ctx = { ...publicCtx, ...(await findGateway(publicCtx)) }
  const { bearer } = ctx.client
  const caller = bearer === null ? await verifyCookie(ctx, input) : await verifyToken(ctx, bearer, input)
  const token = input.token === undefined ? null : (await signAccessToken(ctx, caller, input.token)).token
  return { ...caller, token }
})

/** A gateway that names itself is not limited by its address. INSUFFICIENT_SCOPE. */
async function findGateway(ctx: Context): Promise<{ gateway?: string }> {
  const { serviceKey } = ctx.client
  const service = serviceKey === null ? null : await findServiceBySecret(ctx, serviceKey, 'session:verify')
  return service ? { gateway: service.name } : {}
}

async function verifyCookie(ctx: Context, requirements: Requirements): Promise<Caller> {
  const token = findToken(ctx)
  const active = token === undefined ? null : await findSessionByToken(ctx, token)
  if (!active) throw new AppError('UNAUTHORIZED', { challenge: bearerChallenge() })
  return requireCaller(active, requirements)
}

/** The session decides: a token of an ended session is refused at once. The token decides about the organization. */
async function verifyToken(ctx: Context, token: string, requirements: Requirements): Promise<Caller> {
  const { audience = ctx.settings.baseUrl, org } = requirements
  if (!ctx.settings.tokenAudiences.includes(audience)) throw new AppError('INVALID_AUDIENCE')
  const claims = await readAccessToken(ctx, token, audience)
  const active = claims && (await findSessionByHandle(ctx, claims.sid))
  if (!active || active.user.id !== claims.sub) throw invalidTokenError()
  const session = { ...active.session, activeOrganizationId: org ?? claims.org ?? null }
  return requireCaller({ ...active, session }, requirements)
}

/** Skips the context, for the fast path. Null when the session is not in memory or a token must be signed. Errors of `requireCaller`. */
export function verifyCached(
  deps: Pick<Deps, 'sessionCache' | 'settings'>,
  cookies: ReadonlyMap<string, string>,
  requirements: Requirements,
): Caller | null {
  if (requirements.token !== undefined) return null
  const cached = findCachedAsIs({ ...deps, cookies })
  return cached && requireCaller(cached.active, requirements)
}
