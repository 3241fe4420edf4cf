import { recordAuditEvents } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { deleteOrganizationInput } from './contract.ts'
import { attributeTo } from './invitation.ts'
import { assertMayChangeOwners, lockAsMember } from './membership.ts'
import { may } from './permissions.ts'
import { presentOrganization } from './present-organization.ts'

/** Deletes an organization and records it for every member. Also errors of `lockAsMember` and `assertMayChangeOwners`. */
export const deleteOrganization = sessionProcedure.input(deleteOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const id = input.organizationId
  return ctx.db.$transaction(async (tx) => {
    const findMemberUserIds = async () =>
      (await tx.member.findMany({ where: { organizationId: id } })).map(({ userId }) => userId)
    // The deletion changes the members' sessions, so their rows are locked first.
    const locked = new Set(await findMemberUserIds())
    const caller = await lockAsMember(tx, ctx, id, [...locked])
    if (!may(caller.role, 'organization', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION')
    await assertMayChangeOwners(tx, ctx, ['owner'])
    // A member who joined before the lock is not locked, and may be deleting their account now.
    const userIds = (await findMemberUserIds()).filter((userId) => locked.has(userId))
    const event = { organizationId: id, action: 'delete-organization' as const }
    const events = userIds.map((userId) => ({ ...attributeTo(userId, ctx), ...event }))
    const organization = await tx.organization.delete({ where: { id } })
    await recordAuditEvents(tx, ctx.client, events)
    return presentOrganization(organization)
  })
})
