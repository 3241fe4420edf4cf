import type { Database, Transaction } from '@floorpass/db'

/** Whether the list is on, and when a pending switch-off takes effect. */
export type AllowListState = { enabled: boolean; endsAt: Date | null }

export const switchedOff: AllowListState = { enabled: false, endsAt: null }

export async function findAllowList(db: Database | Transaction, userId: string): Promise<AllowListState> {
  const list = await db.allowList.findUnique({ where: { userId } })
  if (!list || (list.endsAt && list.endsAt.getTime() <= Date.now())) return switchedOff
  return { enabled: true, endsAt: list.endsAt }
}
