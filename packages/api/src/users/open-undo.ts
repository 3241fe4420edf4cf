import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'

const openUndo = (userId: string) => ({ userId, purpose: 'undo-email-change', usedAt: null, expiresAt: { gt: new Date() } })

/** Whether an undo link works, or one that leads back to this email. */
export const hasOpenUndo = async (db: Transaction, userId: string, to: { email?: string } = {}): Promise<boolean> =>
  (await db.verification.count({ where: { ...openUndo(userId), ...to } })) > 0

/** The former emails whose undo link works. */
export const findUndoAddresses = async (db: Transaction, userId: string): Promise<string[]> =>
  (await db.verification.findMany({ where: openUndo(userId) })).map(({ email }) => email).filter((email) => email !== null)

/** Blocks changes that an undo could not revert. EMAIL_RECENTLY_CHANGED. */
export async function assertNoOpenUndo(tx: Transaction, userId: string): Promise<void> {
  if (await hasOpenUndo(tx, userId)) throw new AppError('EMAIL_RECENTLY_CHANGED')
}
