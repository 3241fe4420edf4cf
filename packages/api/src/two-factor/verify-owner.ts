import type { Account, Transaction, User } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import type { GuessContext } from '../password-guesses/password-guesses.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { type CodeContext, verifyCode } from './verify-code.ts'

/** What a wrong password or code may record and mail. */
export const proofActions = ['pause-password', 'lock-two-factor'] as const
export const proofMails = ['password-paused', 'two-factor-locked', 'backup-code-used'] as const

type PasswordScope = { ctx: GuessContext & ActiveSession; input: { password?: string | undefined } }

/** Throws the errors of `confirmPassword`. */
export const confirmPasswordIfGiven = async ({ ctx, input }: PasswordScope): Promise<Account | null> =>
  input.password === undefined ? null : confirmPassword(ctx, ctx.user.id, input.password)

/** Returns the error of a wrong code, so that the caller commits the count. Throws TWO_FACTOR_NOT_ENABLED. */
export async function verifyOwner(
  ctx: CodeContext & ActiveSession,
  tx: Transaction,
  { account, code = '' }: { account: Account | null; code: string | undefined },
): Promise<User | AppError> {
  const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
  if (!user.twoFactorEnabled) throw new AppError('TWO_FACTOR_NOT_ENABLED')
  if (account) {
    await assertPasswordUnchanged(tx, account)
    return user
  }
  const check = await verifyCode(ctx, tx, user, { code })
  return check.outcome === 'right' ? user : check.error
}
