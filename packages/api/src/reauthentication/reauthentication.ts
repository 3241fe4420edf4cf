import type { Session } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

type AuthenticationTimes = Pick<Session, 'createdAt' | 'authenticatedAt'>

/** Returns when the last authentication expires. A time in the future counts as expired: the clock was set back. */
export function getReauthenticationExpiry({ createdAt, authenticatedAt }: AuthenticationTimes): Date {
  const time = (authenticatedAt ?? createdAt).getTime()
  const { reauthenticationAge, clockTolerance } = policy.session
  return new Date(time > Date.now() + clockTolerance * 1000 ? 0 : time + reauthenticationAge * 1000)
}

/** True for 15 minutes after the last authentication; a live session alone is not enough (ADR 030). */
export const isReauthenticated = (session: AuthenticationTimes): boolean =>
  getReauthenticationExpiry(session).getTime() >= Date.now()

/** Guards every sensitive action that takes no password or code. Throws SESSION_NOT_FRESH. */
export function assertReauthenticated(session: AuthenticationTimes): void {
  if (!isReauthenticated(session)) throw new AppError('SESSION_NOT_FRESH')
}
