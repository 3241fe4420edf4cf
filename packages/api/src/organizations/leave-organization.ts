import { mutation } from '../mutation.ts'
import { lockCaller } from '../users/lock-user.ts'
import { leaveOrganizationInput } from './contract.ts'
import { assertMayChangeOwners, assertNotLastOwner, deleteMembership, lockOrganization, requireMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

/** Ends the caller's membership. ORGANIZATION_NOT_FOUND and errors of `assertMayChangeOwners` and `assertNotLastOwner`. */
export const leaveOrganization = mutation({
  access: 'session',
  input: leaveOrganizationInput,
  limit: 'change-organization:user',
  events: ['leave-organization', 'cancel-invitation'],
  mails: [],
  cookies: [],

  // Not `lockAsMember`, which would accept the membership.
  async lock(tx, { ctx, input: { organizationId } }) {
    await lockCaller(tx, ctx)
    await lockOrganization(tx, organizationId)
    return requireMembership(tx, organizationId, ctx.user.id)
  },
  async change(tx, { ctx, locked: member }) {
    await assertMayChangeOwners(tx, ctx, [member.role])
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    await deleteMembership(tx, ctx, member)
    return {
      events: [{ organizationId: member.organizationId, action: 'leave-organization' }],
      result: presentMemberWithUser({ ...member, user: ctx.user }),
    }
  },
})
