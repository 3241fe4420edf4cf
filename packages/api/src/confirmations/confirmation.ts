import type { Confirmation, Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

export type ConfirmationStatus = 'pending' | 'approved' | 'rejected' | 'consumed' | 'expired'

export function getStatus(confirmation: Confirmation): ConfirmationStatus {
  if (confirmation.consumedAt) return 'consumed'
  if (confirmation.rejectedAt) return 'rejected'
  if (hasExpired(confirmation)) return 'expired'
  return confirmation.approvedAt ? 'approved' : 'pending'
}

/** A creation time in the future shows a clock that was set back. It must not lengthen the life of a confirmation. */
function hasExpired({ createdAt, expiresAt }: Confirmation): boolean {
  const now = Date.now()
  return now >= expiresAt.getTime() || now < createdAt.getTime() - policy.confirmations.clockTolerance * 1000
}

/** Hides the confirmation from other sessions, even of the same user. CONFIRMATION_NOT_FOUND. */
export async function requireOwnConfirmation(
  db: Pick<Transaction, 'confirmation'>,
  { user, session }: ActiveSession,
  id: string,
): Promise<Confirmation> {
  const confirmation = await db.confirmation.findUnique({ where: { id, userId: user.id, sessionHandle: session.handle } })
  if (!confirmation) throw new AppError('CONFIRMATION_NOT_FOUND')
  return confirmation
}

/** Lock the user first. CONFIRMATION_NOT_FOUND, CONFIRMATION_EXPIRED, CONFIRMATION_NOT_PENDING. */
export async function requirePendingConfirmation(tx: Transaction, caller: ActiveSession, id: string): Promise<Confirmation> {
  const confirmation = await requireOwnConfirmation(tx, caller, id)
  const status = getStatus(confirmation)
  if (status === 'expired') throw new AppError('CONFIRMATION_EXPIRED')
  if (status !== 'pending') throw new AppError('CONFIRMATION_NOT_PENDING')
  return confirmation
}
