import { randomBytes, randomUUIDv7 } from 'node:crypto'
import {
  type Api,
  AppError,
  appRouter,
  type Context,
  createCaller,
  createContext,
  type Locale,
  type Log,
  type ProviderId,
  sessionCookieName,
  toAppError,
} from '@floorpass/api'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { Hono } from 'hono'
import { mailboxPages } from './dev-mailbox/mailbox-pages.ts'
import type { EdgeService } from './edge-service.ts'
import { withBufferedBody } from './http/buffer-body.ts'
import { clientAddress, isTrustedPeer } from './http/client-address.ts'
import { cookieValues, requestCookies } from './http/cookies.ts'
import { corsHeaders, preflightHeaders } from './http/cors.ts'
import { localeCookie, preferredLocale, readLocaleCookie, spokenLocale } from './http/locale.ts'
import { assertTrustedOrigin } from './http/origin-check.ts'
import { findBodyKind, readText } from './http/read-input.ts'
import { errorResponse, json, limitHeaders, retryHeaders } from './http/respond.ts'
import { addSecureHeaders, dataPolicy, pagePolicy } from './http/secure-headers.ts'
import { answerMetrics } from './metrics/metrics-route.ts'
import { methodLabel, routePattern } from './metrics/route-pattern.ts'
import { dispatch, methodsOf } from './rest/dispatch.ts'
import { openapiDocument } from './rest/openapi.ts'
import { referencePage } from './rest/reference-page.ts'
import { activeRoutes } from './rest/routes.ts'
import { createSmokeTests } from './smoke-tests/smoke-tests.ts'

/** What a page's loaders and actions get; see `withApi` in the web app. */
export type PageContext = {
  /** The procedures, bound to this request. Cookies that they set are on the response, whatever the page answers. */
  api: Api
  /** Every script tag carries it. */
  cspNonce: string
  /** The language to answer in. */
  locale: Locale
  /** Keeps a chosen language in this browser. */
  rememberLocale(locale: Locale): void
  appName: string
  /** Mail lands in the viewer at /dev/mailbox: the service runs on its own machine only. */
  localMailbox: boolean
  /** The social providers to offer. */
  providers: { id: ProviderId; name: string }[]
  log: Log
}

export type Pages = (request: Request, page: PageContext) => Promise<Response>

/** What the transport knows besides the request. */
export type Connection = {
  peerAddress: string | null
  /** It hands over no byte of a body beyond the length that was claimed, as a parser of HTTP does. */
  framesBodies?: boolean
}

export type Edge = { fetch(request: Request, connection: Connection): Promise<Response> }

type Variables = { requestId: string; context: Context; setCookies: string[]; contentSecurityPolicy: string }

const largestBatch = 10

/** Another server asks for these for all of its visitors, from one address. */
const sessionReads = new Set(['/auth/get-session', '/trpc/sessions.get'])

/**
 * The HTTP edge: a plain function from Request to Response, the same under every server. It answers /auth, /trpc, /tests and the
 * health checks, and hands everything else to `pages`.
 */
