import { LRUCache } from 'lru-cache'
import {
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { type LimitName, type LimitState, limits, policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'

export type RateLimiter = {
  /** Counts `tries`, one unless given; throws TOO_MANY_REQUESTS with the seconds to wait. Null while limits are switched off. */
  consume(limit: LimitName, key: string, tries?: number): Promise<LimitState | null>
  /** Counts one try; false when it is one too many. For answers that must not change. */
  allows(limit: LimitName, key: string): Promise<boolean>
  /** Nothing is allowed for so many seconds. */
  block(limit: LimitName, key: string, seconds: number): Promise<void>
  reset(limit: LimitName, key: string): Promise<void>
}

type CounterOptions = { keyPrefix: string; points: number; duration: number }

/** `consume` counts the tries: what is left, or rejects with it when they were too many. */
type Counter = Pick<RateLimiterMemory, 'consume' | 'block' | 'delete'>

/** Beyond `policy.rateLimitRecords` the key that was used longest ago is forgotten: whoever makes keys up must not fill the memory. */
class BoundedMemory extends RateLimiterMemory {
  readonly #keys = new Set<string>()

  #touch(key: string | number): void {
    const name = String(key)
    this.#keys.delete(name)
    this.#keys.add(name)
    const [oldest] = this.#keys
    if (oldest !== undefined && this.#keys.size > policy.rateLimitRecords) void this.delete(oldest)
  }

  override consume(...[key, ...rest]: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#touch(key)
    return super.consume(key, ...rest)
  }

  override penalty(...[key, ...rest]: Parameters<RateLimiterMemory['penalty']>): Promise<RateLimiterRes> {
    this.#touch(key)
    return super.penalty(key, ...rest)
  }

  override block(...[key, ...rest]: Parameters<RateLimiterMemory['block']>): Promise<RateLimiterRes> {
    this.#touch(key)
    return super.block(key, ...rest)
  }

  override delete(...[key, ...rest]: Parameters<RateLimiterMemory['delete']>): Promise<boolean> {
    this.#keys.delete(String(key))
    return super.delete(key, ...rest)
  }
}

/** The primary of this worker answers at once, or not at all. */
const primaryPatienceMs = 1_000

const counterOptions = Object.entries(limits).map(([name, { points, seconds }]): [LimitName, CounterOptions] => [
  name as LimitName,
  { keyPrefix: `floorpass:${name}`, points, duration: seconds },
])

/** In the primary of several workers: counts for all of them. Call it once, before the first one is there. */
export function countForWorkers(): void {
  // NOTE: the library would make counters of its own, without a bound. It takes those that are there by their prefix.
  const counters = counterOptions.map(([, options]) => [options.keyPrefix, new BoundedMemory(options)])
  Object.assign(new RateLimiterClusterMaster(), { _rateLimiters: Object.fromEntries(counters) })
}

/** Counts in the primary, for all its workers; in this one alone while the primary does not answer. */
function countInPrimary(options: CounterOptions, insuranceLimiter: RateLimiterMemory): Counter {
  const limiter = new RateLimiterCluster({ ...options, timeoutMs: primaryPatienceMs })
  return new RLWrapperTimeouts({ ...options, limiter, timeoutMs: primaryPatienceMs, insuranceLimiter })
}

/**
 * Tries that Redis did not count in time are counted here, on top of what it said last, and on top of what it says when it is back: one
 * process lets no more than `points` pass, however often a Redis that keeps its counts comes and goes. One that restarts empty has forgotten
 * what it counted itself, and lets as much pass again. A try that Redis counted and did not confirm counts twice.
 */
function sharedCounter(
  options: CounterOptions,
  redis: unknown,
  said: LRUCache<string, number>,
  onMissed: (reason: unknown) => void,
): Counter {
  const shared = new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true })
  const missed = new BoundedMemory(options)
  const saidOf = (name: string) => `${options.keyPrefix}:${name}`

  return {
    async consume(key, tries = 1) {
      const name = String(key)
      const [outcome] = await Promise.allSettled([shared.consume(name, tries)])
      const answer: unknown = outcome.status === 'fulfilled' ? outcome.value : outcome.reason
      const counted = answer instanceof RateLimiterRes ? answer : null
      if (counted) said.set(saidOf(name), counted.consumedPoints, { ttl: Math.max(1, counted.msBeforeNext) })
      else onMissed(answer)
      const own = counted ? await missed.get(name) : await missed.penalty(name, tries)
      const consumed = (counted?.consumedPoints ?? said.get(saidOf(name)) ?? 0) + (own?.consumedPoints ?? 0)
      const msBeforeNext = Math.max(counted?.msBeforeNext ?? said.getRemainingTTL(saidOf(name)), own?.msBeforeNext ?? 0)
      const total = new RateLimiterRes(Math.max(0, options.points - consumed), msBeforeNext, consumed)
      if (consumed > options.points) throw total
      return total
    },
    async block(key, seconds) {
      const name = String(key)
      const blocked = options.points + 1
      await shared.block(name, seconds).then(
        () => said.set(saidOf(name), blocked, { ttl: seconds * 1000 }),
        () => missed.block(name, seconds),
      )
      return new RateLimiterRes(0, seconds * 1000, blocked)
    },
    async delete(key) {
      const name = String(key)
      said.delete(saidOf(name))
      await missed.delete(name)
      return shared.delete(name).catch(() => false)
    },
  }
}

