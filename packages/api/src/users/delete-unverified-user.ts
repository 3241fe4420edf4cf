import type { Transaction } from '@floorpass/db'
import { lockUser } from './lock-user.ts'

const unverified = { emailVerified: false, suspendedAt: null, importedAt: null }

/**
 * Before an address becomes somebody's who proved it: a sign-up that never did goes, with its password, sessions, factors, links
 * and settings. With `before`, only when nobody signed up with the
 * address since. A suspended one stays: it is suspended for a reason. So does an imported one: see claim-imported-user.ts.
 */
export async function deleteUnverifiedUser(tx: Transaction, email: string, before?: Date): Promise<void> {
  const squatter = await tx.user.findUnique({ where: { email, ...unverified } })
  if (!squatter) return
  await lockUser(tx, squatter.id)
  await tx.user.deleteMany({ where: { id: squatter.id, ...unverified, ...(before && { updatedAt: { lt: before } }) } })
}

/** Whether there is a sign-up with this address that `deleteUnverifiedUser` may remove. */
export const isSignedUpWith = async (tx: Transaction, email: string): Promise<boolean> =>
  (await tx.user.count({ where: { email, ...unverified } })) > 0
