import { mayAll } from '../kernel/role-permissions.ts'
import { customMutation } from '../mutation.ts'
import { hasPermissionInput } from './contract.ts'
import { requireCallerMembership } from './membership.ts'

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
    const { role } = await requireCallerMembership(ctx, input)
    return { error: null, success: mayAll(role, input.permissions) }
  },
})
