import type { Locale } from './locale.ts'

export type Client = {
  ip: string | null
  userAgent: string
  locale: Locale
  /** The token of `Authorization: Bearer`: an access token, or the secret of a service. */
  bearer: string | null
  /** The header x-service-key names the gateway. `bearer` and the cookie belong to the person. */
  serviceKey: string | null
}

export type Cookies = {
  /** Undefined also when the request has two different values for the name. */
  get(name: string): string | undefined
  all(name: string): string[]
  set(header: string): void
}
