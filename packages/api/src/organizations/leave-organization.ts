import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { leaveOrganizationInput } from './contract.ts'
import { assertMayChangeOwners, assertNotLastOwner, deleteMembership, lockOrganization, requireMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

/** Ends the caller's membership. ORGANIZATION_NOT_FOUND and errors of `assertMayChangeOwners` and `assertNotLastOwner`. */
export const leaveOrganization = sessionProcedure.input(leaveOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const { organizationId } = input
  return ctx.db.$transaction(async (tx) => {
    // Not `lockAsMember`, which would accept the membership.
    await lockCaller(tx, ctx)
    await lockOrganization(tx, organizationId)
    const member = await requireMembership(tx, organizationId, ctx.user.id)
    await assertMayChangeOwners(tx, ctx, [member.role])
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    await deleteMembership(tx, ctx, member)
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, organizationId, action: 'leave-organization' })
    return presentMemberWithUser({ ...member, user: ctx.user })
  })
})
