import type { CheckedKey } from '../api-key-checks/check-key.ts'
import { type Scope, scopes } from '../kernel/scopes.ts'
import { type Authentication, describeAuthentication } from '../sessions/authentication.ts'
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
  /** Nothing about the caller may be believed after this. */
  expiresAt: Date
}

/** `organizationId` replaces the session's active organization. */
export function describeCaller({ session, user, roles }: ActiveSession, organizationId = session.activeOrganizationId): Caller {
  const role = organizationId !== null && Object.hasOwn(roles, organizationId) ? roles[organizationId] : undefined
  return {
    ...describeAuthentication(session),
    userId: user.id,
    sessionId: session.handle,
    keyId: '',
    organization: organizationId !== null && role !== undefined ? { id: organizationId, role } : null,
    scopes: user.tradingEnabled ? scopes : scopes.filter((scope) => scope !== 'order:place'),
    tradingEnabled: user.tradingEnabled,
    expiresAt: session.expiresAt,
  }
}

/** A key of a person belongs to no organization; one of an organization to no other. */
export function describeKeyCaller({ found: { key, user, roles }, scopes, method }: CheckedKey): Caller {
  const { organizationId } = key
  return {
    acr: 'aal1',
    // RFC 8176: proof of possession of a key.
    amr: method === 'signature' ? ['pop'] : [],
    // No person has proved anything: a key that was created a moment ago must not pass for a recent proof.
    authTime: new Date(0),
    userId: user.id,
    sessionId: '',
    keyId: key.id,
    organization: organizationId === null ? null : { id: organizationId, role: roles[organizationId] ?? '' },
    scopes,
    tradingEnabled: user.tradingEnabled,
    expiresAt: key.expiresAt ?? new Date(8.64e15),
  }
}
