import type { ChangeChannel, ChangeListener, ChannelTimes } from './change-channel.ts'
import type { EmbeddedOptions } from './embedded.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'
import { findPendingMigrations, type MigrateOptions, migrate, type PendingMigrations } from './migrate.ts'
import type { PoolState } from './pool-state.ts'
import type { PostgresOptions } from './postgres.ts'
import type { Sql } from './sql.ts'

export type Database = PrismaClient

/** Inside a `$transaction` callback use only this: on the embedded database, any other query waits until the transaction ends. */
export type Transaction = Prisma.TransactionClient

export type DatabaseOptions = EmbeddedOptions | PostgresOptions

export type OpenDatabase = {
  db: Database
  sql: Sql
  /** Applies pending migrations of this package or of `folder`. Safe to call from several processes at once. */
  migrate: (options?: MigrateOptions) => Promise<{ applied: string[] }>
  findPendingMigrations: (folder?: string) => Promise<PendingMigrations>
  ping: () => Promise<void>
  /** Null on the embedded database, which has one connection. */
  poolState: (() => PoolState) | null
  /** Listens to session and user changes of every process. Close the channel before the database. `times` apply to PostgreSQL. */
  listen: (listener: ChangeListener, times?: ChannelTimes) => ChangeChannel
  /** A copy to start an empty embedded database from. Null on PostgreSQL. */
  dump: (() => Promise<Blob>) | null
  /** Copies a consistent snapshot into `folder`, which must not exist. Queries wait meanwhile. Null on PostgreSQL. */
  copyTo: ((folder: string) => Promise<void>) | null
  close: () => Promise<void>
}

/** Opens the database. PostgreSQL connects at the first query and reconnects after a loss. */
export const openDatabase = async (
  options: DatabaseOptions,
  { onConnectionLost = () => {} }: { onConnectionLost?: (error: Error) => void } = {},
): Promise<OpenDatabase> => {
  // A process on PostgreSQL must not load the embedded engine.
  const driver =
    options.kind === 'embedded'
      ? await (await import('./embedded.ts')).openEmbedded(options)
      : (await import('./postgres.ts')).openPostgres(options, onConnectionLost)

  const db: Database = new PrismaClient({
    adapter: driver.adapter,
    // Other formats print the values of a call, which include secrets.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  })

  return {
    db,
    sql: driver.sql,
    migrate: (options) => migrate(driver.runInTransaction, options),
    findPendingMigrations: (folder) => findPendingMigrations(driver.runInTransaction, folder),
    ping: driver.ping,
    poolState: driver.poolState,
    listen: driver.listen,
    dump: driver.dump,
    copyTo: driver.copyTo,
    close: async () => {
      await db.$disconnect()
      await driver.close()
    },
  }
}
