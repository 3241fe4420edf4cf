import type { Invitation, Transaction, User } from '@floorpass/db'
import { AppError, type ErrorKey } from '../errors.ts'
import { hashToken } from '../security/random-token.ts'

/**
 * An open invitation by its id, or by the secret of its mail, for the person it was sent to: nobody else gets past here, whatever
 * they hold. INVITATION_NOT_FOUND, YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION, `unproved` while the address is not proved.
 */
export async function findOwnInvitation(
  db: Transaction,
  userId: string,
  idOrSecret: string,
  unproved: ErrorKey = 'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
): Promise<Invitation> {
  const invitation = await db.invitation.findFirst({
    where: { OR: [{ id: idOrSecret }, { secretHash: hashToken(idOrSecret) }], status: 'pending', expiresAt: { gt: new Date() } },
  })
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  // As the row has it now: the address may have changed since the session was read.
  const user: Pick<User, 'email' | 'emailVerified'> | null = await db.user.findUnique({ where: { id: userId } })
  if (user?.email !== invitation.email) throw new AppError('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
  if (!user.emailVerified) throw new AppError(unproved)
  return invitation
}

/** Takes an invitation out of play. One conditional UPDATE decides between two answers at once. INVITATION_NOT_FOUND. */
export async function closeInvitation(
  tx: Transaction,
  { id }: Pick<Invitation, 'id'>,
  status: 'accepted' | 'rejected' | 'canceled',
): Promise<Invitation> {
  const [closed] = await tx.invitation.updateManyAndReturn({
    where: { id, status: 'pending' },
    data: { status, answeredAt: new Date() },
  })
  if (!closed) throw new AppError('INVITATION_NOT_FOUND')
  return closed
}
