import type { Transaction } from '@floorpass/db'

/**
 * Voids what an account invited to, everywhere, and answers how many: whoever held the account may have invited themselves, to come
 * back as an owner of what is its owner's.
 */
export async function cancelSentInvitations(tx: Transaction, userId: string): Promise<number> {
  const { count } = await tx.invitation.updateMany({
    where: { inviterId: userId, status: 'pending' },
    data: { status: 'canceled', answeredAt: new Date() },
  })
  return count
}
