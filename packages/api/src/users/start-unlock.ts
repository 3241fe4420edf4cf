import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { isLocked } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { type Mails, sendUnlockRequested } from '../mail/notifications.ts'

/** Starts the wait that the owner chose, unless it has started. Lock the user first. ACCOUNT_NOT_LOCKED. */
export async function startUnlock(
  ctx: Context & Mails<'unlock-requested'>,
  tx: Transaction,
  userId: string,
  { byOperator }: { byOperator: boolean },
): Promise<{ unlockAt: Date; isNew: boolean }> {
  const user = await requireLocked(tx, userId)
  if (user.unlockAt) return { unlockAt: user.unlockAt, isNew: false }
  if (user.unlockDays === null) throw new Error(`The lock of user ${userId} has no days`)
  const unlockAt = new Date(Date.now() + user.unlockDays * 86_400_000)
  await tx.user.update({ where: { id: userId }, data: { unlockAt } })
  await sendUnlockRequested(ctx, tx, user, { until: unlockAt, byOperator })
  return { unlockAt, isNew: true }
}

/** ACCOUNT_NOT_LOCKED. */
export async function requireLocked(tx: Transaction, userId: string): Promise<User> {
  const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
  if (!isLocked(user)) throw new AppError('ACCOUNT_NOT_LOCKED')
  return user
}
