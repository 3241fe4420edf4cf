import { randomUUIDv7 } from 'node:crypto'
import { mutation } from '../mutation.ts'
import { lockCaller } from '../users/lock-user.ts'
import { answerInvitationInput } from './contract.ts'
import { freeSlot } from './free-slot.ts'
import { closeInvitation, requireOwnInvitation } from './invitation.ts'
import { assertNotSuspended, createMembership, getNewRoleHold, lockOrganization, requireRole } from './membership.ts'
import { presentInvitation, presentMember } from './present-organization.ts'

/** Joins the organization and makes it active. ORGANIZATION_SUSPENDED and the errors of `requireOwnInvitation` and `createMembership` leave the invitation open. */
export const acceptInvitation = mutation({
  access: 'session',
  sensitive: false,
  input: answerInvitationInput,
  limit: 'change-organization:user',
  events: ['accept-invitation', 'drop-membership', 'cancel-invitation'],
  mails: ['membership-dropped'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    const found = await requireOwnInvitation(tx, ctx.user.id, input.invitationId)
    const { organizationId } = found
    await freeSlot(ctx, tx, organizationId)
    await assertNotSuspended(tx, organizationId)
    const invitation = await closeInvitation(tx, found, 'accepted')
    const role = requireRole(invitation.role)
    const member = await createMembership(tx, {
      id: randomUUIDv7(),
      organizationId,
      userId: ctx.user.id,
      role,
      acceptedAt: new Date(),
      heldUntil: getNewRoleHold(),
    })
    await tx.session.updateMany({ where: { id: ctx.session.id }, data: { activeOrganizationId: organizationId } })
    return {
      events: [{ organizationId, action: 'accept-invitation', details: { role } }],
      result: { invitation: presentInvitation(invitation), member: presentMember(member) },
    }
  },
})

/** An expired invitation can be declined too. Throws the errors of `requireOwnInvitation`. */
export const rejectInvitation = mutation({
  access: 'session',
  sensitive: false,
  input: answerInvitationInput,
  limit: 'change-organization:user',
  events: ['reject-invitation'],
  mails: [],
  cookies: [],

  async lock(tx, { ctx, input }) {
    await lockCaller(tx, ctx)
    const found = await requireOwnInvitation(tx, ctx.user.id, input.invitationId, { allowExpired: true })
    await lockOrganization(tx, found.organizationId)
    return found
  },
  async change(tx, { locked }) {
    const invitation = await closeInvitation(tx, locked, 'rejected')
    return {
      events: [
        {
          organizationId: invitation.organizationId,
          action: 'reject-invitation',
          details: { invitationId: invitation.id },
        },
      ],
      result: { invitation: presentInvitation(invitation), member: null },
    }
  },
})
