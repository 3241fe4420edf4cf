import type { Locale } from '../kernel/locale.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'

/** A verified identity at a provider. */
export type SocialIdentity = {
  /** The permanent id of the user at the provider. */
  subject: string
  /** Lower case. */
  email: string | null
  emailVerified: boolean
  name: string
  image: string | null
  /** `auth_time`; null when the provider omits it. */
  authenticatedAt: Date | null
  tokens: { accessToken: string; refreshToken: string | null; expiresAt: Date | null; scopes: string[] }
}

/** The secrets of one flow. */
export type SocialAttempt = { state: string; codeVerifier: string; nonce: string }

export type SocialProvider = {
  id: ProviderId
  /** The display name. */
  name: string
  origin: string
  /** The expected `iss` of a callback (RFC 9207); null when the provider never sends it. */
  issuer: string | null
  authorizationUrl(
    attempt: SocialAttempt,
    options: {
      scopes: readonly string[]
      loginHint?: string | undefined
      locale: Locale
      /** Asks the provider for a new sign-in, if it supports that. */
      reauthenticate: boolean
    },
  ): Promise<URL>
  /** Exchanges the code for an identity. Throws ProviderError. */
  identify(code: string, attempt: SocialAttempt): Promise<SocialIdentity>
}

export type SocialProviders = ReadonlyMap<ProviderId, SocialProvider>

/** `unavailable`: timeout or invalid response. `code-refused`: by the provider. `identity-refused`: failed our verification. */
export class ProviderError extends Error {
  readonly reason: 'unavailable' | 'code-refused' | 'identity-refused'

  constructor(reason: ProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
    this.reason = reason
  }
}
