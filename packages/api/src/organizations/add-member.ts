import { randomUUIDv7 } from 'node:crypto'
import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { sendMemberAdded, sendRoleGiven } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { addMemberInput } from './contract.ts'
import { cancelInvitations } from './invitation.ts'
import { canManageRole, createMembership, lockAsMember, requireOrganizationId, requireRole } from './membership.ts'
import { presentMember } from './present-organization.ts'

/** Adds a user. The membership awaits acceptance; owners need an invitation instead. Also errors of `lockAsMember` and `createMembership`. */
export const addMember = mutation({
  access: 'session',
  sensitive: true,
  input: addMemberInput,
  limit: 'change-organization:user',
  events: ['add-member', 'accept-membership', 'cancel-invitation'],
  mails: ['member-added', 'role-given'],
  cookies: [],

  lock: (tx, { ctx, input }) => lockAsMember(tx, ctx, requireOrganizationId(ctx, input.organizationId), [input.userId]),
  async change(tx, { ctx, input: { userId, role: name }, locked: caller }) {
    const { organizationId } = caller
    if (!may(caller.role, 'member', 'create')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    const role = requireRole(name)
    if (!canManageRole(caller, role)) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    if (role === 'owner') throw new AppError('MEMBER_HAS_NOT_ACCEPTED')
    // The owner of an unverified address may be another person.
    const user = await tx.user.findUnique({ where: { id: userId, emailVerified: true, suspendedAt: null } })
    if (!user) throw new AppError('USER_NOT_FOUND')

    const member = await createMembership(tx, {
      id: randomUUIDv7(),
      organizationId,
      userId,
      role,
      acceptedAt: null,
      heldUntil: null,
    })
    await ctx.limiter.consume('add-member:target', userId)
    await cancelInvitations(tx, ctx, { organizationId, email: user.email })
    const organization = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
    await sendMemberAdded(ctx, tx, user, { organization: organization.name, actor: ctx.user.name })
    await sendRoleGiven(ctx, tx, organization, { email: user.email, role })
    return {
      events: [{ userId, actorId: ctx.user.id, organizationId, action: 'add-member', details: { role } }],
      result: presentMember(member),
    }
  },
})
