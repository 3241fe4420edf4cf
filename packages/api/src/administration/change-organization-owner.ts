import { AppError } from '../kernel/errors.ts'
import { sendOwnerChanged } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { cancelInvitations } from '../organizations/invitation.ts'
import { findMembership, getNewRoleHold, lockOrganization } from '../organizations/membership.ts'
import { asOperator, assertNotOneself, type Operator, toActor } from './operator.ts'
import { changeOrganizationOwnerInput } from './organization-contract.ts'
import { showOrganization } from './organizations.ts'

/**
 * Makes a member the only owner. The former owners become administrators of the organization, and their invitations of owners end.
 * Mails all of them. ORGANIZATION_NOT_FOUND, MEMBER_NOT_FOUND, MEMBER_HAS_NOT_ACCEPTED, USER_SUSPENDED.
 */
export async function changeOrganizationOwner(
  operator: Operator<'change-organization-owner' | 'cancel-invitation', 'organization-owner-changed'>,
  organizationId: string,
  userId: string,
  reason: string,
): Promise<void> {
  const { ctx } = operator
  const known = await ctx.db.member.findMany({ where: { organizationId, OR: [{ role: 'owner' }, { userId }] } })
  await ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, ...known.map((member) => member.userId))
    if (!(await lockOrganization(tx, organizationId))) throw new AppError('ORGANIZATION_NOT_FOUND')
    const member = await findMembership(tx, organizationId, userId)
    if (!member) throw new AppError('MEMBER_NOT_FOUND')
    if (!member.acceptedAt) throw new AppError('MEMBER_HAS_NOT_ACCEPTED')
    if ((await tx.user.count({ where: { id: userId, suspendedAt: { not: null } } })) > 0) throw new AppError('USER_SUSPENDED')
    const former = await tx.member.findMany({ where: { organizationId, role: 'owner', userId: { not: userId } } })
    if (former.length === 0 && member.role === 'owner') return

    const formerIds = former.map((owner) => owner.userId)
    await tx.member.updateMany({ where: { organizationId, userId: { in: formerIds } }, data: { role: 'admin' } })
    const invitations = { organizationId, inviterId: { in: formerIds }, role: 'owner' }
    await cancelInvitations(tx, { record: ctx.record, user: { id: operator.actorId } }, invitations)
    if (member.role !== 'owner')
      await tx.member.update({ where: { id: member.id }, data: { role: 'owner', heldUntil: getNewRoleHold() } })
    const event = { organizationId, ...toActor(operator), action: 'change-organization-owner' as const }
    const changes = [
      ...former.map((owner) => ({ userId: owner.userId, from: 'owner', to: 'admin' })),
      ...(member.role === 'owner' ? [] : [{ userId, from: member.role, to: 'owner' }]),
    ]
    await ctx.record(tx, ...changes.map(({ userId, from, to }) => ({ ...event, userId, details: { from, to, reason } })))
    await sendOwnerChanged(ctx, tx, organizationId, userId, formerIds)
  })
}

/** YOU_CANNOT_ADMINISTER_YOURSELF; errors of `changeOrganizationOwner`. */
export const changeAnyOrganizationOwner = customMutation({
  access: 'organization:transfer',
  sensitive: true,
  input: changeOrganizationOwnerInput,
  limit: null,
  lock: 'own',
  events: ['change-organization-owner', 'cancel-invitation'],
  mails: ['organization-owner-changed'],
  cookies: [],

  async run({ ctx, input: { organizationId, userId, reason } }) {
    assertNotOneself(ctx, userId)
    await changeOrganizationOwner(asOperator(ctx, 'organization:transfer'), organizationId, userId, reason)
    return { organization: await showOrganization({ ctx }, organizationId) }
  },
})
