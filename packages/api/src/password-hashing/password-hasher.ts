import { hash, verify } from '@node-rs/argon2'
import PQueue from 'p-queue'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { isBetterAuthHash, verifyBetterAuthHash } from './better-auth-scrypt.ts'
import { getMaxConcurrentHashes, lowerHashThreadPriority } from './hash-threads.ts'
import { normalizePassword } from './normalize-password.ts'

export type PasswordHasher = {
  hash(password: string): Promise<string>
  /** A null hash takes the same time. A function runs only once the queue has room: a busy queue counts no guess. */
  verify(hash: StoredHash | (() => Promise<StoredHash>), password: string): Promise<boolean>
  isOutdated(hash: string): boolean
  load(): { running: number; waiting: number; refused: number }
}

export type StoredHash = string | null

export type HashCost = { memoryCost: number; timeCost: number; parallelism: number }

/** OWASP Password Storage: argon2id, 19 MiB, two passes. */
export const recommendedCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Runs argon2id in a bounded queue. Throws SERVICE_BUSY. `processes` share the cores and the queue length. */
export function createPasswordHasher(cost: HashCost = recommendedCost, { processes = 1 } = {}): PasswordHasher {
  const concurrency = getMaxConcurrentHashes(processes)
  const maxWaiting = Math.ceil(policy.hashQueueLength / processes)
  const queue = new PQueue({ concurrency })
  let [slots, refused] = [0, 0]
  const withSlot = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (slots >= maxWaiting + concurrency) {
      refused += 1
      throw new AppError('SERVICE_BUSY', { retryAfter: 2 })
    }
    slots += 1
    try {
      return await work()
    } finally {
      slots -= 1
    }
  }
  const decoy = hash('no account has this password', cost)
  void decoy.then(lowerHashThreadPriority)
  const prefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`

  return {
    hash: (password) => withSlot(() => queue.add(() => hash(normalizePassword(password), cost))),
    verify: (source, password) =>
      withSlot(async () => {
        const stored = typeof source === 'function' ? await source() : source
        const against = stored ?? (await decoy)
        const compare = isBetterAuthHash(against)
          ? verifyBetterAuthHash
          : (right: string, typed: string) => verify(right, normalizePassword(typed))
        const matches = await queue.add(() => compare(against, password).catch(() => false))
        return stored !== null && matches
      }),
    isOutdated: (stored) => !stored.startsWith(prefix),
    load: () => ({ running: queue.pending, waiting: queue.size, refused }),
  }
}

const maxWork = 262_144

/** Refuses a hash whose cost an anonymous guess must not cause. */
export function isSupportedHash(hash: string): boolean {
  if (isBetterAuthHash(hash)) return true
  const [, m, t, p] =
    /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[\w+/]+\$[\w+/]+$/.exec(hash)?.map(Number) ?? []
  return isInRange(m, maxWork) && isInRange(t, maxWork / (m ?? 1)) && isInRange(p, 8)
}

const isInRange = (value: number | undefined, max: number): boolean => value !== undefined && value >= 1 && value <= max
