import { isUniqueViolation, type Prisma } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { updateOrganizationInput } from './contract.ts'
import { lockAsMember, requireOrganizationId } from './membership.ts'
import { may } from './permissions.ts'
import { presentOrganization } from './present-organization.ts'

/** Updates an organization; `metadata` is replaced as a whole. Also errors of `lockAsMember`. */
export const updateOrganization = sessionProcedure.input(updateOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const id = requireOrganizationId(ctx, input.organizationId)
  const entries = Object.entries(input.data).filter(([, value]) => value !== undefined)
  const data: Prisma.OrganizationUpdateInput = Object.fromEntries(entries)
  return ctx.db
    .$transaction(async (tx) => {
      const caller = await lockAsMember(tx, ctx, id)
      if (!may(caller.role, 'organization', 'update')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
      if (entries.length === 0) return presentOrganization(await tx.organization.findUniqueOrThrow({ where: { id } }))
      const organization = await tx.organization.update({ where: { id }, data })
      await recordAuditEvent(tx, ctx.client, {
        userId: ctx.user.id,
        organizationId: id,
        action: 'update-organization',
        details: { fields: entries.map(([field]) => field).join(',') },
      })
      return presentOrganization(organization)
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new AppError('ORGANIZATION_SLUG_ALREADY_TAKEN', { cause: error }) : error
    })
})
