import type { ChangeChannel, ChangeListener, ChannelTimes } from './change-channel.ts'
import type { EmbeddedOptions } from './embedded.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'
import { hasPendingMigrations, migrate } from './migrate.ts'
import type { PostgresOptions } from './postgres.ts'
import type { Sql } from './sql.ts'

/** The typed database: Prisma's client. */
export type Database = PrismaClient

/** What a `$transaction` callback gets. Inside one, use nothing else: on the embedded database anything else waits for its end. */
export type Transaction = Prisma.TransactionClient

/** Where the data lives. */
export type DatabaseOptions = EmbeddedOptions | PostgresOptions

/** An open database and what its owner does with it. */
export type OpenDatabase = {
  db: Database
  sql: Sql
  /** Applies the pending migrations: those that ship with this package, or a folder's. Any number of processes may call it at once. */
  migrate: (folder?: string) => Promise<{ applied: string[] }>
  hasPendingMigrations: () => Promise<boolean>
  /** Resolves when the database answers. */
  ping: () => Promise<void>
  /** Hears of every committed change of a session or a user, whoever made it. Close it before the database. `times` are PostgreSQL's. */
  listen: (listener: ChangeListener, times?: ChannelTimes) => ChangeChannel
  /** A copy that an empty embedded database can start from; null on PostgreSQL. */
  dump: (() => Promise<Blob>) | null
  /** Copies the files of one moment into `folder`, which must not exist; other work waits meanwhile. Null on PostgreSQL. */
  copyTo: ((folder: string) => Promise<void>) | null
  close: () => Promise<void>
}

/** Opens the database of a process. PostgreSQL is connected to at the first query, and again after each loss. */
export const openDatabase = async (
  options: DatabaseOptions,
  { onConnectionLost = () => {} }: { onConnectionLost?: (error: Error) => void } = {},
): Promise<OpenDatabase> => {
  // Imported on demand: a node on PostgreSQL never loads the embedded engine.
  const driver =
    options.kind === 'embedded'
      ? await (await import('./embedded.ts')).openEmbedded(options)
      : (await import('./postgres.ts')).openPostgres(options, onConnectionLost)

  const db: Database = new PrismaClient({
    adapter: driver.adapter,
    // The other formats print a call's values, and those are secrets.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  })

  return {
    db,
    sql: driver.sql,
    migrate: (folder) => migrate(driver.inTransaction, folder),
    hasPendingMigrations: () => hasPendingMigrations(driver.inTransaction),
    ping: driver.ping,
    listen: driver.listen,
    dump: driver.dump,
    copyTo: driver.copyTo,
    close: async () => {
      await db.$disconnect()
      await driver.close()
    },
  }
}
