export type Settings = {
  appName: string
  /** Public origin; every link in a mail starts with it. */
  baseUrl: string
  /** Origins whose pages may call with credentials, and where redirects may go. */
  trustedOrigins: readonly string[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none' }
}
