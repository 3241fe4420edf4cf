import type { Transaction } from '@floorpass/db'

/** Removes the addresses since `cutoff` and cancels a switch-off since then: a thief may have made them. Lock the user first. */
export async function revertAllowList(
  tx: Transaction,
  userId: string,
  cutoff: Date,
): Promise<{ addressesRemoved: number; isKeptOn: boolean }> {
  const addresses = await tx.allowListEntry.deleteMany({ where: { userId, createdAt: { gte: cutoff } } })
  const lists = await tx.allowList.updateMany({ where: { userId, endsAt: { gt: cutoff } }, data: { endsAt: null } })
  return { addressesRemoved: addresses.count, isKeptOn: lists.count > 0 }
}
