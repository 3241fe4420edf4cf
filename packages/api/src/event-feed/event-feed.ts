import type { Sql } from '@floorpass/db'
import type { ChangeFeed } from '../changes/change-feed.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { RareLog } from '../kernel/rare-log.ts'

/** Appends committed events to the feed (ADR 054). */
export type EventFeed = {
  /** Whether every change that was committed before the call now has its events in the feed. False: the backlog is long. */
  flush(): Promise<boolean>
  scheduleFlush(): void
  /** Resolves when the feed grew since `version`, after one second, on abort, or at shutdown. */
  waitForGrowth(version: number, signal: AbortSignal): Promise<void>
  /** Take it before a read, so that `waitForGrowth` misses nothing. */
  version(): number
  /** Long polls and streams hold a connection each. Returns what releases it. SERVICE_BUSY. */
  acquireReader(): () => void
  stopReaders(): void
  isStopping(): boolean
  onGrow(call: () => void): void
  start(): void
  stop(): Promise<void>
}

type EventFeedOptions = { sql: Sql; changes: Pick<ChangeFeed, 'subscribeToEvents'>; logRarely: RareLog }

export function createEventFeed({ sql, changes, logRarely }: EventFeedOptions): EventFeed {
  let version = 0
  const waiters = new Set<() => void>()
  let readers = 0
  let isStarted = false
  let isStopping = false
  let running: Promise<boolean> | undefined
  let nextFlush: Promise<boolean> | undefined
  let pause: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  const listeners: (() => void)[] = []

  const reportGrowth = (): void => {
    version += 1
    for (const resume of waiters) resume()
    for (const call of listeners) call()
  }
  changes.subscribeToEvents(reportGrowth)

  const appendSome = async (): Promise<boolean> => {
    const [waiting] = await sql.$queryRaw<unknown[]>`SELECT FROM outbox_events LIMIT 1`
    if (!waiting) return true
    for (let batch = 0; batch < policy.events.batchesAtOnce; batch += 1)
      if ((await appendBatch(sql)) < policy.events.batchSize) return true
    return false
  }

  /** A run covers only commits from before it started: later callers share the next run. */
  const flush = (): Promise<boolean> => {
    if (running) {
      nextFlush ??= running
        .catch(() => {})
        .then(() => {
          nextFlush = undefined
          return flush()
        })
      return nextFlush
    }
    running = appendSome().finally(() => {
      running = undefined
    })
    return running
  }

  const flushLater = (): void => {
    pause ??= setTimeout(() => {
      pause = undefined
      void flush().then(
        (isComplete) => isComplete || !isStarted || flushLater(),
        (err) => logRarely('events', { err }, 'events not added to the feed: retry scheduled'),
      )
    }, policy.events.batchPause * 1000)
  }

  return {
    flush,
    scheduleFlush() {
      if (isStarted) flushLater()
    },
    version: () => version,
    async waitForGrowth(seen, signal) {
      if (isStopping || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      // Many changes a second must not make each reader read for each of them.
      const isLate = seen !== version
      const timer = setTimeout(resolve, (isLate ? policy.events.batchPause : policy.events.poll) * 1000)
      if (!isLate) waiters.add(resolve)
      const end = () => resolve()
      signal.addEventListener('abort', end)
      await promise
      signal.removeEventListener('abort', end)
      clearTimeout(timer)
      waiters.delete(resolve)
    },
    acquireReader() {
      if (readers >= policy.events.readersAtOnce) throw new AppError('SERVICE_BUSY', { retryAfter: 1 })
      readers += 1
      let isReleased = false
      return () => {
        if (!isReleased) readers -= 1
        isReleased = true
      }
    },
    stopReaders() {
      isStopping = true
      reportGrowth()
    },
    isStopping: () => isStopping,
    onGrow: (call) => void listeners.push(call),
    start() {
      isStarted = true
      poll = setInterval(flushLater, policy.events.poll * 1000)
      poll.unref()
    },
    async stop() {
      isStarted = false
      isStopping = true
      reportGrowth()
      clearInterval(poll)
      clearTimeout(pause)
      await Promise.allSettled([running, nextFlush])
    },
  }
}

async function appendBatch(sql: Sql): Promise<number> {
  const now = new Date()
  return sql.transaction(async (tx) => {
    // Lock first: the next statement then sees the previous batch.
    const [[feed], [appended]] = await Promise.all([
      tx.$queryRaw<unknown[]>`SELECT id FROM event_feed FOR UPDATE`,
      tx.$queryRaw<{ count: number }[]>`
        WITH taken AS (
          DELETE FROM outbox_events WHERE id IN (SELECT id FROM outbox_events ORDER BY id LIMIT ${policy.events.batchSize})
          RETURNING id, type, user_id, organization_id, data, created_at
        ), appended AS (
          INSERT INTO events (position, id, type, user_id, organization_id, data, created_at, appended_at)
          SELECT position, 'evt_' || lpad(position::text, 16, '0') || '_' || left(gen_random_uuid()::text, 8),
                 type, user_id, organization_id, data, created_at, greatest(${now}::timestamp, appended_at)
          FROM (
            SELECT taken.*, event_feed.appended_at, event_feed.position + row_number() OVER (ORDER BY taken.id) AS position
            FROM taken CROSS JOIN event_feed
          ) AS numbered
          RETURNING position, id, type, user_id, organization_id
        ), active AS (
          SELECT id, types FROM webhooks WHERE paused_at IS NULL FOR KEY SHARE
        ), queued AS (
          INSERT INTO webhook_deliveries (id, webhook_id, position, event_id, type, order_key, next_attempt_at, created_at)
          SELECT gen_random_uuid()::text, active.id, position, appended.id, type, coalesce(user_id, organization_id, ''),
                 ${now}::timestamp, ${now}::timestamp
          FROM appended JOIN active ON types = '{}' OR type = ANY (types)
        ), newest AS (
          SELECT position, id, count(*) OVER () AS count FROM appended ORDER BY position DESC LIMIT 1
        )
        UPDATE event_feed SET position = newest.position, last_id = newest.id, appended_at = greatest(${now}::timestamp, appended_at) FROM newest
        RETURNING newest.count::int AS count, pg_notify('floorpass_events', '')::text`,
    ])
    if (!feed) throw new Error('event_feed has no row: nothing was moved')
    return appended?.count ?? 0
  })
}
