import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findSqlState, isDatabaseUnavailable } from './failures.ts'
import { findMissingRight } from './missing-right.ts'
import { findTableLocks, type TableLock } from './table-locks.ts'
import type { Connection, TransactionRunner } from './transaction-runner.ts'

/** A migration that is not applied yet. `note` is the sentence that its file begins with. `locks` are those of tables that exist. */
export type PendingMigration = { name: string; note: string | null; locks: (TableLock & { rows: number | null })[] }

export type PendingMigrations = { isNew: boolean; pending: PendingMigration[] }

export type MigrateOptions = { folder?: string; onApplied?: (name: string) => void }

type Migration = { name: string; sql: string; checksum: string }
type HistoryRow = { migration_name: string; checksum: string; finished: boolean }

const shippedMigrations = fileURLToPath(new URL('../prisma/migrations/', import.meta.url))

// The lock of `prisma migrate deploy`, so that a starting process and Prisma wait for each other.
const prismaLockId = 72707369

/** The migration history contradicts the shipped migrations, or a migration failed. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** Applies pending migrations and returns their names. Shares its history with `prisma migrate deploy`. Throws MigrationError. */
export const migrate = async (
  runInTransaction: TransactionRunner,
  { folder = shippedMigrations, onApplied = () => {} }: MigrateOptions = {},
): Promise<{ applied: string[] }> => {
  // This check takes no lock and needs only SELECT, so a start without pending migrations does not wait.
  const { pending } = await findPendingMigrations(runInTransaction, folder)
  const applied: string[] = []
  if (pending.length === 0) return { applied }

  const migrations = await readMigrations(folder)
  let deadline = Date.now() + 60_000
  for (;;) {
    try {
      const name = await runInTransaction((connection) => applyNext(connection, migrations))
      if (name === null) return { applied }
      applied.push(name)
      onApplied(name)
      deadline = Date.now() + 60_000
    } catch (error) {
      if (isLockedOut(error) && Date.now() <= deadline) {
        await delay(100 + Math.random() * 400)
        continue
      }
      const right = await findMissingRight(runInTransaction, error)
      if (!right) throw error
      const rest = pending.slice(applied.length).map(({ name }) => name)
      throw new MigrationError(
        `The database was not migrated: ${describePending(rest)}, and the role ${right.role} may not apply ${rest.length === 1 ? 'it' : 'them'}, because ${right.missing}. ` +
          'Run `npm run admin -- migrate` with the DATABASE_URL of the role that owns the tables, then start again (docs/database-roles.md).',
        { cause: error },
      )
    }
  }
}

export const describePending = ([first, ...others]: readonly string[]): string =>
  others.length === 0 ? `the migration ${first} is pending` : `${others.length + 1} migrations are pending, first ${first}`

const isLockedOut = (error: unknown): boolean => ['55P03', '40P01'].includes(findSqlState(error) ?? '')

/** Lists the migrations that are not applied. Changes nothing. Throws MigrationError. */
export const findPendingMigrations = async (
  runInTransaction: TransactionRunner,
  folder = shippedMigrations,
): Promise<PendingMigrations> => {
  const migrations = await readMigrations(folder)
  try {
    return await runInTransaction(async (connection) => {
      const history = await readHistory(connection)
      const pending = findPending(migrations, history ?? [])
      const tables = pending.length === 0 ? new Map<string, ExistingTable>() : await findTables(connection)
      return { isNew: history === null, pending: pending.map((migration) => describeMigration(migration, tables)) }
    })
  } catch (error) {
    const right = await findMissingRight(runInTransaction, error)
    if (!right) throw error
    throw new MigrationError(
      `The role ${right.role} may not read which migrations are applied: it lacks SELECT on _prisma_migrations. ` +
        'Grant the rights of docs/database-roles.md, then start again.',
      { cause: error },
    )
  }
}

const describeMigration = ({ name, sql }: Migration, tables: Map<string, ExistingTable>): PendingMigration => {
  const locks = new Map<string, PendingMigration['locks'][number]>()
  for (const { table: found, blocks } of findTableLocks(sql)) {
    const existing = tables.get(found)
    if (!existing || locks.get(existing.table)?.blocks === 'reads and writes') continue
    locks.set(existing.table, { ...existing, blocks })
  }
  return { name, note: /^-- (?![A-Z]\w+:)(\S+ .*)/.exec(sql)?.[1] ?? null, locks: [...locks.values()] }
}

