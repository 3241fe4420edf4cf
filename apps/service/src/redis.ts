import type { Log } from '@floorpass/api'
import { Redis } from 'ioredis'

const timeoutMs = 1_000

/** Connects to Redis for shared rate limits and reconnects forever. While Redis is down, each call rejects within about a second. */
export function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
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
  return redis
}
