import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { activeMemberInput, activeMemberRoleInput } from './contract.ts'
import { findMembership, readAsMember } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

/** The caller's own membership. ORGANIZATION_NOT_FOUND, NO_ACTIVE_ORGANIZATION. */
export const getActiveMember = sessionProcedure
  .input(activeMemberInput)
  .query(async ({ ctx, input }) => presentMemberWithUser({ ...(await readAsMember(ctx, input)), user: ctx.user }))

/** The caller's role, or a fellow member's. ORGANIZATION_NOT_FOUND, NO_ACTIVE_ORGANIZATION, MEMBER_NOT_FOUND. */
export const getActiveMemberRole = sessionProcedure.input(activeMemberRoleInput).query(async ({ ctx, input }) => {
  const caller = await readAsMember(ctx, input)
  if (input.userId === undefined) return { role: caller.role }
  const member = await findMembership(ctx.db, caller.organizationId, input.userId)
  if (!member) throw new AppError('MEMBER_NOT_FOUND')
  return { role: member.role }
})
