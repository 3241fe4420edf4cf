import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { leaveOrganizationInput } from './contract.ts'
import { assertMayChangeOwners, endMembership, lockOrganization, refuseLastOwner, requireMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

/**
 * The caller leaves an organization. ORGANIZATION_NOT_FOUND, YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER; an owner also gets
 * the codes of `assertMayChangeOwners`.
 */
export const leaveOrganization = sessionProcedure.input(leaveOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const { organizationId } = input
  return ctx.db.$transaction(async (tx) => {
    // Not `changeAsMember`: to leave is not to accept.
    await lockCaller(tx, ctx)
    await lockOrganization(tx, organizationId)
    const member = await requireMembership(tx, organizationId, ctx.user.id)
    await assertMayChangeOwners(tx, ctx, [member.role])
    await refuseLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    await endMembership(tx, ctx, member)
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, organizationId, action: 'leave-organization' })
    return presentMemberWithUser({ ...member, user: ctx.user })
  })
})
