import { LRUCache } from 'lru-cache'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { Client } from '../kernel/request.ts'
import { type DeviceScope, findDeviceAccount } from '../known-devices/known-device.ts'
import { addressBlock } from '../rate-limits/address-block.ts'

/** Limits the database reads that invalid session cookies cause (ADR 019). */
export type SessionMisses = {
  /** Call `countMiss` when the read finds no session. Throws TOO_MANY_REQUESTS. */
  startRead(ctx: DeviceScope & { client: Client; gateway?: string }): { countMiss(): void }
}

const { addressPerMinute, devicePerMinute, gatewayPerMinute, readsPerSecond } = policy.sessionMisses

/** Per process: a shared counter would slow down every read. */
export function createSessionMisses(isEnabled: boolean): SessionMisses {
  if (!isEnabled) return { startRead: () => ({ countMiss() {} }) }

  const counts = new LRUCache<string, number>({ max: policy.rateLimitRecords })
  const count = (key: string): number => counts.get(key) ?? 0
  const increment = (key: string, seconds: number): void => {
    counts.set(key, count(key) + 1, { ttl: seconds * 1000, noUpdateTTL: true })
  }
  const missCounter = (key: string) => ({ countMiss: () => increment(key, 60) })

  return {
    startRead(ctx) {
      // A gateway asks for all its visitors.
      if (ctx.gateway !== undefined && count(`gateway ${ctx.gateway}`) < gatewayPerMinute)
        return missCounter(`gateway ${ctx.gateway}`)
      const block = addressBlock(ctx.client.ip)
      if (count(`address ${block}`) < addressPerMinute) return missCounter(`address ${block}`)
      // The sealed cookie proves an earlier sign-in: other callers at this address cannot use up its allowance.
      const account = findDeviceAccount(ctx)
      if (account !== undefined && count(`device ${account}`) < devicePerMinute) return missCounter(`device ${account}`)
      if (count(`reads ${block}`) >= readsPerSecond) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: 1 })
      increment(`reads ${block}`, 1)
      return missCounter(`address ${block}`)
    },
  }
}
