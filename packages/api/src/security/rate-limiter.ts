import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../errors.ts'
import { type LimitName, limits, policy } from '../policy.ts'
import { hashToken } from './random-token.ts'

/** What is left of one limit: `remaining` tries of `points`, and the seconds until they are all back. */
export type LimitState = { points: number; remaining: number; reset: number }

export type RateLimiter = {
  /** Counts one try; throws TOO_MANY_REQUESTS with the seconds to wait. Null while limits are switched off. */
  consume(limit: LimitName, key: string): Promise<LimitState | null>
  /** Counts one try; false when it is one too many. For answers that must not change. */
  allows(limit: LimitName, key: string): Promise<boolean>
  /** Nothing is allowed for so many seconds. */
  block(limit: LimitName, key: string, seconds: number): Promise<void>
  reset(limit: LimitName, key: string): Promise<void>
}

/** Beyond `policy.rateLimitRecords` the key that was used longest ago is forgotten: whoever makes keys up must not fill the memory. */
class BoundedMemory extends RateLimiterMemory {
  readonly #keys = new Set<string>()

  override consume(...[key, ...rest]: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    const name = String(key)
    this.#keys.delete(name)
    this.#keys.add(name)
    const [oldest] = this.#keys
    if (oldest !== undefined && this.#keys.size > policy.rateLimitRecords) void this.delete(oldest)
    return super.consume(key, ...rest)
  }

  override delete(...[key, ...rest]: Parameters<RateLimiterMemory['delete']>): Promise<boolean> {
    this.#keys.delete(String(key))
    return super.delete(key, ...rest)
  }
}

/** Counters in Redis when there is one (any ioredis client), in this process's memory otherwise and while Redis is away. */
export function createRateLimiter({ enabled, redis }: { enabled: boolean; redis: unknown }): RateLimiter {
  if (!enabled) return { consume: async () => null, allows: async () => true, block: async () => {}, reset: async () => {} }

  const counters = new Map(
    Object.entries(limits).map(([name, { points, seconds }]) => {
      const options = { keyPrefix: `floorpass:${name}`, points, duration: seconds }
      const memory = new BoundedMemory(options)
      return [
        name,
        redis
          ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory, rejectIfRedisNotReady: true })
          : memory,
      ]
    }),
  )
  const counter = (limit: LimitName) => counters.get(limit) as RateLimiterMemory | RateLimiterRedis

  const tryOnce = async (limit: LimitName, key: string): Promise<{ isAllowed: boolean; state: LimitState }> => {
    // Hashed: a key may be an address, and may be as long as its sender likes.
    const [outcome] = await Promise.allSettled([counter(limit).consume(hashToken(key))])
    const isAllowed = outcome.status === 'fulfilled'
    const left: unknown = isAllowed ? outcome.value : outcome.reason
    if (!(left instanceof RateLimiterRes)) throw left
    const reset = Math.max(1, Math.ceil(left.msBeforeNext / 1000))
    return { isAllowed, state: { points: limits[limit].points, remaining: left.remainingPoints, reset } }
  }

  return {
    async consume(limit, key) {
      const { isAllowed, state } = await tryOnce(limit, key)
      if (!isAllowed) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: state.reset, limit: state })
      return state
    },
    allows: async (limit, key) => (await tryOnce(limit, key)).isAllowed,
    async block(limit, key, seconds) {
      await counter(limit).block(hashToken(key), seconds)
    },
    async reset(limit, key) {
      await counter(limit).delete(hashToken(key))
    },
  }
}

/**
 * What one caller can be told apart by: an IPv4 address whole, an IPv6 address by its /64, since a household has that many; no
 * address at all is one caller. The address is in canonical text.
 */
export function addressBlock(ip: string | null): string {
  if (ip === null) return 'unknown'
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const groups = tail === undefined ? before : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}
