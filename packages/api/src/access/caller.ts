import type { CheckedKey } from '../api-key-checks/check-key.ts'
import { getHoldEnd, protectRole } from '../kernel/account-protection.ts'
import { getUsableScopes, type Scope } from '../kernel/scopes.ts'
import { type Authentication, describeAuthentication } from '../sessions/authentication.ts'
import { assertNotImpersonated } from '../sessions/impersonation.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/** What other services may know about the person behind a request. No name and no email. */
export type Caller = Authentication & {
  userId: string
  /** The handle of the session. It grants no access. Empty for an API key. */
  sessionId: string
  /** Empty for a session. */
  keyId: string
  organization: { id: string; role: string } | null
  scopes: readonly Scope[]
  tradingEnabled: boolean
  /** Withdrawals are on hold until then. Null: no hold. */
  heldUntil: Date | null
  /** Nothing about the caller may be believed after this. */
  expiresAt: Date
}

/** `organizationId` replaces the session's active organization. IMPERSONATION_READ_ONLY: no service may take an administrator for the user. */
export function describeCaller(
  { session, user, memberships }: ActiveSession,
  organizationId = session.activeOrganizationId,
): Caller {
  assertNotImpersonated({ session })
  const membership =
    organizationId !== null && Object.hasOwn(memberships, organizationId) ? memberships[organizationId] : undefined
  const protection = protectRole(user, membership)
  return {
    ...describeAuthentication(session),
    userId: user.id,
    sessionId: session.handle,
    keyId: '',
    organization: organizationId !== null && membership ? { id: organizationId, role: membership.role } : null,
    scopes: getUsableScopes(user, protection),
    tradingEnabled: user.tradingEnabled,
    heldUntil: getHoldEnd(protection),
    expiresAt: session.expiresAt,
  }
}

/** A key of a person belongs to no organization; one of an organization to no other. */
export function describeKeyCaller({ found: { key, user, memberships }, scopes, method }: CheckedKey): Caller {
  const { organizationId } = key
  const membership = organizationId === null ? undefined : memberships[organizationId]
  const protection = protectRole(user, membership)
  return {
    acr: 'aal1',
    // RFC 8176: proof of possession of a key.
    amr: method === 'signature' ? ['pop'] : [],
    // No person has proved anything: a key that was created a moment ago must not pass for a recent proof.
    authTime: new Date(0),
    userId: user.id,
    sessionId: '',
    keyId: key.id,
    organization: organizationId === null ? null : { id: organizationId, role: membership?.role ?? '' },
    scopes,
    tradingEnabled: user.tradingEnabled,
    heldUntil: getHoldEnd(protection),
    expiresAt: key.expiresAt ?? new Date(8.64e15),
  }
}
