import { parseArgs } from 'node:util'
import { AppError, type Deps, toAppError } from '@floorpass/api'
import { createOperator, explainDatabaseFailure } from '@floorpass/api/administration'
import {
  type Arguments,
  type Command,
  type DatabaseCommand,
  type Flag,
  flags,
  type MigratableDatabase,
  type Outcome,
} from './arguments.ts'
import { commands } from './commands.ts'
import { migrateDatabase } from './migrate-database.ts'
import { printable } from './print.ts'
import { CommandError, usageError } from './problem.ts'
import type { Terminal } from './progress.ts'

const commonFlags = {
  operator: { type: 'string' },
  json: { type: 'boolean' },
  yes: { type: 'boolean' },
  'secret-is-new': { type: 'boolean' },
} as const

const allCommands: Record<string, Command | DatabaseCommand> = { ...commands, migrate: migrateDatabase }

const help = `Usage: npm run admin -- <command>
${Object.values(allCommands)
  .map(({ usage, summary }) => `  ${usage}\n      ${summary}`)
  .join('\n')}

<who> is an email, an id, google:<id> or github:<id>.
Options of every command:
  --json             prints JSON for scripts (use \`npm run --silent admin --\`)
  --yes              skips the typed confirmation
  --operator <name>  the name in the audit log (default: the user of this machine)
  --secret-is-new    accepts a changed AUTH_SECRET that has sealed nothing yet
The user can read the reason in their audit log.
The command reads the settings of the service (environment and .env). On PostgreSQL it needs BASE_URL and AUTH_SECRET, except \`migrate\`. With the embedded database, a running service runs it itself, except \`import\`.
Exit codes: 0 done, 1 not done or only in part, 2 wrong command line, 3 migrations are pending (\`migrate --plan\`).`

function parseCommandLine(argv: string[]) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options: { ...flags, ...commonFlags }, allowPositionals: true })
    return { values, positionals }
  } catch (error) {
    throw usageError('The command line could not be parsed.', (error as Error).message.split('. ')[0] ?? '')
  }
}

/** `isServing`: it answers requests beside the command. */
type OpenService = { deps: Deps; isServing?: boolean; stop(): Promise<void> }

export type Surroundings = {
  open: (options: { secretIsNew: boolean }) => Promise<OpenService>
  openDatabase: (options: { planOnly: boolean }) => Promise<MigratableDatabase>
  databaseKind: 'embedded' | 'postgres'
  /** The message for the terminal when opening fails: why, and what to do. */
  explainOpenFailure(error: unknown): string
  say(line: string): void
  /** Asks the operator. Null without a terminal. */
  ask: ((question: string, signal?: AbortSignal) => Promise<string>) | null
  /** Creates a file that only its owner may read. Rejects when there is one. */
  write(path: string, text: string): Promise<void>
  user: string
  terminal?: Terminal | null
}

async function perform(
  argv: string[],
  { open, openDatabase, databaseKind, say, ask, write, user, terminal = null }: Omit<Surroundings, 'explainOpenFailure'>,
): Promise<Outcome> {
  const { values, positionals } = parseCommandLine(argv)
  const [name = 'help', ...rest] = positionals
  if (name === 'help') return { data: { commands: Object.values(allCommands).map(({ usage }) => usage) }, text: help }
  const command = Object.hasOwn(allCommands, name) ? allCommands[name] : undefined
  if (!command) throw usageError(`There is no command "${name}".`, `The commands are: ${Object.keys(allCommands).join(', ')}.`)
  const { operator: named, json: _, yes, 'secret-is-new': secretIsNew = false, ...given } = values
  for (const flag of Object.keys(given) as Flag[]) {
    if (!command.options.includes(flag))
      throw usageError(`\`${name}\` does not accept --${flag}.`, 'The option would have no effect.')
  }
  const args: Arguments<Flag> = {
    positionals: rest,
    flags: given,
    say,
    write,
    terminal,
    confirm: async (word, consequence) => {
      if (!yes) await confirm(ask, word, consequence)
    },
  }
  if ('runOnDatabase' in command) {
    const database = await openDatabase({ planOnly: given.plan ?? false })
    try {
      await database.ping().catch((error: unknown) => {
        throw readError(error, databaseKind)
      })
      return await command.runOnDatabase(database, args)
    } finally {
      await database.close()
    }
  }
  const operator = getOperatorName(named ?? user)
  const service = await open({ secretIsNew })
  try {
    if (service.isServing && command.needsStop) throw runningError(name)
    return await command.run(createOperator(service.deps, operator), args)
  } catch (error) {
    throw command.isRead && toAppError(error).key === 'SERVICE_UNAVAILABLE' ? readError(error, databaseKind) : error
  } finally {
    // The running service would find them a second later.
    await service.deps.events.flush().catch(() => {})
    await service.stop()
  }
}

function readError(cause: unknown, kind: Surroundings['databaseKind']): CommandError {
  const { reason, fix } = explainDatabaseFailure(cause, kind) ?? {
    reason: 'The database did not answer, or not in time',
    fix: 'Check DATABASE_URL and that PostgreSQL runs.',
  }
  return new CommandError(
    {
      what: 'Nothing was read, and nothing was changed: SERVICE_UNAVAILABLE.',
      why: `${reason}.`,
      fix: `${fix} Then run the command again.`,
    },
    1,
    'SERVICE_UNAVAILABLE',
  )
}

