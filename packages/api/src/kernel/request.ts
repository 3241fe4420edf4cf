import type { Locale } from './locale.ts'

export type Client = {
  ip: string | null
  userAgent: string
  locale: Locale
}

export type Cookies = {
  /** Undefined also when the request has two different values for the name. */
  get(name: string): string | undefined
  all(name: string): string[]
  set(header: string): void
}
