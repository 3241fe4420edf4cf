import type { Api, Context, Locale, Log, ProviderId, SignInMethod } from '@floorpass/api'

export type Theme = 'system' | 'light' | 'dark'

export type PageBrand = {
  /** With `isWordmark`, the logo says the name. */
  logo: { src: string; width: number; height: number; isWordmark: boolean } | null
  icon: { href: string; type: string } | null
  stylesheet: string | null
  termsUrl: string | null
  privacyUrl: string | null
}

/** What a page's loaders and actions receive; see `withApi` in the web app. */
export type PageContext = {
  /** The procedures, bound to this request. The response carries the cookies that they set. */
  api: Api
  cspNonce: string
  locale: Locale
  rememberLocale(locale: Locale): void
  theme: Theme
  rememberTheme(theme: Theme): void
  /** Keeps the typed address for the form of the next page. */
  carryEmail(email: string): void
  carriedEmail: string
  dropCarriedEmail(): void
  appName: string
  supportUrl: string | null
  brand: PageBrand
  localMailbox: boolean
  /** The trusted target in the query (`redirectTo`, in mailed links `callbackURL`). */
  redirectTo: string | null
  /** Null unless a person may be sent to this target. */
  findTarget(target: string): string | null
  providers: { id: ProviderId; name: string }[]
  /** False where browsers offer no passkeys. */
  passkeys: boolean
  /** How this browser signed in last. */
  lastMethod: SignInMethod | null
  log: Log
}

export type Pages = (request: Request, page: PageContext) => Promise<Response>

export type Connection = {
  peerAddress: string | null
  /** The transport delivers at most Content-Length bytes of a body, as an HTTP parser does. */
  framesBodies?: boolean
}

export type Edge = { fetch(request: Request, connection: Connection): Promise<Response> }

export type EdgeEnv = {
  Bindings: Connection
  Variables: { requestId: string; context: Context; contentSecurityPolicy: string }
}
