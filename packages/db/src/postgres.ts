import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { ChangeListener, ChannelTimes } from './change-channel.ts'
import type { InTransaction } from './migrate.ts'
import { postgresAdapter } from './postgres-adapter.ts'
import { listenOnPostgres } from './postgres-channel.ts'

export type PostgresOptions = {
  kind: 'postgres'
  url: string
  /** Connections per process. */
  poolSize?: number
}

export const openPostgres = ({ url, poolSize = 10 }: PostgresOptions, onConnectionLost: (error: Error) => void) => {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // A server that fell silent must fail the request, not hold it until TCP gives up.
    query_timeout: 10_000,
    // Columns hold UTC without a zone, so `now()` must mean UTC whatever the server's own setting is.
    onConnect: async (client) => void (await client.query(`SET TIME ZONE 'UTC'`)),
  })
  pool.on('error', onConnectionLost)
  // Between the pool and Prisma a client has no listener of its own, and a lost connection would end the process.
  pool.on('connect', (client) => client.on('error', onConnectionLost))

  const inTransaction: InTransaction = async (work) => {
    const client = await pool.connect()
    client.on('error', onConnectionLost)
    let failure: Error | undefined
    try {
      await client.query('BEGIN')
      const result = await work({
        query: async <Row>(sql: string, values?: unknown[]) => (await client.query(sql, values)).rows as Row[],
        script: (sql) => client.query({ text: sql, query_timeout: migrationTimeout } as pg.QueryConfig),
      })
      await client.query('COMMIT')
      return result
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      client.removeListener('error', onConnectionLost)
      // Closing the connection rolls back: also when it is the connection that failed.
      client.release(failure)
    }
  }

  let pinging: Promise<void> | undefined
  return {
    adapter: postgresAdapter(new PrismaPg(pool, { onConnectionError: onConnectionLost })),
    inTransaction,
    ping: () => {
      // One at a time: who asks every second must not take the pool of a database that fell silent.
      pinging ??= pool
        .query({ text: 'SELECT 1', query_timeout: 2_000 } as pg.QueryConfig)
        .then(() => {})
        .finally(() => {
          pinging = undefined
        })
      return pinging
    },
    listen: (listener: ChangeListener, times?: ChannelTimes) => listenOnPostgres(url, listener, times),
    dump: null,
    close: () => pool.end(),
  }
}

const migrationTimeout = 60 * 60 * 1000
