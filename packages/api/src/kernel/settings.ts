export type Settings = {
  appName: string
  /** The public origin, which starts every link in an email. */
  baseUrl: string
  /** Origins that may send credentialed requests and receive redirects. */
  trustedOrigins: readonly string[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none' }
}
