import { mayAll } from '../kernel/role-permissions.ts'
import { customMutation } from '../mutation.ts'
import { hasPermissionInput } from './contract.ts'
import { isSuspended, requireCallerMembership } from './membership.ts'

export const hasPermission = customMutation({
  access: 'session',
  whileImpersonated: true,
  sensitive: false,
  input: hasPermissionInput,
  limit: null,
  lock: 'none',
  events: [],
  mails: [],
  cookies: [],

  async run({ ctx, input }) {
    const { role, organizationId } = await requireCallerMembership(ctx, input)
    const mayAct = mayAll(role, input.permissions) && !(await isSuspended(ctx.db, organizationId))
    return { error: null, success: mayAct }
  },
})
