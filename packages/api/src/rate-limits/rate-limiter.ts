import cluster from 'node:cluster'
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
  /** Throws TOO_MANY_REQUESTS. Returns null when limits are disabled. */
  consume(limit: LimitName, key: string, tries?: number): Promise<LimitState | null>
  /** Returns false over the limit, for responses that must not differ. */
  allows(limit: LimitName, key: string): Promise<boolean>
  block(limit: LimitName, key: string, seconds: number): Promise<void>
  reset(limit: LimitName, key: string): Promise<void>
}

type CounterOptions = { keyPrefix: string; points: number; duration: number }

type Counter = Pick<RateLimiterMemory, 'consume' | 'block' | 'delete'>

/** Drops the least recently used key, so that an attacker with many keys cannot exhaust the memory. */
class BoundedMemory extends RateLimiterMemory {
  readonly #keys = new Set<string>()

  #markUsed(key: string | number): void {
    const name = String(key)
    this.#keys.delete(name)
    this.#keys.add(name)
    const [oldest] = this.#keys
    if (oldest !== undefined && this.#keys.size > policy.rateLimitRecords) void this.delete(oldest)
  }

  override consume(...[key, ...rest]: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#markUsed(key)
    return super.consume(key, ...rest)
  }

  override penalty(...[key, ...rest]: Parameters<RateLimiterMemory['penalty']>): Promise<RateLimiterRes> {
    this.#markUsed(key)
    return super.penalty(key, ...rest)
  }

  override block(...[key, ...rest]: Parameters<RateLimiterMemory['block']>): Promise<RateLimiterRes> {
    this.#markUsed(key)
    return super.block(key, ...rest)
  }

  override delete(...[key, ...rest]: Parameters<RateLimiterMemory['delete']>): Promise<boolean> {
    this.#keys.delete(String(key))
    return super.delete(key, ...rest)
  }
}

const primaryTimeoutMs = 1_000

const counterOptions = Object.entries(limits).map(([name, { points, seconds }]): [LimitName, CounterOptions] => [
  name as LimitName,
  { keyPrefix: `floorpass:${name}`, points, duration: seconds },
])

/** Call it once in the primary, before it starts a worker. */
export function countForWorkers(): void {
  // The library would create unbounded counters; it uses existing ones with the same prefix instead.
  const counters = counterOptions.map(([, options]) => [options.keyPrefix, new BoundedMemory(options)])
  Object.assign(new RateLimiterClusterMaster(), { _rateLimiters: Object.fromEntries(counters) })
}

function createPrimaryCounter(options: CounterOptions, insuranceLimiter: RateLimiterMemory): Counter {
  const limiter = new RateLimiterCluster({ ...options, timeoutMs: primaryTimeoutMs })
  return new RLWrapperTimeouts({ ...options, limiter, timeoutMs: primaryTimeoutMs, insuranceLimiter })
}

/** Adds what Redis missed to what Redis counted, so that one process stays within `points` while Redis comes and goes. */
function createRedisCounter(
  options: CounterOptions,
  redis: unknown,
  redisCounts: LRUCache<string, number>,
  onFailure: (reason: unknown) => void,
): Counter {
  const shared = new RateLimiterRedis({ ...options, storeClient: redis })
  const local = new BoundedMemory(options)
  const prefixed = (name: string) => `${options.keyPrefix}:${name}`

  return {
    async consume(key, tries = 1) {
      const name = String(key)
      const [outcome] = await Promise.allSettled([shared.consume(name, tries)])
      const answer: unknown = outcome.status === 'fulfilled' ? outcome.value : outcome.reason
      const counted = answer instanceof RateLimiterRes ? answer : null
      if (counted) redisCounts.set(prefixed(name), counted.consumedPoints, { ttl: Math.max(1, counted.msBeforeNext) })
      else onFailure(answer)
      const localState = counted ? await local.get(name) : await local.penalty(name, tries)
      const consumed = (counted?.consumedPoints ?? redisCounts.get(prefixed(name)) ?? 0) + (localState?.consumedPoints ?? 0)
      const msBeforeNext = Math.max(
        counted?.msBeforeNext ?? redisCounts.getRemainingTTL(prefixed(name)),
        localState?.msBeforeNext ?? 0,
      )
      const total = new RateLimiterRes(Math.max(0, options.points - consumed), msBeforeNext, consumed)
      if (consumed > options.points) throw total
      return total
    },
    async block(key, seconds) {
      const name = String(key)
      const blocked = options.points + 1
      await shared.block(name, seconds).then(
        () => redisCounts.set(prefixed(name), blocked, { ttl: seconds * 1000 }),
        () => local.block(name, seconds),
      )
      return new RateLimiterRes(0, seconds * 1000, blocked)
    },
    async delete(key) {
      const name = String(key)
      redisCounts.delete(prefixed(name))
      await local.delete(name)
      return shared.delete(name).catch(() => false)
    },
  }
}

/** Counts once in Redis with the commands of a limit. Rejects when Redis is away or refuses. */
export async function verifySharedCounter(redis: unknown): Promise<void> {
  const options = { keyPrefix: 'floorpass:probe', points: 1, duration: 1 }
  const counter = new RateLimiterRedis({ ...options, storeClient: redis })
  await Promise.all([counter.penalty('one'), counter.block('one', 1), counter.delete('one')])
}

type RateLimiterOptions = {
  enabled: boolean
  redis: unknown
  isWorker?: boolean
  log?: Pick<Log, 'warn'>
}

export function createRateLimiter({ enabled, redis, isWorker = false, log }: RateLimiterOptions): RateLimiter {
  if (!enabled) return { consume: async () => null, allows: async () => true, block: async () => {}, reset: async () => {} }

  // The connection logs its own failures; this logs error responses.
  let warnedAt = -Infinity
  const onFailure = (reason: unknown) => {
    if (!(reason instanceof Error) || reason.name !== 'ReplyError' || performance.now() - warnedAt < 60_000) return
    warnedAt = performance.now()
    log?.warn({ reason: reason.message }, 'redis counter failed; counting limits in this process')
  }
  // The cache allocates its full size at once, so all limits share one.
  const redisCounts = new LRUCache<string, number>({ max: redis ? policy.rateLimitRecords : 1 })
  const counters = new Map(
    counterOptions.map(([name, options]): [LimitName, Counter] => {
      if (redis) return [name, createRedisCounter(options, redis, redisCounts, onFailure)]
      const own = new BoundedMemory(options)
      return [name, isWorker ? createPrimaryCounter(options, own) : own]
    }),
  )
  // A write to a dead primary emits 'error', which would end the process; the local counter takes over.
  if (isWorker) cluster.worker?.on('error', () => {})
  const counter = (limit: LimitName) => counters.get(limit) as Counter

  const count = async (limit: LimitName, key: string, tries = 1): Promise<{ isAllowed: boolean; state: LimitState }> => {
    // Hash the key: it may be an email, and it may be long.
    const [outcome] = await Promise.allSettled([counter(limit).consume(hashToken(key), tries)])
    const isAllowed = outcome.status === 'fulfilled'
    const result: unknown = isAllowed ? outcome.value : outcome.reason
    if (!(result instanceof RateLimiterRes)) throw result
    const reset = Math.max(1, Math.ceil(result.msBeforeNext / 1000))
    return { isAllowed, state: { points: limits[limit].points, remaining: result.remainingPoints, reset } }
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
