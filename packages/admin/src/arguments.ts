import type { ApprovingOperator } from '@floorpass/api/administration'
import { usageError } from './problem.ts'
import type { Terminal } from './progress.ts'

export const flags = {
  reason: { type: 'string' },
  session: { type: 'string' },
  output: { type: 'string' },
  user: { type: 'string' },
  action: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  before: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'without-two-factor': { type: 'boolean' },
  'clear-password': { type: 'boolean' },
  'keep-password': { type: 'boolean' },
  scopes: { type: 'string' },
  now: { type: 'boolean' },
  quiet: { type: 'boolean' },
  plan: { type: 'boolean' },
  contact: { type: 'string' },
  types: { type: 'string' },
  locale: { type: 'string' },
  status: { type: 'string' },
  event: { type: 'string' },
  after: { type: 'string' },
  failed: { type: 'boolean' },
  role: { type: 'string' },
} as const

export type Flag = keyof typeof flags

type FlagValues = { [Name in Flag]?: (typeof flags)[Name]['type'] extends 'string' ? string : boolean }

/** `Options`: the flags that the command declares. */
export type Arguments<Options extends Flag = never> = {
  positionals: string[]
  flags: Pick<FlagValues, Options>
  /** Resolves when the operator types `word` or passed --yes. Otherwise throws CommandError. */
  confirm(word: string, consequence: string): Promise<void>
  say(line: string): void
  write(path: string, text: string): Promise<void>
  terminal: Terminal | null
}

/** --json prints `data`. Without it, the terminal shows `text`. */
export type Outcome = { data: unknown; text: string; exitCode?: number }

type CommandLine<Options extends Flag> = {
  usage: string
  summary: string
  options: readonly Options[]
  /** Changes nothing, so the operator has nothing to check after a failure. */
  isRead?: boolean
  /** Works long: refused in a service that answers requests beside it. */
  needsStop?: boolean
}

export type Command<Options extends Flag = Flag> = CommandLine<Options> & {
  run(operator: ApprovingOperator, args: Arguments<Options>): Promise<Outcome>
}

export type DatabaseCommand<Options extends Flag = Flag> = CommandLine<Options> & {
  runOnDatabase(database: MigratableDatabase, args: Arguments<Options>): Promise<Outcome>
}

/** Lets `run` read only the flags in `options`. */
export const defineCommand = <Options extends Flag>(command: Command<Options>): Command<Options> => command
export const defineDatabaseCommand = <Options extends Flag>(command: DatabaseCommand<Options>): DatabaseCommand<Options> =>
  command

export type PendingMigration = {
  name: string
  note: string | null
  locks: { table: string; blocks: string; rows: number | null }[]
}

export type MigratableDatabase = {
  ping(): Promise<void>
  findPendingMigrations(): Promise<{ pending: PendingMigration[] }>
  migrate(options: { onApplied(name: string): void }): Promise<{ applied: string[] }>
  close(): Promise<void>
}

export function getOnlyPositional({ positionals }: Arguments, name: string): string {
  const [word, extra] = positionals
  if (word === undefined || word === '') throw usageError(`The <${name}> is missing.`, 'The command needs one.')
  if (extra !== undefined) throw usageError(`"${extra}" is one argument too many.`, 'The command takes one.')
  return word
}

export function assertNoPositional({ positionals: [extra] }: Arguments): void {
  if (extra !== undefined) throw usageError(`"${extra}" is one argument too many.`, 'The command takes none.')
}

const shortestReason = 10

export function requireReason({ flags: { reason = '' } }: Arguments<'reason'>): string {
  if (reason.trim().length >= shortestReason) return reason.trim().slice(0, 500)
  throw usageError(
    'A reason is missing.',
    `The audit log records how you verified the user's identity, in ${shortestReason} characters or more.`,
    'Add for example: --reason "called back on the number of contract 4711, passport shown"',
  )
}

const isoTime = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** A time without a zone is in UTC, as every time that the commands print. */
export function parseTime(name: string, text: string): Date {
  const [, day = '', zone] = isoTime.exec(text) ?? []
  const time = new Date(zone === undefined && text.includes('T') ? `${text}Z` : text)
  // Date takes 31 February for 3 March.
  if (day !== '' && !Number.isNaN(time.getTime()) && new Date(day).toISOString().startsWith(day)) return time
  throw usageError(
    `--${name} is not a valid time.`,
    'It must be a date of ISO 8601, with or without a time.',
    'Use for example 2026-11-21 or 2026-11-21T18:00:00Z.',
  )
}

export function parseNumber(name: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw usageError(`--${name} is not valid.`, `It must be a whole number from 1 to ${most}.`)
}