export function createEdge(service: EdgeService, pages?: Pages): Edge {
  const { deps } = service
  const { settings } = deps
  // Chromium holds a form's redirects against form-action too: linking an account ends at a provider.
  const formTargets = [...deps.providers.values()].map(({ origin }) => origin)
  const app = new Hono<{ Bindings: Connection; Variables: Variables }>()

  app.use(async (c, next) => {
    const started = performance.now()
    const { method, path } = c.req
    const requestId = randomUUIDv7()
    const log = service.logFor(requestId)
    const setCookies: string[] = []
    const cookies = requestCookies(c.req.raw.headers.get('cookie'))
    const client = {
      ip: clientAddress(c.env.peerAddress, c.req.header('x-forwarded-for') ?? null, service.trustedProxies),
      userAgent: printable(c.req.header('user-agent') ?? ''),
      locale: preferredLocale(readLocaleCookie(cookies, settings.cookie.secure), c.req.header('accept-language')),
    }
    c.set('requestId', requestId)
    c.set('setCookies', setCookies)
    c.set('contentSecurityPolicy', dataPolicy)
    c.set(
      'context',
      createContext({ ...deps, log }, client, {
        get: (name) => cookies.get(name),
        all: (name) => cookieValues(c.req.raw.headers.get('cookie'), name),
        set: (header) => keepCookie(cookies, setCookies, header),
      }),
    )

    const { tracing } = service
    if (tracing) {
      const traceparent = isTrustedPeer(c.env.peerAddress, service.trustedProxies) ? (c.req.header('traceparent') ?? null) : null
      await tracing.request(traceparent, async (set) => {
        await next()
        const route = routePattern(path, c.res.status)
        set('span.name', `${methodLabel(method)} ${route}`)
        set('http.request.method', methodLabel(method))
        set('http.route', route)
        set('http.response.status_code', c.res.status)
        set('floorpass.request_id', requestId)
        if (c.res.status >= 500) set('error.type', String(c.res.status))
      })
    } else await next()

    // Changed in place: every answer here was made here, and each copy of one costs more than all its headers.
    const response = c.res
    for (const cookie of setCookies) response.headers.append('set-cookie', cookie)
    response.headers.set('x-request-id', requestId)
    for (const [name, value] of limitHeaders(c.get('context').tightestLimit())) response.headers.set(name, value)
    // Remix drops the headers of an error that a layout above the page shows.
    if (response.status === 503 && !response.headers.has('retry-after')) response.headers.set('retry-after', '1')
    addSecureHeaders(response.headers, { https: settings.cookie.secure, contentSecurityPolicy: c.get('contentSecurityPolicy') })
    const ms = performance.now() - started
    const { status } = response
    service.metrics?.countRequest({ route: routePattern(path, status), method, status }, ms / 1000)
    log[status >= 500 ? 'warn' : 'info']({ method, path: printable(withoutTokens(path)), status, ms: Math.round(ms) }, 'request')
  })

  const crossOrigin = async (c: { req: { raw: Request; path: string }; res: Response }, next: () => Promise<void>) => {
    const origin = c.req.raw.headers.get('origin')
    await next()
    c.res.headers.append('vary', 'Origin')
    for (const [name, value] of corsHeaders(origin, settings.trustedOrigins)) c.res.headers.set(name, value)
  }
  app.use('/auth/*', crossOrigin)
  app.use('/trpc/*', crossOrigin)

  const preflight = (c: { req: { raw: Request; path: string } }) => {
    const known = methodsOf(c.req.path)
    const methods = known.length > 0 ? known : ['GET', 'POST']
    return new Response(null, {
      status: 204,
      headers: preflightHeaders(c.req.raw.headers.get('origin'), settings.trustedOrigins, methods),
    })
  }
  app.options('/auth/*', preflight)
  app.options('/trpc/*', preflight)

  app.use(async (c, next) => {
    assertTrustedOrigin(c.req.raw, settings.trustedOrigins)
    await next()
  })
  const countCaller = async (
    c: { req: { url: string; path: string }; get(key: 'context'): Context },
    next: () => Promise<void>,
  ) => {
    if (!sessionReads.has(c.req.path)) await c.get('context').limitByIp('request:ip', callsIn(c.req.url))
    await next()
  }
  app.use('/auth/*', countCaller)
  app.use('/trpc/*', countCaller)
  app.use(async (c, next) => {
    c.req.raw = await withBufferedBody(c.req.raw, c.env.framesBodies)
    await next()
  })

  // Made when somebody reads it: at the start it would take longer than all other routes together.
  let document: ReturnType<typeof openapiDocument> | undefined
  const describeRoutes = () => {
    document ??= openapiDocument(activeRoutes(new Set(deps.providers.keys())), {
      ...settings,
      cookieName: sessionCookieName(settings.cookie),
    })
    return document
  }
  app.get('/auth/openapi.json', () => json(describeRoutes()))
  app.get('/auth/reference', (c) => c.html(referencePage(describeRoutes())))
  app.all('/auth/*', (c) => dispatch(c.req.raw, c.req.path, createCaller(c.get('context'))))
  app.all('/trpc/*', async (c) => {
    // A streamed batch would leave before its procedures have run, and their cookies with nothing.
    c.req.raw.headers.set('trpc-accept', 'application/json')
    // tRPC also takes forms, bytes and every charset. A body without a type it refuses in its own form: UNSUPPORTED_MEDIA_TYPE.
    if (c.req.method === 'POST' && findBodyKind(c.req.raw.headers, ['json']) === null) c.req.raw.headers.delete('content-type')
    // tRPC's own reader replaces what is not UTF-8.
    Object.defineProperty(c.req.raw, 'text', { value: () => readText(c.req.raw) })
    const response = await fetchRequestHandler({
      endpoint: '/trpc',
      req: c.req.raw,
      router: appRouter,
      maxBatchSize: largestBatch,
      responseMeta: ({ errors }) => ({ headers: retryHeaders(errors.map(toAppError)) }),
      createContext: () => c.get('context'),
    })
    // tRPC names no type for what it refuses before any procedure runs.
    response.headers.set('content-type', 'application/json; charset=utf-8')
    return response
  })
  app.get('/healthz', () => json({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (service.isDraining()) return errorResponse(new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1 }))
    await service.assertReady()
    return json({ status: 'ready' })
  })
  app.all('/metrics', (c) => answerMetrics(c.req.raw, service.metricsToken, service.metrics))
  const smokeTests = createSmokeTests(service.smokeTests, deps, async (request) => app.fetch(request, { peerAddress: null }))
  app.all('/tests/*', (c) => smokeTests.answer(c.req.raw, c.req.path, c.get('context')))
  if (service.outbox) app.route('/dev/mailbox', mailboxPages(service.outbox, settings))
  if (pages) {
    app.all('*', async (c) => {
      const cspNonce = randomBytes(16).toString('base64')
      c.set('contentSecurityPolicy', pagePolicy(cspNonce, formTargets))
      const context = c.get('context')
      return pages(c.req.raw, {
        api: createCaller(context),
        cspNonce,
        locale: await spokenLocale(context),
        rememberLocale: (locale) => context.cookies.set(localeCookie(locale, settings.cookie.secure)),
        appName: settings.appName,
        localMailbox: service.outbox !== null,
        providers: [...deps.providers.values()].map(({ id, name }) => ({ id, name })),
        log: context.log,
      })
    })
  }
  app.notFound(() => errorResponse(new AppError('NOT_FOUND')))
  app.onError((thrown, c) => {
    const error = toAppError(thrown)
    if (error.status >= 500) deps.log.error({ err: error.cause ?? error, requestId: c.get('requestId') }, 'a request failed')
    return errorResponse(error)
  })

  return { fetch: async (request, connection) => app.fetch(request, connection) }
}

/** The calls of a request, as tRPC reads them. More than a batch may have are refused before one runs. */
function callsIn(address: string): number {
  if (!address.includes('?')) return 1
  const { pathname, searchParams } = new URL(address)
  return searchParams.get('batch') === '1' ? Math.min(pathname.split(/,|%2c/i).length, largestBatch + 1) : 1
}

/** One line, no control or direction characters, at most 512 long: safe in a log, a list and a mail. */
const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, 512)

/** A link's token belongs into a query, which is not logged; somebody's own front end may put it into the path. */
const withoutTokens = (path: string): string => path.replace(/[\w%~.-]{40,}/g, '[removed]')

/** The newest word on a cookie counts: for the rest of this request, and alone in the response. */
function keepCookie(cookies: Map<string, string>, setCookies: string[], header: string): void {
  const [pair = ''] = header.split(';')
  const name = pair.slice(0, pair.indexOf('='))
  const value = pair.slice(name.length + 1)
  if (value === '') cookies.delete(name)
  else cookies.set(name, value)
  const former = setCookies.findIndex((known) => known.startsWith(`${name}=`))
  if (former >= 0) setCookies.splice(former, 1)
  setCookies.push(header)
}
