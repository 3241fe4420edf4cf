import type { Session, Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { type Mails, sendTwoFactorEnabled } from '../mail/notifications.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { renewSession } from '../sessions/session-store.ts'
import { startHold } from '../users/start-hold.ts'

export type RenewedSession = { session: Session; token: string; user: User }

/** Holds withdrawals, and ends every other session: it may have begun without a second factor. The caller sets the cookie of the renewed session. */
export async function markTwoFactorEnabled(
  ctx: Context & ActiveSession & Mails<'two-factor-enabled'>,
  tx: Transaction,
): Promise<RenewedSession> {
  const userId = ctx.user.id
  const user = await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
  const renewed = await renewSession(ctx, tx, ctx.session.id)
  if (!renewed) throw new AppError('UNAUTHORIZED')
  await tx.session.deleteMany({ where: { userId, id: { not: renewed.session.id } } })
  await startHold(ctx, tx, userId, 'change-factor')
  await sendTwoFactorEnabled(ctx, tx, user)
  return { ...renewed, user }
}
