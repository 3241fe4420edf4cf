import { writeFile } from 'node:fs/promises'
import {
  createUserImport,
  disableUserTwoFactor,
  dropRefusedMails,
  exportUser,
  findUsers,
  type ImportOutcome,
  listAuditEvents,
  listRefusedMails,
  listUserSessions,
  type Operator,
  restoreUser,
  retryRefusedMails,
  revokeUserSessions,
  showUser,
  suspendUser,
  verifyUserAddress,
} from '@floorpass/api/administration'
import { sheet, table } from './print.ts'
import { CommandError, usageError } from './problem.ts'
import { readUsers } from './read-users.ts'

/** What stood on the command line after the name of the command. */
export type Arguments = {
  positionals: string[]
  flags: {
    reason?: string
    session?: string
    output?: string
    user?: string
    action?: string
    since?: string
    until?: string
    limit?: string
    'dry-run'?: boolean
    'without-two-factor'?: boolean
    'clear-password'?: boolean
  }
  /** Resolves when the operator typed `word`, or gave --yes; throws otherwise. */
  confirm(word: string, consequence: string): Promise<void>
  /** One line on standard error. */
  say(line: string): void
}

/** `data` is what --json prints, `text` what a person reads. */
export type Outcome = { data: unknown; text: string; exitCode?: number }

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
    does: 'users by id, google:<id>, github:<id>, or a part of their address',
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
      return { data: result, text: `${count(result.revoked, 'session')} ended.` }
    },
  },
  suspend: {
    usage: 'suspend <who> --reason <text>',
    does: 'closes an account at once: sessions, devices and links end, and nothing opens it',
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
      await restoreUser(operator, id, reason, { clearPassword })
      const hint = clearPassword ? ' A link to choose a password is mailed.' : ''
      return { data: { restored: true }, text: `${email} is open again.${hint}` }
    },
  },
  'verify-address': {
    usage: 'verify-address <who> --reason <text>',
    does: 'vouches that the address is theirs',
    options: ['reason'],
    async run(operator, args) {
      const reason = reasonOf(args)
      const { email } = await showUser(operator, one(args, 'who'))
      await args.confirm(email, 'The password that was chosen with this address counts from now on, whoever chose it.')
      const result = await verifyUserAddress(operator, email, reason)
      const hint = result.passwordCleared ? ' No password counts: they are mailed a link to choose one.' : ''
      return { data: result, text: `The address ${email} is verified.${hint}` }
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
    usage: 'audit [--user <who>] [--action <kind>] [--since <time>] [--until <time>] [--limit <n>]',
    does: 'audit events, the newest first (100)',
    options: ['user', 'action', 'since', 'until', 'limit'],
    async run(operator, { positionals, flags: { user, action, since, until, limit } }) {
      if (positionals.length > 0) throw usageError(`"${positionals[0]}" is one word too many.`, '`audit` takes options only.')
      const events = await listAuditEvents(operator, {
        ...(user !== undefined && { who: user }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { since: timeOf('since', since) }),
        ...(until !== undefined && { until: timeOf('until', until) }),
        ...(limit !== undefined && { limit: numberOf('limit', limit, 10_000) }),
      })
      const columns = ['createdAt', 'action', 'succeeded', 'userId', 'actorId', 'ipAddress', 'details'] as const
      return { data: events, text: table(events, columns, 'No event.') }
    },
  },
  mails: {
    usage: 'mails',
    does: 'mails that the server refused for good',
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
    does: 'sends them again',
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

/** Exit code 1 when a row was refused: a script must not take it for complete. */
async function importUsers(operator: Operator, args: Arguments): Promise<Outcome> {
  const dryRun = args.flags['dry-run'] ?? false
  const userImport = createUserImport(operator, { dryRun, withoutTwoFactor: args.flags['without-two-factor'] ?? false })
  const total = { imported: 0, present: 0, refused: 0 }
  const remarkable: ImportOutcome[] = []
  let row = 0
  try {
    for await (const user of readUsers(one(args, 'file or postgres URL'))) {
      row += 1
      const outcome = await userImport.add(user)
      total[outcome.status] += 1
      if (outcome.status === 'refused' || outcome.notes.length > 0) remarkable.push(outcome)
      const name = `row ${row}, ${outcome.email ?? outcome.id ?? 'nameless'}`
      if (outcome.reason !== undefined) args.say(`refused  ${name}: ${outcome.reason}.`)
      for (const note of outcome.notes) args.say(`note     ${name}: ${note}.`)
      if (row % 1000 === 0) args.say(`${row} rows read, ${total.imported} ${dryRun ? 'would be imported' : 'imported'} …`)
    }
  } catch (error) {
    args.say(
      `Stopped at row ${row}; ${total.imported} ${dryRun ? 'could have been' : 'were'} imported before, each of them whole.`,
    )
    throw error
  }
  const verb = dryRun ? 'would be imported' : 'imported'
  const text = `${total.imported} ${verb}, ${total.present} already here, ${total.refused} refused.`
  return { data: { dryRun, ...total, rows: remarkable }, text, exitCode: total.refused > 0 ? 1 : 0 }
}

function one({ positionals }: Arguments, name: string): string {
  const [word, extra] = positionals
  if (word === undefined || word === '') throw usageError(`The <${name}> is missing.`, 'The command needs one.')
  if (extra !== undefined) throw usageError(`"${extra}" is one word too many.`, 'The command takes one.')
  return word
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

const shortestReason = 10

function reasonOf({ flags: { reason = '' } }: Arguments): string {
  if (reason.trim().length >= shortestReason) return reason.trim().slice(0, 500)
  throw usageError(
    'A reason is missing.',
    `The audit log keeps how you made sure who they are, in ${shortestReason} characters or more.`,
    'Add for example: --reason "called back on the number of contract 4711, passport shown"',
  )
}

function timeOf(name: string, text: string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw usageError(`--${name} is no time.`, 'It was not understood.', 'Use for example 2026-11-21 or 2026-11-21T18:00:00Z.')
}

function numberOf(name: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw usageError(`--${name} is no whole number from 1 to ${most}.`, 'It was not understood.')
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
