import type { KeyWithOwner } from '@floorpass/db'
import type { Context } from '../context.ts'
import { isLocked, protectRole } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import type { KeyRefusalCode } from '../kernel/key-refusals.ts'
import type { SignedRequest } from '../kernel/request.ts'
import { may } from '../kernel/role-permissions.ts'
import { type Role, roles } from '../kernel/roles.ts'
import { getUsableScopes, type Scope } from '../kernel/scopes.ts'
import { isInWindow, type RequestSignature, readSignature, verifySignature } from './http-signature.ts'
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
  const { found, method } = checked
  // The limit comes first, so that a call above it costs no row.
  const refusal = (await consumeLimit(ctx, found.key.id)) ?? (await consumeNonce(ctx, checked))
  if (refusal) return refusal
  ctx.keyUses.count(found.key.id, ip)
  const granted = getScopes(found)
  const missing = scopes.filter((scope) => !granted.some((known) => known === scope))
  return missing.length > 0 ? { code: getScopeRefusal(found, missing) } : { found, scopes: granted, method }
}

/** For the fast path: a key in memory that nothing refuses. It neither counts the use nor checks the limit. */
export function findCachedBearer(deps: Pick<Context, 'keyCache'>, secret: string, ip: string | null): CheckedKey | null {
  const found = findCachedKey(deps, secret)
  return found && !findRefusal(found, ip) ? { found, scopes: getScopes(found), method: 'bearer' } : null
}

type Found = Pick<CheckedKey, 'found' | 'method'> & { signature?: RequestSignature }

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
  return findRefusal(found, ip) ?? { found, method: 'signature', signature }
}

/** Why the key is refused for every request. Null when it is not. */
function findRefusal({ key, user, memberships }: KeyWithOwner, ip: string | null): KeyRefusal | null {
  const role = key.organizationId === null ? null : memberships[key.organizationId]?.role
  const mayHaveKeys = key.organizationId === null || isRoleWithKeys(role)
  if (!key.enabled || user.suspendedAt || !mayHaveKeys) return { code: 'KEY_DISABLED' }
  if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) return { code: 'KEY_EXPIRED' }
  return isAllowedAddress(key.ipAllowlist, ip) ? null : { code: 'IP_NOT_ALLOWED' }
}

const isRoleWithKeys = (role: string | null | undefined): boolean =>
  roles.some((known) => known === role) && may(role as Role, 'apiKey', 'create')

/** What the key may do now: never more than its owner. */
function getScopes({ key, user, memberships }: KeyWithOwner): Scope[] {
  const protection = protectRole(user, key.organizationId === null ? undefined : memberships[key.organizationId])
  return getUsableScopes(user, protection).filter((scope) => key.scopes.includes(scope))
}

/** Names the lock or the hold when only that withholds the withdrawal. */
function getScopeRefusal(found: KeyWithOwner, missing: readonly string[]): KeyRefusalCode {
  const isWithheld = missing.every((scope) => scope === 'withdrawal:create' && found.key.scopes.includes(scope))
  if (!isWithheld) return 'INSUFFICIENT_SCOPE'
  return isLocked(found.user) ? 'ACCOUNT_LOCKED' : 'ACCOUNT_HELD'
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

/** Uses up the nonce of a signature. The row outlives the signature. Refuses one that any process has seen. */
async function consumeNonce({ sql }: Context, { signature }: Found): Promise<KeyRefusal | null> {
  if (!signature) return null
  const { keyId, nonce, expires } = signature
  const rows = await sql.$queryRaw<unknown[]>`
    INSERT INTO signature_nonces (key_id, nonce, expires_at) VALUES (${keyId}, ${nonce}, ${new Date(expires * 1000)})
    ON CONFLICT DO NOTHING RETURNING nonce`
  return rows.length > 0 ? null : { code: 'REPLAYED' }
}
