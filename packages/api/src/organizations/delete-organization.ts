import { recordAuditEvents } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { deleteOrganizationInput } from './contract.ts'
import { happenedTo } from './invitation.ts'
import { assertMayChangeOwners, changeAsMember } from './membership.ts'
import { may } from './permissions.ts'
import { presentOrganization } from './present-organization.ts'

/**
 * Deletes an organization with its members and invitations; it is nobody's active one any more, and on record for each of them.
 * Spec: Organizations.
 * ORGANIZATION_NOT_FOUND, YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION and the codes of `assertMayChangeOwners`.
 */
export const deleteOrganization = sessionProcedure.input(deleteOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const id = input.organizationId
  return ctx.db.$transaction(async (tx) => {
    const usersInside = async () => (await tx.member.findMany({ where: { organizationId: id } })).map(({ userId }) => userId)
    // The sessions of all of them change.
    const locked = new Set(await usersInside())
    const caller = await changeAsMember(tx, ctx, id, [...locked])
    if (!may(caller.role, 'organization', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION')
    await assertMayChangeOwners(tx, ctx, ['owner'])
    // Who joined before the organization was locked is not: their account may be going this very moment.
    const told = (await usersInside()).filter((userId) => locked.has(userId))
    const event = { organizationId: id, action: 'delete-organization' as const }
    const events = told.map((userId) => ({ ...happenedTo(userId, ctx), ...event }))
    const organization = await tx.organization.delete({ where: { id } })
    await recordAuditEvents(tx, ctx.client, events)
    return presentOrganization(organization)
  })
})
