import type { Transaction, User } from '@floorpass/db'
import type { AuditEntry } from '../audit-log/audit-log.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { deleteTwoFactor } from './delete-two-factor.ts'

export const recentFactorActions = ['remove-passkey', 'unlink-account', 'disable-two-factor', 'remove-backup-codes'] as const

type Entry = AuditEntry<(typeof recentFactorActions)[number]>

/** Removes the sign-in methods and factors of the week before a panic: a thief may have added them. Lock the user first. */
export async function removeRecentFactors(tx: Transaction, { id: userId, twoFactorEnabled }: User): Promise<Entry[]> {
  const createdAt = { gte: getTrustCutoff() }
  const passkeys = await tx.passkey.deleteMany({ where: { userId, createdAt } })
  const accounts = await tx.account.deleteMany({ where: { userId, providerId: { not: 'credential' }, createdAt } })
  const codes = await tx.backupCode.deleteMany({ where: { userId, createdAt } })
  // A setup that waits for its first code shows its secret to the owner, and may be a thief's.
  await tx.twoFactor.deleteMany({ where: { userId, OR: [{ confirmedAt: null }, { confirmedAt: createdAt }] } })
  // A thief may have locked the owner's factor with wrong codes.
  const kept = await tx.twoFactor.updateMany({ where: { userId }, data: { failedAttempts: 0, lockedUntil: null } })
  const hasFactor = kept.count > 0 || (await tx.passkey.count({ where: { userId } })) > 0
  const isDisabled = twoFactorEnabled && !hasFactor
  if (isDisabled) await deleteTwoFactor(tx, userId)
  const cause = 'panic'
  const entries: (Omit<Entry, 'userId'> | false)[] = [
    passkeys.count > 0 && { action: 'remove-passkey', details: { cause, count: passkeys.count } },
    accounts.count > 0 && { action: 'unlink-account', details: { cause, count: accounts.count } },
    isDisabled && { action: 'disable-two-factor', details: { cause } },
    codes.count > 0 && !isDisabled && { action: 'remove-backup-codes', details: { cause } },
  ]
  return entries.filter((entry) => entry !== false).map((entry) => ({ userId, ...entry }))
}
