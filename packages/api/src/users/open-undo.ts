import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'

export const hasOpenUndo = async (db: Transaction, userId: string): Promise<boolean> =>
  (await db.verification.count({
    where: { userId, purpose: 'undo-email-change', usedAt: null, expiresAt: { gt: new Date() } },
  })) > 0

/** Blocks changes that an undo could not revert. EMAIL_RECENTLY_CHANGED. */
export async function assertNoOpenUndo(tx: Transaction, userId: string): Promise<void> {
  if (await hasOpenUndo(tx, userId)) throw new AppError('EMAIL_RECENTLY_CHANGED')
}
