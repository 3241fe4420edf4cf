import type { Member } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { sendMemberRemoved } from '../mail/notifications.ts'
import { sessionProcedure } from '../trpc.ts'
import { removeMemberInput } from './contract.ts'
import { happenedTo } from './invitation.ts'
import {
  assertMayChangeOwners,
  changeAsMember,
  endMembership,
  findMembership,
  namedOrActive,
  reaches,
  refuseLastOwner,
} from './membership.ts'
import { may } from './permissions.ts'
import { presentMember } from './present-organization.ts'

/**
 * Ends somebody's membership, and mails them unless they did it themselves. Spec: Organizations. ORGANIZATION_NOT_FOUND, MEMBER_NOT_FOUND,
 * YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER (also when the member's role is above the caller's),
 * YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER and, for an owner, the codes of `assertMayChangeOwners`.
 */
export const removeMember = sessionProcedure.input(removeMemberInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const organizationId = namedOrActive(ctx, input.organizationId)
  const named = await findNamed(ctx, organizationId, input.memberIdOrEmail)
  const removed = await ctx.db.$transaction(async (tx) => {
    const caller = await changeAsMember(tx, ctx, organizationId, named ? [named.userId] : [])
    if (!may(caller.role, 'member', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    const member = named && (await findMembership(tx, organizationId, named.userId))
    if (!member) throw new AppError('MEMBER_NOT_FOUND')
    if (!reaches(caller, member.role)) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    await assertMayChangeOwners(tx, ctx, [member.role])
    await refuseLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')

    await endMembership(tx, ctx, member)
    const { userId, role } = member
    const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const { name } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
    await recordAuditEvent(tx, ctx.client, {
      ...happenedTo(userId, ctx),
      organizationId,
      action: 'remove-member',
      details: { role },
    })
    // Who removes themselves knows.
    if (userId !== ctx.user.id) await sendMemberRemoved(ctx, tx, user, { organization: name })
    return member
  })
  ctx.mail.wake()
  return { member: presentMember(removed) }
})

const findNamed = ({ db }: Context, organizationId: string, memberIdOrEmail: string): Promise<Member | null> =>
  db.member.findFirst({
    where: { organizationId, OR: [{ id: memberIdOrEmail }, { user: { email: memberIdOrEmail.toLowerCase() } }] },
  })