const runningError = (name: string): CommandError =>
  new CommandError({
    what: 'Nothing was done.',
    why: `The service runs on the embedded database, and \`${name}\` would delay its requests.`,
    fix: 'Stop the service, then run the command again.',
  })

function getOperatorName(name: string): string {
  if (/^[\w.@+-]{1,64}$/.test(name)) return name
  throw usageError(
    'The operator name is not valid.',
    'It must have 1 to 64 letters, digits and . _ @ + -',
    'Add --operator <name>.',
  )
}

async function confirm(ask: Surroundings['ask'], word: string, consequence: string): Promise<void> {
  if (!ask) throw usageError('Nothing was done.', 'The command needs a confirmation, and there is no terminal.', 'Add --yes.')
  const typed = await ask(`${consequence}\nType ${printable(word)} to continue: `)
  if (typed.trim() === word) return
  throw new CommandError({
    what: 'Nothing was done.',
    why: `What you typed is not ${printable(word)}.`,
    fix: 'Run the command again.',
  })
}

function explain(error: unknown, { explainOpenFailure, databaseKind }: Surroundings, isOpen: boolean): string {
  if (error instanceof CommandError) return error.message
  if (!isOpen) return explainOpenFailure(error)
  if (isNamed(error, /^MigrationError$/)) return explainOpenFailure(error)
  const known = toAppError(error)
  if (error instanceof AppError || known.key === 'SERVICE_UNAVAILABLE') {
    const database = known.key === 'SERVICE_UNAVAILABLE' ? explainDatabaseFailure(error, databaseKind) : null
    if (database)
      return `The command was interrupted and may have taken effect: ${known.key}.\n  Why: ${database.reason}.\n  Do:  ${database.fix} Check what was done, then run the command again.`
    const [why, fix] = reasons[known.key] ?? [known.message, 'See `npm run admin -- help`.']
    const what =
      known.key === 'SERVICE_UNAVAILABLE' ? 'The command was interrupted and may have taken effect' : 'Nothing was done'
    return `${what}: ${known.key}.\n  Why: ${why}\n  Do:  ${fix}`
  }
  return explainOpenFailure(error)
}

const reasons: Record<string, [why: string, fix: string]> = {
  USER_NOT_FOUND: ['No user has this email, id or identity.', 'Look with `npm run admin -- find <beginning of the email>`.'],
  TWO_FACTOR_NOT_ENABLED: ['This account has no second factor.', 'Nothing to do: the password alone opens it.'],
  ORGANIZATION_NOT_FOUND: [
    'No organization has this id.',
    'Look with `npm run admin -- find-organization <beginning of its name>`.',
  ],
  MEMBER_NOT_FOUND: ['This user is no member of the organization.', 'See `npm run admin -- show-organization <id>`.'],
  MEMBER_HAS_NOT_ACCEPTED: ['This member has not accepted the membership.', 'Ask the member to accept it first.'],
  WEBHOOK_NOT_FOUND: ['There is no webhook with this id.', 'See `npm run admin -- list-webhooks`.'],
  EMAIL_NOT_VERIFIED: [
    'The email of this user is not verified.',
    'Ask the user to open the emailed link, or use `verify-address`.',
  ],
  USER_SUSPENDED: ['This user is suspended.', 'Restore the user first: `npm run admin -- restore <who> --reason <text>`.'],
  ADMINISTRATOR_FACTOR_REQUIRED: [
    'This user has no passkey and no two-factor authentication.',
    'Ask the user to add one under Settings, then run the command again.',
  ],
  EMAIL_ALREADY_VERIFIED: ['The email is already verified, or has just changed.', 'Look with `npm run admin -- show <who>`.'],
  SERVICE_UNAVAILABLE: [
    'The database does not answer.',
    'Check DATABASE_URL and that PostgreSQL runs. Check what was done, then run the command again.',
  ],
}

/** Runs one command line. Never rejects. */
export async function runCommand(argv: string[], surroundings: Surroundings): Promise<{ stdout: string; exitCode: number }> {
  const isJson = argv.includes('--json')
  let isOpen = false
  const markOpen = <Opened>(opened: Opened): Opened => {
    isOpen = true
    return opened
  }
  const marking = {
    ...surroundings,
    open: (options: { secretIsNew: boolean }) => surroundings.open(options).then(markOpen),
    openDatabase: (options: { planOnly: boolean }) => surroundings.openDatabase(options).then(markOpen),
  }
  try {
    const { data, text, exitCode = 0 } = await perform(argv, marking)
    return { stdout: `${isJson ? JSON.stringify(data) : text}\n`, exitCode }
  } catch (error) {
    const exitCode = error instanceof CommandError ? error.exitCode : 1
    if (isJson)
      return {
        stdout: `${JSON.stringify({ error: { code: getErrorCode(error), message: explain(error, surroundings, isOpen) } })}\n`,
        exitCode,
      }
    surroundings.say(`\n${explain(error, surroundings, isOpen)}\n`)
    return { stdout: '', exitCode }
  }
}

function getErrorCode(error: unknown): string {
  if (error instanceof CommandError) return error.code
  return isNamed(error, /^(ConfigError|DataDir\w+|DatabaseNotReadyError|MigrationError)$/) ? error.name : toAppError(error).key
}

const isNamed = (error: unknown, names: RegExp): error is Error => error instanceof Error && names.test(error.name)
