import { writeFile } from 'node:fs/promises'
import { policy } from '@floorpass/api'
import {
  disableUserTwoFactor,
  dropRefusedMails,
  exportUser,
  findUsers,
  listAuditEvents,
  listRefusedMails,
  listUserSessions,
  mostFound,
  mostMails,
  type Operator,
  restoreUser,
  retryRefusedMails,
  revokeUserSessions,
  showUser,
  suspendUser,
  usualEvents,
  verifyUserAddress,
} from '@floorpass/api/administration'
import { type Arguments, numberOf, type Outcome, one, reasonOf, timeOf } from './arguments.ts'
import { importUsers } from './import-users.ts'
import { sheet, table } from './print.ts'
import { CommandError, usageError } from './problem.ts'

type Command = {
  usage: string
  does: string
  options: readonly (keyof Arguments['flags'])[]
  run(operator: Operator, args: Arguments): Promise<Outcome>
}

/** Every command, in the order of the help. `<who>` is an address, an id, or a provider's id of the person: google:1234. */
export const commands: Record<string, Command> = {
  find: {
    usage: 'find <who>',
    does: `users by id, google:<id>, github:<id>, or a part of their address (${mostFound} at most)`,
    options: [],
    async run(operator, args) {
      const users = await findUsers(operator, one(args, 'who'))
      return {
        data: users,
        text: table(users, ['id', 'email', 'emailVerified', 'twoFactorEnabled', 'suspendedAt', 'name'], 'Nobody.'),
      }
    },
  },
  show: {
    usage: 'show <who>',
    does: 'one user: ways to sign in, second factor, organizations',
    options: [],
    async run(operator, args) {
      const user = await showUser(operator, one(args, 'who'))
      return { data: user, text: sheet(user) }
    },
  },
  sessions: {
    usage: 'sessions <who>',
    does: 'their live sessions',
    options: [],
    async run(operator, args) {
      const sessions = await listUserSessions(operator, one(args, 'who'))
      const columns = ['id', 'createdAt', 'lastSeenAt', 'ipAddress', 'browser', 'os', 'trusted'] as const
      return { data: sessions, text: table(sessions, columns, 'No session.') }
    },
  },
  'revoke-sessions': {
    usage: 'revoke-sessions <who> [--session <id>]',
    does: 'ends all of them, or one, and the trust of the devices; at once',
    options: ['session'],
    async run(operator, args) {
      const result = await revokeUserSessions(operator, one(args, 'who'), args.flags.session)
      // Who named one must not take a thief for gone.
      const exitCode = args.flags.session !== undefined && result.revoked === 0 ? 1 : 0
      return { data: result, text: `${count(result.revoked, 'session')} ended.`, exitCode }
    },
  },
  suspend: {
    usage: 'suspend <who> --reason <text>',
    does: 'closes an account at once: sessions, devices, links and the invitations it sent end, and nothing opens it',
    options: ['reason'],
    async run(operator, args) {
      const reason = reasonOf(args)
      const { id, email } = await showUser(operator, one(args, 'who'))
      await args.confirm(email, 'Its owner is locked out until you restore it.')
      const result = await suspendUser(operator, id, reason)
      return { data: result, text: `${email} is suspended, ${count(result.revoked, 'session')} ended.` }
    },
  },
  restore: {
    usage: 'restore <who> --reason <text> [--clear-password]',
    does: 'opens a suspended account again, with a link to choose a new password if a stranger knew it',
    options: ['reason', 'clear-password'],
    async run(operator, args) {
      const reason = reasonOf(args)
      const { id, email } = await showUser(operator, one(args, 'who'))
      const clearPassword = args.flags['clear-password'] ?? false
      await args.confirm(email, clearPassword ? 'Who reads its mail chooses its password.' : 'Its password opens it again.')
      const result = await restoreUser(operator, id, reason, { clearPassword })
      if (!result.restored)
        throw new CommandError({
          what: `${email} is not suspended, and nothing was changed.`,
          why: 'An open account has sessions, and who is signed in could choose the password next.',
          fix: `To end its sessions and clear its password, \`suspend\` it first.`,
        })
      const hint = clearPassword ? ' A link to choose a password is mailed.' : ''
      return { data: result, text: `${email} is open again.${hint}` }
    },
  },
  'verify-address': {
    usage: 'verify-address <who> --reason <text> [--keep-password]',
    does: 'vouches that the address is theirs, and mails it a link to choose a password unless theirs is kept',
    options: ['reason', 'keep-password'],
    async run(operator, args) {
      const reason = reasonOf(args)
      const user = await showUser(operator, one(args, 'who'))
      const keepPassword = args.flags['keep-password'] ?? false
      const whose = keepPassword ? 'The password that was chosen with this address counts from now on, whoever chose it.' : ''
      await args.confirm(user.email, whose || 'Who reads its mail chooses its password.')
      const result = await verifyUserAddress(operator, user, reason, { keepPassword })
      const hint = result.passwordCleared ? ' No password counts: they are mailed a link to choose one.' : ''
      return { data: result, text: `The address ${user.email} is verified.${hint}` }
    },
  },
  'disable-two-factor': {
    usage: 'disable-two-factor <who> --reason <text>',
    does: 'for somebody who lost phone and backup codes, after you checked who they are; mails the owner',
    options: ['reason'],
    async run(operator, args) {
      const reason = reasonOf(args)
      const { id, email } = await showUser(operator, one(args, 'who'))
      await args.confirm(email, 'From now on the password alone opens this account.')
      await disableUserTwoFactor(operator, id, reason)
      return { data: { disabled: true }, text: `The second factor of ${email} is off, and the owner is mailed.` }
    },
  },
  import: {
    usage: 'import <file or postgres URL> [--dry-run] [--without-two-factor]',
    does: 'users of better-auth with their password hashes; run it again to go on',
    options: ['dry-run', 'without-two-factor'],
    run: importUsers,
  },
  export: {
    usage: 'export <who> [--output <file>]',
    does: 'all that is held on one user, as JSON; an audit event',
    options: ['output'],
    async run(operator, args) {
      const data = await exportUser(operator, one(args, 'who'))
      const text = JSON.stringify(data, null, 2)
      const { output } = args.flags
      if (output === undefined) return { data, text }
      await writeFile(output, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((error: Error) => {
        throw new CommandError({
          what: `${output} was not written.`,
          why: error.message,
          fix: 'Name a new file in a folder that is there.',
        })
      })
      return { data: { written: output }, text: `Written to ${output}.` }
    },
  },
  audit: {
    usage: 'audit [--user <who>] [--action <kind>] [--since <time>] [--until <time>] [--limit <n>] [--before <id>]',
    does: `audit events, the newest first (${usualEvents} of them); the older ones with the id of the last`,
    options: ['user', 'action', 'since', 'until', 'limit', 'before'],
    async run(operator, { positionals, flags: { user, action, since, until, limit, before } }) {
      if (positionals.length > 0) throw usageError(`"${positionals[0]}" is one word too many.`, '`audit` takes options only.')
      const most = limit === undefined ? usualEvents : numberOf('limit', limit, 10_000)
      const events = await listAuditEvents(operator, {
        ...(user !== undefined && { who: user }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { since: timeOf('since', since) }),
        ...(until !== undefined && { until: timeOf('until', until) }),
        ...(before !== undefined && { before }),
        limit: most,
      })
      if (!events)
        throw usageError(
          '--before is the id of no event.',
          `It was not found; audit events stay ${policy.sweep.keepAuditEvents / 86_400} days.`,
        )
      const columns = ['createdAt', 'action', 'succeeded', 'userId', 'actorId', 'ipAddress', 'details'] as const
      const more = events.length === most ? `\n\nThere may be older ones: add --before ${events.at(-1)?.id}` : ''
      return { data: events, text: `${table(events, columns, 'No event.')}${more}` }
    },
  },
  mails: {
    usage: 'mails',
    does: `mails that the server refused for good (the oldest ${mostMails})`,
    options: [],
    async run(operator) {
      const mails = await listRefusedMails(operator)
      return {
        data: mails,
        text: table(mails, ['id', 'createdAt', 'to', 'subject', 'lastError'], 'No mail was refused for good.'),
      }
    },
  },
  'retry-mail': {
    usage: 'retry-mail <id>|all',
    does: 'sends them again, unless their link has expired',
    options: [],
    async run(operator, args) {
      const result = await retryRefusedMails(operator, idOf(args))
      if (result.queued === 0) throw noMail(args)
      return { data: result, text: `${count(result.queued, 'mail')} queued.` }
    },
  },
  'drop-mail': {
    usage: 'drop-mail <id>|all',
    does: 'deletes them unsent',
    options: [],
    async run(operator, args) {
      const id = idOf(args)
      await args.confirm(id ?? 'all', 'What is deleted here never reaches anybody.')
      const result = await dropRefusedMails(operator, id)
      if (result.dropped === 0) throw noMail(args)
      return { data: result, text: `${count(result.dropped, 'mail')} deleted.` }
    },
  },
}

const idOf = (args: Arguments): string | undefined => {
  const word = one(args, 'id')
  return word === 'all' ? undefined : word
}

const noMail = (args: Arguments): CommandError =>
  new CommandError({
    what: 'There is no such mail.',
    why: `None that was refused for good ${idOf(args) === undefined ? 'is left' : 'has this id'}.`,
    fix: 'See `npm run admin -- mails`.',
  })

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
