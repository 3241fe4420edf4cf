import { sessionProcedure } from '../trpc.ts'
import { hasPermissionInput } from './contract.ts'
import { requireCallerMembership } from './membership.ts'
import { mayAll } from './permissions.ts'

export const hasPermission = sessionProcedure.input(hasPermissionInput).mutation(async ({ ctx, input }) => {
  const { role } = await requireCallerMembership(ctx, input)
  return { error: null, success: mayAll(role, input.permissions) }
})
