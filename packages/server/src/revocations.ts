import type { AccessEvent } from './access-events.ts'
import { type AccessTokenClaims, splitList } from './caller.ts'

type DataOf<Type extends AccessEvent['type']> = Extract<AccessEvent, { type: Type }>['data']

/** The newest state that events told. `at`: the moment of the event. */
type Access = DataOf<'user.access-changed'> & { at: number }
type Membership = (DataOf<'membership.changed'> | { accepted: false }) & { at: number }

type UserChanges = {
  isDeleted: boolean
  access: Access | null
  memberships: Map<string, Membership>
  /** The newest event, by the clocks of the service and of this machine. */
  changedAt: number
  droppedAt: number
}

/** Longer than a token lives (120 s), also when the clocks differ by minutes. */
export const windowMs = 600_000
/** How far the clock of the service may be ahead. */
const clockToleranceMs = 5_000

export type Revocations = ReturnType<typeof createRevocations>

/** What events told in the last ten minutes, and every key that ended. It refuses what it cannot know. */
export function createRevocations() {
  const sessions = new Map<string, number>()
  const users = new Map<string, UserChanges>()
  const keyEnds = new Map<string, number>()
  let membershipCount = 0
  let knownSince = 0

  const dropUser = (userId: string) => {
    membershipCount -= users.get(userId)?.memberships.size ?? 0
    users.delete(userId)
  }

  /** Maps keep the order of insertion: the oldest come first. */
  const dropOld = () => {
    const now = performance.now()
    for (const [id, droppedAt] of sessions) {
      if (droppedAt > now) break
      sessions.delete(id)
    }
    for (const [id, { droppedAt }] of users) {
      if (droppedAt > now) break
      dropUser(id)
    }
  }

  const touchUser = (userId: string, at: number): UserChanges => {
    const known = users.get(userId) ?? { isDeleted: false, access: null, memberships: new Map(), changedAt: 0 }
    const user = { ...known, changedAt: Math.max(known.changedAt, at, Date.now()), droppedAt: performance.now() + windowMs }
    users.delete(userId)
    users.set(userId, user)
    return user
  }

  const setMembership = ({ userId, organizationId }: DataOf<'membership.ended'>, membership: Membership) => {
    const { memberships } = touchUser(userId, membership.at)
    if (!memberships.has(organizationId)) membershipCount += 1
    memberships.set(organizationId, membership)
  }

  const isKnown = (verifiedAt: number) => verifiedAt >= knownSince
  /** False for NaN too. */
  const isInWindow = (time: number) => isKnown(time) && time > Date.now() - windowMs

  return {
    /** From this moment on, every event is read. What was forgotten stays unknown. */
    begin(since: number) {
      knownSince = Math.max(knownSince, since)
    },
    knownSince: () => knownSince,
    size: () => sessions.size + users.size + membershipCount + keyEnds.size,
    dropOld,

    /** Then nothing that was issued or verified before counts. */
    forget() {
      for (const entries of [sessions, users, keyEnds]) entries.clear()
      membershipCount = 0
      knownSince = Date.now() + clockToleranceMs
    },

    apply(event: AccessEvent) {
      const at = Date.parse(event.timestamp)
      switch (event.type) {
        case 'session.ended':
          sessions.set(event.data.sessionId, performance.now() + windowMs)
          break
        case 'key.ended':
          keyEnds.set(event.data.keyId, 0)
          break
        case 'key.changed': {
          const { keyId, enabled, expiresAt } = event.data
          if (!enabled) keyEnds.set(keyId, 0)
          else if (expiresAt === null) keyEnds.delete(keyId)
          else keyEnds.set(keyId, Date.parse(expiresAt))
          break
        }
        case 'membership.changed':
          setMembership(event.data, { ...event.data, at })
          break
        case 'membership.ended':
          setMembership(event.data, { accepted: false, at })
          break
        case 'user.access-changed':
          touchUser(event.data.userId, at).access = { ...event.data, at }
          break
        case 'user.deleted':
          touchUser(event.data.userId, at).isDeleted = true
      }
    },

    isSessionEnded: (sessionId: string, verifiedAt: number) => !isInWindow(verifiedAt) || sessions.has(sessionId),
    isKeyEnded: (keyId: string, verifiedAt: number) =>
      !isKnown(verifiedAt) || (keyEnds.get(keyId) ?? Number.POSITIVE_INFINITY) <= Date.now(),
    hasChangedSince: (userId: string, time: number) => !isInWindow(time) || (users.get(userId)?.changedAt ?? 0) >= time,

    isTokenRevoked(claims: AccessTokenClaims): boolean {
      const issuedAt = (claims.iat ?? Number.NaN) * 1000
      if (!isInWindow(issuedAt) || sessions.has(claims.sid)) return true
      const user = users.get(claims.sub)
      if (!user) return false
      const membership = claims.org === undefined ? undefined : user.memberships.get(claims.org)
      return user.isDeleted || deniesUser(user.access, claims, issuedAt) || deniesMember(membership, claims, issuedAt)
    },
  }
}

const grants = ({ scope }: AccessTokenClaims, name: string) => splitList(scope).includes(name)
/** `iat` has whole seconds: a token of the same second may be older than the event. */
const mayPrecede = (issuedAt: number, { at }: { at: number }) => issuedAt <= at
const isOnAt = (until: string | null, issuedAt: number) => until !== null && Date.parse(until) >= issuedAt + 1000

/** Also denies a token that was issued after the event and claims more: the service signed it from what it had before the change. */
function deniesUser(access: Access | null, claims: AccessTokenClaims, issuedAt: number): boolean {
  if (access === null) return false
  const { suspended, tradingEnabled, heldUntil, locked, unlockAt } = access
  if (suspended || mayPrecede(issuedAt, access)) return true
  const isLocked = locked && (unlockAt === null || isOnAt(unlockAt, issuedAt))
  const claimsTrading = claims.trading || grants(claims, 'order:place')
  const claimsWithdrawals = grants(claims, 'withdrawal:create')
  return (!tradingEnabled && claimsTrading) || ((isLocked || isOnAt(heldUntil, issuedAt)) && claimsWithdrawals)
}

function deniesMember(membership: Membership | undefined, claims: AccessTokenClaims, issuedAt: number): boolean {
  if (membership === undefined) return false
  if (!membership.accepted || mayPrecede(issuedAt, membership)) return true
  if (!('role' in membership) || membership.role !== claims.role) return true
  return isOnAt(membership.heldUntil, issuedAt) && grants(claims, 'withdrawal:create')
}
