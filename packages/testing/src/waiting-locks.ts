import type { Database } from '@floorpass/db'
import { eventually } from './eventually.ts'

/** Resolves when this many statements of the database wait for a lock. PostgreSQL only. */
export const waitForLocks = ({ db }: { db: Database }, count = 1): Promise<void> =>
  eventually(async () => {
    const [row] = await db.$queryRaw<{ waiting: number }[]>`
      SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    if (row?.waiting !== count) throw new Error(`${row?.waiting} statements wait for a lock, not ${count}`)
  })
