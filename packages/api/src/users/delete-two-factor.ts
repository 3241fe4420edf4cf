import type { Transaction, User } from '@floorpass/db'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'

/** Takes the second factor off an account: secret, backup codes, trusted devices and sign-ins that wait for a code go. */
export async function deleteTwoFactor(tx: Transaction, userId: string): Promise<User> {
  await tx.twoFactor.deleteMany({ where: { userId } })
  await tx.backupCode.deleteMany({ where: { userId } })
  await tx.trustedDevice.deleteMany({ where: { userId } })
  await voidOneTimeTokens(tx, userId, ['two-factor'])
  return tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: false } })
}
