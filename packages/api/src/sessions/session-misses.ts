import { LRUCache } from 'lru-cache'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { Client } from '../kernel/request.ts'
import { type DeviceScope, findDeviceAccount } from '../known-devices/known-device.ts'
import { addressBlock } from '../rate-limits/address-block.ts'

/** Bounds the reads of the database for cookies that open no session. See docs/decisions/019. */
export type SessionMisses = {
  /** Admits one read; `countMiss` is for one that found no session. TOO_MANY_REQUESTS. */
  admit(ctx: DeviceScope & { client: Client }): { countMiss(): void }
}

const { addressPerMinute, devicePerMinute, readsPerSecond } = policy.sessionMisses

/** Counted in this process: to ask another one would slow down every read. */
export function createSessionMisses(isEnabled: boolean): SessionMisses {
  if (!isEnabled) return { admit: () => ({ countMiss() {} }) }

  const counts = new LRUCache<string, number>({ max: policy.rateLimitRecords })
  const count = (key: string): number => counts.get(key) ?? 0
  const increment = (key: string, seconds: number): void => {
    counts.set(key, count(key) + 1, { ttl: seconds * 1000, noUpdateTTL: true })
  }
  const countingMissesOf = (key: string) => ({ countMiss: () => increment(key, 60) })

  return {
    admit(ctx) {
      const block = addressBlock(ctx.client.ip)
      if (count(`address ${block}`) < addressPerMinute) return countingMissesOf(`address ${block}`)
      // The sealed mark proves an earlier sign-in on this browser, so callers at the same address cannot use up its allowance.
      const account = findDeviceAccount(ctx)
      if (account !== undefined && count(`device ${account}`) < devicePerMinute) return countingMissesOf(`device ${account}`)
      if (count(`reads ${block}`) >= readsPerSecond) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: 1 })
      increment(`reads ${block}`, 1)
      return countingMissesOf(`address ${block}`)
    },
  }
}
