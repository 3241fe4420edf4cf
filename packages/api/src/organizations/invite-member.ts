import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import { may } from '../kernel/role-permissions.ts'
import { sendInvitation, sendRoleGiven } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { inviteMemberInput } from './contract.ts'
import { assertMayChangeOwners, canManageRole, lockAsMember, requireOrganizationId, requireRole } from './membership.ts'
import { presentInvitation } from './present-organization.ts'

/** `resend` voids the former link. The answer does not reveal whether the email has an account. */
export const inviteMember = mutation({
  access: 'session',
  sensitive: true,
  input: inviteMemberInput,
  limit: 'invite:user',
  events: ['invite-member', 'accept-membership'],
  mails: ['organization-invitation', 'role-given'],
  cookies: [],

  lock: (tx, { ctx, input }) => lockAsMember(tx, ctx, requireOrganizationId(ctx, input.organizationId)),
  async change(tx, { ctx, input: { email, resend, ...input }, locked: caller }) {
    const { organizationId } = caller
    if (!may(caller.role, 'invitation', 'create')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION')
    const role = requireRole(input.role)
    if ((await tx.member.count({ where: { organizationId, user: { email } } })) > 0)
      throw new AppError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')

    const now = new Date()
    const open = await tx.invitation.findFirst({ where: { organizationId, email, status: 'pending' } })
    if (!canManageRole(caller, role) || (open && !canManageRole(caller, open.role)))
      throw new AppError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE')
    await assertMayChangeOwners(tx, ctx, caller, [role])
    if (open && open.expiresAt > now && !resend) throw new AppError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')
    const pending = { organizationId, status: 'pending', expiresAt: { gt: now }, email: { not: email } }
    if ((await tx.invitation.count({ where: pending })) >= policy.organizations.pendingInvitations)
      throw new AppError('INVITATION_LIMIT_REACHED')

    // Refused requests must not use up the limits of an address.
    await ctx.limiter.consume('invite:organization-address', `${organizationId} ${email}`)
    await ctx.limiter.consume('invite:address', email)
    const secret = createToken()
    const expiresAt = new Date(now.getTime() + policy.organizations.invitationLifetime * 1000)
    const createdAt = open && open.expiresAt > now ? open.createdAt : now
    const fields = { createdAt, role, inviterId: ctx.user.id, secretHash: hashToken(secret), expiresAt }
    // Account suspension and deletion change invitations without locking the organization.
    const [renewed] = open
      ? await tx.invitation.updateManyAndReturn({ where: { id: open.id, status: 'pending' }, data: fields })
      : []
    const invitation = renewed ?? (await tx.invitation.create({ data: { ...fields, organizationId, email } }))
    const organization = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
    await sendInvitation(ctx, tx, email, { secret, organization: organization.name, inviter: ctx.user.name, role })
    await sendRoleGiven(ctx, tx, organization, { email, role })
    return {
      events: [{ organizationId, action: 'invite-member', details: { role, invitationId: invitation.id } }],
      result: presentInvitation(invitation),
    }
  },
})
