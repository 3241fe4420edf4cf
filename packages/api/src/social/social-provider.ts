import type { Locale } from '../kernel/locale.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'

/** What a provider says about a person, after everything that can be checked was checked. */
export type SocialIdentity = {
  /** The provider's own, permanent id of the person. */
  subject: string
  /** Lower case; null when the provider gives none. */
  email: string | null
  emailVerified: boolean
  name: string
  image: string | null
  /** When the person last signed in at the provider (`auth_time`); null when it does not say. */
  authenticatedAt: Date | null
  tokens: { accessToken: string; refreshToken: string | null; expiresAt: Date | null; scopes: string[] }
}

/** One attempt's secrets: made at the start, needed at the callback. */
export type SocialAttempt = { state: string; codeVerifier: string; nonce: string }

/** A configured social provider. One file each under sign-in/providers. */
export type SocialProvider = {
  id: ProviderId
  /** As people know it. */
  name: string
  /** Where the browser is sent. */
  origin: string
  /** What `iss` must say when the callback has it (RFC 9207); null where the provider never sends it. */
  issuer: string | null
  authorizationUrl(
    attempt: SocialAttempt,
    options: {
      scopes: readonly string[]
      loginHint?: string | undefined
      locale: Locale
      /** The person has to show the provider again who they are, where it can ask that. */
      reauthenticate: boolean
    },
  ): Promise<URL>
  /** Trades the code for an identity. Throws ProviderError. */
  identify(code: string, attempt: SocialAttempt): Promise<SocialIdentity>
}

export type SocialProviders = ReadonlyMap<ProviderId, SocialProvider>

/**
 * Why a provider gave no identity: it did not answer in time or was broken (`unavailable`), it refused our code (`code-refused`),
 * or what it said does not hold (`identity-refused`).
 */
export class ProviderError extends Error {
  readonly reason: 'unavailable' | 'code-refused' | 'identity-refused'

  constructor(reason: ProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
    this.reason = reason
  }
}
