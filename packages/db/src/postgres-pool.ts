import type pg from 'pg'
import { MeasuredPool } from './pool-state.ts'
import type { PostgresClient } from './postgres-hosts.ts'

/** A connection pool. `keepsStatements` is false behind a transaction pooler, where the next backend may not know a prepared one. */
export type ConnectionPool<Pool extends pg.Pool = pg.Pool> = { pool: Pool; keepsStatements(): boolean }

/** Turns off the server's idle_session_timeout, which versions before 14 do not have. */
export const keepIdleSession = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'`

/** Creates the pool. It connects at the first query and reports each lost connection once. */
export const createPool = (
  Client: PostgresClient,
  size: number,
  onConnectionLost: (error: Error) => void,
): ConnectionPool<MeasuredPool> => {
  let keepsStatements: boolean | null = null
  const pool = new MeasuredPool({
    Client,
    max: size,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // A silent server must fail the request, not hold it until TCP gives up.
    query_timeout: 10_000,
    // Closes the connection after such a timeout. Otherwise `pg` drops Prisma's queued ROLLBACK, and the pool lends out a connection
    // inside a transaction: later writes would be acknowledged and never stored.
    pipeline: true,
    // A migration can break a prepared statement for good, and no failure in Prisma's transactions closes the connection.
    maxLifetimeSeconds: 60 * 60,
    onConnect: async (client) => {
      // Columns hold UTC without a zone, so `now()` must mean UTC. The server must stop a statement that timed out here;
      // lock_timeout would not do, since it starts again with each lock. The pool closes idle connections itself.
      const { rows } = await client.query(
        `SELECT pg_backend_pid() AS backend, set_config('TimeZone', 'UTC', false), set_config('statement_timeout', '9s', false),
           (${keepIdleSession})`,
      )
      // A pooler greets with a process id that is not the backend's.
      const { processID } = client as pg.ClientBase & { processID?: number }
      keepsStatements = keepsStatements !== false && rows[0]?.backend === processID
    },
  })
  // An error without a listener ends the process. A lost client emits several errors, and an idle one also emits on the pool.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    let isLost = false
    client.on('error', (error) => {
      if (!isLost) onConnectionLost(error)
      isLost = true
    })
  })
  return { pool, keepsStatements: () => keepsStatements === true }
}
