import { mutation } from '../mutation.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { lockCaller } from '../users/lock-user.ts'
import { assertNoOpenUndo } from '../users/open-undo.ts'
import { leaveOrganizationInput } from './contract.ts'
import { assertNotLastOwner, deleteMembership, lockOrganization, requireMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

/**
 * Ends the caller's membership. An owner may leave while the role is new.
 * SESSION_NOT_FRESH, EMAIL_RECENTLY_CHANGED, ORGANIZATION_NOT_FOUND; errors of `assertNotLastOwner`.
 */
export const leaveOrganization = mutation({
  access: 'session',
  sensitive: true,
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
    if (member.role === 'owner') {
      assertReauthenticated(ctx.session)
      await assertNoOpenUndo(tx, ctx.user.id)
    }
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    await deleteMembership(tx, ctx, member)
    return {
      events: [{ organizationId: member.organizationId, action: 'leave-organization' }],
      result: presentMemberWithUser({ ...member, user: ctx.user }),
    }
  },
})
