import type { Account, Transaction } from '@floorpass/db'
import { clearedFailures } from './password-guesses.ts'

/** Returns null for a user without a password. */
export async function findPasswordAccount(db: Transaction, userId: string): Promise<Account | null> {
  return db.account.findFirst({ where: { userId, providerId: 'credential', passwordHash: { not: null } } })
}

/** Removes the password and forgets the known devices. Keeps the row for the next password. */
export async function clearPassword(tx: Transaction, userId: string): Promise<void> {
  await tx.account.updateMany({
    where: { userId, providerId: 'credential' },
    data: { passwordHash: null, deviceEpoch: { increment: 1 }, ...clearedFailures('unknown') },
  })
}
