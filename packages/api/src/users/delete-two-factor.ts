import type { Transaction, User } from '@floorpass/db'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'

/** Deletes the second factor, backup codes, trusted devices and pending challenges of a user. Sessions fall to one factor. */
export async function deleteTwoFactor(tx: Transaction, userId: string): Promise<User> {
  await tx.twoFactor.deleteMany({ where: { userId } })
  await tx.backupCode.deleteMany({ where: { userId } })
  await tx.trustedDevice.deleteMany({ where: { userId } })
  await voidOneTimeTokens(tx, userId, ['two-factor'])
  await tx.session.updateMany({ where: { userId, secondFactorAt: { not: null } }, data: { secondFactorAt: null } })
  return tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: false } })
}
