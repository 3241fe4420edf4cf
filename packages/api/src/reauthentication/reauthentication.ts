import type { Session } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { describeAuthentication, meetsRequirement } from '../sessions/authentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

type AuthenticationTimes = Pick<Session, 'createdAt' | 'authenticatedAt' | 'impersonatedBy'>

/** A time in the future counts as expired: the clock was set back. */
export function getReauthenticationExpiry({ createdAt, authenticatedAt, impersonatedBy }: AuthenticationTimes): Date {
  if (impersonatedBy !== null) return new Date(0)
  const time = (authenticatedAt ?? createdAt).getTime()
  const { reauthenticationAge, clockTolerance } = policy.session
  return new Date(time > Date.now() + clockTolerance * 1000 ? 0 : time + reauthenticationAge * 1000)
}

/** A live session alone is not enough (ADR 030). */
export const isReauthenticated = (session: AuthenticationTimes): boolean =>
  getReauthenticationExpiry(session).getTime() >= Date.now()

/** Throws SESSION_NOT_FRESH. */
export function assertReauthenticated(session: AuthenticationTimes): void {
  if (!isReauthenticated(session)) throw new AppError('SESSION_NOT_FRESH')
}

/** A passkey stands for both factors: while two-factor is on, its owner must have proved both. */
const provedBothFactors = ({ user, session }: ActiveSession): boolean =>
  !user.twoFactorEnabled ||
  meetsRequirement(describeAuthentication(session), { acr: 'aal2', max_age: policy.session.reauthenticationAge })

/** Throws SESSION_NOT_FRESH. */
export function assertBothFactors(active: ActiveSession): void {
  if (!provedBothFactors(active)) throw new AppError('SESSION_NOT_FRESH')
}
