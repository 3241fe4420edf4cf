import { policy } from '@floorpass/api'
import {
  type ApprovingOperator,
  disableUserTwoFactor,
  dropRefusedMails,
  endUserSessions,
  exportUser,
  findAuditEvents,
  findRefusedMails,
  findUserSessions,
  findUsers,
  mostFound,
  mostMails,
  presentFoundUser,
  requestUserUnlock,
  restoreUser,
  retryRefusedMails,
  showUser,
  suspendUser,
  usualEvents,
  verifyUserAddress,
} from '@floorpass/api/administration'
import { administratorCommands } from './administrator-commands.ts'
import {
  type Arguments,
  assertNoPositional,
  type Command,
  defineCommand,
  getOnlyPositional,
  type Outcome,
  parseNumber,
  parseTime,
  requireReason,
} from './arguments.ts'
import { importUsers } from './import-users.ts'
import { organizationCommands } from './organization-commands.ts'
import { formatRecord, formatTable } from './print.ts'
import { CommandError, usageError } from './problem.ts'
import { serviceCommands } from './service-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

type UserChange = Pick<Command, 'usage' | 'summary'> & {
  consequence: string
  change(operator: ApprovingOperator, user: { id: string; email: string }, reason: string): Promise<Outcome>
}

/** A command that changes one user: it needs a reason, and asks first. */
function changeUser({ consequence, change, ...line }: UserChange): Command {
  return defineCommand({
    ...line,
    options: ['reason'],
    async run(operator, args) {
      const reason = requireReason(args)
      const user = await showUser(operator, getOnlyPositional(args, 'who'))
      await args.confirm(user.email, consequence)
      return change(operator, user, reason)
    },
  })
}

