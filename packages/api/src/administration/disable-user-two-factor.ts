import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sendTwoFactorDisabled } from '../mail/notifications.ts'
import { deleteTwoFactor } from '../users/delete-two-factor.ts'
import { lockUser } from '../users/lock-user.ts'
import { actorOf, type Operator, requireUser } from './operator.ts'

/**
 * Switches off the second factor of somebody who lost it, once an operator has made sure who they are: `reason` says how, in the
 * audit log. The owner is mailed. The password stays what it was, and so do sessions. USER_NOT_FOUND, TWO_FACTOR_NOT_ENABLED.
 */
export async function disableUserTwoFactor(operator: Operator, who: string, reason: string): Promise<void> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, who)
  await ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const current = await tx.user.findUnique({ where: { id: userId } })
    if (!current?.twoFactorEnabled) throw new AppError(current ? 'TWO_FACTOR_NOT_ENABLED' : 'USER_NOT_FOUND')
    const user = await deleteTwoFactor(tx, userId)
    await recordAuditEvent(tx, ctx.client, { userId, ...actorOf(operator), action: 'disable-two-factor', details: { reason } })
    await sendTwoFactorDisabled(ctx, tx, user)
  })
}
