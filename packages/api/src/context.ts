import type { Database, Sql } from '@floorpass/db'
import { AppError, type ErrorKey } from './errors.ts'
import type { MailQueue } from './mail-queue.ts'
import type { LimitName } from './policy.ts'
import type { PasswordHasher } from './security/password-hasher.ts'
import type { QuietAnswers } from './security/quiet-answer.ts'
import { addressBlock, type LimitState, type RateLimiter } from './security/rate-limiter.ts'
import type { SecretBox } from './security/secret-box.ts'
import type { SessionCache } from './sessions/session-cache.ts'
import type { SessionMisses } from './sessions/session-misses.ts'
import { type ActiveSession, validateSessionToken } from './sessions/session-store.ts'
import type { SocialProviders } from './social-provider.ts'

export type Locale = 'en' | 'fr'

/** Structured logging, the shape that pino has. Fields never hold a secret. */
export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>

/** Where time goes, for an operator; null when nobody asks. Attributes are words of the code, never of a request. */
export type Tracing = {
  span<Result>(
    name: string,
    attributes: Record<string, string | number>,
    work: (set: (name: string, value: string | number) => void) => Promise<Result>,
  ): Promise<Result>
}

export type Settings = {
  appName: string
  /** Public origin; every link in a mail starts with it. */
  baseUrl: string
  /** Origins whose pages may call with credentials, and where redirects may go. */
  trustedOrigins: readonly string[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none' }
}

/** What the procedures need from the world. Built once, by the composition root. */
export type Deps = {
  db: Database
  /** The same database without Prisma, for the hottest paths, which ADR 024 lists. Inside its `transaction` use nothing but the `tx` that it hands over. */
  sql: Sql
  passwords: PasswordHasher
  limiter: RateLimiter
  quiet: QuietAnswers
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

/** Who is calling, as far as the transport can tell. */
export type Client = {
  /** Null when the socket has no address: all such callers share one limit. */
  ip: string | null
  userAgent: string
  locale: Locale
}

/** The transport's cookies: `set` takes a whole Set-Cookie value. */
export type Cookies = {
  /** Undefined also when the name came with two different values. */
  get(name: string): string | undefined
  /** Every value that came under the name. */
  all(name: string): string[]
  set(header: string): void
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
