import type { Database, ReadReplica, Sql } from '@floorpass/db'
import type { SigningKeys } from './access/signing-keys.ts'
import type { KeyCache } from './api-key-checks/key-store.ts'
import type { ChangeFeed } from './changes/change-feed.ts'
import type { EventFeed } from './event-feed/event-feed.ts'
import { AppError, type ErrorKey } from './kernel/errors.ts'
import type { Log, Tracing } from './kernel/log.ts'
import type { FindPlace } from './kernel/place.ts'
import { type LimitName, type LimitState, limits } from './kernel/policy.ts'
import type { RareLog } from './kernel/rare-log.ts'
import type { Client, Cookies } from './kernel/request.ts'
import type { ResponseFloor } from './kernel/response-floor.ts'
import type { SecretBox } from './kernel/secret-box.ts'
import type { Settings } from './kernel/settings.ts'
import type { UseCounter } from './kernel/use-counter.ts'
import type { MailQueue } from './mail/mail-queue.ts'
import type { PasswordHasher } from './password-hashing/password-hasher.ts'
import { addressBlock } from './rate-limits/address-block.ts'
import type { RateLimiter } from './rate-limits/rate-limiter.ts'
import type { ServiceUses } from './service-credentials/service-uses.ts'
import type { ActiveSession, SessionCache } from './sessions/session-cache.ts'
import type { SessionMisses } from './sessions/session-misses.ts'
import { validateSessionToken } from './sessions/session-store.ts'
import type { SocialProviders } from './social/social-provider.ts'
import type { WebhookQueue } from './webhooks/webhook-queue.ts'

export type Deps = {
  db: Database
  /** Bypasses Prisma on hot paths (ADR 024). Inside `transaction`, use only its `tx`. */
  sql: Sql
  /** For exports and an operator's lists. Never for a decision. */
  replica: Pick<ReadReplica, 'read'>
  passwords: PasswordHasher
  limiter: RateLimiter
  responseFloor: ResponseFloor
  secretBox: SecretBox
  signingKeys: SigningKeys
  changes: ChangeFeed
  sessionCache: SessionCache
  sessionMisses: SessionMisses
  serviceUses: ServiceUses
  keyCache: KeyCache
  keyUses: UseCounter
  mail: MailQueue
  events: EventFeed
  webhooks: WebhookQueue
  providers: SocialProviders
  settings: Settings
  findPlace: FindPlace
  log: Log
  logRarely: RareLog
  onError(code: ErrorKey): void
  /** Counts the call of a service whose secret is valid. */
  onServiceCall(service: string, outcome: 'OK' | ErrorKey): void
  tracing: Tracing | null
}

export type Context = Deps & {
  client: Client
  cookies: Cookies
  findSession(): Promise<ActiveSession | null>
  /** Makes later lookups read the database. Call it before and after a change. */
  forgetSession(): void
  limitByIp(limit: LimitName, tries?: number): Promise<void>
  /** Returns the limit with the fewest remaining points, or the one that refused the request. */
  tightestLimit(): LimitState | null
}

export function createContext(deps: Deps, client: Client, cookies: Cookies): Context {
  let lookup: Promise<ActiveSession | null> | undefined
  let useCache = true
  let tightest: LimitState | null = null
  const limiter: RateLimiter = {
    ...deps.limiter,
    async consume(limit, key, tries) {
      const state = await deps.limiter.consume(limit, key, tries).catch((error: unknown) => {
        if (error instanceof AppError && isCallerLimit(limit)) tightest = error.limit
        throw error
      })
      // Limits per account or email would reveal the activity of others.
      if (state && isCallerLimit(limit) && (tightest === null || state.remaining < tightest.remaining)) tightest = state
      return state
    },
  }
  const context: Context = {
    ...deps,
    limiter,
    client,
    cookies,
    findSession: () => {
      lookup ??= validateSessionToken(context, { useCache })
      return lookup
    },
    forgetSession: () => {
      lookup = undefined
      useCache = false
    },
    limitByIp: async (limit, tries) => void (await limiter.consume(limit, addressBlock(client.ip), tries)),
    tightestLimit: () => tightest,
  }
  return context
}

const isCallerLimit = (limit: LimitName): boolean => ['ip', 'user', 'service'].includes(limits[limit].counts)
