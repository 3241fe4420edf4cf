import { AppError } from '../kernel/errors.ts'
import { forgetDevices } from '../known-devices/known-device.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { describeSession } from '../sessions/present-session.ts'
import { lockUser } from '../users/lock-user.ts'
import { type Operator, requireUser, toActor } from './operator.ts'

export async function listUserSessions(operator: Operator, identifier: string) {
  const { id: userId } = await requireUser(operator, identifier)
  const sessions = await operator.ctx.db.session.findMany({
    where: { userId, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
  })
  return sessions.map(describeSession)
}

/** Ends all sessions, pending sign-ins and device trust, or only the session `handle` and its device. USER_NOT_FOUND. */
export async function revokeUserSessions(operator: Operator, identifier: string, handle?: string): Promise<{ revoked: number }> {
  const { id: userId } = await requireUser(operator, identifier)
  return operator.ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('USER_NOT_FOUND')
    const selected = { userId, ...(handle !== undefined && { handle }) }
    await tx.trustedDevice.deleteMany({
      where: { userId, ...(handle !== undefined && { sessions: { some: selected } }) },
    })
    const { count } = await tx.session.deleteMany({ where: selected })
    if (handle === undefined) {
      await voidOneTimeTokens(tx, userId, ['two-factor'])
      await forgetDevices(tx, userId)
    }
    if (count > 0 || handle === undefined)
      await operator.ctx.record(tx, {
        userId,
        ...toActor(operator),
        action: 'revoke-session',
        details: { count },
      })
    return { revoked: count }
  })
}
