import { randomUUIDv7 } from 'node:crypto'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sendMemberAdded } from '../mail/notifications.ts'
import { sessionProcedure } from '../trpc.ts'
import { addMemberInput } from './contract.ts'
import { cancelInvitations } from './invitation.ts'
import { canManageRole, createMembership, lockAsMember, requireOrganizationId, requireRole } from './membership.ts'
import { may } from './permissions.ts'
import { presentMember } from './present-organization.ts'

/** Adds a user. The membership awaits acceptance; owners need an invitation instead. Also errors of `lockAsMember` and `createMembership`. */
export const addMember = sessionProcedure.input(addMemberInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const organizationId = requireOrganizationId(ctx, input.organizationId)
  const { userId } = input
  const member = await ctx.db.$transaction(async (tx) => {
    const caller = await lockAsMember(tx, ctx, organizationId, [userId])
    if (!may(caller.role, 'member', 'create')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    const role = requireRole(input.role)
    if (!canManageRole(caller, role)) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    if (role === 'owner') throw new AppError('MEMBER_HAS_NOT_ACCEPTED')
    // The owner of an unverified address may be another person.
    const user = await tx.user.findUnique({ where: { id: userId, emailVerified: true, suspendedAt: null } })
    if (!user) throw new AppError('USER_NOT_FOUND')

    const added = await createMembership(tx, { id: randomUUIDv7(), organizationId, userId, role, acceptedAt: null })
    await ctx.limiter.consume('add-member:target', userId)
    await cancelInvitations(tx, ctx, { organizationId, email: user.email })
    const { name } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
    await recordAuditEvent(tx, ctx.client, {
      userId,
      actorId: ctx.user.id,
      organizationId,
      action: 'add-member',
      details: { role },
    })
    await sendMemberAdded(ctx, tx, user, { organization: name, actor: ctx.user.name })
    return added
  })
  ctx.mail.wake()
  return presentMember(member)
})
