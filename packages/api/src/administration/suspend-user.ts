import { AppError } from '../errors.ts'
import { mailPasswordCleared } from '../mails.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { clearPassword } from '../security/password-account.ts'
import { actorOf, type Operator, requireUser } from './operator.ts'

/**
 * Closes an account until it is restored: every session and trusted device ends at once, every link that is out is void, and no way
 * in opens it. `reason` goes into the audit log. USER_NOT_FOUND.
 */
export async function suspendUser(operator: Operator, who: string, reason: string): Promise<{ revoked: number }> {
  const { id: userId } = await requireUser(operator, who)
  return operator.ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('USER_NOT_FOUND')
    await tx.user.updateMany({ where: { id: userId, suspendedAt: null }, data: { suspendedAt: new Date() } })
    await tx.trustedDevice.deleteMany({ where: { userId } })
    // The former address keeps its link: it may be how the owner takes the account back.
    await tx.verification.deleteMany({ where: { userId, usedAt: null, purpose: { not: 'undo-email-change' } } })
    const { count } = await tx.session.deleteMany({ where: { userId } })
    const entry = { userId, ...actorOf(operator), details: { reason, sessions: count } }
    await recordAuditEvent(tx, operator.ctx.client, { ...entry, action: 'suspend-user' })
    return { revoked: count }
  })
}

/**
 * Opens a suspended account again. With `clearPassword` none counts any more, and its address is mailed a link to choose one: for an
 * account whose password a stranger knew. Its second factor and linked identities are what they were. USER_NOT_FOUND.
 */
export async function restoreUser(
  operator: Operator,
  who: string,
  reason: string,
  { clearPassword: isCleared }: { clearPassword: boolean },
): Promise<void> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, who)
  await ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('USER_NOT_FOUND')
    const user = await tx.user.update({ where: { id: userId }, data: { suspendedAt: null } })
    const entry = { userId, ...actorOf(operator), details: { reason, clearPassword: isCleared } }
    await recordAuditEvent(tx, ctx.client, { ...entry, action: 'restore-user' })
    if (!isCleared) return
    await clearPassword(tx, userId)
    await mailPasswordCleared(ctx, tx, user)
  })
}
