import type { Locale } from './locale.ts'

export type Client = {
  /** Null when the socket has no address; all such callers share one limit. */
  ip: string | null
  userAgent: string
  locale: Locale
}

export type Cookies = {
  /** Undefined also when the request has two different values for the name. */
  get(name: string): string | undefined
  all(name: string): string[]
  /** Takes a whole Set-Cookie value. */
  set(header: string): void
}
