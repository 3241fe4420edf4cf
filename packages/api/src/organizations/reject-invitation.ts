import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { answerInvitationInput } from './contract.ts'
import { closeInvitation, requireOwnInvitation } from './invitation.ts'
import { lockOrganization } from './membership.ts'
import { presentInvitation } from './present-organization.ts'

export const rejectInvitation = sessionProcedure.input(answerInvitationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const userId = ctx.user.id
  return ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const found = await requireOwnInvitation(tx, userId, input.invitationId)
    const { organizationId } = found
    await lockOrganization(tx, organizationId)
    const invitation = await closeInvitation(tx, found, 'rejected')
    await recordAuditEvent(tx, ctx.client, { userId, organizationId, action: 'reject-invitation' })
    return { invitation: presentInvitation(invitation), member: null }
  })
})
