import type { Log } from '@floorpass/api'
import { Redis } from 'ioredis'

const redisPatienceMs = 1_000

/** The connection for shared rate limits, kept up for as long as the process lives. While it is away, each call on it rejects within a second or so. */
export function connectRedis(url: string, log: Log): Redis {
  // A Redis that is frozen or unreachable holds its connection open and answers nothing: a limit must not wait for it.
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: redisPatienceMs,
    socketTimeout: redisPatienceMs,
    // After a fail-over the old connection may lead to what is a replica now.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  })
  let down = false
  redis.on('error', (error: Error) => {
    if (!down) log.warn({ reason: error.message }, 'Redis is away: limits are counted in this process until it is back')
    down = true
  })
  redis.on('ready', () => {
    if (down) log.info({}, 'Redis is back')
    down = false
  })
  return redis
}
