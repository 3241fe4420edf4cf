import { timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { bearerChallenge } from '../kernel/bearer-challenge.ts'
import { AppError } from '../kernel/errors.ts'
import { hashToken } from '../kernel/random-token.ts'
import { type ServiceScope, serviceScopes } from './scopes.ts'
import { isServiceSecret } from './service-secret.ts'

export type CallingService = { name: string; scopes: readonly string[] }

export const serviceCallOutcomes = ['OK', 'INSUFFICIENT_SCOPE', 'TOO_MANY_REQUESTS'] as const
export type ServiceCallOutcome = (typeof serviceCallOutcomes)[number]

/** Returns the service whose secret is in `Authorization: Bearer`. UNAUTHORIZED, INSUFFICIENT_SCOPE, TOO_MANY_REQUESTS. */
export async function requireService(ctx: Context, scope: ServiceScope): Promise<CallingService> {
  const service = await findServiceBySecret(ctx, ctx.client.bearer, scope)
  if (!service) throw new AppError('UNAUTHORIZED', { challenge: bearerChallenge() })
  return service
}

/** Finds the service that presents `secret`, in any header, and counts the use. INSUFFICIENT_SCOPE, TOO_MANY_REQUESTS. */
export async function findServiceBySecret(
  ctx: Context,
  secret: string | null,
  scope: ServiceScope,
): Promise<CallingService | null> {
  const secretHash = hashToken(secret ?? '')
  const isConfigured = ctx.settings.serviceKeyHashes.some((known) => isSameHash(known, secretHash))
  const service = isConfigured ? configuredService : await findStoredService(ctx, secret, secretHash)
  if (!service) return null
  try {
    await ctx.limiter.consume('service-call:service', service.name)
    if (!isConfigured) ctx.serviceUses.count(secretHash)
    assertScope(service, scope)
    ctx.onServiceCall(service.name, 'OK')
  } catch (error) {
    if (error instanceof AppError) ctx.onServiceCall(service.name, error.key)
    throw error
  }
  return service
}

/** The bearer of any secret in SERVICE_KEYS. No stored service can have a name in capitals. */
const configuredService: CallingService = { name: 'SERVICE_KEYS', scopes: serviceScopes }

async function findStoredService(ctx: Context, secret: string | null, secretHash: string): Promise<CallingService | null> {
  // Count before the read, so that a flood of guesses costs no reads. A secret that this process accepted before is no guess:
  // callers who share a service's address cannot lock it out.
  if (!ctx.serviceUses.wasAccepted(secretHash)) await ctx.limitByIp('service:ip')
  if (secret === null || !isServiceSecret(secret)) return null
  const [service] = await ctx.sql.$queryRaw<CallingService[]>`
    SELECT services.name, services.scopes
    FROM service_secrets JOIN services ON services.id = service_secrets.service_id
    WHERE secret_hash = ${secretHash} AND (expires_at IS NULL OR expires_at > ${new Date()})`
  if (service) return service
  ctx.serviceUses.forget(secretHash)
  return null
}

function assertScope({ scopes }: CallingService, scope: ServiceScope): void {
  if (scopes.includes(scope)) return
  const challenge = bearerChallenge({ error: 'insufficient_scope', scope })
  throw new AppError('INSUFFICIENT_SCOPE', { message: `This call needs the scope ${scope}`, challenge })
}

const isSameHash = (left: string, right: string): boolean => timingSafeEqual(Buffer.from(left), Buffer.from(right))
