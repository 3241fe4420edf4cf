import type { Account, Transaction } from '@floorpass/db'
import { clearedFailures } from './password-guesses.ts'

export async function findPasswordAccount(db: Transaction, userId: string): Promise<Account | null> {
  return db.account.findFirst({ where: { userId, providerId: 'credential', passwordHash: { not: null } } })
}

export async function clearPassword(tx: Transaction, userId: string): Promise<void> {
  await tx.account.updateMany({
    where: { userId, providerId: 'credential' },
    data: { passwordHash: null, deviceEpoch: { increment: 1 }, ...clearedFailures('unknown') },
  })
}
