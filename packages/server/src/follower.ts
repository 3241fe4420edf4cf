import { type AccessEvent, accessEventTypes, type EventPage, parsePage } from './access-events.ts'
import type { AccessTokenClaims } from './caller.ts'
import { createRevocations, windowMs } from './revocations.ts'

export type FollowerOptions = {
  /** Where your server reaches the service. */
  serviceUrl: string
  /** A service secret with scope `events:read`. */
  serviceKey: string
  /** Milliseconds, at least 1000. When the follower last caught up longer ago, it is not current and refuses. Default: 5000. */
  maxAgeMs?: number
  /** Milliseconds that the service may take to answer, beyond the wait of the long poll. Default: 2000. */
  timeoutMs?: number
  /** Sessions, users, memberships and keys in memory, 100 to 500 bytes each. Beyond, see `Follower`. Default: 1,000,000. */
  maxEntries?: number
  /** Replaces the global fetch. */
  fetch?: typeof fetch
  /** Receives each event after the follower knows it, the oldest first. After a restart of either side it may come again, with the same id. */
  onEvent?: (event: AccessEvent) => void
  /** Receives each failure: of a request, of `onEvent`, and when the follower had to forget. For your log. */
  onError?: (error: Error) => void
}

export type FollowerState = {
  /** Whether the follower caught up within `maxAgeMs`. If not, it refuses. */
  isCurrent: boolean
  /** Milliseconds since the follower sent the last request that caught up: every change committed before then is known. Infinity before. */
  ageMs: number
  /** The id of the last event, or null. */
  cursor: string | null
  /** Milliseconds since 1970. What was issued or verified before is refused, because the follower cannot know whether it ended. */
  knownSince: number
  /** How many of `maxEntries` are in use. */
  entries: number
  /** Why the last request failed. Null after a success. */
  lastError: Error | null
}

/**
 * Follows the events of the service, and knows what ended. Times are milliseconds since 1970.
 *
 * Every question fails closed: while the follower is not current, the answer is true. When a cursor expired, the database was restored
 * or memory holds `maxEntries`, the follower forgets everything, and then refuses what was issued or verified before.
 */
export type Follower = {
  /** Starts to follow, ten minutes back. Call it before your server verifies anything. No effect while it follows. */
  start(): void
  /** Stops, aborts the request that waits, and refuses from then on. `start` continues after the last event. */
  stop(): void
  /** Resolves when the follower has caught up for the first time, or was stopped. Never rejects. */
  ready(): Promise<void>
  state(): FollowerState
  /** Whether the session ended. `verifiedAt`: before you asked the service, or the `iat` of a token. True when that is ten minutes ago. */
  isSessionEnded(sessionId: string, verifiedAt: number): boolean
  /** Whether the key was deleted or disabled, or expired after a change. `verifiedAt`: before you asked the service about the key. */
  isKeyEnded(keyId: string, verifiedAt: number): boolean
  /** Whether the user's access or a membership changed, or the event arrived, at `time` or later. True when that is ten minutes ago. */
  changedSince(userId: string, time: number): boolean
  /** Whether a verified token must be refused: what it names ended, or changed in the second of its `iat` or later. */
  isTokenRevoked(claims: AccessTokenClaims): boolean
}

const longestPage = 500
const longestWait = 30
const firstRetryMs = 100
const longestRetryMs = 5_000

/** Both clocks: the monotonic one stands still while a machine sleeps, and the other can be set back. */
const readClocks = () => ({ monotonic: performance.now(), wall: Date.now() })
const toError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))

class CursorExpired extends Error {}

/**
 * Creates a follower for `createVerifier`, or for your caches. Create one for a process, and `start` it.
 * @throws {TypeError} when `serviceUrl` is not a URL, `serviceKey` is missing, or a number is out of range.
 */
