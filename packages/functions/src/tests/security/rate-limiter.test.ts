import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createRateLimiter, policy, type RateLimiter } from '@floorpass/api'
import { countForWorkers } from '@floorpass/api/rate-limiter'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const redisUrl = process.env.REDIS_URL

const triesOf = (limiter: RateLimiter, key: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => limiter.allows('sign-in:account', key)))
const allowed = (tries: boolean[]) => tries.filter(Boolean).length

function connect(url: string, keyPrefix = `${randomBytes(8).toString('hex')}:`) {
  const redis = new Redis(url, { keyPrefix, enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy: () => null })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return redis
}

async function leave(redis: Redis): Promise<void> {
  const gone = once(redis, 'end')
  redis.disconnect()
  await gone
}

const ready = (redis: Redis) => new Promise<void>((resolve) => void redis.once('ready', () => resolve()))

describe('the rate limiter in memory', () => {
  const limiter = createRateLimiter({ enabled: true, redis: null })

  test('T17: is exact at the limit, also for tries at once', async () => {
    expect(allowed(await triesOf(limiter, 'exact', 9))).toBe(9)
    expect(allowed(await triesOf(limiter, 'exact', 1))).toBe(1)
    expect(allowed(await triesOf(limiter, 'exact', 1))).toBe(0)
    expect(allowed(await triesOf(limiter, 'at once', 101))).toBe(10)
  })

  test('refuses with the seconds to wait', async () => {
    await triesOf(limiter, 'waiting', 10)
    const refusal = limiter.consume('sign-in:account', 'waiting')
    await expect(refusal).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS', status: 429, retryAfter: expect.closeTo(600, -1) })
  })

  test('counts each key and each limit apart', async () => {
    await triesOf(limiter, 'apart', 10)
    expect(await limiter.allows('sign-in:account', 'another')).toBe(true)
    expect(await limiter.allows('sign-in:ip', 'apart')).toBe(true)
    await limiter.reset('sign-in:account', 'apart')
    expect(allowed(await triesOf(limiter, 'apart', 11))).toBe(10)
  })

  test('forgets when the time is over, and not a second before', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    await triesOf(limiter, 'forgetful', 10)
    await vi.advanceTimersByTimeAsync(599_000)
    expect(await limiter.allows('sign-in:account', 'forgetful')).toBe(false)
    await vi.advanceTimersByTimeAsync(1_001)
    expect(await limiter.allows('sign-in:account', 'forgetful')).toBe(true)
  })

  test('takes keys of any length and kind', async () => {
    for (const key of ['', '__proto__', 'constructor', 'a'.repeat(100_000), '\u0000', ':'])
      expect(allowed(await triesOf(limiter, key, 11))).toBe(10)
  })

  test('T17: keeps so many records and no more, and forgets first who was last seen longest ago', async () => {
    const bounded = createRateLimiter({ enabled: true, redis: null })
    for (const key of ['first', 'second']) await triesOf(bounded, key, 10)
    expect(await bounded.allows('sign-in:account', 'first')).toBe(false)
    for (let count = 2; count <= policy.rateLimitRecords; count += 1) await bounded.allows('sign-in:account', `made up ${count}`)
    expect(await bounded.allows('sign-in:account', 'first')).toBe(false)
    expect(await bounded.allows('sign-in:account', 'second')).toBe(true)
  })

  test('a block lasts as long as it says, whatever was left', async () => {
    await limiter.block('sign-in:account', 'blocked', 3600)
    const refusal = limiter.consume('sign-in:account', 'blocked')
    await expect(refusal).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS', retryAfter: expect.closeTo(3600, -1) })
    await limiter.reset('sign-in:account', 'blocked')
    expect(await limiter.allows('sign-in:account', 'blocked')).toBe(true)
  })

  test('switched off, it counts nothing', async () => {
    const off = createRateLimiter({ enabled: false, redis: null })
    expect(allowed(await triesOf(off, 'off', 100))).toBe(100)
    await off.consume('sign-in:account', 'off')
    await off.block('sign-in:account', 'off', 60)
    await off.reset('sign-in:account', 'off')
  })
})

