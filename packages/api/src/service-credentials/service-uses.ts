import type { Database } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'
import { createUseCounter, type UseCounter } from '../kernel/use-counter.ts'

/** Counts the uses of service secrets, by hash. */
export type ServiceUses = UseCounter & {
  /** Whether this process accepted the secret, which may have ended since. */
  wasAccepted(secretHash: string): boolean
  forget(secretHash: string): void
}

export function createServiceUses({ db, log }: { db: Database; log: Log }): ServiceUses {
  const accepted = new Set<string>()
  const counter = createUseCounter({
    write: ({ ids, uses, times }) => db.$executeRaw`
      UPDATE service_secrets SET uses = service_secrets.uses + counted.uses,
                                 last_used_at = greatest(service_secrets.last_used_at, counted.last_used_at)
      FROM unnest(${ids}::text[], ${uses}::bigint[], ${times}::text[]::timestamp[]) AS counted (secret_hash, uses, last_used_at)
      WHERE service_secrets.secret_hash = counted.secret_hash`,
    onFailed: (err) => log.warn({ err }, 'service use counts not written: retry scheduled'),
  })
  return {
    ...counter,
    count(secretHash) {
      accepted.add(secretHash)
      counter.count(secretHash)
    },
    wasAccepted: (secretHash) => accepted.has(secretHash),
    forget: (secretHash) => void accepted.delete(secretHash),
  }
}