export function createFollower({ serviceUrl, serviceKey, ...options }: FollowerOptions): Follower {
  const { maxAgeMs = 5_000, timeoutMs = 2_000, maxEntries = 1_000_000, fetch: send = globalThis.fetch } = options
  if (!serviceKey) throw new TypeError('serviceKey is missing: pass the secret of a service with scope events:read')
  if (!(maxAgeMs >= 1_000 && maxAgeMs < windowMs))
    throw new TypeError(`maxAgeMs must be from 1000 to ${windowMs - 1} milliseconds`)
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be above 0 milliseconds')
  if (!(maxEntries >= 1)) throw new TypeError('maxEntries must be at least 1')
  const address = new URL('/auth/events', serviceUrl)
  // An idle follower is at most two waits old.
  const wait = Math.min(longestWait, Math.floor(maxAgeMs / 4_000))
  /** After an empty answer that came at once. */
  const pauseMs = maxAgeMs / 20

  const revocations = createRevocations()
  const firstCatchUp = createGate<void>()
  let running: AbortController | null = null
  let since = 0
  let cursor: string | null = null
  let caughtUpAt: ReturnType<typeof readClocks> | null = null
  let lastError: Error | null = null

  const getAge = () => {
    if (caughtUpAt === null) return Number.POSITIVE_INFINITY
    const now = readClocks()
    return Math.max(now.monotonic - caughtUpAt.monotonic, now.wall - caughtUpAt.wall)
  }
  const isCurrent = () => getAge() <= maxAgeMs

  /** A callback that throws must not end the follower. */
  const report = (error: Error) => {
    try {
      options.onError?.(error)
    } catch {}
  }
  const publish = (event: AccessEvent) => {
    try {
      options.onEvent?.(event)
    } catch (error) {
      report(toError(error))
    }
  }

  async function readPage(signal: AbortSignal): Promise<EventPage> {
    const start = cursor === null ? { since: new Date(since).toISOString() } : { after: cursor }
    const query = new URLSearchParams({ ...start, types: accessEventTypes, limit: String(longestPage), wait: String(wait) })
    const headers = { authorization: `Bearer ${serviceKey}`, accept: 'application/json' }
    const response = await send(`${address}?${query}`, { headers, signal, redirect: 'manual', cache: 'no-store' })
    const text = await response.text()
    if (response.status === 200) return parsePage(text, cursor)
    if (response.status === 410 && cursor !== null && JSON.parse(text).code === 'CURSOR_EXPIRED') {
      throw new CursorExpired('The events after the cursor are gone. Everything issued or verified before now is refused.')
    }
    throw new Error(`status ${response.status}: ${text.slice(0, 200)}`)
  }

  /** Resolves to the pause before the next request. */
  async function poll(signal: AbortSignal): Promise<number> {
    const sent = readClocks()
    const page = await withDeadline(readPage, wait * 1000 + timeoutMs, signal)
    cursor = page.cursor
    for (const event of page.events) {
      revocations.apply(event)
      publish(event)
    }
    revocations.dropOld()
    if (revocations.size() > maxEntries) {
      revocations.forget()
      report(new Error(`memory holds more than ${maxEntries} entries: everything issued or verified before now is refused`))
    }
    lastError = null
    if (!page.caughtUp || signal.aborted) return 0
    caughtUpAt = sent
    firstCatchUp.open()
    return page.events.length > 0 ? 0 : pauseMs - (performance.now() - sent.monotonic)
  }

  /** Begins from `since`: after a restore, the feed may hold other events. */
  const restart = () => {
    since = Date.now() - windowMs
    cursor = null
    caughtUpAt = null
  }

  async function follow({ signal }: AbortController): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await pause(await poll(signal), signal)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof CursorExpired) {
          restart()
          revocations.forget()
        }
        lastError = new Error(`GET ${address} failed. ${toError(error).message}`, { cause: error })
        report(lastError)
        await pause(Math.min(longestRetryMs, firstRetryMs * 2 ** failures) * (0.5 + Math.random() / 2), signal)
        failures += 1
      }
    }
  }

  return {
    start() {
      if (running) return
      if (cursor === null) {
        restart()
        revocations.begin(since)
      }
      running = new AbortController()
      void follow(running)
    },
    stop() {
      running?.abort()
      running = null
      caughtUpAt = null
      firstCatchUp.open()
    },
    ready: () => firstCatchUp.opened,
    state: () => ({
      isCurrent: isCurrent(),
      ageMs: getAge(),
      cursor,
      knownSince: revocations.knownSince(),
      entries: revocations.size(),
      lastError,
    }),
    isSessionEnded: (sessionId, verifiedAt) => !isCurrent() || revocations.isSessionEnded(sessionId, verifiedAt),
    isKeyEnded: (keyId, verifiedAt) => !isCurrent() || revocations.isKeyEnded(keyId, verifiedAt),
    changedSince: (userId, time) => !isCurrent() || revocations.hasChangedSince(userId, time),
    isTokenRevoked: (claims) => !isCurrent() || revocations.isTokenRevoked(claims),
  }
}

/** Node 20 has no `Promise.withResolvers`. */
function createGate<Value>() {
  let open: (value: Value) => void = () => {}
  let fail: (reason: Error) => void = () => {}
  const opened = new Promise<Value>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { opened, open, fail }
}

/** Also gives up on a custom fetch that ignores its signal. */
async function withDeadline<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  limitMs: number,
  stopped: AbortSignal,
): Promise<Result> {
  const controller = new AbortController()
  const gate = createGate<never>()
  const end = (reason: Error) => {
    controller.abort(reason)
    gate.fail(reason)
  }
  const stop = () => end(new Error('the follower was stopped'))
  const timer = setTimeout(() => end(new Error(`no answer within ${limitMs} ms`)), limitMs)
  stopped.addEventListener('abort', stop)
  try {
    return await Promise.race([act(controller.signal), gate.opened])
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
  }
}

/** The timer keeps no process alive. */
async function pause(milliseconds: number, stopped: AbortSignal): Promise<void> {
  if (!(milliseconds > 0) || stopped.aborted) return
  const gate = createGate<void>()
  const end = () => gate.open()
  const timer: unknown = setTimeout(end, milliseconds)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
  stopped.addEventListener('abort', end)
  await gate.opened
  stopped.removeEventListener('abort', end)
  clearTimeout(timer as number)
}
