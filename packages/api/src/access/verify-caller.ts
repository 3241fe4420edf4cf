import type { Context, Deps } from '../context.ts'
import { bearerChallenge } from '../kernel/bearer-challenge.ts'
import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { findServiceBySecret } from '../service-credentials/require-service.ts'
import {
  findCachedWithoutExtending,
  findSessionByHandle,
  findSessionByToken,
  findSessionToken,
} from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'
import { invalidTokenError, readAccessToken, signAccessToken } from './access-token.ts'
import type { Caller } from './caller.ts'
import { type Requirements, verifyInput } from './contract.ts'
import { requireCaller } from './requirements.ts'

/** Tells another service who calls. A bearer token counts before the cookie. UNAUTHORIZED, INVALID_AUDIENCE, errors of `requireCaller`. */
export const verifyCaller = publicProcedure.input(verifyInput).query(async ({ ctx: publicCtx, input }) => {
  const ctx = { ...publicCtx, ...(await findGateway(publicCtx)) }
  const { bearer } = ctx.client
  const caller = bearer === null ? await verifyCookie(ctx, input) : await verifyToken(ctx, bearer, input)
  const token = input.token === undefined ? null : (await signAccessToken(ctx, caller, input.token)).token
  return { ...caller, token }
})

const refusals: readonly ErrorKey[] = ['INSUFFICIENT_SCOPE', 'TOO_MANY_REQUESTS']

/** A gateway that names itself is not limited by its address. A refused key changes nothing else: the caller is not at fault. */
async function findGateway(ctx: Context): Promise<{ gateway?: string }> {
  const { serviceKey, ip } = ctx.client
  if (serviceKey === null) return {}
  try {
    const service = await findServiceBySecret(ctx, serviceKey, 'session:verify')
    if (service) return { gateway: service.name }
  } catch (error) {
    if (!(error instanceof AppError && refusals.includes(error.key))) throw error
  }
  ctx.logRarely(`gateway key ${ip}`, { ip }, 'gateway key refused: its calls are limited by their address')
  return {}
}

async function verifyCookie(ctx: Context, requirements: Requirements): Promise<Caller> {
  const token = findSessionToken(ctx)
  const active = token === undefined ? null : await findSessionByToken(ctx, token)
  if (!active) throw new AppError('UNAUTHORIZED', { challenge: bearerChallenge() })
  return requireCaller(active, requirements)
}

/** The session decides: a token of an ended session is refused at once. The token decides about the organization. */
async function verifyToken(ctx: Context, token: string, requirements: Requirements): Promise<Caller> {
  const { audience = ctx.settings.baseUrl } = requirements
  // Otherwise a service could use a person's token at every other service, for as long as the session lives.
  if (requirements.token !== undefined)
    throw new AppError('INVALID_AUDIENCE', { message: 'An access token gives no other access token' })
  if (!ctx.settings.tokenAudiences.includes(audience)) throw new AppError('INVALID_AUDIENCE')
  const claims = await readAccessToken(ctx, token, audience)
  const active = claims && (await findSessionByHandle(ctx, claims.sid))
  if (!active || active.user.id !== claims.sub) throw invalidTokenError()
  return requireCaller(active, requirements, claims.org ?? null)
}

/** Skips the context, for the fast path. Null when the session is not in memory or a token must be signed. Errors of `requireCaller`. */
export function verifyCached(
  deps: Pick<Deps, 'sessionCache' | 'settings'>,
  cookies: ReadonlyMap<string, string>,
  requirements: Requirements,
): Caller | null {
  if (requirements.token !== undefined) return null
  const cached = findCachedWithoutExtending({ ...deps, cookies })
  return cached && requireCaller(cached.active, requirements)
}
