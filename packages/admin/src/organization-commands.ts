import {
  changeOrganizationOwner,
  findOrganizations,
  mostFound,
  presentFoundOrganization,
  restoreOrganization,
  showOrganization,
  showUser,
  suspendOrganization,
} from '@floorpass/api/administration'
import { type Command, getOnlyPositional, requireReason } from './arguments.ts'
import { formatRecord, formatTable } from './print.ts'
import { usageError } from './problem.ts'

export const organizationCommands: Record<string, Command> = {
  'find-organization': {
    usage: 'find-organization <what>',
    summary: `finds organizations by id or the beginning of a short name or of a name (at most ${mostFound})`,
    options: [],
    isRead: true,
    async run(operator, args) {
      const found = (await findOrganizations(operator, getOnlyPositional(args, 'what'))).map(presentFoundOrganization)
      const columns = ['id', 'slug', 'createdAt', 'suspendedAt', 'name'] as const
      return { data: found, text: formatTable(found, columns, 'No organization found.') }
    },
  },
  'show-organization': {
    usage: 'show-organization <id>',
    summary: 'shows an organization and its members',
    options: [],
    isRead: true,
    async run(operator, args) {
      const organization = await showOrganization(operator, getOnlyPositional(args, 'id'))
      const { members, ...facts } = organization
      const rows = members.map(({ userId, role, acceptedAt, user }) => ({ userId, role, acceptedAt, email: user.email }))
      const table = formatTable(rows, ['userId', 'role', 'acceptedAt', 'email'], 'It has no members.')
      return { data: organization, text: `${formatRecord(facts)}\n\n${table}` }
    },
  },
  'suspend-organization': {
    usage: 'suspend-organization <id> --reason <text>',
    summary: 'suspends an organization: no role in it counts, and its API keys are refused',
    options: ['reason'],
    async run(operator, args) {
      const reason = requireReason(args)
      const { id, slug } = await showOrganization(operator, getOnlyPositional(args, 'id'))
      await args.confirm(slug, 'Its members cannot use it, and its API keys stop working at once.')
      await suspendOrganization(operator, id, reason)
      return { data: { id, suspended: true }, text: `The organization ${slug} is suspended.` }
    },
  },
  'restore-organization': {
    usage: 'restore-organization <id> --reason <text>',
    summary: 'ends the suspension of an organization',
    options: ['reason'],
    async run(operator, args) {
      const reason = requireReason(args)
      const { id, slug } = await showOrganization(operator, getOnlyPositional(args, 'id'))
      await restoreOrganization(operator, id, reason)
      return { data: { id, suspended: false }, text: `The organization ${slug} is not suspended.` }
    },
  },
  'change-organization-owner': {
    usage: 'change-organization-owner <id> --user <who> --reason <text>',
    summary: 'makes a member the only owner; the former owners become administrators of the organization; mails all of them',
    options: ['user', 'reason'],
    async run(operator, args) {
      const reason = requireReason(args)
      const { user } = args.flags
      if (user === undefined)
        throw usageError('A user is missing.', 'Name the member.', 'Add for example: --user grace@example.com')
      const { id, slug } = await showOrganization(operator, getOnlyPositional(args, 'id'))
      const owner = await showUser(operator, user)
      await args.confirm(slug, `${owner.email} becomes its only owner.`)
      await changeOrganizationOwner(operator, id, owner.id, reason)
      return { data: { id, owner: owner.id }, text: `${owner.email} is the owner of ${slug}.` }
    },
  },
}
