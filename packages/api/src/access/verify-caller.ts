import { checkKey, findCachedBearer, type KeyRefusal, type Presented } from '../api-key-checks/check-key.ts'
import { mayBeKeySecret } from '../api-key-checks/key-secret.ts'
import type { Context, Deps } from '../context.ts'
import { bearerChallenge } from '../kernel/bearer-challenge.ts'
import { AppError, catalogue, type ErrorKey } from '../kernel/errors.ts'
import { findServiceBySecret } from '../service-credentials/require-service.ts'
import {
  findCachedWithoutExtending,
  findSessionByHandle,
  findSessionByToken,
  findSessionToken,
} from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'
import { invalidTokenError, readAccessToken, signAccessToken } from './access-token.ts'
import { type Caller, describeCaller, describeKeyCaller } from './caller.ts'
import { type Requirements, verifyInput } from './contract.ts'
import { requireCaller } from './requirements.ts'

/** Tells another service who calls. A bearer token counts before the cookie. UNAUTHORIZED, INVALID_AUDIENCE, errors of `requireCaller`. */
export const verifyCaller = publicProcedure.input(verifyInput).query(async ({ ctx: publicCtx, input }) => {
  const ctx = { ...publicCtx, ...(await findGateway(publicCtx)) }
  const caller = await findCaller(ctx, input)
  const token = input.token === undefined ? null : (await signAccessToken(ctx, caller, input.token)).token
  return { ...caller, token }
})

type GatewayContext = Context & { gateway?: string }

const refusals: readonly ErrorKey[] = ['INSUFFICIENT_SCOPE', 'TOO_MANY_REQUESTS']

async function findCaller(ctx: GatewayContext, requirements: Requirements): Promise<Caller> {
  const { bearer, apiKey, signedRequest } = ctx.client
  const secret = apiKey ?? (bearer !== null && mayBeKeySecret(bearer) ? bearer : null)
  if (secret !== null) return verifyKey(ctx, { secret }, requirements)
  if (bearer !== null) return verifyToken(ctx, bearer, requirements)
  if (signedRequest) return verifyKey(ctx, { request: signedRequest }, requirements)
  return verifyCookie(ctx, requirements)
}

/** What the signature covers is believed only from a gateway that names itself: anybody can send its headers. */
async function verifyKey(ctx: GatewayContext, presented: Presented, requirements: Requirements): Promise<Caller> {
  if ('request' in presented && ctx.gateway === undefined) throw new AppError('SIGNATURE_INVALID')
  // Otherwise a token would outlive the key.
  if (requirements.token !== undefined) throw new AppError('INVALID_AUDIENCE', { message: 'An API key gives no access token' })
  const checked = await checkKey(ctx, presented, { scopes: [], ip: ctx.client.ip })
  if ('code' in checked) throw toKeyError(checked)
  return requireCaller(describeKeyCaller(checked), requirements)
}

const toKeyError = ({ code, retryAfter }: KeyRefusal): AppError =>
  new AppError(code, {
    ...(retryAfter !== undefined && { retryAfter }),
    ...(catalogue[code][0] === 'UNAUTHORIZED' && { challenge: bearerChallenge({ error: 'invalid_token' }) }),
  })

/** A gateway that names itself is not limited by its address. A refused gateway is unknown, and may pass on no signed request. */
async function findGateway(ctx: Context): Promise<{ gateway?: string }> {
  const { serviceKey, ip } = ctx.client
  if (serviceKey === null) return {}
  try {
    const service = await findServiceBySecret(ctx, serviceKey, 'session:verify')
    if (service) return { gateway: service.name }
  } catch (error) {
    if (!(error instanceof AppError && refusals.includes(error.key))) throw error
    // The signature is not at fault when the gateway calls too often.
    if (error.key === 'TOO_MANY_REQUESTS' && ctx.client.signedRequest) throw error
  }
  ctx.logRarely(`gateway key ${ip}`, { ip }, 'gateway key refused: its calls are limited by their address')
  return {}
}

async function verifyCookie(ctx: GatewayContext, requirements: Requirements): Promise<Caller> {
  const token = findSessionToken(ctx)
  const active = token === undefined ? null : await findSessionByToken(ctx, token)
  if (!active) throw new AppError('UNAUTHORIZED', { challenge: bearerChallenge() })
  return requireCaller(describeCaller(active, requirements.org), requirements)
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
  return requireCaller(describeCaller(active, requirements.org ?? claims.org ?? null), requirements)
}

/** Skips the context, for the fast path. Null when the session is not in memory or a token must be signed. Errors of `requireCaller`. */
export function verifyCached(
  deps: Pick<Deps, 'sessionCache' | 'settings'>,
  cookies: ReadonlyMap<string, string>,
  requirements: Requirements,
): Caller | null {
  if (requirements.token !== undefined) return null
  const cached = findCachedWithoutExtending({ ...deps, cookies })
  return cached && requireCaller(describeCaller(cached.active, requirements.org), requirements)
}

/** The same for the secret of an API key. The caller counts the use. */
export function verifyCachedKey(
  deps: Pick<Deps, 'keyCache'>,
  secret: string,
  ip: string | null,
  requirements: Requirements,
): Caller | null {
  if (requirements.token !== undefined) return null
  const checked = findCachedBearer(deps, secret, ip)
  return checked && requireCaller(describeKeyCaller(checked), requirements)
}
