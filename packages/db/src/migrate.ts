import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findSqlState, isDatabaseUnavailable } from './failures.ts'

export type Connection = {
  query: <Row>(sql: string, values?: unknown[]) => Promise<Row[]>
  script: (sql: string) => Promise<unknown>
}

export type TransactionRunner = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>

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
  folder = shippedMigrations,
): Promise<{ applied: string[] }> => {
  const migrations = await readMigrations(folder)
  const applied: string[] = []

  // This check takes no lock, so a start without pending migrations does not wait.
  const first = await runInTransaction(async (connection) => findPending(migrations, await readHistory(connection)))
  if (!first) return { applied }

  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      const name = await runInTransaction((connection) => applyNext(connection, migrations))
      if (name === null) return { applied }
      applied.push(name)
    } catch (error) {
      if (!isLockedOut(error) || Date.now() > deadline) throw error
      await delay(100 + Math.random() * 400)
    }
  }
}

const isLockedOut = (error: unknown): boolean => ['55P03', '40P01'].includes(findSqlState(error) ?? '')

/** Whether a migration of the folder is not applied. Changes nothing. */
export const hasPendingMigrations = async (runInTransaction: TransactionRunner, folder = shippedMigrations): Promise<boolean> => {
  const migrations = await readMigrations(folder)
  return runInTransaction(async (connection) => findPending(migrations, await readHistory(connection)) !== undefined)
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

const readHistory = async (connection: Connection): Promise<HistoryRow[]> => {
  // to_regclass reads a cache, and would miss a table that another process created while this one waited.
  const [table] = await connection.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = '_prisma_migrations') AS exists`,
  )
  if (!table?.exists) return []
  return connection.query<HistoryRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  )
}

const findPending = (migrations: Migration[], history: HistoryRow[]): Migration | undefined => {
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
  return migrations.find(({ name }) => !history.some((row) => row.migration_name === name))
}

const applyNext = async (connection: Connection, migrations: Migration[]): Promise<string | null> => {
  await lock(connection)
  const migration = findPending(migrations, await readHistory(connection))
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
