import type { Account, Transaction } from '@floorpass/db'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { clearedFailures } from '../password-guesses/password-guesses.ts'

/**
 * Stores a new password and, in the same transaction, ends whatever the former one opened: every session, every outstanding link,
 * every sign-in that waits for its code and a second factor that was prepared and does not count yet. Known
 * devices stay known: they open nothing, and on them the owner signs in while strangers guess. One function, so that no caller can change
 * the hash and forget the rest.
 */
export async function replacePassword(tx: Transaction, userId: string, passwordHash: string): Promise<Account> {
  const account = await tx.account.upsert({
    where: { providerId_accountId: { providerId: 'credential', accountId: userId } },
    create: { userId, providerId: 'credential', accountId: userId, passwordHash },
    update: { passwordHash, ...clearedFailures('unknown') },
  })
  // Devices before their sessions, as everywhere: the sweep of expired devices locks them in that order.
  await tx.trustedDevice.deleteMany({ where: { userId } })
  await tx.session.deleteMany({ where: { userId } })
  const { count } = await tx.twoFactor.deleteMany({ where: { userId, confirmedAt: null } })
  if (count > 0) await tx.backupCode.deleteMany({ where: { userId } })
  await voidOneTimeTokens(tx, userId, [
    'reset-password',
    'verify-email',
    'change-email',
    'delete-account',
    'reauthenticate',
    'two-factor',
  ])
  return account
}
