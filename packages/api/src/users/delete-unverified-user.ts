import type { Transaction } from '@floorpass/db'
import { lockUser } from './lock-user.ts'

const unverified = { emailVerified: false, suspendedAt: null, importedAt: null }

/** Deletes an unverified sign-up unless it changed after `before`. Keeps suspended and imported users. */
export async function deleteUnverifiedUser(tx: Transaction, email: string, before?: Date): Promise<void> {
  const signUp = await tx.user.findUnique({ where: { email, ...unverified } })
  if (!signUp) return
  await lockUser(tx, signUp.id)
  await tx.user.deleteMany({ where: { id: signUp.id, ...unverified, ...(before && { updatedAt: { lt: before } }) } })
}

export const hasUnverifiedUser = async (tx: Transaction, email: string): Promise<boolean> =>
  (await tx.user.count({ where: { email, ...unverified } })) > 0
