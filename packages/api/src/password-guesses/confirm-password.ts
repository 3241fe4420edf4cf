import type { Account, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { findPasswordAccount } from './password-account.ts'
import { clearedFailures, type GuessContext, notifyOwner, recordGuess } from './password-guesses.ts'

/** Throws INVALID_PASSWORD, PASSWORD_LOCKED, CREDENTIAL_ACCOUNT_NOT_FOUND or TOO_MANY_REQUESTS. */
export async function confirmPassword(ctx: GuessContext, userId: string, password: string): Promise<Account> {
  const account = await requirePasswordAccount(ctx, userId)
  let isLast = false
  const matches = await ctx.passwords.verify(async () => {
    await ctx.limiter.consume('confirm-password:user', userId)
    // A stolen session gets no more guesses than a known device.
    const guess = await recordGuess(ctx, account, 'known')
    if (!guess.isAllowed) {
      await requirePasswordAccount(ctx, userId)
      throw new AppError('PASSWORD_LOCKED')
    }
    isLast = guess.isLast
    return account.passwordHash
  }, password)
  if (!matches && isLast) await notifyOwner(ctx, account, 'known')
  if (!matches) throw new AppError('INVALID_PASSWORD')
  await ctx.db.account.updateMany({
    where: { id: account.id },
    data: { ...clearedFailures('known'), updatedAt: account.updatedAt },
  })
  await ctx.limiter.reset('confirm-password:user', userId)
  return account
}

async function requirePasswordAccount(ctx: Context, userId: string): Promise<Account> {
  const account = await findPasswordAccount(ctx.db, userId)
  if (!account) throw new AppError('CREDENTIAL_ACCOUNT_NOT_FOUND')
  return account
}

/** Call it in the transaction of the change. Throws INVALID_PASSWORD. */
export async function assertPasswordUnchanged(tx: Transaction, { id, passwordHash }: Account): Promise<void> {
  if ((await tx.account.count({ where: { id, passwordHash } })) === 0) throw new AppError('INVALID_PASSWORD')
}
