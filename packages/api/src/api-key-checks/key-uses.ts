import type { Database } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'
import { createUseCounter, type UseCounter } from '../kernel/use-counter.ts'

/** Counts the uses of API keys, by id. */
export const createKeyUses = ({ db, log }: { db: Database; log: Log }): UseCounter =>
  createUseCounter({
    write: ({ ids, uses, times, ips }) => db.$executeRaw`
      UPDATE api_keys SET uses = api_keys.uses + counted.uses,
                          last_used_at = greatest(api_keys.last_used_at, counted.last_used_at),
                          last_used_ip = CASE WHEN api_keys.last_used_at > counted.last_used_at THEN api_keys.last_used_ip
                                              ELSE counted.last_used_ip END
      FROM unnest(${ids}::text[], ${uses}::bigint[], ${times}::text[]::timestamp[], ${ips}::text[])
        AS counted (id, uses, last_used_at, last_used_ip)
      WHERE api_keys.id = counted.id`,
    onFailed: (err) => log.warn({ err }, 'API key use counts not written: retry scheduled'),
  })
