import { defaultLocale } from '@floorpass/languages/locales'
import typeface from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url'
import {
  isRouteErrorResponse,
  Links,
  Meta,
  type MetaFunction,
  Outlet,
  Scripts,
  ScrollRestoration,
  type ShouldRevalidateFunction,
  useLoaderData,
  useLocation,
  useNavigation,
  useRevalidator,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react'
import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { withApi } from '#app/api.server.ts'
import stylesheet from '#app/app.css?url'
import { footerLinks, logoOf } from '#app/brand.server.ts'
import { Brand } from '#app/components/brand.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { JumpLink } from '#app/components/jump-link.tsx'
import { LanguageSwitch } from '#app/components/language-switch.tsx'
import { OfflineNotice } from '#app/components/offline-notice.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isConnectionLost } from '#app/connection.ts'
import favicon from '#app/favicon.svg?url'
import type { PageError } from '#app/form-result.ts'
import { NonceContext } from '#app/nonce.ts'
import { LocaleContext, type Text, textIn, useText } from '#app/text.ts'
import { useHydrated } from '#app/use-hydrated.ts'

export const loader = withApi(async ({ page }) => ({
  appName: page.appName,
  logo: logoOf(page),
  icon: page.brand.icon,
  stylesheet: page.brand.stylesheet,
  footer: footerLinks(page),
  localMailbox: page.localMailbox,
  locale: page.locale,
  theme: page.theme,
}))

/** The answer of a form stands on its page: news for the frame, another language even, can wait for the next page. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ formMethod, currentUrl, nextUrl, defaultShouldRevalidate }) =>
  formMethod !== undefined && formMethod !== 'GET' && currentUrl.pathname === nextUrl.pathname ? false : defaultShouldRevalidate

export const links = () => [
  { rel: 'stylesheet', href: stylesheet },
  { rel: 'preload', href: typeface, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' as const },
  { rel: 'manifest', href: '/manifest.webmanifest' },
]

export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  const title = error ? errorText(error, textIn(data?.locale ?? defaultLocale).root).title : undefined
  return [{ title: [title, data?.appName].filter(Boolean).join(' · ') }]
}

export function Layout({ children }: { children: ReactNode }) {
  const text = useText('root')
  const locale = useContext(LocaleContext)
  const nonce = useContext(NonceContext)
  const root = useRouteLoaderData<typeof loader>('root')
  return (
    // A translator changes `lang`, and nothing else.
    <html lang={locale} data-locale={locale} data-theme={root?.theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <Meta />
        <Links />
        <link rel="icon" {...(root?.icon ?? { href: favicon, type: 'image/svg+xml' })} />
        {root?.stylesheet && <link rel="stylesheet" href={root.stylesheet} />}
      </head>
      <body className="flex min-h-dvh flex-col">
        <JumpLink
          to="main"
          className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-10 focus:rounded-md focus:bg-surface focus:px-4 focus:py-2.5 focus:font-semibold focus:text-accent focus:-outline-offset-3"
        >
          {text.skip}
        </JumpLink>
        {children}
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  )
}

export default function Root() {
  const { pathname } = useLocation()
  const settled = useNavigation().state === 'idle'
  useLanding()
  useEffect(forgetData, [])
  const shown = useRef({ pathname, settled })

  // A browser starts a new page at its top; a client-side navigation must do the same for keyboards and screen readers. So it must
  // when the button that was pressed is gone from the page.
  useEffect(() => {
    const moved = shown.current.pathname !== pathname
    const focusLost = settled && !shown.current.settled && document.activeElement === document.body
    // A page may have focused its first field.
    const main = document.getElementById('main')
    if ((moved && !main?.contains(document.activeElement)) || focusLost) main?.focus({ preventScroll: true })
    shown.current = { pathname, settled }
  }, [pathname, settled])

  // Another tab, or a sign-in, may have changed the language: another language is another document.
  const { locale } = useLoaderData<typeof loader>()
  const pageLocale = useContext(LocaleContext)
  useEffect(() => {
    if (locale !== pageLocale) window.location.reload()
  }, [locale, pageLocale])

  return (
    <>
      <Outlet />
      <OfflineNotice />
    </>
  )
}

/** The first page may show a secret once, and the next pages are in the same document. So the document keeps no data after its first render. */
function forgetData(): void {
  window.__remixContext.state = {}
  for (const script of document.scripts) script.text = ''
}

/** What takes the whole page's place, such as an error or the page after one, is where keyboards and screen readers are then. */
function useLanding(): void {
  const inDocument = useRef(!useHydrated())
  useEffect(() => {
    if (!inDocument.current) document.getElementById('main')?.focus({ preventScroll: true })
  }, [])
}

export function ErrorBoundary() {
  useLanding()
  const text = useText('root')
  const error = useRouteError()
  const root = useRouteLoaderData<typeof loader>('root')
  const { search } = useLocation()
  const { title, body, retry } = errorText(error, text)
  return (
    <div className="mx-auto grid w-full max-w-xl grow grid-rows-[auto_1fr_auto] gap-10 px-5 py-10 sm:py-16">
      {root && (
        <header>
          <Brand />
        </header>
      )}
      <main id="main" tabIndex={-1} className="grid content-start gap-4">
        {isRouteErrorResponse(error) && <p className="text-sm font-medium text-ink-soft">{text.error(error.status)}</p>}
        <h1 className="text-3xl font-semibold tracking-tight">{title}</h1>
        <p className="text-lg text-ink-soft">{body}</p>
        <p className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-3">
          {isConnectionLost(error) ? (
            <RetryButton />
          ) : retry ? (
            <RetryLink search={search} />
          ) : (
            <ButtonLink to="/">{text.home}</ButtonLink>
          )}
          <TextLink to="/dashboard">{text.dashboard}</TextLink>
        </p>
      </main>
      <LanguageSwitch />
    </div>
  )
}

const retryLook =
  'inline-flex min-h-11 items-center rounded-md bg-accent px-5 font-semibold text-on-accent hover:bg-accent-strong'

/** Asks again without leaving: a whole new request would end at the browser's own page while there is no network. */
function RetryButton() {
  const text = useText('root')
  const { revalidate } = useRevalidator()
  return (
    <button type="button" onClick={revalidate} className={retryLook}>
      {text.again}
    </button>
  )
}

/** The same address as a whole new request. Relative on purpose: a path from the address bar may name another host (`//host`). */
function RetryLink({ search }: { search: string }) {
  const text = useText('root')
  return (
    <a href={search || '?'} className={retryLook}>
      {text.again}
    </a>
  )
}

type Words = { title: string; body: string; retry: boolean }

function errorText(error: unknown, text: Text['root']): Words {
  if (isConnectionLost(error)) return { ...text.offline, retry: true }
  if (!isRouteErrorResponse(error)) return { ...text.failed, retry: true }
  if (error.status === 404 || error.status === 405) return { ...text.notFound, retry: false }
  const known = (error.data as { error?: PageError } | null)?.error
  // Thrown by withApiForm, in words for a person.
  if (error.status === 400 && typeof error.data === 'string' && error.data !== '')
    return { ...text.refused, body: error.data, retry: false }
  if (!known) return { ...text.failed, retry: error.status >= 500 }
  const title = error.status === 503 ? text.unavailable.title : error.status >= 500 ? text.failed.title : text.refused.title
  return { title, body: known.message, retry: true }
}
