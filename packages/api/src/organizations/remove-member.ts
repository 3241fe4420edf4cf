import type { Member } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { sendMemberRemoved } from '../mail/notifications.ts'
import { sessionProcedure } from '../trpc.ts'
import { removeMemberInput } from './contract.ts'
import { attributeTo } from './invitation.ts'
import {
  assertMayChangeOwners,
  assertNotLastOwner,
  canManageRole,
  deleteMembership,
  findMembership,
  lockAsMember,
  requireOrganizationId,
} from './membership.ts'
import { may } from './permissions.ts'
import { presentMember } from './present-organization.ts'

/** Removes and mails a member. Also errors of `lockAsMember`, `assertMayChangeOwners` and `assertNotLastOwner`. */
export const removeMember = sessionProcedure.input(removeMemberInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const organizationId = requireOrganizationId(ctx, input.organizationId)
  const named = await findMember(ctx, organizationId, input.memberIdOrEmail)
  const removed = await ctx.db.$transaction(async (tx) => {
    const caller = await lockAsMember(tx, ctx, organizationId, named ? [named.userId] : [])
    if (!may(caller.role, 'member', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    const member = named && (await findMembership(tx, organizationId, named.userId))
    if (!member) throw new AppError('MEMBER_NOT_FOUND')
    if (!canManageRole(caller, member.role)) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    await assertMayChangeOwners(tx, ctx, [member.role])
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')

    await deleteMembership(tx, ctx, member)
    const { userId, role } = member
    const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const { name } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
    await recordAuditEvent(tx, ctx.client, {
      ...attributeTo(userId, ctx),
      organizationId,
      action: 'remove-member',
      details: { role },
    })
    if (userId !== ctx.user.id) await sendMemberRemoved(ctx, tx, user, { organization: name })
    return member
  })
  ctx.mail.wake()
  return { member: presentMember(removed) }
})

const findMember = ({ db }: Context, organizationId: string, memberIdOrEmail: string): Promise<Member | null> =>
  db.member.findFirst({
    where: { organizationId, OR: [{ id: memberIdOrEmail }, { user: { email: memberIdOrEmail.toLowerCase() } }] },
  })
