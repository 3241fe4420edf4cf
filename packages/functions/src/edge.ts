import { AppError, createCaller, toAppError } from '@floorpass/api'
import { Hono } from 'hono'
import { devPages } from './dev-pages/dev-pages.ts'
import type { EdgeService } from './edge-service.ts'
import type { Edge, EdgeEnv, Pages } from './edge-types.ts'
import { withBufferedBody } from './http/buffer-body.ts'
import { answerPreflight, withCorsHeaders } from './http/cors.ts'
import { isPictureForm, largestBodyOf } from './http/largest-body.ts'
import { assertTrustedOrigin } from './http/origin-check.ts'
import { withRequestContext } from './http/request-context.ts'
import { errorResponse, json } from './http/respond.ts'
import { unlimitedPaths } from './http/unlimited-paths.ts'
import { answerMetrics } from './metrics/metrics-route.ts'
import { createPageHandler } from './page-handler.ts'
import { addReference } from './reference/add-reference.ts'
import { asyncapiDocument } from './reference/event-documents.ts'
import { createApiDocument } from './rest/api-document.ts'
import { dispatch, methodsOf } from './rest/dispatch.ts'
import { siteFiles } from './site-files.ts'
import { createSmokeTests } from './smoke-tests/smoke-tests.ts'
import { answerTrpc, countCalls } from './trpc/answer-trpc.ts'

export type { Connection, Edge, PageContext, Pages } from './edge-types.ts'

/** The HTTP edge: a function from Request to Response, the same under every server.
 * It answers /auth, /trpc, /tests, /metrics and the health checks, and hands all other paths to `pages`. */
export function createEdge(service: EdgeService, pages?: Pages): Edge {
  const { deps } = service
  const { trustedOrigins } = deps.settings
  const app = new Hono<EdgeEnv>()

  app.use(withRequestContext(service))
  for (const path of ['/auth/*', '/trpc/*']) app.use(path, withCorsHeaders(trustedOrigins))
  const preflight = answerPreflight(trustedOrigins, methodsOf, deps.logRarely)
  for (const path of ['/auth/*', '/trpc/*']) app.options(path, preflight)
  app.use(async (c, next) => {
    assertTrustedOrigin(c.req.raw, trustedOrigins)
    await next()
  })
  for (const path of ['/auth/*', '/trpc/*'])
    app.use(path, async (c, next) => {
      if (!unlimitedPaths.has(c.req.path)) await c.get('context').limitByIp('request:ip', countCalls(c.req.url))
      await next()
    })
  app.use(async (c, next) => {
    const limit = await largestBodyOf(c.req.raw, c.get('context'))
    try {
      c.req.raw = await withBufferedBody(c.req.raw, c.env.framesBodies, limit)
    } catch (error) {
      if (!(error instanceof AppError && error.key === 'PAYLOAD_TOO_LARGE' && isPictureForm(c.req.raw))) throw error
      // A browser without JavaScript would show the code.
      return c.redirect('/settings/profile?error=PICTURE_TOO_LARGE', 303)
    }
    return next()
  })

  const getDocument = createApiDocument(deps)
  app.get('/auth/openapi.json', () => json(getDocument()))
  app.get('/auth/asyncapi.json', () => json(asyncapiDocument(deps.settings)))
  addReference(app, getDocument)
  app.all('/auth/*', (c) => dispatch(c.req.raw, c.req.path, createCaller(c.get('context'), { signal: c.req.raw.signal }), deps))
  app.all('/trpc/*', (c) => answerTrpc(c.req.raw, c.get('context')))
  app.route('/', siteFiles(deps.settings))
  app.get('/healthz', () => json({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (service.isDraining()) return errorResponse(new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1 }))
    await service.assertReady()
    return json({ status: 'ready' })
  })
  app.all('/metrics', (c) => answerMetrics(c.req.raw, service.metricsToken, service.metrics))
  const smokeTests = createSmokeTests(service.smokeTests, deps, async (request) => app.fetch(request, { peerAddress: null }))
  app.all('/tests/*', (c) => smokeTests.answer(c.req.raw, c.req.path, c.get('context')))
  if (service.outbox) app.route('/dev', devPages(service.outbox, deps.settings))
  if (pages) app.all('*', createPageHandler(service, pages))
  app.notFound(() => errorResponse(new AppError('NOT_FOUND')))
  app.onError((thrown, c) => {
    const error = toAppError(thrown)
    if (error.status >= 500) deps.log.error({ err: error.cause ?? error, requestId: c.get('requestId') }, 'request failed')
    return errorResponse(error)
  })

  return { fetch: async (request, connection) => app.fetch(request, connection) }
}
