import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { getInvitationInput } from './contract.ts'
import { requireOwnInvitation } from './invitation.ts'
import { presentInvitation } from './present-organization.ts'

export const getInvitation = sessionProcedure.input(getInvitationInput).query(async ({ ctx, input }) => {
  const found = await requireOwnInvitation(ctx.db, ctx.user.id, input.id, {
    unverifiedError: 'EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION',
  })
  const invitation = await ctx.db.invitation.findUnique({
    where: { id: found.id },
    include: { organization: true, inviter: true },
  })
  // The organization may be deleted between the two reads.
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  return {
    ...presentInvitation(invitation),
    organizationName: invitation.organization.name,
    organizationSlug: invitation.organization.slug,
    inviterEmail: invitation.inviter?.email ?? null,
  }
})
