import { sessionProcedure } from '../trpc.ts'
import { hasPermissionInput } from './contract.ts'
import { readAsMember } from './membership.ts'
import { mayAll } from './permissions.ts'

/** Whether the caller's role allows all that is asked: `{ permissions: { member: ['create'] } }`. ORGANIZATION_NOT_FOUND, NO_ACTIVE_ORGANIZATION. */
export const hasPermission = sessionProcedure.input(hasPermissionInput).mutation(async ({ ctx, input }) => {
  const { role } = await readAsMember(ctx, input)
  return { error: null, success: mayAll(role, input.permissions) }
})
