import type { Locale } from '../kernel/locale.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'

export type SocialIdentity = {
  subject: string
  email: string | null
  emailVerified: boolean
  name: string
  image: string | null
  authenticatedAt: Date | null
  tokens: { accessToken: string; refreshToken: string | null; expiresAt: Date | null; scopes: string[] }
}

export type SocialAttempt = { state: string; codeVerifier: string; nonce: string }

export type SocialProvider = {
  id: ProviderId
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
      reauthenticate: boolean
    },
  ): Promise<URL>
  identify(code: string, attempt: SocialAttempt): Promise<SocialIdentity>
}

export type SocialProviders = ReadonlyMap<ProviderId, SocialProvider>

/** `identity-refused`: the identity failed our verification. */
export class ProviderError extends Error {
  readonly reason: 'unavailable' | 'code-refused' | 'identity-refused'

  constructor(reason: ProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
    this.reason = reason
  }
}
