import typeface from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url'
import {
  isRouteErrorResponse,
  Links,
  Meta,
  type MetaFunction,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useNavigation,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react'
import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { withApi } from '#app/api.server.ts'
import stylesheet from '#app/app.css?url'
import { Brand } from '#app/components/brand.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import favicon from '#app/favicon.svg?url'
import type { PageError } from '#app/form-result.ts'
import { NonceContext } from '#app/nonce.ts'

const text = {
  skip: 'Skip to the content',
  notFound: {
    title: 'Page not found',
    body: 'There is nothing at this address. The link may be old, or the address may have a typing error.',
  },
  failed: {
    title: 'Something went wrong',
    body: 'The failure is on our side, and your request may not have been carried out. Try again in a moment.',
  },
  refused: { title: 'This did not work' },
  again: 'Try again',
  home: 'Go to the start page',
  dashboard: 'Open your dashboard',
}

export const loader = withApi(async ({ page }) => ({ appName: page.appName, localMailbox: page.localMailbox }))

export const links = () => [
  { rel: 'stylesheet', href: stylesheet },
  { rel: 'preload', href: typeface, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' as const },
  { rel: 'icon', href: favicon, type: 'image/svg+xml' },
]

export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  const title = error ? errorText(error).title : undefined
  return [{ title: [title, data?.appName].filter(Boolean).join(' · ') }]
}

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useContext(NonceContext)
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <Meta />
        <Links />
      </head>
      <body className="min-h-dvh">
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-10 focus:rounded-md focus:bg-surface focus:px-4 focus:py-2.5 focus:font-semibold focus:text-accent focus:-outline-offset-3"
        >
          {text.skip}
        </a>
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
  const shown = useRef({ pathname, settled })

  // A browser starts a new page at its top; a client-side navigation must do the same for keyboards and screen readers. So it must
  // when the button that was pressed is gone from the page.
  useEffect(() => {
    const moved = shown.current.pathname !== pathname
    const focusLost = settled && !shown.current.settled && document.activeElement === document.body
    if (moved || focusLost) document.getElementById('main')?.focus({ preventScroll: true })
    shown.current = { pathname, settled }
  }, [pathname, settled])

  return <Outlet />
}

export function ErrorBoundary() {
  const error = useRouteError()
  const root = useRouteLoaderData<typeof loader>('root')
  const { search } = useLocation()
  const { title, body, retry } = errorText(error)
  return (
    <div className="mx-auto grid max-w-xl gap-10 px-5 py-10 sm:py-16">
      {root && (
        <header>
          <Brand name={root.appName} />
        </header>
      )}
      <main id="main" tabIndex={-1} className="grid gap-4">
        {isRouteErrorResponse(error) && <p className="text-sm font-medium text-ink-soft">Error {error.status}</p>}
        <h1 className="text-3xl font-semibold tracking-tight">{title}</h1>
        <p className="text-lg text-ink-soft">{body}</p>
        <p className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-3">
          {retry ? <RetryLink search={search} /> : <ButtonLink to="/">{text.home}</ButtonLink>}
          <TextLink to="/dashboard">{text.dashboard}</TextLink>
        </p>
      </main>
    </div>
  )
}

/** The same address as a whole new request. Relative on purpose: a path from the address bar may name another host (`//host`). */
function RetryLink({ search }: { search: string }) {
  return (
    <a
      href={search || '?'}
      className="inline-flex min-h-11 items-center rounded-md bg-accent px-5 font-semibold text-on-accent hover:bg-accent-strong"
    >
      {text.again}
    </a>
  )
}

function errorText(error: unknown): { title: string; body: string; retry: boolean } {
  if (!isRouteErrorResponse(error)) return { ...text.failed, retry: true }
  if (error.status === 404 || error.status === 405) return { ...text.notFound, retry: false }
  const known = (error.data as { error?: PageError } | null)?.error
  // Thrown by withApiForm, in words for a person.
  if (error.status === 400 && typeof error.data === 'string' && error.data !== '')
    return { ...text.refused, body: error.data, retry: false }
  if (!known) return { ...text.failed, retry: error.status >= 500 }
  return { title: error.status >= 500 ? text.failed.title : text.refused.title, body: known.message, retry: true }
}
