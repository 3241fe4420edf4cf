import { policy } from './policy.ts'

/** Counts uses in memory: a row written for each call would cost more than the call. */
export type UseCounter = {
  count(id: string, ip?: string | null): void
  /** Adds the counts to the database. Never rejects: what cannot be written is kept for the next flush. */
  flush(): Promise<void>
  start(): void
  /** Flushes for the last time. A crash loses what was counted since the last flush. */
  stop(): Promise<void>
}

/** Columns of one statement: the same index belongs to the same id. */
export type Counted = { ids: string[]; uses: number[]; times: string[]; ips: (string | null)[] }

type Pending = { uses: number; lastUsedAt: Date; lastUsedIp: string | null }

type Options = { write(counted: Counted): Promise<unknown>; onFailed(err: unknown): void }

export function createUseCounter({ write, onFailed }: Options): UseCounter {
  const pending = new Map<string, Pending>()
  let running = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const add = (id: string, added: Pending): void => {
    const known = pending.get(id)
    if (!known) return void pending.set(id, { ...added })
    known.uses += added.uses
    if (added.lastUsedAt < known.lastUsedAt) return
    known.lastUsedAt = added.lastUsedAt
    known.lastUsedIp = added.lastUsedIp
  }

  async function writePending(): Promise<void> {
    const counted = [...pending]
    if (counted.length === 0) return
    pending.clear()
    const ids = counted.map(([id]) => id)
    const uses = counted.map(([, one]) => one.uses)
    const times = counted.map(([, { lastUsedAt }]) => lastUsedAt.toISOString())
    const ips = counted.map(([, { lastUsedIp }]) => lastUsedIp)
    try {
      await write({ ids, uses, times, ips })
    } catch (err) {
      for (const [id, failed] of counted) add(id, failed)
      onFailed(err)
    }
  }

  const flush = (): Promise<void> => {
    running = running.then(writePending)
    return running
  }

  return {
    count: (id, ip = null) => add(id, { uses: 1, lastUsedAt: new Date(), lastUsedIp: ip }),
    flush,
    start() {
      timer = setInterval(flush, policy.usesFlushedEvery * 1000).unref()
    },
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}
