import { type AdministratorRole, administratorRoles } from '../kernel/administrator-roles.ts'
import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { setRoleInput } from './contract.ts'
import { presentFoundUser } from './find-users.ts'
import { grantRole, revokeRole } from './grant-role.ts'
import { asApprovingOperator, assertNotOneself, requireUser } from './operator.ts'

/** `user` takes the role away. YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE; errors of `grantRole` and `revokeRole`. */
export const setRole = customMutation({
  access: 'user:set-role',
  sensitive: true,
  input: setRoleInput,
  limit: null,
  lock: 'own',
  events: ['grant-role', 'revoke-role', 'request-approval', 'reject-approval'],
  mails: ['administrator-role', 'approval-requested'],
  cookies: [],

  async run({ ctx, input: { userId, role: roles, reason } }) {
    assertNotOneself(ctx, userId)
    const role = toRole(roles)
    const operator = asApprovingOperator<'grant-role' | 'revoke-role', 'administrator-role'>(ctx, 'user:set-role')
    await (role === 'user' ? revokeRole(operator, userId, reason) : grantRole(operator, userId, role, reason))
    return { user: presentFoundUser(await requireUser({ ctx }, userId)) }
  },
})

function toRole([role, ...others]: string[]): AdministratorRole | 'user' {
  const known = others.length === 0 ? (['user', ...administratorRoles] as const).find((name) => name === role) : undefined
  if (!known) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE')
  return known
}
