import type { Account, Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { lockCaller } from '../users/lock-user.ts'
import { verifyCode } from './verify-code.ts'

type Proof = { password?: string | undefined; code?: string | undefined }

/** Throws TWO_FACTOR_NOT_ENABLED and the errors of `confirmPassword` and `verifyCode`. */
export async function reauthenticateOwner<Result>(
  ctx: Context & ActiveSession,
  { password, code }: Proof,
  change: (tx: Transaction, user: User) => Promise<Result>,
): Promise<Result> {
  const account: Account | null = password === undefined ? null : await confirmPassword(ctx, ctx.user.id, password)
  const outcome = await ctx.db.$transaction(async (tx) => {
    const { id } = ctx.user
    await lockCaller(tx, ctx)
    const user = await tx.user.findUniqueOrThrow({ where: { id } })
    if (!user.twoFactorEnabled) throw new AppError('TWO_FACTOR_NOT_ENABLED')
    if (account) await assertPasswordUnchanged(tx, account)
    if (!account) {
      const check = await verifyCode(ctx, tx, user, { code: code ?? '' })
      // A throw would roll back the count of wrong codes.
      if (check.outcome !== 'right') return check.error
    }
    return change(tx, user)
  })
  ctx.mail.wake()
  if (outcome instanceof AppError) throw outcome
  return outcome
}
