import type pg from 'pg'
import type { ChangeListener, ChannelTimes } from './change-channel.ts'
import { createPoolDriver } from './pool-driver.ts'
import { listenOnPostgres } from './postgres-channel.ts'
import { createPostgresClient } from './postgres-hosts.ts'
import { createPool } from './postgres-pool.ts'

export type PostgresOptions = {
  kind: 'postgres'
  url: string
  poolSize?: number
}

export const openPostgres = ({ url, poolSize = 10 }: PostgresOptions, onConnectionLost: (error: Error) => void) => {
  const Client = createPostgresClient(url)
  const connections = createPool(Client, poolSize, onConnectionLost)
  const { pool } = connections

  return {
    ...createPoolDriver(connections),
    ping: createPing(pool),
    poolState: () => pool.state,
    listen: (listener: ChangeListener, times?: ChannelTimes) => listenOnPostgres(Client, listener, times),
    dump: null,
    copyTo: null,
    close: () => pool.end(),
  }
}

/** Concurrent pings share one query, so polling a silent database cannot use up the pool. */
const createPing = (pool: pg.Pool) => {
  let pending: Promise<void> | undefined
  return (): Promise<void> => {
    pending ??= pool
      .query({ text: 'SELECT 1', query_timeout: 2_000 } as pg.QueryConfig)
      .then(() => {})
      .finally(() => {
        pending = undefined
      })
    return pending
  }
}
