import type { Session } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

type Proven = Pick<Session, 'createdAt' | 'authenticatedAt'>

/** Until when sensitive acts need no further proof. A proof from the future counts for nothing: the clock was set back since. */
export function reauthenticatedUntil({ createdAt, authenticatedAt }: Proven): Date {
  const time = (authenticatedAt ?? createdAt).getTime()
  const { reauthenticationAge, clockTolerance } = policy.session
  return new Date(time > Date.now() + clockTolerance * 1000 ? 0 : time + reauthenticationAge * 1000)
}

/** Whether the session's user proved who they are within the last 15 minutes. A live session alone proves nothing (ADR 030). */
export const isReauthenticated = (session: Proven): boolean => reauthenticatedUntil(session).getTime() >= Date.now()

/** The one rule for every sensitive act that takes no password or code itself: SESSION_NOT_FRESH. */
export function assertReauthenticated(session: Proven): void {
  if (!isReauthenticated(session)) throw new AppError('SESSION_NOT_FRESH')
}
