import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { cancelInvitationInput } from './contract.ts'
import { closeInvitation } from './invitation.ts'
import { canManageRole, findMembership, lockOrganization } from './membership.ts'
import { may } from './permissions.ts'
import { presentInvitation } from './present-organization.ts'

/** Cancels an open invitation. INVITATION_NOT_FOUND, YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION for a role above the caller's. */
export const cancelInvitation = sessionProcedure.input(cancelInvitationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const userId = ctx.user.id
  return ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const find = () => tx.invitation.findUnique({ where: { id: input.invitationId } })
    const organizationId = (await find())?.organizationId
    if (organizationId === undefined) throw new AppError('INVITATION_NOT_FOUND')
    await lockOrganization(tx, organizationId)
    // A concurrent resend may have changed the role.
    const named = await find()
    const caller = await findMembership(tx, organizationId, userId)
    if (!named || !caller) throw new AppError('INVITATION_NOT_FOUND')
    if (!may(caller.role, 'invitation', 'cancel') || !canManageRole(caller, named.role))
      throw new AppError('YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION')
    const invitation = await closeInvitation(tx, named, 'canceled')
    await recordAuditEvent(tx, ctx.client, { userId, organizationId, action: 'cancel-invitation' })
    return presentInvitation(invitation)
  })
})
