import type { Sql } from '@floorpass/db'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'

/** Gives committed events their place in the feed (ADR 054). */
export type EventFeed = {
  /** Resolves when every change that was committed before the call has its events in the feed. */
  flush(): Promise<void>
  /** Call after a commit. Has no effect before `start`. */
  wake(): void
  /** Resolves when the feed grows after the moment of `version`, after a second, at the signal or when the service stops. */
  next(version: number, signal: AbortSignal): Promise<void>
  /** Take it before a read, so that `next` misses nothing. */
  version(): number
  /** Readers return what they have: the service stops. */
  endReads(): void
  isEnding(): boolean
  onGrow(call: () => void): void
  start(): void
  stop(): Promise<void>
}

type EventFeedOptions = { sql: Sql; changes: Pick<ChangeFeed, 'subscribeToEvents'>; log: Log }

export function createEventFeed({ sql, changes, log }: EventFeedOptions): EventFeed {
  let version = 0
  let grown = Promise.withResolvers<void>()
  let isStarted = false
  let isEnding = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let pause: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  const listeners: (() => void)[] = []

  const reportGrowth = (): void => {
    version += 1
    grown.resolve()
    grown = Promise.withResolvers()
    for (const call of listeners) call()
  }
  changes.subscribeToEvents(reportGrowth)

  const placeAll = async (): Promise<void> => {
    const [waiting] = await sql.$queryRaw<unknown[]>`SELECT FROM outbox_events LIMIT 1`
    if (!waiting) return
    while ((await placeBatch(sql)) === policy.events.batchSize);
  }

  /** A run covers only commits from before it started, so callers during one share the next. */
  const flush = (): Promise<void> => {
    if (running) {
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined
          return flush()
        })
      return next
    }
    running = placeAll().finally(() => {
      running = undefined
    })
    return running
  }

  const flushLater = (): void => {
    pause ??= setTimeout(() => {
      pause = undefined
      void flush().catch((err) => log.error({ err }, 'events not added to the feed: retry scheduled'))
    }, policy.events.batchPause * 1000)
  }

  return {
    flush,
    wake() {
      if (isStarted) flushLater()
    },
    version: () => version,
    async next(seen, signal) {
      if (seen !== version || isEnding || signal.aborted) return
      const ended = Promise.withResolvers<void>()
      const timer = setTimeout(ended.resolve, policy.events.poll * 1000)
      const end = () => ended.resolve()
      signal.addEventListener('abort', end)
      await Promise.race([grown.promise, ended.promise])
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    },
    endReads() {
      isEnding = true
      reportGrowth()
    },
    isEnding: () => isEnding,
    onGrow: (call) => void listeners.push(call),
    start() {
      isStarted = true
      poll = setInterval(flushLater, policy.events.poll * 1000)
      poll.unref()
    },
    async stop() {
      isStarted = false
      isEnding = true
      grown.resolve()
      clearInterval(poll)
      clearTimeout(pause)
      await Promise.allSettled([running, next])
    },
  }
}

/** Moves the oldest events of the outbox into the feed, and queues them for the webhooks. Returns their count. */
async function placeBatch(sql: Sql): Promise<number> {
  const now = new Date()
  return sql.transaction(async (tx) => {
    // One process at a time. The statement after it sees what the process before has moved.
    const [, [placed]] = await Promise.all([
      tx.$queryRaw<unknown[]>`SELECT FROM event_feed FOR UPDATE`,
      tx.$queryRaw<{ count: number }[]>`
        WITH taken AS (
          DELETE FROM outbox_events WHERE id IN (SELECT id FROM outbox_events ORDER BY id LIMIT ${policy.events.batchSize})
          RETURNING id, type, user_id, organization_id, data, created_at
        ), placed AS (
          INSERT INTO events (position, id, type, user_id, organization_id, data, created_at)
          SELECT position, 'evt_' || lpad(position::text, 16, '0') || '_' || left(gen_random_uuid()::text, 8),
                 type, user_id, organization_id, data, created_at
          FROM (
            SELECT taken.*, event_feed.position + row_number() OVER (ORDER BY taken.id) AS position FROM taken CROSS JOIN event_feed
          ) AS numbered
          RETURNING position, id, type, user_id, organization_id
        ), active AS (
          SELECT id, types FROM webhooks WHERE paused_at IS NULL FOR KEY SHARE
        ), queued AS (
          INSERT INTO webhook_deliveries (id, webhook_id, position, event_id, type, order_key, next_attempt_at, created_at)
          SELECT gen_random_uuid()::text, active.id, position, placed.id, type, coalesce(user_id, organization_id, ''),
                 ${now}::timestamp, ${now}::timestamp
          FROM placed JOIN active ON types = '{}' OR type = ANY (types)
        ), newest AS (
          SELECT position, id, count(*) OVER () AS count FROM placed ORDER BY position DESC LIMIT 1
        )
        UPDATE event_feed SET position = newest.position, last_id = newest.id FROM newest
        RETURNING newest.count::int AS count, pg_notify('floorpass_events', '')::text`,
    ])
    return placed?.count ?? 0
  })
}
