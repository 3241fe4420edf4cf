import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '@floorpass/api'
import { verifySharedCounter } from '@floorpass/api/rate-limiter'
import { Redis, type RedisOptions } from 'ioredis'

const timeoutMs = 1_000

/** With `sentinels`, the host of `url` is the name of the primary that they watch. */
export type RedisAddress = { url: string; sentinels: readonly string[] }

/** Redis answered and refused these settings. The message says what to do. */
export class RedisRefusedError extends Error {
  override name = 'RedisRefusedError'

  constructor(reason: string, fix: string) {
    super(
      `Redis at REDIS_URL refuses this service: ${reason.replace(/\.$/, '')}. ${fix}, or unset REDIS_URL to count limits in this service only.`,
    )
  }
}

const closed = new WeakSet<Redis>()

/** Ends the connection for good. `disconnect` alone would be taken for a lost connection. */
export function closeRedis(redis: Redis): void {
  closed.add(redis)
  redis.disconnect()
}

/** Connects to Redis for shared rate limits and reconnects forever. While Redis is down, each call rejects within about a second. */
export function connectRedis(address: RedisAddress, log: Log): Redis {
  const redis = new Redis(address.url, {
    ...sentinelOptions(address),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    // A frozen Redis keeps its connection open and answers nothing.
    commandTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // After a failover the connection may lead to a server that is now a replica.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  })
  let down = false
  redis.on('error', (error: Error) => {
    if (!down) log.warn({ reason: error.message }, 'redis connection lost: counting limits in this process')
    down = true
  })
  redis.on('ready', () => {
    if (down) log.info({}, 'redis connection restored')
    down = false
  })
  // ioredis gives up when the sentinels announce another primary while it connects.
  redis.on('end', () => {
    if (down && !closed.has(redis)) setTimeout(() => redis.connect().catch(() => {}), timeoutMs).unref()
  })
  return redis
}

function sentinelOptions({ url, sentinels }: RedisAddress): RedisOptions {
  const entries = sentinels.map((entry) => new URL(entry))
  const [first] = entries
  if (!first) return {}
  return {
    sentinels: entries.map(({ hostname, port }) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 26_379) })),
    name: new URL(url).hostname,
    ...(first.username && { sentinelUsername: decodeURIComponent(first.username) }),
    ...(first.password && { sentinelPassword: decodeURIComponent(first.password) }),
    ...(first.protocol === 'rediss:' && { sentinelTLS: {} }),
    enableTLSForSentinelMode: url.startsWith('rediss:'),
    sentinelCommandTimeout: timeoutMs,
    // Follows a switch at once, also while the former primary still answers.
    failoverDetector: true,
  }
}

/** Counts once in Redis, as a limit does. Rejects when Redis is away or refuses to count: for a gauge. */
export const pingRedis = (redis: Redis): Promise<void> => verifySharedCounter(redis)

const startTimeoutMs = 3_000

/** Rejects with RedisRefusedError when the settings are wrong. Resolves when Redis is only away: it may come back. */
export async function assertRedisAccepts(redis: Redis): Promise<void> {
  const failure = await Promise.race([connectionFailure(redis), delay(startTimeoutMs, null, { ref: false })])
  const error =
    failure ??
    (await verifySharedCounter(redis).then(
      () => null,
      (reason: unknown) => reason,
    ))
  const refusal = error instanceof Error ? explainRefusal(error) : null
  if (refusal) throw refusal
}

function connectionFailure(redis: Redis): Promise<Error | null> {
  const { promise, resolve } = Promise.withResolvers<Error | null>()
  redis.once('ready', () => resolve(null))
  redis.once('error', resolve)
  redis.on('sentinelError', (error: Error) => {
    if (explainRefusal(error)) resolve(error)
  })
  return promise
}

export const credentialRefusal = /WRONGPASS|NOAUTH|ERR (AUTH|invalid password)/
// Redis 7 says the second of a command inside a script.
export const permissionRefusal = /NOPERM|can't run this command/
export const certificateCodes = /^(CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|HOSTNAME_MISMATCH|SELF_SIGNED_|UNABLE_TO_|EPROTO)/

function explainRefusal(error: Error): RedisRefusedError | null {
  const { message } = error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (credentialRefusal.test(message)) {
    return new RedisRefusedError(message, 'Correct the user and the password')
  }
  if (permissionRefusal.test(message))
    return new RedisRefusedError(message, 'Give this user the rights in docs/high-availability.md')
  if (message.includes('DB index'))
    return new RedisRefusedError(message, 'Name an existing database number, such as redis://host:6379/0')
  if (/invalid reply: null$|No such master/.test(message)) {
    return new RedisRefusedError('the sentinels do not watch a primary of that name', 'Set REDIS_URL=redis://<its name>')
  }
  if (certificateCodes.test(code)) {
    return new RedisRefusedError(
      `${message} (${code})`,
      'For a certificate authority that this machine does not know, set NODE_EXTRA_CA_CERTS to its file',
    )
  }
  return null
}
