import type { Locale } from './locale.ts'

/** A request as the service that was called received it. */
export type SignedRequest = {
  method: string
  /** The whole address. */
  url: string
  signature: string
  signatureInput: string
  contentDigest: string | null
  /** Null when the service compares the digest with the body itself. */
  body: Buffer | null
}

export type Client = {
  ip: string | null
  userAgent: string
  locale: Locale
  /** The token of `Authorization: Bearer`: an access token, or the secret of a service. */
  bearer: string | null
  /** The header x-service-key names the gateway. `bearer` and the cookie belong to the person. */
  serviceKey: string | null
  /** The header x-api-key. */
  apiKey: string | null
  /** The signed request that a gateway asks about (RFC 9421). Null without a signature. */
  signedRequest: SignedRequest | null
}

export type Cookies = {
  /** Undefined also when the request has two different values for the name. */
  get(name: string): string | undefined
  all(name: string): string[]
  set(header: string): void
}
