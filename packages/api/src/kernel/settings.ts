export type Settings = {
  appName: string
  /** Where users get help: an https or mailto URL. */
  supportUrl: string | null
  baseUrl: string
  trustedOrigins: readonly string[]
  /** For which `/auth/token` signs. BASE_URL comes first. */
  tokenAudiences: readonly string[]
  /** SHA-256 of each entry of SERVICE_KEYS, as `hashToken` writes it. */
  serviceKeyHashes: readonly string[]
  /** Null where browsers offer no passkeys. */
  passkeys: { rpId: string; origins: readonly string[] } | null
  /** From where a provider's picture may be loaded. */
  pictureOrigins: readonly string[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none'; domain: string | null }
}
