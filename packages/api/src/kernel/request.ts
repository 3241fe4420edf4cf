import type { Locale } from './locale.ts'

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
