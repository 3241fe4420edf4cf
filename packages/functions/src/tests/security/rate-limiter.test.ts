import { spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createRateLimiter, policy, type RateLimiter } from '@floorpass/api'
import { countForWorkers } from '@floorpass/api/rate-limiter'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const redisUrl = process.env.REDIS_URL

const tryTimes = (limiter: RateLimiter, key: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => limiter.allows('sign-in:account', key)))
const countAllowed = (tries: boolean[]) => tries.filter(Boolean).length

function connect(url: string, keyPrefix = `${randomBytes(8).toString('hex')}:`) {
  const redis = new Redis(url, { keyPrefix, enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy: () => null })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return redis
}

async function disconnect(redis: Redis): Promise<void> {
  const gone = once(redis, 'end')
  redis.disconnect()
  await gone
}

const waitUntilReady = (redis: Redis) => new Promise<void>((resolve) => void redis.once('ready', () => resolve()))

describe('the rate limiter in memory', () => {
  const limiter = createRateLimiter({ enabled: true, redis: null })

  test('T17: allows exactly the limit, even in parallel', async () => {
    expect(countAllowed(await tryTimes(limiter, 'exact', 9))).toBe(9)
    expect(countAllowed(await tryTimes(limiter, 'exact', 1))).toBe(1)
    expect(countAllowed(await tryTimes(limiter, 'exact', 1))).toBe(0)
    expect(countAllowed(await tryTimes(limiter, 'at once', 101))).toBe(10)
  })

  test('refuses with the seconds to wait', async () => {
    await tryTimes(limiter, 'waiting', 10)
    const refusal = limiter.consume('sign-in:account', 'waiting')
    await expect(refusal).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS', status: 429, retryAfter: expect.closeTo(600, -1) })
  })

  test('counts each key and each limit separately', async () => {
    await tryTimes(limiter, 'apart', 10)
    expect(await limiter.allows('sign-in:account', 'another')).toBe(true)
    expect(await limiter.allows('sign-in:ip', 'apart')).toBe(true)
    await limiter.reset('sign-in:account', 'apart')
    expect(countAllowed(await tryTimes(limiter, 'apart', 11))).toBe(10)
  })

  test('resets a key when its time is over, and not a second before', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    await tryTimes(limiter, 'forgetful', 10)
    await vi.advanceTimersByTimeAsync(599_000)
    expect(await limiter.allows('sign-in:account', 'forgetful')).toBe(false)
    await vi.advanceTimersByTimeAsync(1_001)
    expect(await limiter.allows('sign-in:account', 'forgetful')).toBe(true)
  })

  test('accepts keys of any length and kind', async () => {
    for (const key of ['', '__proto__', 'constructor', 'a'.repeat(100_000), '\u0000', ':'])
      expect(countAllowed(await tryTimes(limiter, key, 11))).toBe(10)
  })

  test('T17: keeps a bounded number of records and drops the least recently used first', async () => {
    const bounded = createRateLimiter({ enabled: true, redis: null })
    for (const key of ['first', 'second']) await tryTimes(bounded, key, 10)
    expect(await bounded.allows('sign-in:account', 'first')).toBe(false)
    for (let count = 2; count <= policy.rateLimitRecords; count += 1) await bounded.allows('sign-in:account', `made up ${count}`)
    expect(await bounded.allows('sign-in:account', 'first')).toBe(false)
    expect(await bounded.allows('sign-in:account', 'second')).toBe(true)
  })

  test('blocks for the given time, whatever was left', async () => {
    await limiter.block('sign-in:account', 'blocked', 3600)
    const refusal = limiter.consume('sign-in:account', 'blocked')
    await expect(refusal).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS', retryAfter: expect.closeTo(3600, -1) })
    await limiter.reset('sign-in:account', 'blocked')
    expect(await limiter.allows('sign-in:account', 'blocked')).toBe(true)
  })

  test('counts nothing when it is disabled', async () => {
    const off = createRateLimiter({ enabled: false, redis: null })
    expect(countAllowed(await tryTimes(off, 'off', 100))).toBe(100)
    await off.consume('sign-in:account', 'off')
    await off.block('sign-in:account', 'off', 60)
    await off.reset('sign-in:account', 'off')
  })
})

test('the rate limiter of a worker counts alone when its primary is gone', async () => {
  const script = `
    import cluster from 'node:cluster'
    import { createRateLimiter } from '@floorpass/api'
    process.on('message', async ({ keyPrefix }) => {
      if (keyPrefix !== 'floorpass:sign-in:account') return
      // Otherwise Node ends the worker at once.
      cluster.worker.exitedAfterDisconnect = true
      process.disconnect()
      process.exit((await limiter.allows('sign-in:account', 'ada')) ? 7 : 8)
    })
    const limiter = createRateLimiter({ enabled: true, redis: null, isWorker: true })`
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', script, 'worker'], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { ...process.env, NODE_UNIQUE_ID: '1' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  worker.on('message', ({ channel, type, opts }: { channel?: string; type?: string; opts?: { keyPrefix: string } }) => {
    if (type === 'init') worker.send({ channel, type, keyPrefix: opts?.keyPrefix }, () => {})
  })
  expect(await once(worker, 'exit')).toEqual([7, null])
})

