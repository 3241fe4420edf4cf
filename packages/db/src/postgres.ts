import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { ChangeListener, ChannelTimes } from './change-channel.ts'
import { sqlStateOf } from './failures.ts'
import type { InTransaction } from './migrate.ts'
import { postgresAdapter, transactionAborted, transactionTimedOut } from './postgres-adapter.ts'
import { listenOnPostgres } from './postgres-channel.ts'
import { journeysOn, type Statement } from './postgres-pipeline.ts'
import { type Queryable, readTimestamp, type Sql, statementOf, timestampType, toParameter } from './sql.ts'

export type PostgresOptions = {
  kind: 'postgres'
  url: string
  /** Connections per process. */
  poolSize?: number
}

export const openPostgres = ({ url, poolSize = 10 }: PostgresOptions, onConnectionLost: (error: Error) => void) => {
  // Behind a pooler that shares connections between transactions, a statement that one backend keeps is unknown to the next.
  let keepsStatements: boolean | null = null
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (names.size < mostKept && !names.has(text)) names.set(text, `prisma_${names.size}`)
    return names.get(text)
  }

  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // A server that fell silent must fail the request, not hold it until TCP gives up.
    query_timeout: 10_000,
    // That failure then closes the connection. Otherwise Prisma's ROLLBACK would wait behind the statement, and be dropped with it: the pool
    // would lend out a connection inside a transaction, and what is written there is acknowledged and never stored.
    pipeline: true,
    // After a migration a kept statement may fail on its connection for good: of Prisma's transactions no failure closes one.
    maxLifetimeSeconds: 60 * 60,
    // Columns hold UTC without a zone, so `now()` must mean UTC whatever the server's own setting is. A pooler names a process of its
    // own when it greets.
    onConnect: async (client) => {
      // A statement must not go on at the server, or wait there for a lock, when nobody waits for it here any more. A lock’s own limit
      // begins anew with each that it waits for.
      const { rows } = await client.query(
        `SELECT pg_backend_pid() AS backend, set_config('TimeZone', 'UTC', false), set_config('statement_timeout', '9s', false)`,
      )
      const { processID } = client as pg.ClientBase & { processID?: number }
      keepsStatements = keepsStatements !== false && rows[0]?.backend === processID
    },
  })
  // Without a listener an error ends the process, and a client has none between the pool and Prisma. It tells of its end more than once, and the
  // pool of an idle one's again.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    let isLost = false
    client.on('error', (error) => {
      if (!isLost) onConnectionLost(error)
      isLost = true
    })
  })

  const inTransaction: InTransaction = async (work) => {
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      await client.query('BEGIN; SET LOCAL statement_timeout = 0')
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
      // Closing the connection rolls back: also when it is the connection that failed.
      client.release(failure)
    }
  }

  const on = (ask: (statement: Statement) => Promise<unknown[]>): Queryable => ({
    $queryRaw: async <Rows>(template: TemplateStringsArray, ...values: unknown[]) => {
      const { text, name } = statementOf(template)
      return ask({ text, values: values.map(toParameter), types, ...(keepsStatements && { name }) }) as Promise<Rows>
    },
  })
  const sql: Sql = {
    ...on(async (statement) => (await pool.query(statement)).rows),
    async transaction(work) {
      const client = await pool.connect()
      const deadline = performance.now() + longestTransaction
      const assertInTime = (): void => {
        if (performance.now() > deadline) throw transactionTimedOut()
      }
      const { ask, end } = journeysOn(client)
      const { $queryRaw } = on(ask)
      let hasBegun = false
      const begin = () => {
        // Its failure is that of all that goes with it.
        if (!hasBegun) $queryRaw`BEGIN`.catch(() => {})
        hasBegun = true
      }
      try {
        const result = await work({
          $queryRaw: async <Rows>(statement: TemplateStringsArray, ...values: unknown[]) => {
            assertInTime()
            begin()
            return $queryRaw<Rows>(statement, ...values)
          },
        })
        assertInTime()
        if (!end()) throw transactionAborted()
        if (hasBegun && (await client.query('COMMIT')).command !== 'COMMIT') throw transactionAborted()
        client.release()
        return result
      } catch (error) {
        end()
        // Closing the connection rolls back too. Whatever else went wrong, inside or beside the database, it is well when it can roll back.
        const rollback = isSpent(error) ? Promise.reject(error) : client.query('ROLLBACK')
        await rollback.then(
          () => client.release(),
          (failure: Error) => client.release(failure),
        )
        throw error
      }
    },
  }

  let pinging: Promise<void> | undefined
  return {
    adapter: postgresAdapter(
      new PrismaPg(pool, {
        statementNameGenerator: ({ sql, args }) => (keepsStatements && args.length > 0 ? nameOf(sql) : undefined) as string,
      }),
    ),
    sql,
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
    copyTo: null,
    close: () => pool.end(),
  }
}

/** As long as Prisma's, see `client.ts`: a caller who has gone must not leave its locks behind. */
const longestTransaction = 15_000

/** Still busy with a statement that nobody waits for, out of time, or with a kept statement that a migration broke (ADR 024). */
const isSpent = (error: unknown): boolean =>
  (error instanceof Error && (error.message === 'Query read timeout' || (error as NodeJS.ErrnoException).code === 'P2028')) ||
  ['0A000', '26000'].includes(sqlStateOf(error) ?? '')

/** Of Prisma's: lists of different lengths are different statements, and each connection keeps them all. */
const mostKept = 300

const types: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format: 'text' | 'binary') =>
    type === timestampType && format !== 'binary'
      ? readTimestamp
      : pg.types.getTypeParser(type, format as 'text')) as typeof pg.types.getTypeParser,
}

const migrationTimeout = 60 * 60 * 1000
