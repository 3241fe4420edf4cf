import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sendPasswordCleared } from '../mail/notifications.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { cancelSentInvitations } from '../users/cancel-sent-invitations.ts'
import { lockUser } from '../users/lock-user.ts'
import { actorOf, type Operator, requireUser } from './operator.ts'

/**
 * Closes an account until it is restored: every session and trusted device ends at once, every link that is out and every invitation
 * it sent is void, and no way in opens it. `reason` goes into the audit log. USER_NOT_FOUND.
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
    const invitations = await cancelSentInvitations(tx, userId)
    const entry = { userId, ...actorOf(operator), details: { reason, sessions: count, invitations } }
    await recordAuditEvent(tx, operator.ctx.client, { ...entry, action: 'suspend-user' })
    return { revoked: count }
  })
}

/**
 * Opens a suspended account again. With `clearPassword` none counts any more, and its address is mailed a link to choose one: for an
 * account whose password a stranger knew. Its second factor and linked identities are what they were. Not `restored`, and nothing
 * changed, while it is not suspended: whoever is signed in would choose the new password. USER_NOT_FOUND.
 */
export async function restoreUser(
  operator: Operator,
  who: string,
  reason: string,
  { clearPassword: isCleared }: { clearPassword: boolean },
): Promise<{ restored: boolean }> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, who)
  return ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('USER_NOT_FOUND')
    const [user] = await tx.user.updateManyAndReturn({
      where: { id: userId, suspendedAt: { not: null } },
      data: { suspendedAt: null },
    })
    if (!user) return { restored: false }
    const entry = { userId, ...actorOf(operator), details: { reason, clearPassword: isCleared } }
    await recordAuditEvent(tx, ctx.client, { ...entry, action: 'restore-user' })
    if (isCleared) {
      await clearPassword(tx, userId)
      await sendPasswordCleared(ctx, tx, user)
    }
    return { restored: true }
  })
}
