import { AppError } from '../kernel/errors.ts'
import { sendTwoFactorDisabled } from '../mail/notifications.ts'
import { deleteTwoFactor } from '../users/delete-two-factor.ts'
import { assertUnlocked, lockUser } from '../users/lock-user.ts'
import { startHold } from '../users/start-hold.ts'
import { type Operator, requireUser, toActor } from './operator.ts'

/** Disables a lost second factor and mails the owner. `reason` goes to the audit log. USER_NOT_FOUND, TWO_FACTOR_NOT_ENABLED, ACCOUNT_LOCKED. */
export async function disableUserTwoFactor(operator: Operator, identifier: string, reason: string): Promise<void> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, identifier)
  await ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const current = await tx.user.findUnique({ where: { id: userId } })
    if (!current?.twoFactorEnabled) throw new AppError(current ? 'TWO_FACTOR_NOT_ENABLED' : 'USER_NOT_FOUND')
    assertUnlocked(current)
    const user = await deleteTwoFactor(tx, userId)
    await ctx.record(tx, { userId, ...toActor(operator), action: 'disable-two-factor', details: { reason } })
    await startHold(ctx, tx, userId, 'operator')
    await sendTwoFactorDisabled(ctx, tx, user)
  })
}
