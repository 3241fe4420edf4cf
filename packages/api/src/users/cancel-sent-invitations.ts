import type { Transaction } from '@floorpass/db'

/** Cancels all open invitations that a user sent, since a thief may have invited themselves. Returns the count. */
export async function cancelSentInvitations(tx: Transaction, userId: string): Promise<number> {
  const { count } = await tx.invitation.updateMany({
    where: { inviterId: userId, status: 'pending' },
    data: { status: 'canceled', answeredAt: new Date() },
  })
  return count
}