describe('the rate limiter of a primary', () => {
  test('keeps a bounded number of records for all its workers', async () => {
    countForWorkers()
    // Emulates what a worker sends and receives on its channel.
    const answers = new Map<number, (answer: { type: string }) => void>()
    const worker = { send: (answer: { type: string; promiseId: number }) => answers.get(answer.promiseId)?.(answer) }
    let lastId = 0
    const allows = async (key: string): Promise<boolean> => {
      const { promise, resolve } = Promise.withResolvers<{ type: string }>()
      lastId += 1
      answers.set(lastId, resolve)
      const keyPrefix = 'floorpass:sign-in:account'
      cluster.emit('message', worker, {
        channel: 'rate_limiter_flexible',
        keyPrefix,
        func: 'consume',
        promiseId: lastId,
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

describe('the rate limiter with Redis unavailable', () => {
  test('counts exactly in memory from the first try', async () => {
    const limiter = createRateLimiter({ enabled: true, redis: connect('redis://127.0.0.1:1') })
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(10)
    await limiter.reset('sign-in:account', 'ada')
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(10)
  })
})

describe.runIf(redisUrl)('the rate limiter on Redis', () => {
  test('counts two processes together, even in parallel', async () => {
    const prefix = `${randomBytes(8).toString('hex')}:`
    const connections = [connect(redisUrl ?? '', prefix), connect(redisUrl ?? '', prefix)]
    await Promise.all(connections.map(waitUntilReady))
    const limiters = connections.map((redis) => createRateLimiter({ enabled: true, redis }))
    const tries = await Promise.all(limiters.map((limiter) => tryTimes(limiter, 'ada', 50)))
    expect(countAllowed(tries.flat())).toBe(10)
    await limiters[0]?.reset('sign-in:account', 'ada')
    expect(await limiters[1]?.allows('sign-in:account', 'ada')).toBe(true)
  })

  test('stores no email in Redis, and lets its keys expire', async () => {
    const redis = connect(redisUrl ?? '')
    await waitUntilReady(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await limiter.consume('sign-in:account', 'ada@example.test')
    const keys = await redis.keys(`${redis.options.keyPrefix}*`)
    expect(keys).toHaveLength(1)
    expect(keys[0]).not.toContain('ada')
    const left = await redis.ttl((keys[0] ?? '').slice(redis.options.keyPrefix?.length))
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(600)
  })

  test('continues in memory from the count in Redis when Redis disconnects', async () => {
    const redis = connect(redisUrl ?? '')
    await waitUntilReady(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await limiter.consume('sign-in:account', 'ada')
    redis.disconnect()
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(9)
    await expect(limiter.consume('sign-in:account', 'ada')).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS' })
    await limiter.reset('sign-in:account', 'ada')
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(10)
  })

  test('keeps a block when Redis disconnects', async () => {
    const redis = connect(redisUrl ?? '')
    await waitUntilReady(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await limiter.block('sign-in:account', 'blocked', 3600)
    await disconnect(redis)
    await expect(limiter.consume('sign-in:account', 'blocked')).rejects.toMatchObject({ retryAfter: expect.closeTo(3600, -1) })
  })

  test('counts in memory and logs the reason when Redis refuses to count', async () => {
    const owner = connect(redisUrl ?? '')
    await waitUntilReady(owner)
    const name = `reader-${randomBytes(8).toString('hex')}`
    await owner.call('ACL', 'SETUSER', name, 'on', '>word', '~*', '+@read', '+@connection', '+info')
    onTestFinished(async () => void (await owner.call('ACL', 'DELUSER', name)))
    const url = new URL(redisUrl ?? '')
    const redis = connect(Object.assign(url, { username: name, password: 'word' }).href)
    await waitUntilReady(redis)
    const warn = vi.fn()
    const limiter = createRateLimiter({ enabled: true, redis, log: { warn } })
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(10)
    expect(warn.mock.calls).toEqual([
      [{ reason: expect.stringContaining('NOPERM') }, 'redis counter failed; counting limits in this process'],
    ])
  })

  test('keeps tries and blocks from the time without Redis when Redis is back', async () => {
    const redis = connect(redisUrl ?? '')
    await waitUntilReady(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    await disconnect(redis)
    expect(countAllowed(await tryTimes(limiter, 'ada', 6))).toBe(6)
    await limiter.block('sign-in:account', 'blocked', 3600)
    await redis.connect()
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(4)
    await expect(limiter.consume('sign-in:account', 'blocked')).rejects.toMatchObject({ retryAfter: expect.closeTo(3600, -1) })
    expect(countAllowed(await tryTimes(limiter, 'another', 30))).toBe(10)
  })

  test('allows no more when Redis disconnects in the middle of a flood, even when Redis comes back empty', async () => {
    const redis = connect(redisUrl ?? '')
    await waitUntilReady(redis)
    const limiter = createRateLimiter({ enabled: true, redis })
    const first = tryTimes(limiter, 'ada', 8)
    const gone = disconnect(redis)
    const passed = countAllowed(await first) + countAllowed(await tryTimes(limiter, 'ada', 32))
    expect(passed).toBe(10)
    await gone
    await redis.connect()
    const keys = await redis.keys(`${redis.options.keyPrefix}*`)
    await redis.del(...keys.map((key) => key.slice(redis.options.keyPrefix?.length)), 'in any case')
    expect(countAllowed(await tryTimes(limiter, 'ada', 30))).toBe(0)
  })
})
