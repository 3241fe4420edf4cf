import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { activeMemberInput, activeMemberRoleInput } from './contract.ts'
import { findMembership, requireCallerMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

export const getActiveMember = sessionProcedure
  .input(activeMemberInput)
  .query(async ({ ctx, input }) => presentMemberWithUser({ ...(await requireCallerMembership(ctx, input)), user: ctx.user }))

export const getActiveMemberRole = sessionProcedure.input(activeMemberRoleInput).query(async ({ ctx, input }) => {
  const caller = await requireCallerMembership(ctx, input)
  if (input.userId === undefined) return { role: caller.role }
  const member = await findMembership(ctx.db, caller.organizationId, input.userId)
  if (!member) throw new AppError('MEMBER_NOT_FOUND')
  return { role: member.role }
})
