import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type ChangeChannel, type ChangeListener, type ChannelTimes, channelName, channelTimes } from './change-channel.ts'

/**
 * Listens on a connection of its own. Every query there is also a proof: PostgreSQL hands over all that was committed before it
 * ahead of its answer. Behind a pooler that shares connections between transactions LISTEN succeeds and nothing is ever heard: a
 * word that `tell` says from another connection must arrive unasked before the channel counts as up.
 */
export function listenOnPostgres(
  url: string,
  listener: ChangeListener,
  tell: (word: string) => Promise<unknown>,
  times: ChannelTimes = channelTimes,
): ChangeChannel {
  const closing = new AbortController()
  const closed = new Promise<never>((_, reject) => {
    closing.signal.addEventListener('abort', () => reject(new Error('the channel was closed')))
  })
  closed.catch(() => {})
  let client: pg.Client | null = null
  let heardUpTo = Number.NEGATIVE_INFINITY
  let isKnownDown = false
  let proof: Promise<void> | null = null
  let nextProof: Promise<void> | null = null

  const rise = (connection: pg.Client, upTo: number) => {
    client = connection
    heardUpTo = upTo
    isKnownDown = false
    listener.onUp()
  }
  const fall = (reason: string) => {
    client = null
    heardUpTo = Number.NEGATIVE_INFINITY
    if (!isKnownDown && !closing.signal.aborted) listener.onDown(reason)
    isKnownDown = true
  }

  /** One life of the connection: rejects when it ends. */
  const listen = async (): Promise<never> => {
    const connection = new pg.Client({ connectionString: url, application_name: 'floorpass sessions', keepAlive: true })
    const lost = new Promise<never>((_, reject) => {
      connection.on('error', reject)
      connection.on('end', () => reject(new Error('the connection ended')))
    })
    lost.catch(() => {})
    const wait = <Result>(work: Promise<Result>) => within(times.patience, work, lost, closed)
    const arrival = Promise.withResolvers<void>()
    const word = `hello:${randomUUID()}`
    connection.on('notification', ({ payload = '' }) => {
      if (payload === word) arrival.resolve()
      else if (!payload.startsWith('hello:')) listener.onChange(payload)
    })
    try {
      await wait(connection.connect())
      await wait(connection.query(`LISTEN ${channelName}`))
      const said = performance.now()
      await wait(tell(word))
      await wait(arrival.promise)
      rise(connection, said)
      for (;;) {
        await Promise.race([delay(times.heartbeat, undefined, { ref: false }), lost, closed])
        await prove()
        if (client !== connection) throw new Error('no proof of life')
      }
    } finally {
      // A peer that fell silent would never let it end.
      await within(times.patience, connection.end()).catch(() => {})
      connection.connection.stream.destroy()
    }
  }

  const run = async () => {
    let pause = times.retry.first
    while (!closing.signal.aborted) {
      await listen().catch((error: Error) => {
        pause = isKnownDown ? Math.min(2 * pause, times.retry.longest) : times.retry.first
        fall(error.message)
      })
      await Promise.race([delay(pause, undefined, { ref: false }), closed]).catch(() => {})
    }
  }

  const ask = async () => {
    const connection = client
    if (!connection) return
    const asked = performance.now()
    try {
      await within(times.patience, connection.query('SELECT 1'), closed)
      if (client === connection) heardUpTo = asked
    } catch {
      if (client === connection) fall('no proof of life')
    }
  }

  /** Whoever asks while a proof is under way shares the next one with all who do: it must begin after they asked. */
  const prove = (): Promise<void> => {
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
    isCurrent: () => performance.now() - heardUpTo <= times.silence,
    settle: prove,
    async close() {
      closing.abort()
      fall('closed')
      await running
    },
  }
}

/** The first to end counts; nothing for longer than `ms`. */
async function within<Result>(ms: number, work: Promise<Result>, ...ends: Promise<never>[]): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), ms)
  // What loses the race must not fail unheard later.
  work.catch(() => {})
  try {
    return await Promise.race([work, late.promise, ...ends])
  } finally {
    clearTimeout(timer)
  }
}
