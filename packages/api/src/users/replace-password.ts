import type { Account, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { clearedFailures } from '../password-guesses/password-guesses.ts'
import { startHold } from '../users/start-hold.ts'

/** Holds withdrawals. Deletes sessions, trusted devices, an unconfirmed factor and one-time links. Known devices stay known (ADR 019). */
export async function replacePassword(
  ctx: Context,
  tx: Transaction,
  userId: string,
  { passwordHash, cause }: { passwordHash: string; cause: 'change-password' | 'reset-password' | 'operator' },
): Promise<Account> {
  const account = await tx.account.upsert({
    where: { providerId_accountId: { providerId: 'credential', accountId: userId } },
    create: { userId, providerId: 'credential', accountId: userId, passwordHash },
    update: { passwordHash, ...clearedFailures('unknown') },
  })
  // The sweep locks devices before sessions: the same order avoids a deadlock.
  await tx.trustedDevice.deleteMany({ where: { userId } })
  await tx.session.deleteMany({ where: { userId } })
  const { count } = await tx.twoFactor.deleteMany({ where: { userId, confirmedAt: null } })
  if (count > 0) await tx.backupCode.deleteMany({ where: { userId, user: { twoFactorEnabled: false } } })
  await voidOneTimeTokens(tx, userId, [
    'reset-password',
    'verify-email',
    'change-email',
    'delete-account',
    'reauthenticate',
    'two-factor',
  ])
  await startHold(ctx, tx, userId, cause)
  return account
}