type ExistingTable = { table: string; rows: number | null }

/** Finds each table by its name and by the names of its indexes. Rows are PostgreSQL's estimates: a count would read the tables. */
const findTables = async (connection: Connection): Promise<Map<string, ExistingTable>> => {
  const rows = await connection.query<ExistingTable & { name: string }>(
    `SELECT named.relname AS name, pg_class.relname AS table, nullif(pg_class.reltuples, -1)::float8 AS rows
     FROM pg_class LEFT JOIN pg_index ON indrelid = pg_class.oid JOIN pg_class named ON named.oid IN (pg_class.oid, indexrelid)
     WHERE pg_class.relnamespace = current_schema()::regnamespace AND pg_class.relkind IN ('r', 'p')`,
  )
  return new Map(rows.map(({ name, ...table }) => [name, table]))
}

const readMigrations = async (folder: string): Promise<Migration[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(`${folder}/${name}/migration.sql`, 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Null when there is no history: no migration was ever applied. */
const readHistory = async (connection: Connection): Promise<HistoryRow[] | null> => {
  // to_regclass reads a cache, and would miss a table that another process created while this one waited.
  const [table] = await connection.query<{ role: string; schema: string | null; exists: boolean }>(
    `SELECT current_user AS role, current_schema() AS schema,
       EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = '_prisma_migrations') AS exists`,
  )
  if (table?.schema === null) {
    throw new MigrationError(
      `The role ${table.role} may use no schema of its search_path: it lacks USAGE on a schema such as public. ` +
        'Grant the rights of docs/database-roles.md, then start again.',
    )
  }
  if (!table?.exists) return null
  return connection.query<HistoryRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  )
}

/** Lists the migrations that the history lacks. Throws MigrationError when the two contradict each other. */
const findPending = (migrations: Migration[], history: HistoryRow[]): Migration[] => {
  const failed = history.find((row) => !row.finished)
  if (failed) {
    throw new MigrationError(
      `The database was not migrated, because the migration ${failed.migration_name} failed half-way in an earlier \`prisma migrate deploy\`. ` +
        `Repair what it left behind, mark it with \`prisma migrate resolve\`, and start again.`,
    )
  }

  // Ignore unknown rows: during a roll-out an older process meets a newer database.
  for (const { name, checksum } of migrations) {
    const row = history.find((candidate) => candidate.migration_name === name)
    if (row && row.checksum !== checksum) {
      throw new MigrationError(
        `The database was not migrated, because the migration ${name} was edited after it had been applied. ` +
          `Restore its migration.sql, and put the change into a new migration.`,
      )
    }
  }
  return migrations.filter(({ name }) => !history.some((row) => row.migration_name === name))
}

const applyNext = async (connection: Connection, migrations: Migration[]): Promise<string | null> => {
  await lock(connection)
  const [migration] = findPending(migrations, (await readHistory(connection)) ?? [])
  if (!migration) return null

  await connection.script(createHistory)
  const id = randomUUID()
  await connection.query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)`, [
    id,
    migration.checksum,
    migration.name,
  ])
  // Shorter than deadlock_timeout: the migration fails, not a request. While it waits for a lock, it blocks later reads.
  await connection.script(`SET LOCAL lock_timeout = '500ms'`)
  await connection.script(migration.sql).catch((error: unknown) => {
    throw explain(error, `the migration ${migration.name} failed: ${error instanceof Error ? error.message : error}`)
  })
  await connection.query(`UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1`, [
    id,
  ])
  return migration.name
}

const lock = async (connection: Connection) => {
  await connection.script(`SET LOCAL lock_timeout = '60s'`)
  // Run as a script: a query would time out much earlier.
  await connection.script(`SELECT pg_advisory_xact_lock(${prismaLockId})`).catch((error: unknown) => {
    throw findSqlState(error) === '55P03' ? explain(error, 'another process has been migrating it for a minute') : error
  })
}

const explain = (error: unknown, why: string): unknown =>
  isDatabaseUnavailable(error) && findSqlState(error) !== '55P03'
    ? error
    : new MigrationError(`The database was not migrated, because ${why}. It was rolled back. Remove the cause and start again.`, {
        cause: error,
      })

const createHistory = `
CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
);`
