import { AppError } from '../kernel/errors.ts'
import { lockUser } from '../users/lock-user.ts'
import { startUnlock } from '../users/start-unlock.ts'
import { type Operator, requireUser, toActor } from './operator.ts'

/** For an owner who cannot sign in. An operator cannot shorten the wait, nor start it again. USER_NOT_FOUND, ACCOUNT_NOT_LOCKED. */
export async function requestUserUnlock(
  operator: Operator,
  identifier: string,
  reason: string,
): Promise<{ unlockAt: Date; isNew: boolean }> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, identifier)
  return ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('USER_NOT_FOUND')
    const { unlockAt, isNew } = await startUnlock(ctx, tx, userId, { byOperator: true })
    if (isNew) await ctx.record(tx, { userId, ...toActor(operator), action: 'request-unlock', details: { reason } })
    return { unlockAt, isNew }
  })
}
