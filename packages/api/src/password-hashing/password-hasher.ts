import { hash, verify } from '@node-rs/argon2'
import PQueue from 'p-queue'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { isBetterAuthHash, verifyBetterAuthHash } from './better-auth-scrypt.ts'
import { hashesAtOnce, yieldToOtherThreads } from './hash-threads.ts'
import { normalizePassword } from './normalize-password.ts'

export type PasswordHasher = {
  hash(password: string): Promise<string>
  /**
   * False for a null hash too, after the same work: who has no password must not be faster to refuse. A function is asked for the hash
   * once there is a place in the queue: what it counts is never refused unlooked-at.
   */
  verify(hash: StoredHash | (() => Promise<StoredHash>), password: string): Promise<boolean>
  /** True for a hash that is weaker than what `hash` makes today: imported, or made with a lower cost. */
  isOutdated(hash: string): boolean
  /** The queue now, and how many it has refused since the start. */
  load(): { running: number; waiting: number; refused: number }
}

export type StoredHash = string | null

export type HashCost = { memoryCost: number; timeCost: number; parallelism: number }

/** OWASP Password Storage: argon2id, 19 MiB, two passes. */
export const recommendedCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * argon2id behind a bounded queue: at most one for each core, and fewer than there are threads, so that a storm of sign-ins waits here and the
 * rest of the service does not. A full queue answers SERVICE_BUSY. Hashes of better-auth (scrypt) verify too. `processes`: how many of them share
 * these cores, and the places in the queue.
 */
export function createPasswordHasher(cost: HashCost = recommendedCost, { processes = 1 } = {}): PasswordHasher {
  const concurrency = hashesAtOnce(processes)
  const longest = Math.ceil(policy.hashQueueLength / processes)
  const queue = new PQueue({ concurrency })
  let [places, refused] = [0, 0]
  const inPlace = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (places >= longest + concurrency) {
      refused += 1
      throw new AppError('SERVICE_BUSY', { retryAfter: 2 })
    }
    places += 1
    try {
      return await work()
    } finally {
      places -= 1
    }
  }
  const decoy = hash('nobody has this password', cost)
  void decoy.then(yieldToOtherThreads)
  const prefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`

  return {
    hash: (password) => inPlace(() => queue.add(() => hash(normalizePassword(password), cost))),
    verify: (known, password) =>
      inPlace(async () => {
        const stored = typeof known === 'function' ? await known() : known
        const against = stored ?? (await decoy)
        const compare = isBetterAuthHash(against)
          ? verifyBetterAuthHash
          : (right: string, typed: string) => verify(right, normalizePassword(typed))
        // An imported hash that is no hash at all matches nothing.
        const matches = await queue.add(() => compare(against, password).catch(() => false))
        return stored !== null && matches
      }),
    isOutdated: (stored) => !stored.startsWith(prefix),
    load: () => ({ running: queue.pending, waiting: queue.size, refused }),
  }
}

/** KiB times passes: seven times the work of `recommendedCost`, and 150 ms of a processor. */
const mostWork = 262_144

/**
 * Whether `verify` can compare a password with it, at a cost that an anonymous guess may take: scrypt as better-auth stores it, or
 * argon2 1.3 in its PHC form with at most 256 MiB in one pass (64 MiB in four) and 8 lanes.
 */
export function isSupportedHash(hash: string): boolean {
  if (isBetterAuthHash(hash)) return true
  const [, m, t, p] =
    /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[\w+/]+\$[\w+/]+$/.exec(hash)?.map(Number) ?? []
  return isFrom1(m, mostWork) && isFrom1(t, mostWork / (m ?? 1)) && isFrom1(p, 8)
}

const isFrom1 = (value: number | undefined, most: number): boolean => value !== undefined && value >= 1 && value <= most
