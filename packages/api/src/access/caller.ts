import { type Authentication, describeAuthentication } from '../sessions/authentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { type Scope, scopes } from './contract.ts'

/** What other services may know about the person behind a request. No name and no email. */
export type Caller = Authentication & {
  userId: string
  /** The handle of the session. It grants no access. */
  sessionId: string
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
    organization: organizationId !== null && role !== undefined ? { id: organizationId, role } : null,
    scopes: user.tradingEnabled ? scopes : scopes.filter((scope) => scope !== 'order:place'),
    tradingEnabled: user.tradingEnabled,
    expiresAt: session.expiresAt,
  }
}
