import { sessionProcedure } from '../trpc.ts'
import { hasPermissionInput } from './contract.ts'
import { requireCallerMembership } from './membership.ts'
import { mayAll } from './permissions.ts'

/** Checks whether the caller's role has every permission. ORGANIZATION_NOT_FOUND, NO_ACTIVE_ORGANIZATION. */
export const hasPermission = sessionProcedure.input(hasPermissionInput).mutation(async ({ ctx, input }) => {
  const { role } = await requireCallerMembership(ctx, input)
  return { error: null, success: mayAll(role, input.permissions) }
})
