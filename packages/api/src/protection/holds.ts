import type { Hold, Transaction } from '@floorpass/db'
import { type HoldReason, holds } from '../kernel/policy.ts'

type ActiveHold = Hold & { reason: HoldReason }

/** The active holds, the earliest first. */
export const findActiveHolds = async (tx: Transaction, userId: string): Promise<ActiveHold[]> => {
  const found = await tx.hold.findMany({ where: { userId, endsAt: { gt: new Date() } }, orderBy: { startedAt: 'asc' } })
  return found.filter((hold): hold is ActiveHold => Object.hasOwn(holds, hold.reason))
}

/** Ends these holds. Another active hold goes on. Lock the user first. */
export async function endHolds(tx: Transaction, userId: string, reasons: readonly HoldReason[]): Promise<void> {
  await tx.hold.deleteMany({ where: { userId, reason: { in: [...reasons] } } })
  const last = await tx.hold.aggregate({ where: { userId, endsAt: { gt: new Date() } }, _max: { endsAt: true } })
  await tx.user.update({ where: { id: userId }, data: { heldUntil: last._max.endsAt } })
}
