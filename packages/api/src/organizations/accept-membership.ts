import { sessionProcedure } from '../trpc.ts'
import { acceptMembershipInput } from './contract.ts'
import { lockAsMember } from './membership.ts'
import { presentMember } from './present-organization.ts'

/** Accepts a membership that another member created. Repeats have no effect. ORGANIZATION_NOT_FOUND. */
export const acceptMembership = sessionProcedure.input(acceptMembershipInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  return ctx.db.$transaction(async (tx) => presentMember(await lockAsMember(tx, ctx, input.organizationId)))
})
