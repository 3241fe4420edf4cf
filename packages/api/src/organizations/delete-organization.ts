import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { mutation } from '../mutation.ts'
import { deleteOrganizationInput } from './contract.ts'
import { attributeTo } from './invitation.ts'
import { assertMayChangeOwners, findMemberUserIds, lockAsMember } from './membership.ts'
import { presentOrganization } from './present-organization.ts'

/** Deletes an organization and records it for every member. Also errors of `lockAsMember` and `assertMayChangeOwners`. */
export const deleteOrganization = mutation({
  access: 'session',
  sensitive: true,
  input: deleteOrganizationInput,
  limit: 'change-organization:user',
  events: ['delete-organization', 'accept-membership'],
  mails: [],
  cookies: [],

  // The deletion changes the members' sessions, so their rows are locked first.
  async lock(tx, { ctx, input: { organizationId } }) {
    const userIds = await findMemberUserIds(tx, organizationId)
    return { caller: await lockAsMember(tx, ctx, organizationId, userIds), userIds }
  },
  async change(tx, { ctx, input: { organizationId }, locked: { caller, userIds } }) {
    if (!may(caller.role, 'organization', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION')
    await assertMayChangeOwners(tx, ctx, caller, ['owner'])
    // A member who joined before the lock is not locked, and may be deleting their account now.
    const members = (await findMemberUserIds(tx, organizationId)).filter((userId) => userIds.includes(userId))
    const organization = await tx.organization.delete({ where: { id: organizationId } })
    return {
      events: members.map((userId) => ({ ...attributeTo(userId, ctx), organizationId, action: 'delete-organization' })),
      result: presentOrganization(organization),
    }
  },
})
