export type Settings = {
  appName: string
  baseUrl: string
  trustedOrigins: readonly string[]
  /** For which `/auth/token` signs. BASE_URL comes first. */
  tokenAudiences: readonly string[]
  /** SHA-256 of each entry of SERVICE_KEYS, as `hashToken` writes it. */
  serviceKeyHashes: readonly string[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none'; domain: string | null }
}
