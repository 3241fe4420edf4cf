import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { AppError, createContext, toAppError } from '@floorpass/api'
import type { Operator } from '@floorpass/api/administration'
import { explainStartFailure, openForOperator, type Service } from '@floorpass/functions'
import { type Arguments, commands, type Outcome } from './commands.ts'
import { CommandError, usageError } from './problem.ts'

const flags = {
  reason: { type: 'string' },
  session: { type: 'string' },
  output: { type: 'string' },
  user: { type: 'string' },
  action: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'without-two-factor': { type: 'boolean' },
  'clear-password': { type: 'boolean' },
} as const
const commonFlags = { operator: { type: 'string' }, json: { type: 'boolean' }, yes: { type: 'boolean' } } as const

const help = `Usage: npm run admin -- <command>
${Object.values(commands)
  .map(({ usage, does }) => `  ${usage}\n      ${does}`)
  .join('\n')}

<who> is an address, an id, google:<id> or github:<id>.
Everywhere: --json for scripts, --yes instead of a typed confirmation, --operator <name> for the audit log (else the user of this machine).
It reads the settings of the service (environment and .env). The embedded database is free only while the service is stopped.
Exit codes: 0 done, 1 not done or not wholly, 2 the command line is wrong.`

function read(argv: string[]) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options: { ...flags, ...commonFlags }, allowPositionals: true })
    return { values, positionals }
  } catch (error) {
    throw usageError('The command line was not understood.', (error as Error).message.split('. ')[0] ?? '')
  }
}

async function run(argv: string[]): Promise<Outcome> {
  const { values, positionals } = read(argv)
  const [name = 'help', ...rest] = positionals
  if (name === 'help') return { data: { commands: Object.values(commands).map(({ usage }) => usage) }, text: help }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw usageError(`There is no command "${name}".`, `The commands are: ${Object.keys(commands).join(', ')}.`)
  const { operator: named, json: _, yes, ...given } = values
  for (const flag of Object.keys(given) as (keyof typeof given)[]) {
    if (!command.options.includes(flag)) throw usageError(`\`${name}\` does not know --${flag}.`, 'It would have no effect.')
  }
  const args: Arguments = {
    positionals: rest,
    flags: given,
    say,
    confirm: (word, consequence) => confirm(yes, word, consequence),
  }
  const service = await openForOperator()
  try {
    return await command.run(operatorOf(service, named ?? userInfo().username), args)
  } finally {
    await service.stop()
  }
}

function operatorOf({ deps }: Service, name: string): Operator {
  if (!/^[\w.@+-]{1,64}$/.test(name))
    throw usageError(
      'The name of the operator cannot be used.',
      'It is not of 1 to 64 letters, digits and . _ @ + -',
      'Add --operator <name>.',
    )
  const noCookies = { get: () => undefined, all: () => [], set: () => {} }
  return { ctx: createContext(deps, { ip: null, userAgent: 'Floorpass admin', locale: 'en' }, noCookies), name }
}

async function confirm(isGiven: boolean | undefined, word: string, consequence: string): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY)
    throw usageError('Nothing was done.', 'The command needs a confirmation, and nobody is at the terminal.', 'Add --yes.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const typed = await terminal.question(`${consequence}\nType ${word} to go on: `)
    if (typed.trim() === word) return
  } finally {
    terminal.close()
  }
  throw new CommandError({ what: 'Nothing was done.', why: `What you typed is not ${word}.`, fix: 'Run the command again.' })
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

function explain(error: unknown): string {
  if (error instanceof CommandError) return error.message
  const known = toAppError(error)
  if (error instanceof AppError || known.key === 'SERVICE_UNAVAILABLE') {
    const [why, fix] = reasons[known.key] ?? [known.message, 'See `npm run admin -- help`.']
    return `Nothing was done: ${known.key}.\n  Why: ${why}\n  Do:  ${fix}`
  }
  return explainStartFailure(error)
}

const reasons: Record<string, [why: string, fix: string]> = {
  USER_NOT_FOUND: ['No user has this address, id or identity.', 'Look with `npm run admin -- find <part of the address>`.'],
  TWO_FACTOR_NOT_ENABLED: ['This account has no second factor.', 'Nothing is to be done: the password alone opens it.'],
  EMAIL_ALREADY_VERIFIED: ['The address is verified, or has just changed.', 'Look with `npm run admin -- show <who>`.'],
  SERVICE_UNAVAILABLE: [
    'The database does not answer.',
    'Check DATABASE_URL and that PostgreSQL runs, then run the command again.',
  ],
}

const isJson = process.argv.includes('--json')
try {
  const { data, text, exitCode = 0 } = await run(process.argv.slice(2))
  process.stdout.write(`${isJson ? JSON.stringify(data) : text}\n`)
  process.exitCode = exitCode
} catch (error) {
  const exitCode = error instanceof CommandError ? error.exitCode : 1
  if (isJson) process.stdout.write(`${JSON.stringify({ error: { code: codeOf(error), message: explain(error) } })}\n`)
  else say(`\n${explain(error)}\n`)
  process.exitCode = exitCode
}

function codeOf(error: unknown): string {
  if (error instanceof CommandError) return error.exitCode === 2 ? 'USAGE' : 'FAILED'
  return error instanceof Error && /^(ConfigError|DataDir\w+|DatabaseNotReadyError)$/.test(error.name)
    ? error.name
    : toAppError(error).key
}