export const commands: Record<string, Command> = {
  find: defineCommand({
    usage: 'find <who>',
    summary: `finds users by id, google:<id>, github:<id> or the beginning of an email, its domain, a name or a last name (at most ${mostFound})`,
    options: [],
    isRead: true,
    async run(operator, args) {
      const users = (await findUsers(operator, getOnlyPositional(args, 'who'))).map(presentFoundUser)
      return {
        data: users,
        text: formatTable(users, ['id', 'email', 'emailVerified', 'twoFactorEnabled', 'suspendedAt', 'name'], 'No user found.'),
      }
    },
  }),
  show: defineCommand({
    usage: 'show <who>',
    summary: 'shows one user: sign-in methods, second factor, organizations',
    options: [],
    isRead: true,
    async run(operator, args) {
      const user = await showUser(operator, getOnlyPositional(args, 'who'))
      return { data: user, text: formatRecord(user) }
    },
  }),
  sessions: defineCommand({
    usage: 'sessions <who>',
    summary: 'lists live sessions',
    options: [],
    isRead: true,
    async run(operator, args) {
      const sessions = await findUserSessions(operator, getOnlyPositional(args, 'who'))
      const columns = ['id', 'createdAt', 'lastSeenAt', 'ipAddress', 'browser', 'os', 'trusted'] as const
      return { data: sessions, text: formatTable(sessions, columns, 'No session.') }
    },
  }),
  'revoke-sessions': defineCommand({
    usage: 'revoke-sessions <who> [--session <id>]',
    summary: 'ends all sessions or one at once, and removes the trust of the devices',
    options: ['session'],
    async run(operator, args) {
      const result = await endUserSessions(operator, getOnlyPositional(args, 'who'), args.flags.session)
      // A script must not assume that the session of a thief has ended.
      const exitCode = args.flags.session !== undefined && result.revoked === 0 ? 1 : 0
      return { data: result, text: `${pluralize(result.revoked, 'session')} ended.`, exitCode }
    },
  }),
  suspend: changeUser({
    usage: 'suspend <who> --reason <text>',
    summary: 'closes an account at once, and ends its sessions, trusted devices, links and sent invitations',
    consequence: 'The owner is locked out until you restore the account.',
    async change(operator, { id, email }, reason) {
      const result = await suspendUser(operator, id, reason)
      return { data: result, text: `${email} is suspended, ${pluralize(result.revoked, 'session')} ended.` }
    },
  }),
  restore: defineCommand({
    usage: 'restore <who> --reason <text> [--clear-password]',
    summary: 'ends the suspension of an account; --clear-password emails a link to choose a new password',
    options: ['reason', 'clear-password'],
    async run(operator, args) {
      const reason = requireReason(args)
      const { id, email } = await showUser(operator, getOnlyPositional(args, 'who'))
      const clearPassword = args.flags['clear-password'] ?? false
      await args.confirm(
        email,
        clearPassword
          ? 'Anyone who reads emails to this address can choose the password.'
          : 'The current password opens the account again.',
      )
      const result = await restoreUser(operator, id, reason, { clearPassword })
      if (!result.restored)
        throw new CommandError({
          what: `${email} is not suspended. Nothing was changed.`,
          why: 'In an active account, a person who is signed in could choose the new password.',
          fix: `To end its sessions and clear its password, \`suspend\` it first.`,
        })
      const hint = clearPassword ? ' The user receives a link to choose a password.' : ''
      return { data: result, text: `${email} is restored.${hint}` }
    },
  }),
  'verify-address': defineCommand({
    usage: 'verify-address <who> --reason <text> [--keep-password]',
    summary: 'marks the email as verified, clears the password and mails a link to choose one',
    options: ['reason', 'keep-password'],
    async run(operator, args) {
      const reason = requireReason(args)
      const user = await showUser(operator, getOnlyPositional(args, 'who'))
      const keepPassword = args.flags['keep-password'] ?? false
      await args.confirm(
        user.email,
        keepPassword
          ? 'The current password stays valid, even if another person chose it.'
          : 'Anyone who reads emails to this address can choose the password.',
      )
      const result = await verifyUserAddress(operator, user, reason, { keepPassword })
      const hint = result.passwordCleared ? ' The password is cleared. The user receives a link to choose one.' : ''
      return { data: result, text: `The email ${user.email} is verified.${hint}` }
    },
  }),
  'disable-two-factor': changeUser({
    usage: 'disable-two-factor <who> --reason <text>',
    summary:
      'turns off two-factor for a user without phone and backup codes; verify their identity first; the owner gets an email',
    consequence: 'The password alone then opens this account.',
    async change(operator, { id, email }, reason) {
      await disableUserTwoFactor(operator, id, reason)
      return { data: { disabled: true }, text: `Two-factor is off for ${email}. The owner receives an email.` }
    },
  }),
  'request-unlock': changeUser({
    usage: 'request-unlock <who> --reason <text>',
    summary: 'starts the wait that unlocks a locked account, for an owner who cannot sign in; the owner gets an email',
    consequence: 'The lock ends after the days that its owner chose. The owner can keep it.',
    async change(operator, { id, email }, reason) {
      const result = await requestUserUnlock(operator, id, reason)
      const hint = result.isNew ? 'The owner receives an email.' : 'The wait had already started, so no email is sent.'
      return { data: result, text: `${email} is unlocked on ${result.unlockAt.toISOString()}. ${hint}` }
    },
  }),
  import: defineCommand({
    usage: 'import <file or postgres URL> [--dry-run] [--without-two-factor]',
    summary: 'imports users of better-auth with their password hashes; run it again to continue',
    options: ['dry-run', 'without-two-factor'],
    needsStop: true,
    run: importUsers,
  }),
  export: defineCommand({
    usage: 'export <who> [--output <file>]',
    summary: 'prints all data of one user as JSON, and records an audit event',
    options: ['output'],
    async run(operator, args) {
      const data = await exportUser(operator, getOnlyPositional(args, 'who'))
      const text = JSON.stringify(data, null, 2)
      const { output } = args.flags
      if (output === undefined) return { data, text }
      await args.write(output, `${text}\n`).catch((error: Error) => {
        throw new CommandError({
          what: `${output} was not written.`,
          why: error.message,
          fix: 'Name a new file in an existing folder.',
        })
      })
      return { data: { written: output }, text: `Written to ${output}.` }
    },
  }),
  audit: defineCommand({
    usage: 'audit [--user <who>] [--action <kind>] [--since <time>] [--until <time>] [--limit <n>] [--before <id>]',
    summary: `lists audit events, newest first (${usualEvents} by default); --before takes the last id for older ones`,
    options: ['user', 'action', 'since', 'until', 'limit', 'before'],
    isRead: true,
    async run(operator, args) {
      assertNoPositional(args)
      const { user, action, since, until, limit, before } = args.flags
      const most = limit === undefined ? usualEvents : parseNumber('limit', limit, 10_000)
      const events = await findAuditEvents(operator, {
        ...(user !== undefined && { who: user }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { since: parseTime('since', since) }),
        ...(until !== undefined && { until: parseTime('until', until) }),
        ...(before !== undefined && { before }),
        limit: most,
      })
      if (!events)
        throw usageError(
          'No audit event has the id in --before.',
          `Audit events are kept for at least ${policy.sweep.keepAuditEvents / 86_400} days.`,
        )
      const columns = ['createdAt', 'action', 'succeeded', 'userId', 'actorId', 'ipAddress', 'details'] as const
      const more = events.length === most ? `\n\nThere may be older ones: add --before ${events.at(-1)?.id}` : ''
      return { data: events, text: `${formatTable(events, columns, 'No audit event found.')}${more}` }
    },
  }),
  mails: defineCommand({
    usage: 'mails',
    summary: `lists emails that the mail server permanently refused (the oldest ${mostMails})`,
    options: [],
    isRead: true,
    async run(operator, args) {
      assertNoPositional(args)
      const mails = await findRefusedMails(operator)
      return {
        data: mails,
        text: formatTable(mails, ['id', 'createdAt', 'to', 'subject', 'lastError'], 'No email was permanently refused.'),
      }
    },
  }),
  'retry-mail': defineCommand({
    usage: 'retry-mail <id>|all',
    summary: 'queues refused emails again, unless their link has expired',
    options: [],
    async run(operator, args) {
      const result = await retryRefusedMails(operator, findMailId(args))
      if (result.queued === 0) throw noSuchMailError(args)
      return { data: result, text: `${pluralize(result.queued, 'email')} queued.` }
    },
  }),
  'drop-mail': defineCommand({
    usage: 'drop-mail <id>|all',
    summary: 'deletes refused emails without sending them',
    options: [],
    async run(operator, args) {
      const id = findMailId(args)
      await args.confirm(id ?? 'all', 'The deleted emails are never sent.')
      const result = await dropRefusedMails(operator, id)
      if (result.dropped === 0) throw noSuchMailError(args)
      return { data: result, text: `${pluralize(result.dropped, 'email')} deleted.` }
    },
  }),
  ...administratorCommands,
  ...organizationCommands,
  ...serviceCommands,
  ...webhookCommands,
}

const findMailId = (args: Arguments): string | undefined => {
  const word = getOnlyPositional(args, 'id')
  return word === 'all' ? undefined : word
}

const noSuchMailError = (args: Arguments): CommandError =>
  new CommandError({
    what: 'There is no such email.',
    why:
      findMailId(args) === undefined
        ? 'No email was permanently refused, or the links of all have expired.'
        : 'No permanently refused email has this id, or its link has expired.',
    fix: 'See `npm run admin -- mails`.',
  })

const pluralize = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
