import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { forgetDevices } from '../known-devices/known-device.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { describeSession } from '../sessions/present-session.ts'
import { lockUser } from '../users/lock-user.ts'
import { actorOf, type Operator, requireUser } from './operator.ts'

/** The live sessions of a user, newest first. USER_NOT_FOUND. */
export async function listUserSessions(operator: Operator, who: string) {
  const { id: userId } = await requireUser(operator, who)
  const sessions = await operator.ctx.db.session.findMany({
    where: { userId, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
  })
  return sessions.map(describeSession)
}

/**
 * Ends every session of a user, sign-ins that wait for their code, and the trust of every device, none of which is known any more; with
 * `handle`, that session and its device only. At once: no node answers for a session whose row is gone. USER_NOT_FOUND.
 */
export async function revokeUserSessions(operator: Operator, who: string, handle?: string): Promise<{ revoked: number }> {
  const { id: userId } = await requireUser(operator, who)
  return operator.ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('USER_NOT_FOUND')
    const named = { userId, ...(handle !== undefined && { handle }) }
    await tx.trustedDevice.deleteMany({
      where: { userId, ...(handle !== undefined && { sessions: { some: named } }) },
    })
    const { count } = await tx.session.deleteMany({ where: named })
    if (handle === undefined) {
      await voidOneTimeTokens(tx, userId, ['two-factor'])
      await forgetDevices(tx, userId)
    }
    if (count > 0 || handle === undefined)
      await recordAuditEvent(tx, operator.ctx.client, {
        userId,
        ...actorOf(operator),
        action: 'revoke-session',
        details: { count },
      })
    return { revoked: count }
  })
}
