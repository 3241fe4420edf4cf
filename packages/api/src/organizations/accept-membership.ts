import { sessionProcedure } from '../trpc.ts'
import { acceptMembershipInput } from './contract.ts'
import { changeAsMember } from './membership.ts'
import { presentMember } from './present-organization.ts'

/** The caller accepts a membership that another member gave them. No effect the second time. ORGANIZATION_NOT_FOUND. */
export const acceptMembership = sessionProcedure.input(acceptMembershipInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('change-organization:user', ctx.user.id)
  return ctx.db.$transaction(async (tx) => presentMember(await changeAsMember(tx, ctx, input.organizationId)))
})
