import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { mutation } from '../mutation.ts'
import { lockCaller } from '../users/lock-user.ts'
import { cancelInvitationInput } from './contract.ts'
import { closeInvitation } from './invitation.ts'
import { canManageRole, findMembership, lockOrganization } from './membership.ts'
import { presentInvitation } from './present-organization.ts'

/** Cancels an open invitation. INVITATION_NOT_FOUND, YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION unless the caller may invite to its role. */
export const cancelInvitation = mutation({
  access: 'session',
  sensitive: false,
  input: cancelInvitationInput,
  limit: 'change-organization:user',
  events: ['cancel-invitation'],
  mails: [],
  cookies: [],

  async lock(tx, { ctx, input: { invitationId: id } }) {
    await lockCaller(tx, ctx)
    const invitation = await tx.invitation.findUnique({ where: { id } })
    if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
    await lockOrganization(tx, invitation.organizationId)
    // A concurrent resend may have changed the role.
    return tx.invitation.findUnique({ where: { id } })
  },
  async change(tx, { ctx, locked: open }) {
    const caller = open && (await findMembership(tx, open.organizationId, ctx.user.id))
    if (!caller) throw new AppError('INVITATION_NOT_FOUND')
    if (!may(caller.role, 'invitation', 'cancel') || !canManageRole(caller, open.role))
      throw new AppError('YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION')
    const invitation = await closeInvitation(tx, open, 'canceled')
    return {
      events: [{ organizationId: open.organizationId, action: 'cancel-invitation', details: { invitationId: open.id } }],
      result: presentInvitation(invitation),
    }
  },
})
