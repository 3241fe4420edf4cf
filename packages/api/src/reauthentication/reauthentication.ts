import type { Session } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

type AuthenticationTimes = Pick<Session, 'createdAt' | 'authenticatedAt'>

/** A time in the future counts as expired: the clock was set back. */
export function getReauthenticationExpiry({ createdAt, authenticatedAt }: AuthenticationTimes): Date {
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
