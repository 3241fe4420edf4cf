import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'

/** Lock the user in an earlier statement. CONFIRMATION_SESSION_NOT_FOUND. */
export async function requireLiveSession(tx: Transaction, userId: string, handle: string): Promise<void> {
  const live = await tx.session.count({
    where: { handle, userId, expiresAt: { gt: new Date() }, impersonatedBy: null, user: { suspendedAt: null } },
  })
  if (live === 0) throw new AppError('CONFIRMATION_SESSION_NOT_FOUND')
}
