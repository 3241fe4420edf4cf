import type { Transaction } from '@floorpass/db'
import { lockUser } from './lock-user.ts'

const unverified = { emailVerified: false, suspendedAt: null, importedAt: null }

/**
 * Deletes an unverified sign-up when its address is verified elsewhere; with `before`, only an older one.
 * Keeps suspended users, and imported ones (claim-imported-user.ts).
 */
export async function deleteUnverifiedUser(tx: Transaction, email: string, before?: Date): Promise<void> {
  const signUp = await tx.user.findUnique({ where: { email, ...unverified } })
  if (!signUp) return
  await lockUser(tx, signUp.id)
  await tx.user.deleteMany({ where: { id: signUp.id, ...unverified, ...(before && { updatedAt: { lt: before } }) } })
}

/** Whether `deleteUnverifiedUser` would find a user with this address. */
export const hasUnverifiedUser = async (tx: Transaction, email: string): Promise<boolean> =>
  (await tx.user.count({ where: { email, ...unverified } })) > 0
