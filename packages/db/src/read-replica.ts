import { type Database, openDatabase } from './client.ts'
import { explainDatabaseFailure } from './explain-failure.ts'
import { findSqlState, isDatabaseUnavailable } from './failures.ts'

/** Reads that decide nothing and may be seconds old: exports and an operator's lists (ADR 048). */
export type ReadReplica = {
  /** Runs `work` on the replica, or on the primary while the replica is away or too far behind. */
  read<Result>(work: (db: Database) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const maxLagSeconds = 10
const checkTimeoutMs = 2_000
/** It lacks a table, a column or a right: it is another database, or older than this version. */
const schemaErrors = /^42/

export const readPrimary = (primary: Database): ReadReplica => ({ read: (work) => work(primary), close: async () => {} })

/** Without a URL, every read uses the primary. `onUnused` gets the reason of each read that the replica did not serve. */
export async function openReadReplica(
  primary: Database,
  url: string | null,
  onUnused: (reason: string) => void = () => {},
): Promise<ReadReplica> {
  if (url === null) return readPrimary(primary)
  const replica = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
  // A wrong URL must show at the start, not months later at the first export.
  void findProblem(replica.db).then((reason) => reason !== null && onUnused(reason))
  return {
    async read(work) {
      const reason = await findProblem(replica.db)
      if (reason === null) {
        try {
          return await work(replica.db)
        } catch (error) {
          // For example, the primary removed rows that a long read still needed.
          if (!isDatabaseUnavailable(error) && !schemaErrors.test(findSqlState(error) ?? '')) throw error
          onUnused(describeFailure(error))
        }
      } else onUnused(reason)
      return work(primary)
    },
    close: () => replica.close(),
  }
}

const describeFailure = (error: unknown): string => explainDatabaseFailure(error)?.reason ?? (error as Error).message

/** The service commits a heartbeat each second, so the newest replayed commit shows the lag of an idle service too. */
async function findProblem(db: Database): Promise<string | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve('no answer in two seconds'), checkTimeoutMs)
  const check = db.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float AS seconds WHERE pg_is_in_recovery()`
    .then(([row]) => {
      if (!row) return 'not a standby'
      if (row.seconds === null) return 'no commit replayed since its start'
      return row.seconds <= maxLagSeconds ? null : `${Math.round(row.seconds)} s behind`
    })
    .catch(describeFailure)
  return Promise.race([check, timeout]).finally(() => clearTimeout(timer))
}
