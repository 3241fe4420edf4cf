import type { Account, Transaction } from '@floorpass/db'
import { clearedFailures } from './password-guesses.ts'

/** The row with the user's password; null for who signs in by a provider only. */
export async function findPasswordAccount(db: Transaction, userId: string): Promise<Account | null> {
  return db.account.findFirst({ where: { userId, providerId: 'credential', passwordHash: { not: null } } })
}

/** The password opens nothing from now on, and no device is known that was opened with it. The row stays for the next password. */
export async function clearPassword(tx: Transaction, userId: string): Promise<void> {
  await tx.account.updateMany({
    where: { userId, providerId: 'credential' },
    data: { passwordHash: null, deviceEpoch: { increment: 1 }, ...clearedFailures('unknown') },
  })
}
