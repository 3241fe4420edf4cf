import {
  type AdministratorRole,
  administratorRoles,
  grantRole,
  listAdministrators,
  revokeRole,
  showUser,
} from '@floorpass/api/administration'
import { type Arguments, assertNoPositional, type Command, defineCommand, getOnlyPositional, requireReason } from './arguments.ts'
import { formatTable } from './print.ts'
import { usageError } from './problem.ts'

export const administratorCommands: Record<string, Command> = {
  'grant-role': defineCommand({
    usage: `grant-role <who> --role ${administratorRoles.join('|')} --reason <text>`,
    summary: 'makes a user with a second factor an administrator of the service; the user gets an email',
    options: ['role', 'reason'],
    async run(operator, args) {
      const reason = requireReason(args)
      const role = requireRole(args)
      const { id, email } = await showUser(operator, getOnlyPositional(args, 'who'))
      await args.confirm(email, `This user can then see every account${role === 'admin' ? ', and suspend it' : ''}.`)
      await grantRole(operator, id, role, reason)
      return { data: { role }, text: `${email} has the role ${role}. The user receives an email.` }
    },
  }),
  'revoke-role': defineCommand({
    usage: 'revoke-role <who> --reason <text>',
    summary: 'ends the role of an administrator at once; the user gets an email',
    options: ['reason'],
    async run(operator, args) {
      const reason = requireReason(args)
      const { id, email } = await showUser(operator, getOnlyPositional(args, 'who'))
      const { revoked } = await revokeRole(operator, id, reason)
      const text = revoked === null ? `${email} had no role.` : `${email} no longer has the role ${revoked}.`
      return { data: { revoked }, text }
    },
  }),
  'list-administrators': defineCommand({
    usage: 'list-administrators',
    summary: 'lists the users with a role',
    options: [],
    isRead: true,
    async run(operator, args) {
      assertNoPositional(args)
      const administrators = await listAdministrators(operator)
      const columns = ['id', 'email', 'role', 'twoFactorEnabled', 'suspendedAt'] as const
      return { data: administrators, text: formatTable(administrators, columns, 'There is no administrator. Use grant-role.') }
    },
  }),
}

function requireRole({ flags: { role } }: Arguments<'role'>): AdministratorRole {
  const known = administratorRoles.find((name) => name === role)
  if (known) return known
  throw usageError(
    'A role is missing, or is not valid.',
    `The roles are: ${administratorRoles.join(', ')}.`,
    'Add for example: --role support',
  )
}
