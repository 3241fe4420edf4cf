import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import {
  type ChangeChannel,
  type ChangeListener,
  type ChannelTimes,
  channelName,
  channelTimes,
  eventsChannelName,
} from './change-channel.ts'
import type { PostgresClient } from './postgres-hosts.ts'
import { keepIdleSession } from './postgres-pool.ts'

/** Two clocks: the monotonic one stands still while a virtual machine is frozen, and the wall clock can be set. */
type Moment = { monotonic: number; wall: number }
const now = (): Moment => ({ monotonic: performance.now(), wall: Date.now() })
const never: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }

/** `fail` rejects everything that waits for the connection. Promise.race would leak: its promises outlive the wait. */
type Connection = { client: pg.Client; fail(error: Error): void }

// A heartbeat from a fresh connection that arrives on the listening one shows that both reach one server without a pooler.
/** Listens to session changes on a dedicated connection. Heartbeats keep the channel current (ADR 012). */
export function listenOnPostgres(
  Client: PostgresClient,
  listener: ChangeListener,
  times: ChannelTimes = channelTimes,
): ChangeChannel {
  const closing = new AbortController()
  let connection: Connection | null = null
  let isUp = false
  let lastHeartbeatAt = never
  let reportedReason: string | null = null
  let barrier: Promise<void> | null = null
  let nextBarrier: Promise<void> | null = null

  const markUp = () => {
    isUp = true
    reportedReason = null
    listener.onUp()
  }
  const markDown = (reason: string) => {
    isUp = false
    lastHeartbeatAt = never
    if (reason !== reportedReason && !closing.signal.aborted) listener.onDown(reason)
    reportedReason = reason
  }

  /** Connects and listens until the connection fails. Resolves to true when the channel was up. */
  const runConnection = async (): Promise<boolean> => {
    const client = new Client({ application_name: 'floorpass sessions', keepAlive: true })
    const lost = new AbortController()
    const heartbeats = new EventEmitter()
    let wasUp = false
    const fail = (error: Error) => {
      if (lost.signal.aborted) return
      markDown(error.message)
      lost.abort(error)
      client.connection.stream.destroy(error)
    }
    connection = { client, fail }
    client.on('error', fail).on('end', () => fail(new Error('connection ended')))
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === eventsChannelName) return listener.onEvents?.()
      if (payload.startsWith('hello:')) heartbeats.emit(payload)
      else listener.onChange(payload)
    })
    try {
      await withTimeout(times.patience, client.connect(), () => fail(new Error('connect timed out')))
      // The channel only reads, so to PostgreSQL it is idle. Versions before 14 have no such timeout.
      const listen = client.query(`LISTEN ${channelName}; LISTEN ${eventsChannelName}; ${keepIdleSession}`)
      await withTimeout(times.patience, listen, () => fail(new Error('LISTEN timed out')))
      for (;;) {
        const startedAt = now()
        const heartbeat = `hello:${randomUUID()}`
        const arrival = once(heartbeats, heartbeat, { signal: lost.signal })
        arrival.catch(() => {})
        void Client.verifyHost()
        await withTimeout(times.patience, sendHeartbeat(Client, heartbeat, lost.signal), () =>
          fail(new Error('heartbeat not sent in time')),
        )
        await withTimeout(times.patience, arrival, () => {
          fail(
            new Error('heartbeat lost: DATABASE_URL points at a pooler in transaction mode, or another server is in its place'),
          )
          // It arrived before, so the URL leads to another server now, and older connections to a former primary.
          if (wasUp) Client.dropAll('another server is in its place')
        })
        if (!wasUp) markUp()
        wasUp = true
        lastHeartbeatAt = startedAt
        await delay(times.heartbeat, undefined, { ref: false, signal: lost.signal })
      }
    } catch (error) {
      fail(error as Error)
    }
    return wasUp
  }

  const keepConnected = async () => {
    let pause = times.retry.first
    while (!closing.signal.aborted) {
      if (await runConnection()) pause = times.retry.first
      await delay(pause, undefined, { ref: false, signal: closing.signal }).catch(() => {})
      pause = Math.min(2 * pause, times.retry.longest)
    }
  }

  /** PostgreSQL delivers notifications of earlier commits before the answer to a query. */
  const runBarrier = async () => {
    const { client, fail } = connection as Connection
    await withTimeout(times.settling, client.query('SELECT 1'), () => fail(new Error('barrier timed out'))).catch(fail)
  }

  /** A barrier covers only commits from before it started, so callers during one share the next. */
  const flush = async (): Promise<void> => {
    if (!isUp) return
    if (barrier) {
      nextBarrier ??= barrier.then(() => {
        nextBarrier = null
        return flush()
      })
      return nextBarrier
    }
    barrier = runBarrier().finally(() => {
      barrier = null
    })
    return barrier
  }

  const running = keepConnected()
  return {
    isCurrent() {
      const { monotonic, wall } = now()
      return monotonic - lastHeartbeatAt.monotonic <= times.silence && Math.abs(wall - lastHeartbeatAt.wall) <= times.silence
    },
    flush,
    async close() {
      closing.abort()
      connection?.fail(new Error('closed'))
      await running
    },
  }
}

/** Sends a heartbeat on a new connection: it reaches the server that the URL names now. */
async function sendHeartbeat(Client: PostgresClient, heartbeat: string, signal: AbortSignal): Promise<void> {
  const client = new Client({ application_name: 'floorpass heartbeat', keepAlive: true })
  const stop = () => void client.connection.stream.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  client.on('error', () => {})
  try {
    await client.connect()
    // A heartbeat need not survive a crash, so its commit waits for no disk and no standby.
    const { rows } = await client.query<{ triggers: number }>(
      `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2), (
         SELECT count(*)::int FROM pg_trigger
         WHERE tgfoid IN ('tell_session_change'::regproc, 'notify_membership_change'::regproc, 'notify_key_change'::regproc,
           'notify_organization_suspension'::regproc)
           AND tgenabled IN ('O', 'A')
       ) AS triggers`,
      [channelName, heartbeat],
    )
    if ((rows[0]?.triggers ?? 0) < sessionChangeTriggers)
      throw new Error('triggers of session and key changes missing or disabled')
  } finally {
    signal.removeEventListener('abort', stop)
    void client.end().catch(() => {})
    client.connection.stream.destroy()
  }
}

const sessionChangeTriggers = 12

/** Calls `onTimeout`, which must make `work` fail. setImmediate first lets a busy process read what has already arrived. */
async function withTimeout<Result>(ms: number, work: Promise<Result>, onTimeout: () => void): Promise<Result> {
  let immediate: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    immediate = setImmediate(onTimeout)
  }, ms)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}
