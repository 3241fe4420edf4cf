import {
  type Arguments,
  assertNoPositional,
  defineDatabaseCommand,
  type MigratableDatabase,
  type Outcome,
  type PendingMigration,
} from './arguments.ts'

const pendingExitCode = 3

export const migrateDatabase = defineDatabaseCommand({
  usage: 'migrate [--plan]',
  summary: `applies pending migrations with the role of DATABASE_URL; --plan only lists them, and exits with ${pendingExitCode} if there are any`,
  options: ['plan'],
  runOnDatabase(database, args) {
    assertNoPositional(args)
    return args.flags.plan ? planMigrations(database) : applyMigrations(database, args)
  },
})

async function planMigrations({ findPendingMigrations }: MigratableDatabase): Promise<Outcome> {
  const { pending } = await findPendingMigrations()
  if (pending.length === 0) return { data: { pending }, text: nothingPending }
  const text = [
    'Pending, in this order:',
    ...pending.map(describeMigration),
    'Each runs in one transaction. Nothing was changed.',
  ]
  return { data: { pending }, text: text.join('\n'), exitCode: pendingExitCode }
}

async function applyMigrations({ migrate }: MigratableDatabase, { say }: Arguments): Promise<Outcome> {
  const { applied } = await migrate({ onApplied: (name) => say(`applied ${name}`) })
  const count = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
  return { data: { applied }, text: applied.length === 0 ? nothingPending : `${count} applied.` }
}

const nothingPending = 'No migration is pending.'

function describeMigration({ name, note, locks }: PendingMigration): string {
  const lines = locks.map(({ table, blocks, rows }) => {
    const size = rows === null ? '' : `, about ${Math.round(rows)} rows`
    return `blocks ${blocks} of ${table}${size}`
  })
  return [name, ...(note === null ? [] : [note]), ...lines].join('\n    ')
}
