import { AppError } from '../kernel/errors.ts'
import { may, rolesUpTo } from '../kernel/role-permissions.ts'
import { roles } from '../kernel/roles.ts'
import { sendRoleGiven } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { updateMemberRoleInput } from './contract.ts'
import { attributeTo } from './invitation.ts'
import {
  assertMayChangeOwners,
  assertNotLastOwner,
  cancelInvitationsSentBy,
  canManageRole,
  findMembership,
  getNewRoleHold,
  lockAsMember,
  requireOrganizationId,
  requireRole,
} from './membership.ts'
import { presentMember } from './present-organization.ts'

/** Changes a member's role. Also errors of `lockAsMember`, `assertMayChangeOwners` and `assertNotLastOwner`. */
export const updateMemberRole = mutation({
  access: 'session',
  sensitive: true,
  input: updateMemberRoleInput,
  limit: 'change-organization:user',
  events: ['update-member-role', 'accept-membership', 'cancel-invitation'],
  mails: ['role-given'],
  cookies: [],

  prepare: ({ ctx, input }) =>
    ctx.db.member.findUnique({
      where: { id: input.memberId, organizationId: requireOrganizationId(ctx, input.organizationId) },
    }),
  lock: (tx, { ctx, input, prepared }) =>
    lockAsMember(tx, ctx, requireOrganizationId(ctx, input.organizationId), prepared ? [prepared.userId] : []),
  async change(tx, { ctx, input, prepared, locked: caller }) {
    const { organizationId } = caller
    if (!may(caller.role, 'member', 'update')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    const role = requireRole(input.role)
    const member = prepared && (await findMembership(tx, organizationId, prepared.userId))
    if (!member) throw new AppError('MEMBER_NOT_FOUND')
    if (!canManageRole(caller, member.role) || !canManageRole(caller, role))
      throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    if (role === member.role) return { events: [], result: presentMember(member) }
    if (role === 'owner' && !member.acceptedAt) throw new AppError('MEMBER_HAS_NOT_ACCEPTED')
    await assertMayChangeOwners(tx, ctx, caller, [role, member.role])
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER')

    const isHigher = !rolesUpTo(member.role).includes(role)
    const changed = await tx.member.update({
      where: { id: member.id },
      data: { role, ...(isHigher && { heldUntil: getNewRoleHold() }) },
    })
    if (isHigher) {
      const { email } = await tx.user.findUniqueOrThrow({ where: { id: member.userId } })
      const organization = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
      await sendRoleGiven(ctx, tx, organization, { email, role })
    }
    const allowed = may(role, 'invitation', 'create') ? rolesUpTo(role) : []
    await cancelInvitationsSentBy(
      tx,
      ctx,
      member,
      roles.filter((known) => !allowed.includes(known)),
    )
    const event = { organizationId, action: 'update-member-role' as const, details: { from: member.role, to: role } }
    return { events: [{ ...attributeTo(member.userId, ctx), ...event }], result: presentMember(changed) }
  },
})
