export type Settings = {
  appName: string
  baseUrl: string
  trustedOrigins: readonly string[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none' }
}
