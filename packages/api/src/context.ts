import type { Database, Sql } from '@floorpass/db'
import { AppError, type ErrorKey } from './kernel/errors.ts'
import type { Log, Tracing } from './kernel/log.ts'
import type { LimitName, LimitState } from './kernel/policy.ts'
import type { Client, Cookies } from './kernel/request.ts'
import type { ResponseFloor } from './kernel/response-floor.ts'
import type { SecretBox } from './kernel/secret-box.ts'
import type { Settings } from './kernel/settings.ts'
import type { MailQueue } from './mail/mail-queue.ts'
import type { PasswordHasher } from './password-hashing/password-hasher.ts'
import { addressBlock } from './rate-limits/address-block.ts'
import type { RateLimiter } from './rate-limits/rate-limiter.ts'
import type { ActiveSession, SessionCache } from './sessions/session-cache.ts'
import type { SessionMisses } from './sessions/session-misses.ts'
import { validateSessionToken } from './sessions/session-store.ts'
import type { SocialProviders } from './social/social-provider.ts'

/** What the procedures need from the world. Built once, by the composition root. */
export type Deps = {
  db: Database
  /** The same database without Prisma, for the hottest paths, which ADR 024 lists. Inside its `transaction` use nothing but the `tx` that it hands over. */
  sql: Sql
  passwords: PasswordHasher
  limiter: RateLimiter
  responseFloor: ResponseFloor
  secretBox: SecretBox
  sessionCache: SessionCache
  sessionMisses: SessionMisses
  mail: MailQueue
  /** Those that are configured. */
  providers: SocialProviders
  settings: Settings
  log: Log
  /** Told of every failure of a procedure, for the counters. */
  onError(code: ErrorKey): void
  tracing: Tracing | null
}

export type Context = Deps & {
  client: Client
  cookies: Cookies
  /** The caller's session, looked up only when asked for, and once. */
  findSession(): Promise<ActiveSession | null>
  /** Before and after a change: what this request asks from now on is asked of the database. A page's action and its loaders share one. */
  forgetSession(): void
  /** Counts tries of the caller's address, one unless given. */
  limitByIp(limit: LimitName, tries?: number): Promise<void>
  /** Of the limits that this request counted against its caller, the one with the least left; of refusals, the last. */
  tightestLimit(): LimitState | null
}

/** A context for one request. */
export function createContext(deps: Deps, client: Client, cookies: Cookies): Context {
  let lookup: Promise<ActiveSession | null> | undefined
  let fromMemory = true
  let tightest: LimitState | null = null
  const limiter: RateLimiter = {
    ...deps.limiter,
    async consume(limit, key, tries) {
      const state = await deps.limiter.consume(limit, key, tries).catch((error: unknown) => {
        if (error instanceof AppError && isOwn(limit)) tightest = error.limit
        throw error
      })
      // What is left of an account or an address is told to nobody: it would say what others did to it.
      if (state && isOwn(limit) && (tightest === null || state.remaining < tightest.remaining)) tightest = state
      return state
    },
  }
  const context: Context = {
    ...deps,
    limiter,
    client,
    cookies,
    findSession: () => {
      lookup ??= validateSessionToken(context, { fromMemory })
      return lookup
    },
    forgetSession: () => {
      lookup = undefined
      fromMemory = false
    },
    limitByIp: async (limit, tries) => void (await limiter.consume(limit, addressBlock(client.ip), tries)),
    tightestLimit: () => tightest,
  }
  return context
}

/** Whether the limit counts who is calling: their address, or the user whose session it is. */
const isOwn = (limit: LimitName): boolean => limit.endsWith(':ip') || limit.endsWith(':user')
