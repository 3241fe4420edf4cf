import type { Database } from '@floorpass/db'
import type { MailQueue } from './mail-queue.ts'
import type { LimitName } from './policy.ts'
import type { PasswordHasher } from './security/password-hasher.ts'
import type { QuietAnswers } from './security/quiet-answer.ts'
import { addressBlock, type RateLimiter } from './security/rate-limiter.ts'
import type { SecretBox } from './security/secret-box.ts'
import type { SessionCache } from './sessions/session-cache.ts'
import { type ActiveSession, validateSessionToken } from './sessions/session-store.ts'
import type { SocialProviders } from './social-provider.ts'

export type Locale = 'en' | 'fr'

/** Structured logging, the shape that pino has. Fields never hold a secret. */
export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>

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
  passwords: PasswordHasher
  limiter: RateLimiter
  quiet: QuietAnswers
  secretBox: SecretBox
  sessionCache: SessionCache
  mail: MailQueue
  /** Those that are configured. */
  providers: SocialProviders
  settings: Settings
  log: Log
}

/** Who is calling, as far as the transport can tell. */
export type Client = {
  /** Null when the socket has no address: all such callers share one limit. */
  ip: string | null
  userAgent: string
  locale: Locale
}

/** The transport's cookies: `set` takes a whole Set-Cookie value. */
export type Cookies = { get(name: string): string | undefined; set(header: string): void }

export type Context = Deps & {
  client: Client
  cookies: Cookies
  /** The caller's session, looked up at most once a request and only when asked for. */
  findSession(): Promise<ActiveSession | null>
  /** After a change: the next look-up reads anew. A page's action and its loaders share one request. */
  forgetSession(): void
  /** Counts one try of the caller's address. */
  limitByIp(limit: LimitName): Promise<void>
}

/** A context for one request. */
export function createContext(deps: Deps, client: Client, cookies: Cookies): Context {
  let lookup: Promise<ActiveSession | null> | undefined
  const context: Context = {
    ...deps,
    client,
    cookies,
    findSession: () => {
      lookup ??= validateSessionToken(context)
      return lookup
    },
    forgetSession: () => {
      lookup = undefined
    },
    limitByIp: (limit) => deps.limiter.consume(limit, addressBlock(client.ip)),
  }
  return context
}
