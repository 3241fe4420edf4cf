import { randomUUIDv7 } from 'node:crypto'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { answerInvitationInput } from './contract.ts'
import { freeSlot } from './free-slot.ts'
import { closeInvitation, findOwnInvitation } from './invitation.ts'
import { beginMembership, roleNamed } from './membership.ts'
import { presentInvitation, presentMember } from './present-organization.ts'

/**
 * The invited person joins, once; the organization becomes their active one. A membership that they never accepted may end for it:
 * free-slot.ts. The codes of `findOwnInvitation` and of
 * `beginMembership`; whoever is refused for a limit may come back, since the invitation stays open.
 */
export const acceptInvitation = sessionProcedure.input(answerInvitationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const userId = ctx.user.id
  const accepted = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const found = await findOwnInvitation(tx, userId, input.invitationId)
    const { organizationId } = found
    await freeSlot(ctx, tx, organizationId)
    const invitation = await closeInvitation(tx, found, 'accepted')
    const role = roleNamed(invitation.role)
    const member = await beginMembership(tx, { id: randomUUIDv7(), organizationId, userId, role, acceptedAt: new Date() })
    await tx.session.updateMany({ where: { id: ctx.session.id }, data: { activeOrganizationId: organizationId } })
    await recordAuditEvent(tx, ctx.client, { userId, organizationId, action: 'accept-invitation', details: { role } })
    return { invitation: presentInvitation(invitation), member: presentMember(member) }
  })
  ctx.mail.wake()
  return accepted
})
