import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'

/** Whether the former address can still take the account back (undo-email-change). */
export const hasOpenUndo = async (db: Transaction, userId: string): Promise<boolean> =>
  (await db.verification.count({
    where: { userId, purpose: 'undo-email-change', usedAt: null, expiresAt: { gt: new Date() } },
  })) > 0

/** Refuses what an undo could not bring back while the former address can still ask for one: EMAIL_RECENTLY_CHANGED. */
export async function assertNoOpenUndo(tx: Transaction, userId: string): Promise<void> {
  if (await hasOpenUndo(tx, userId)) throw new AppError('EMAIL_RECENTLY_CHANGED')
}
