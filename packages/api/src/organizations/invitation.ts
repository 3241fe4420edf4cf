import type { Invitation, Prisma, Transaction, User } from '@floorpass/db'
import { recordAuditEvents } from '../audit-log/audit-log.ts'
import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { hashToken } from '../kernel/random-token.ts'
import type { Client } from '../kernel/request.ts'

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

/**
 * Takes an invitation out of play, as it was read. One conditional UPDATE decides between two answers at once, and between an
 * answer and a new mail, after which the former link is void. INVITATION_NOT_FOUND.
 */
export async function closeInvitation(
  tx: Transaction,
  { id, secretHash, expiresAt }: Invitation,
  status: 'accepted' | 'rejected' | 'canceled',
): Promise<Invitation> {
  const [closed] = await tx.invitation.updateManyAndReturn({
    where: { id, secretHash, expiresAt, status: 'pending' },
    data: { status, answeredAt: new Date() },
  })
  if (!closed) throw new AppError('INVITATION_NOT_FOUND')
  return closed
}

/** Who changes something, and from where. */
export type Caller = { user: { id: string }; client: Client }

/** Voids open invitations as part of another change. Each is on record for whoever sent it. */
export async function cancelInvitations(tx: Transaction, ctx: Caller, where: Prisma.InvitationWhereInput): Promise<void> {
  const canceled = await tx.invitation.updateManyAndReturn({
    where: { ...where, status: 'pending' },
    data: { status: 'canceled', answeredAt: new Date() },
  })
  const events = canceled.map(({ organizationId, inviterId }) => ({
    ...happenedTo(inviterId ?? ctx.user.id, ctx),
    organizationId,
    action: 'cancel-invitation' as const,
  }))
  await recordAuditEvents(tx, ctx.client, events)
}

/** Whose event it is, and who did it when that is somebody else. */
export const happenedTo = (userId: string, { user }: Caller): { userId: string; actorId?: string } => ({
  userId,
  ...(userId !== user.id && { actorId: user.id }),
})
