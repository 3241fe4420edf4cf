import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { updateMemberRoleInput } from './contract.ts'
import { attributeTo } from './invitation.ts'
import {
  assertMayChangeOwners,
  assertNotLastOwner,
  cancelInvitationsSentBy,
  canManageRole,
  findMembership,
  lockAsMember,
  requireOrganizationId,
  requireRole,
} from './membership.ts'
import { may, roles, rolesUpTo } from './permissions.ts'
import { presentMember } from './present-organization.ts'

/** Changes a member's role. Also errors of `lockAsMember`, `assertMayChangeOwners` and `assertNotLastOwner`. */
export const updateMemberRole = sessionProcedure.input(updateMemberRoleInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const organizationId = requireOrganizationId(ctx, input.organizationId)
  const named = await ctx.db.member.findUnique({ where: { id: input.memberId, organizationId } })
  return ctx.db.$transaction(async (tx) => {
    const caller = await lockAsMember(tx, ctx, organizationId, named ? [named.userId] : [])
    if (!may(caller.role, 'member', 'update')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    const role = requireRole(input.role)
    const member = named && (await findMembership(tx, organizationId, named.userId))
    if (!member) throw new AppError('MEMBER_NOT_FOUND')
    if (!canManageRole(caller, member.role) || !canManageRole(caller, role))
      throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    if (role === member.role) return presentMember(member)
    if (role === 'owner' && !member.acceptedAt) throw new AppError('MEMBER_HAS_NOT_ACCEPTED')
    await assertMayChangeOwners(tx, ctx, [role, member.role])
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER')

    const changed = await tx.member.update({ where: { id: member.id }, data: { role } })
    const allowed = may(role, 'invitation', 'create') ? rolesUpTo(role) : []
    await cancelInvitationsSentBy(
      tx,
      ctx,
      member,
      roles.filter((known) => !allowed.includes(known)),
    )
    await recordAuditEvent(tx, ctx.client, {
      ...attributeTo(member.userId, ctx),
      organizationId,
      action: 'update-member-role',
      details: { from: member.role, to: role },
    })
    return presentMember(changed)
  })
})
