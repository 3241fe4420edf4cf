import { randomUUIDv7 } from 'node:crypto'
import type { Context as HonoContext, MiddlewareHandler, Next } from 'hono'
import type { EdgeService } from '../edge-service.ts'
import type { EdgeEnv } from '../edge-types.ts'
import { methodLabel, routePattern } from '../metrics/route-pattern.ts'
import { isTrustedPeer } from './client-address.ts'
import { completeHeaders } from './complete-headers.ts'
import { openContext } from './open-context.ts'
import { recordRequest } from './record-request.ts'
import { dataPolicy } from './secure-headers.ts'

export const withRequestContext =
  (service: EdgeService): MiddlewareHandler<EdgeEnv> =>
  async (c, next) => {
    const started = performance.now()
    const requestId = randomUUIDv7()
    const log = service.logFor(requestId)
    const setCookies: string[] = []
    const { url, headers: given } = c.req.raw
    const header = (name: string) => given.get(name)
    const isPage = !/^\/(auth|trpc)\//.test(c.req.path)
    const caller = { peerAddress: c.env.peerAddress, isHttps: url.startsWith('https:'), isPage, header }
    const context = openContext(service, log, caller, setCookies)
    c.set('requestId', requestId)
    c.set('contentSecurityPolicy', dataPolicy)
    c.set('context', context)
    await runInSpan(c, service, next)
    const { headers, status } = c.res
    const { contentSecurityPolicy } = c.var
    const limit = context.tightestLimit()
    completeHeaders(headers, service.deps.settings, { status, requestId, setCookies, limit, contentSecurityPolicy })
    recordRequest(service, log, { method: c.req.method, path: c.req.path, status, started })
  }

async function runInSpan(c: HonoContext<EdgeEnv>, { tracing, trustedProxies }: EdgeService, next: Next): Promise<void> {
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