type RateLimiterOptions = {
  enabled: boolean
  /** Any ioredis client. */
  redis: unknown
  /** Whether this process is one of several workers, whose primary has called `countForWorkers`. */
  isWorker?: boolean
  log?: Pick<Log, 'warn'>
}

/** Counters in Redis when there is one, and in this process's memory on top of it while Redis is away; without Redis in memory: this process's, or its primary's. */
export function createRateLimiter({ enabled, redis, isWorker = false, log }: RateLimiterOptions): RateLimiter {
  if (!enabled) return { consume: async () => null, allows: async () => true, block: async () => {}, reset: async () => {} }

  // Its connection says itself that it is away. A Redis that answers, and refuses to count, is as good as away.
  let warnedAt = -Infinity
  const onMissed = (reason: unknown) => {
    if (!(reason instanceof Error) || reason.name !== 'ReplyError' || performance.now() - warnedAt < 60_000) return
    warnedAt = performance.now()
    log?.warn({ reason: reason.message }, 'Redis does not count: limits are counted in this process meanwhile')
  }
  // One for all limits: it takes its room when it is made.
  const said = new LRUCache<string, number>({ max: redis ? policy.rateLimitRecords : 1 })
  const counters = new Map(
    counterOptions.map(([name, options]): [LimitName, Counter] => {
      if (redis) return [name, sharedCounter(options, redis, said, onMissed)]
      const own = new BoundedMemory(options)
      return [name, isWorker ? countInPrimary(options, own) : own]
    }),
  )
  // Writing to a primary that is gone is an error of the process: what was asked of it is counted here.
  if (isWorker) process.on('error', () => {})
  const counter = (limit: LimitName) => counters.get(limit) as Counter

  const count = async (limit: LimitName, key: string, tries = 1): Promise<{ isAllowed: boolean; state: LimitState }> => {
    // Hashed: a key may be an address, and may be as long as its sender likes.
    const [outcome] = await Promise.allSettled([counter(limit).consume(hashToken(key), tries)])
    const isAllowed = outcome.status === 'fulfilled'
    const left: unknown = isAllowed ? outcome.value : outcome.reason
    if (!(left instanceof RateLimiterRes)) throw left
    const reset = Math.max(1, Math.ceil(left.msBeforeNext / 1000))
    return { isAllowed, state: { points: limits[limit].points, remaining: left.remainingPoints, reset } }
  }

  return {
    async consume(limit, key, tries) {
      const { isAllowed, state } = await count(limit, key, tries)
      if (!isAllowed) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: state.reset, limit: state })
      return state
    },
    allows: async (limit, key) => (await count(limit, key)).isAllowed,
    async block(limit, key, seconds) {
      await counter(limit).block(hashToken(key), seconds)
    },
    async reset(limit, key) {
      await counter(limit).delete(hashToken(key))
    },
  }
}
