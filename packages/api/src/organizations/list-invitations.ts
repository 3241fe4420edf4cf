import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { sessionProcedure } from '../trpc.ts'
import { listInvitationsInput } from './contract.ts'
import { listVisibleInvitations } from './get-organization.ts'
import { requireCallerMembership } from './membership.ts'
import { presentInvitation } from './present-organization.ts'

export const listInvitations = sessionProcedure.input(listInvitationsInput).query(async ({ ctx, input }) => {
  const caller = await requireCallerMembership(ctx, input)
  if (!may(caller.role, 'invitation', 'create')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS')
  return listVisibleInvitations(ctx.db, caller, input.status)
})

export const listUserInvitations = sessionProcedure.query(async ({ ctx }) => {
  if (!ctx.user.emailVerified) throw new AppError('EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION')
  const invitations = await ctx.db.invitation.findMany({
    where: { email: ctx.user.email, status: 'pending', expiresAt: { gt: new Date() } },
    include: { organization: true },
    orderBy: { createdAt: 'desc' },
    take: 100,
  })
  return invitations.map(({ organization, ...invitation }) => ({
    ...presentInvitation(invitation),
    organizationName: organization.name,
  }))
})
