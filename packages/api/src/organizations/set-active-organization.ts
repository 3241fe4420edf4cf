import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { setActiveOrganizationInput } from './contract.ts'
import { getOrganizationDetails } from './get-organization.ts'
import { lockAsMember, requireCallerMembership } from './membership.ts'

export const setActiveOrganization = sessionProcedure.input(setActiveOrganizationInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  const { organizationId, organizationSlug } = input
  const session = { id: ctx.session.id }
  if (organizationSlug === undefined && typeof organizationId !== 'string') {
    await ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx)
      await tx.session.updateMany({ where: session, data: { activeOrganizationId: null } })
    })
    return null
  }
  const named = await requireCallerMembership(ctx, { organizationId: organizationId ?? undefined, organizationSlug })
  return ctx.db.$transaction(async (tx) => {
    const caller = await lockAsMember(tx, ctx, named.organizationId)
    await tx.session.updateMany({ where: session, data: { activeOrganizationId: caller.organizationId } })
    return getOrganizationDetails(tx, caller)
  })
})