describe('the rate limiter of a primary', () => {
  test('keeps so many records and no more for all its workers', async () => {
    countForWorkers()
    // What a worker writes to its channel, and what it reads there.
    const answers = new Map<number, (answer: { type: string }) => void>()
    const worker = { send: (answer: { type: string; promiseId: number }) => answers.get(answer.promiseId)?.(answer) }
    let asked = 0
    const allows = async (key: string): Promise<boolean> => {
      const { promise, resolve } = Promise.withResolvers<{ type: string }>()
      asked += 1
      answers.set(asked, resolve)
      const keyPrefix = 'floorpass:sign-in:account'
      cluster.emit('message', worker, {
        channel: 'rate_limiter_flexible',
        keyPrefix,
        func: 'consume',
        promiseId: asked,
        data: { key, arg: 1, opts: {} },
      })
      return (await promise).type === 'resolve'
    }
    for (let count = 0; count < 10; count += 1) expect(await allows('first')).toBe(true)
    expect(await allows('first')).toBe(false)
    for (let count = 0; count < policy.rateLimitRecords; count += 1) await allows(`made up ${count}`)
    expect(await allows('first')).toBe(true)
  })
})

describe('the rate limiter without its Redis', () => {
  test('counts in memory, as exactly, from the first try on', async () => {
    const limiter = createRateLimiter({ enabled: true, redis: connect('redis://127.0.0.1:1') })
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(10)
    await limiter.reset('sign-in:account', 'somebody')
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(10)
  })
})

describe.runIf(redisUrl)('the rate limiter on Redis', () => {
  test('two processes count together, also at once', async () => {
    const prefix = `${randomBytes(8).toString('hex')}:`
    const connections = [connect(redisUrl ?? '', prefix), connect(redisUrl ?? '', prefix)]
    await Promise.all(connections.map(ready))
    const limiters = connections.map((redis) => createRateLimiter({ enabled: true, redis }))
    const tries = await Promise.all(limiters.map((limiter) => triesOf(limiter, 'somebody', 50)))
    expect(allowed(tries.flat())).toBe(10)
    await limiters[0]?.reset('sign-in:account', 'somebody')
    expect(await limiters[1]?.allows('sign-in:account', 'somebody')).toBe(true)
  })

  test('Redis learns no address, and forgets by itself', async () => {
    const redis = connect(redisUrl ?? '')
    await ready(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await limiter.consume('sign-in:account', 'ada@example.test')
    const keys = await redis.keys(`${redis.options.keyPrefix}*`)
    expect(keys).toHaveLength(1)
    expect(keys[0]).not.toContain('ada')
    const left = await redis.ttl((keys[0] ?? '').slice(redis.options.keyPrefix?.length))
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(600)
  })

  test('goes on in memory when Redis goes away, from where Redis stood', async () => {
    const redis = connect(redisUrl ?? '')
    await ready(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await limiter.consume('sign-in:account', 'somebody')
    redis.disconnect()
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(9)
    await expect(limiter.consume('sign-in:account', 'somebody')).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS' })
    await limiter.reset('sign-in:account', 'somebody')
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(10)
  })

  test('goes on in memory when Redis answers and does not count, and says why', async () => {
    const owner = connect(redisUrl ?? '')
    await ready(owner)
    const name = `reader-${randomBytes(8).toString('hex')}`
    await owner.call('ACL', 'SETUSER', name, 'on', '>word', '~*', '+@read', '+@connection', '+info')
    onTestFinished(async () => void (await owner.call('ACL', 'DELUSER', name)))
    const url = new URL(redisUrl ?? '')
    const redis = connect(Object.assign(url, { username: name, password: 'word' }).href)
    await ready(redis)
    const warn = vi.fn()
    const limiter = createRateLimiter({ enabled: true, redis, log: { warn } })
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(10)
    expect(warn.mock.calls).toEqual([
      [{ reason: expect.stringContaining('NOPERM') }, 'redis counter failed; counting limits in this process'],
    ])
  })

  test('what passed, or was blocked, while Redis was away still counts when it is back', async () => {
    const redis = connect(redisUrl ?? '')
    await ready(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await leave(redis)
    expect(allowed(await triesOf(limiter, 'somebody', 6))).toBe(6)
    await limiter.block('sign-in:account', 'blocked', 3600)
    await redis.connect()
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(4)
    await expect(limiter.consume('sign-in:account', 'blocked')).rejects.toMatchObject({ retryAfter: expect.closeTo(3600, -1) })
    expect(allowed(await triesOf(limiter, 'another', 30))).toBe(10)
  })

  test('a Redis that leaves in the middle of a flood lets no more pass; what was counted without it counts also when it comes back empty', async () => {
    const redis = connect(redisUrl ?? '')
    await ready(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    const first = triesOf(limiter, 'somebody', 8)
    const gone = leave(redis)
    const passed = allowed(await first) + allowed(await triesOf(limiter, 'somebody', 32))
    expect(passed).toBe(10)
    await gone
    await redis.connect()
    const keys = await redis.keys(`${redis.options.keyPrefix}*`)
    await redis.del(...keys.map((key) => key.slice(redis.options.keyPrefix?.length)), 'in any case')
    expect(allowed(await triesOf(limiter, 'somebody', 30))).toBe(0)
  })
})
