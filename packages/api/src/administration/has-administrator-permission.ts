import { mayAdminister } from '../kernel/administrator-roles.ts'
import { sessionProcedure } from '../trpc.ts'
import { administratorPermissionInput } from './contract.ts'

/** Whether the role of the caller has every permission. A route still needs a recent proof. */
export const hasAdministratorPermission = sessionProcedure.input(administratorPermissionInput).query(({ ctx, input }) => {
  const asked = Object.entries(input.permissions).flatMap(([resource, acts]) => acts.map((act) => `${resource}:${act}`))
  return { error: null, success: asked.every((permission) => mayAdminister(ctx.user.role, permission)) }
})
