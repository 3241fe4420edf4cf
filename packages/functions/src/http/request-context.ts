import { randomUUIDv7 } from 'node:crypto'
import type { BlockList } from 'node:net'
import { type Context, createContext, type Deps } from '@floorpass/api'
import type { Context as HonoContext, MiddlewareHandler, Next } from 'hono'
import type { EdgeService } from '../edge-service.ts'
import type { EdgeEnv } from '../edge-types.ts'
import { methodLabel, routePattern } from '../metrics/route-pattern.ts'
import { clientAddress, isTrustedPeer } from './client-address.ts'
import { cookieValues, requestCookies } from './cookies.ts'
import { preferredLocale, readLocaleCookie } from './locale.ts'
import { limitHeaders } from './respond.ts'
import { addSecureHeaders, dataPolicy } from './secure-headers.ts'

type EdgeContext = HonoContext<EdgeEnv>

export const withRequestContext =
  (service: EdgeService): MiddlewareHandler<EdgeEnv> =>
  async (c, next) => {
    const started = performance.now()
    const requestId = randomUUIDv7()
    const log = service.logFor(requestId)
    const setCookies: string[] = []
    c.set('requestId', requestId)
    c.set('setCookies', setCookies)
    c.set('contentSecurityPolicy', dataPolicy)
    c.set('context', openContext(c, { ...service.deps, log }, service.trustedProxies))
    await runInSpan(c, service, next)
    addHeaders(c, service.deps.settings.cookie.secure)
    const ms = performance.now() - started
    const { method, path } = c.req
    const { status } = c.res
    service.metrics?.countRequest({ route: routePattern(path, status), method, status }, ms / 1000)
    log[status >= 500 ? 'warn' : 'info']({ method, path: printable(withoutTokens(path)), status, ms: Math.round(ms) }, 'request')
  }

function openContext(c: EdgeContext, deps: Deps, trustedProxies: BlockList): Context {
  const cookieHeader = c.req.raw.headers.get('cookie')
  const cookies = requestCookies(cookieHeader)
  const client = {
    ip: clientAddress(c.env.peerAddress, c.req.header('x-forwarded-for') ?? null, trustedProxies),
    userAgent: printable(c.req.header('user-agent') ?? ''),
    locale: preferredLocale(readLocaleCookie(cookies, deps.settings.cookie.secure), c.req.header('accept-language')),
  }
  return createContext(deps, client, {
    get: (name) => cookies.get(name),
    all: (name) => cookieValues(cookieHeader, name),
    set: (header) => setCookie(cookies, c.get('setCookies'), header),
  })
}

async function runInSpan(c: EdgeContext, { tracing, trustedProxies }: EdgeService, next: Next): Promise<void> {
  if (!tracing) return next()
  const { method, path } = c.req
  const traceparent = isTrustedPeer(c.env.peerAddress, trustedProxies) ? (c.req.header('traceparent') ?? null) : null
  await tracing.request(traceparent, async (set) => {
    await next()
    const route = routePattern(path, c.res.status)
    set('span.name', `${methodLabel(method)} ${route}`)
    set('http.request.method', methodLabel(method))
    set('http.route', route)
    set('http.response.status_code', c.res.status)
    set('floorpass.request_id', c.get('requestId'))
    if (c.res.status >= 500) set('error.type', String(c.res.status))
  })
}

/** Changes the response in place: copying it costs more than all its headers. */
function addHeaders(c: EdgeContext, https: boolean): void {
  const { headers, status } = c.res
  for (const cookie of c.get('setCookies')) headers.append('set-cookie', cookie)
  headers.set('x-request-id', c.get('requestId'))
  for (const [name, value] of limitHeaders(c.get('context').tightestLimit())) headers.set(name, value)
  // Remix drops the headers of an error that a parent layout renders.
  if (status === 503 && !headers.has('retry-after')) headers.set('retry-after', '1')
  addSecureHeaders(headers, { https, contentSecurityPolicy: c.get('contentSecurityPolicy') })
}

/** Removes control and direction characters and cuts to 512 characters: safe in a log, a list and an email. */
const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, 512)

/** Removes what looks like a token. A custom front end may put one into the path, and paths are logged. */
const withoutTokens = (path: string): string => path.replace(/[\w%~.-]{40,}/g, '[removed]')

/** The last Set-Cookie for a name wins, in the response and for the rest of this request. */
function setCookie(cookies: Map<string, string>, setCookies: string[], header: string): void {
  const [pair = ''] = header.split(';')
  const name = pair.slice(0, pair.indexOf('='))
  const value = pair.slice(name.length + 1)
  if (value === '') cookies.delete(name)
  else cookies.set(name, value)
  const former = setCookies.findIndex((known) => known.startsWith(`${name}=`))
  if (former >= 0) setCookies.splice(former, 1)
  setCookies.push(header)
}
