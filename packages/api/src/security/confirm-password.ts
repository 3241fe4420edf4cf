import type { Account, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { clearedGuesses, countGuess } from './password-guesses.ts'

const tooMany = 'Too many wrong passwords in a row: choose a new one by mail'

/**
 * Compares a password that a signed-in user typed again; the account row that holds it. At most five wrong ones in a quarter of an
 * hour, whichever change asks, and no more in a row than known devices have together. ACCOUNT_TEMPORARILY_LOCKED, CREDENTIAL_ACCOUNT_NOT_FOUND, INVALID_PASSWORD, TOO_MANY_REQUESTS.
 */
export async function confirmPassword(ctx: Context, userId: string, password: string): Promise<Account> {
  await ctx.limiter.consume('confirm-password:user', userId)
  const account = await findPasswordAccount(ctx, userId)
  if (!account) throw new AppError('CREDENTIAL_ACCOUNT_NOT_FOUND')
  // Whoever holds a stolen session has no more guesses than a known device has.
  if (!(await countGuess(ctx, account, 'known')).mayCount) throw new AppError('ACCOUNT_TEMPORARILY_LOCKED', { message: tooMany })
  if (!(await ctx.passwords.verify(account.passwordHash, password))) throw new AppError('INVALID_PASSWORD')
  await ctx.db.account.updateMany({
    where: { id: account.id },
    data: { ...clearedGuesses('known'), updatedAt: account.updatedAt },
  })
  await ctx.limiter.reset('confirm-password:user', userId)
  return account
}

/** The row with the user's password; null for who signs in by a provider only. */
export async function findPasswordAccount({ db }: Pick<Context, 'db'>, userId: string): Promise<Account | null> {
  return db.account.findFirst({ where: { userId, providerId: 'credential', passwordHash: { not: null } } })
}

/** In the transaction of the change: the password that was just confirmed may have been replaced meanwhile. INVALID_PASSWORD. */
export async function refuseReplacedPassword(tx: Transaction, { id, passwordHash }: Account): Promise<void> {
  if ((await tx.account.count({ where: { id, passwordHash } })) === 0) throw new AppError('INVALID_PASSWORD')
}
