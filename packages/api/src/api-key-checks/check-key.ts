import type { KeyWithOwner } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import type { KeyRefusalCode } from '../kernel/key-refusals.ts'
import type { SignedRequest } from '../kernel/request.ts'
import { may } from '../kernel/role-permissions.ts'
import { type Role, roles } from '../kernel/roles.ts'
import { scopes as everyScope, type Scope } from '../kernel/scopes.ts'
import { isInWindow, readSignature, verifySignature } from './http-signature.ts'
import { isAllowedAddress } from './ip-allowlist.ts'
import { findCachedKey, findKeyBySecret, findSigningKey } from './key-store.ts'
import type { SigningJwk } from './public-key.ts'

export type KeyRefusal = { code: KeyRefusalCode; retryAfter?: number }

export type Presented = { secret: string } | { request: SignedRequest }

export type CheckedKey = { found: KeyWithOwner; scopes: readonly Scope[]; method: 'bearer' | 'signature' }

type Requirement = { scopes: readonly string[]; ip: string | null }

/** Decides about one call by a key, and counts it. TOO_MANY_REQUESTS when the caller presents too many wrong keys. */
export async function checkKey(
  ctx: Context,
  presented: Presented,
  { scopes, ip }: Requirement,
): Promise<CheckedKey | KeyRefusal> {
  const checked =
    'secret' in presented ? await checkBearer(ctx, presented.secret, ip) : await checkSignature(ctx, presented.request, ip)
  if ('code' in checked) return checked
  const { found } = checked
  const limited = await consumeLimit(ctx, found.key.id)
  if (limited) return limited
  ctx.keyUses.count(found.key.id, ip)
  const granted = getScopes(found)
  if (!scopes.every((scope) => granted.some((known) => known === scope))) return { code: 'INSUFFICIENT_SCOPE' }
  return { ...checked, scopes: granted }
}

/** For the fast path: a key in memory that nothing refuses. It neither counts the use nor checks the limit. */
export function findCachedBearer(deps: Pick<Context, 'keyCache'>, secret: string, ip: string | null): CheckedKey | null {
  const found = findCachedKey(deps, secret)
  return found && !findRefusal(found, ip) ? { found, scopes: getScopes(found), method: 'bearer' } : null
}

type Found = Pick<CheckedKey, 'found' | 'method'>

async function checkBearer(ctx: Context, secret: string, ip: string | null): Promise<Found | KeyRefusal> {
  const found = await findKeyBySecret(ctx, secret)
  if (!found) return { code: 'INVALID_API_KEY' }
  return findRefusal(found, ip) ?? { found, method: 'bearer' }
}

async function checkSignature(ctx: Context, request: SignedRequest, ip: string | null): Promise<Found | KeyRefusal> {
  const signature = readSignature(request)
  if (!signature || !isInWindow(signature, Date.now())) return { code: 'SIGNATURE_INVALID' }
  const found = await findSigningKey(ctx, signature.keyId)
  if (!found) return { code: 'INVALID_API_KEY' }
  if (!verifySignature(signature, found.key.publicKey as SigningJwk)) return { code: 'SIGNATURE_INVALID' }
  const refusal = findRefusal(found, ip)
  if (refusal) return refusal
  const isFirst = await useNonce(ctx, signature.keyId, signature.nonce, new Date(signature.expires * 1000))
  return isFirst ? { found, method: 'signature' } : { code: 'REPLAYED' }
}

/** Why the key opens nothing now, whatever is asked. Null when it does. */
export function findRefusal({ key, user, roles: byOrganization }: KeyWithOwner, ip: string | null): KeyRefusal | null {
  const role = key.organizationId === null ? null : byOrganization[key.organizationId]
  const mayHaveKeys = key.organizationId === null || isRoleWithKeys(role)
  if (!key.enabled || user.suspendedAt || !mayHaveKeys) return { code: 'KEY_DISABLED' }
  if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) return { code: 'KEY_EXPIRED' }
  return isAllowedAddress(key.ipAllowlist, ip) ? null : { code: 'IP_NOT_ALLOWED' }
}

const isRoleWithKeys = (role: string | null | undefined): boolean =>
  roles.some((known) => known === role) && may(role as Role, 'apiKey', 'create')

/** What the key may do now: never more than its owner. */
export function getScopes({ key, user }: KeyWithOwner): Scope[] {
  return everyScope.filter((scope) => key.scopes.includes(scope) && (scope !== 'order:place' || user.tradingEnabled))
}

async function consumeLimit({ limiter }: Context, id: string): Promise<KeyRefusal | null> {
  try {
    await limiter.consume('api-key:key', id)
    return null
  } catch (error) {
    if (!(error instanceof AppError && error.key === 'TOO_MANY_REQUESTS')) throw error
    return { code: 'RATE_LIMITED', retryAfter: error.retryAfter ?? 1 }
  }
}

/** False when any process has seen the nonce. The row outlives the signature. */
async function useNonce({ sql }: Context, keyId: string, nonce: string, expiresAt: Date): Promise<boolean> {
  const rows = await sql.$queryRaw<unknown[]>`
    INSERT INTO signature_nonces (key_id, nonce, expires_at) VALUES (${keyId}, ${nonce}, ${expiresAt})
    ON CONFLICT DO NOTHING RETURNING nonce`
  return rows.length > 0
}
