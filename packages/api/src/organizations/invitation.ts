import type { Invitation, Prisma, Transaction, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { hashToken } from '../kernel/random-token.ts'

type OwnInvitationOptions = { unverifiedError?: ErrorKey; allowExpired?: boolean }

/** Returns an open invitation, by id or mailed secret, to its recipient. Unverified recipients get `unverifiedError`. */
export async function requireOwnInvitation(
  db: Transaction,
  userId: string,
  idOrSecret: string,
  {
    unverifiedError = 'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
    allowExpired = false,
  }: OwnInvitationOptions = {},
): Promise<Invitation> {
  const invitation = await db.invitation.findFirst({
    where: {
      OR: [{ id: idOrSecret }, { secretHash: hashToken(idOrSecret) }],
      status: 'pending',
      ...(!allowExpired && { expiresAt: { gt: new Date() } }),
    },
  })
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  // Read again, since the address may have changed since the session was read.
  const user: Pick<User, 'email' | 'emailVerified'> | null = await db.user.findUnique({ where: { id: userId } })
  if (user?.email !== invitation.email) throw new AppError('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
  if (!user.emailVerified) throw new AppError(unverifiedError)
  return invitation
}

/** Closes an invitation if its row still is as read, so that one of two concurrent answers wins. INVITATION_NOT_FOUND. */
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

export type Caller = { user: { id: string } }

/** A change may cancel invitations, with an event for each. */
export type CancelContext = Caller & Records<'cancel-invitation'>

export async function cancelInvitations(tx: Transaction, ctx: CancelContext, where: Prisma.InvitationWhereInput): Promise<void> {
  const canceled = await tx.invitation.updateManyAndReturn({
    where: { ...where, status: 'pending' },
    data: { status: 'canceled', answeredAt: new Date() },
  })
  const events = canceled.map(({ id, organizationId, inviterId }) => ({
    ...attributeTo(inviterId ?? ctx.user.id, ctx),
    organizationId,
    action: 'cancel-invitation' as const,
    details: { invitationId: id },
  }))
  await ctx.record(tx, ...events)
}

/** Returns the user of an audit event, and the caller as actor when another person acts. */
export const attributeTo = (userId: string, { user }: Caller): { userId: string; actorId?: string } => ({
  userId,
  ...(userId !== user.id && { actorId: user.id }),
})
