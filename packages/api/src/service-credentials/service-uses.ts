import type { Database } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'

/** Counts the uses of service secrets in memory, by hash: a row written for each call would cost more than the call. */
export type ServiceUses = {
  count(secretHash: string): void
  /** Whether this process accepted the secret, which may have ended since. */
  wasAccepted(secretHash: string): boolean
  forget(secretHash: string): void
  /** Adds the counts to the database. Never rejects: what cannot be written is kept for the next flush. */
  flush(): Promise<void>
  start(): void
  /** Flushes for the last time. A crash loses what was counted since the last flush. */
  stop(): Promise<void>
}

type Pending = { uses: number; lastUsedAt: Date }

export function createServiceUses({ db, log }: { db: Database; log: Log }): ServiceUses {
  const accepted = new Set<string>()
  const pending = new Map<string, Pending>()
  let running = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const add = (secretHash: string, { uses, lastUsedAt }: Pending): void => {
    const known = pending.get(secretHash) ?? { uses: 0, lastUsedAt }
    const isNewer = lastUsedAt > known.lastUsedAt
    pending.set(secretHash, { uses: known.uses + uses, lastUsedAt: isNewer ? lastUsedAt : known.lastUsedAt })
  }

  async function write(): Promise<void> {
    const counted = [...pending]
    if (counted.length === 0) return
    pending.clear()
    const hashes = counted.map(([secretHash]) => secretHash)
    const uses = counted.map(([, { uses }]) => uses)
    const times = counted.map(([, { lastUsedAt }]) => lastUsedAt.toISOString())
    try {
      await db.$executeRaw`
        UPDATE service_secrets SET uses = service_secrets.uses + counted.uses,
                                   last_used_at = greatest(service_secrets.last_used_at, counted.last_used_at)
        FROM unnest(${hashes}::text[], ${uses}::bigint[], ${times}::text[]::timestamp[]) AS counted (secret_hash, uses, last_used_at)
        WHERE service_secrets.secret_hash = counted.secret_hash`
    } catch (err) {
      for (const [secretHash, failed] of counted) add(secretHash, failed)
      log.warn({ err }, 'service use counts not written: retry scheduled')
    }
  }

  const flush = (): Promise<void> => {
    running = running.then(write)
    return running
  }

  return {
    count(secretHash) {
      accepted.add(secretHash)
      add(secretHash, { uses: 1, lastUsedAt: new Date() })
    },
    wasAccepted: (secretHash) => accepted.has(secretHash),
    forget: (secretHash) => void accepted.delete(secretHash),
    flush,
    start() {
      timer = setInterval(flush, policy.services.flushEvery * 1000).unref()
    },
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}
