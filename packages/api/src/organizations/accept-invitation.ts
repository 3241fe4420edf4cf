import { randomUUIDv7 } from 'node:crypto'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { answerInvitationInput } from './contract.ts'
import { freeSlot } from './free-slot.ts'
import { closeInvitation, requireOwnInvitation } from './invitation.ts'
import { createMembership, requireRole } from './membership.ts'
import { presentInvitation, presentMember } from './present-organization.ts'

/** Joins the organization and makes it active. Errors of `requireOwnInvitation` and `createMembership` leave the invitation open. */
export const acceptInvitation = sessionProcedure.input(answerInvitationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const userId = ctx.user.id
  const accepted = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const found = await requireOwnInvitation(tx, userId, input.invitationId)
    const { organizationId } = found
    await freeSlot(ctx, tx, organizationId)
    const invitation = await closeInvitation(tx, found, 'accepted')
    const role = requireRole(invitation.role)
    const member = await createMembership(tx, { id: randomUUIDv7(), organizationId, userId, role, acceptedAt: new Date() })
    await tx.session.updateMany({ where: { id: ctx.session.id }, data: { activeOrganizationId: organizationId } })
    await recordAuditEvent(tx, ctx.client, { userId, organizationId, action: 'accept-invitation', details: { role } })
    return { invitation: presentInvitation(invitation), member: presentMember(member) }
  })
  ctx.mail.wake()
  return accepted
})
