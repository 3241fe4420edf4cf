import { AppError } from '../errors.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { deleteOrganizationInput } from './contract.ts'
import { changeAsMember } from './membership.ts'
import { may } from './permissions.ts'
import { presentOrganization } from './present-organization.ts'

/**
 * Deletes an organization with its members and invitations; it is nobody's active one any more. Spec: Organizations.
 * ORGANIZATION_NOT_FOUND, YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION.
 */
export const deleteOrganization = sessionProcedure.input(deleteOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const id = input.organizationId
  return ctx.db.$transaction(async (tx) => {
    // The sessions of all of them change.
    const members = await tx.member.findMany({ where: { organizationId: id }, select: { userId: true } })
    const isInside = members.some(({ userId }) => userId === ctx.user.id)
    const caller = await changeAsMember(tx, ctx, id, isInside ? members.map(({ userId }) => userId) : [])
    if (!may(caller.role, 'organization', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION')
    const organization = await tx.organization.delete({ where: { id } })
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, organizationId: id, action: 'delete-organization' })
    return presentOrganization(organization)
  })
})
