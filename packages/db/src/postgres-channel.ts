import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type ChangeChannel, type ChangeListener, type ChannelTimes, channelName, channelTimes } from './change-channel.ts'

/** Both clocks: the steady one stands still while a virtual machine is frozen, the other one can be set. */
type Moment = { steady: number; wall: number }
const now = (): Moment => ({ steady: performance.now(), wall: Date.now() })
const never: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }

/** One connection that listens. At its end everything that waits for it is rejected: nothing here races with a promise that outlives it. */
type Life = { connection: pg.Client; end(error: Error): void }

/**
 * Listens on a connection of its own. A heartbeat is a word that a fresh connection says and this one must hear: so both lead to one
 * server, no pooler is between, the triggers are there, and all that was committed before the word was heard too. Only that moves
 * what is current.
 */
export function listenOnPostgres(url: string, listener: ChangeListener, times: ChannelTimes = channelTimes): ChangeChannel {
  const closing = new AbortController()
  let life: Life | null = null
  let isUp = false
  let lastHeartbeatAt = never
  let saidDown: string | null = null
  let proof: Promise<void> | null = null
  let nextProof: Promise<void> | null = null

  const rise = () => {
    isUp = true
    saidDown = null
    listener.onUp()
  }
  const fall = (reason: string) => {
    isUp = false
    lastHeartbeatAt = never
    if (reason !== saidDown && !closing.signal.aborted) listener.onDown(reason)
    saidDown = reason
  }

  /** Resolves at the end of a connection: true when it was up. */
  const live = async (): Promise<boolean> => {
    const connection = clientOf(url, 'floorpass sessions')
    const lost = new AbortController()
    const words = new EventEmitter()
    let wasUp = false
    const end = (error: Error) => {
      if (lost.signal.aborted) return
      fall(error.message)
      lost.abort(error)
      connection.connection.stream.destroy(error)
    }
    life = { connection, end }
    connection.on('error', end).on('end', () => end(new Error('the connection ended')))
    connection.on('notification', ({ payload = '' }) => {
      if (payload.startsWith('hello:')) words.emit(payload)
      else listener.onChange(payload)
    })
    try {
      await inTime(times.patience, connection.connect(), () => end(new Error('no connection in time')))
      await inTime(times.patience, connection.query(`LISTEN ${channelName}`), () => end(new Error('no answer in time')))
      for (;;) {
        const began = now()
        const word = `hello:${randomUUID()}`
        const arrival = once(words, word, { signal: lost.signal })
        arrival.catch(() => {})
        await inTime(times.patience, say(url, word, lost.signal), () => end(new Error('no heartbeat in time')))
        await inTime(times.patience, arrival, () =>
          end(
            new Error(
              'what is told is not heard: a pooler that shares connections is between, or another server is in its place',
            ),
          ),
        )
        if (!wasUp) rise()
        wasUp = true
        lastHeartbeatAt = began
        await delay(times.heartbeat, undefined, { ref: false, signal: lost.signal })
      }
    } catch (error) {
      end(error as Error)
    }
    return wasUp
  }

  const run = async () => {
    let pause = times.retry.first
    while (!closing.signal.aborted) {
      if (await live()) pause = times.retry.first
      await delay(pause, undefined, { ref: false, signal: closing.signal }).catch(() => {})
      pause = Math.min(2 * pause, times.retry.longest)
    }
  }

  /** PostgreSQL hands over what was committed before a query ahead of its answer. */
  const ask = async () => {
    const { connection, end } = life as Life
    await inTime(times.settling, connection.query('SELECT 1'), () => end(new Error('no answer in time'))).catch(end)
  }

  /** Whoever asks while a proof is under way shares the next one with all who do: it must begin after they asked. */
  const prove = async (): Promise<void> => {
    if (!isUp) return
    if (proof) {
      nextProof ??= proof.then(() => {
        nextProof = null
        return prove()
      })
      return nextProof
    }
    proof = ask().finally(() => {
      proof = null
    })
    return proof
  }

  const running = run()
  return {
    isCurrent() {
      const { steady, wall } = now()
      return steady - lastHeartbeatAt.steady <= times.silence && Math.abs(wall - lastHeartbeatAt.wall) <= times.silence
    },
    settle: prove,
    async close() {
      closing.abort()
      life?.end(new Error('closed'))
      await running
    },
  }
}

/** Says the word on a connection that is made for it: at the server that the address leads to now. */
async function say(url: string, word: string, signal: AbortSignal): Promise<void> {
  const teller = clientOf(url, 'floorpass heartbeat')
  const stop = () => void teller.connection.stream.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  teller.on('error', () => {})
  try {
    await teller.connect()
    // It need not survive a crash: it waits for no disk and no standby.
    const { rows } = await teller.query<{ triggers: number }>(
      `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2), (
         SELECT count(*)::int FROM pg_trigger WHERE tgfoid = 'tell_session_change'::regproc AND tgenabled IN ('O', 'A')
       ) AS triggers`,
      [channelName, word],
    )
    if (rows[0]?.triggers !== triggers) throw new Error('triggers that tell of changes are missing or disabled')
  } finally {
    signal.removeEventListener('abort', stop)
    void teller.end().catch(() => {})
    teller.connection.stream.destroy()
  }
}

/** Those of the migration `session_changes`: update, delete and truncate, of two tables. */
const triggers = 6

const clientOf = (url: string, name: string) => new pg.Client({ connectionString: url, application_name: name, keepAlive: true })

/** Calls `late`, which must make the work fail, unless it ends in time. What arrived while the process was busy is read first. */
async function inTime<Result>(ms: number, work: Promise<Result>, late: () => void): Promise<Result> {
  let reading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    reading = setImmediate(late)
  }, ms)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    clearImmediate(reading)
  }
}
