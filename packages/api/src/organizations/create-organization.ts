import { randomUUIDv7 } from 'node:crypto'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { createOrganizationInput } from './contract.ts'
import { freeSlot } from './free-slot.ts'
import { createMembership } from './membership.ts'
import { presentMember, presentOrganization } from './present-organization.ts'

export const createOrganization = sessionProcedure.input(createOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const { keepCurrentActiveOrganization, metadata, ...fields } = input
  const userId = ctx.user.id
  const created = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    // Before the insert: a transaction that waits for the slug may hold the organization that freeSlot locks.
    await freeSlot(ctx, tx)
    const [organization] = await tx.organization.createManyAndReturn({
      data: [{ ...fields, logo: fields.logo ?? null, ...(metadata && { metadata: metadata as object }) }],
      skipDuplicates: true,
    })
    if (!organization) throw new AppError('ORGANIZATION_ALREADY_EXISTS')
    const organizationId = organization.id
    const owner = await createMembership(tx, {
      id: randomUUIDv7(),
      organizationId,
      userId,
      role: 'owner',
      acceptedAt: new Date(),
    })
    if (!keepCurrentActiveOrganization)
      await tx.session.updateMany({ where: { id: ctx.session.id }, data: { activeOrganizationId: organizationId } })
    await recordAuditEvent(tx, ctx.client, { userId, organizationId, action: 'create-organization' })
    return { ...presentOrganization(organization), members: [presentMember(owner)] }
  })
  ctx.mail.wake()
  return created
})
