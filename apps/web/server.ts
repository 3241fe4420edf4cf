import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  createEdge,
  createSessionFastPath,
  explainStartFailure,
  openService,
  refusePage,
  type Service,
  UnknownHostError,
} from '@floorpass/functions'
import { getRequestListener } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { createRequestHandler, type ServerBuild } from '@remix-run/node'
import { Hono } from 'hono'

const clientFiles = fileURLToPath(new URL('./build/client', import.meta.url))
const longestStop = 3_000
/** Longer than balancers take to see that /readyz fails, see docs/deployment.md. */
const drainFor = 1_000

async function start(): Promise<void> {
  const service = await openService()
  const answerFromMemory = createSessionFastPath(service)
  const answer = getRequestListener(await requestHandler(service), { overrideGlobalObjects: false })
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    (request, response) => void (answerFromMemory(request, response) || answer(request, response)),
  )
  try {
    await listen(server, service)
  } catch (error) {
    await service.stop()
    throw error
  }
  announce(service, server)
  const owed = new Set<ServerResponse>()
  let stopping = false
  server.prependListener('request', (_request, response) => {
    owed.add(response)
    response.once('close', () => owed.delete(response))
    // Announced, so that no proxy sends its next request into a connection that is being closed.
    if (stopping) response.setHeader('connection', 'close')
  })
  // `on`, and counted: a Ctrl-C under npm arrives twice, and the second one must not kill what the first one ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A person at the keyboard does not wait for balancers.
      if (!stopping) void stop(server, service, owed, signal === 'SIGTERM' ? drainFor : 0)
      stopping = true
    })
  }
}

/** Files of the build first, then the edge; what the edge does not answer itself is a page. */
async function requestHandler(service: Service) {
  const build = (await import(new URL('./build/server/index.js', import.meta.url).href)) as ServerBuild
  const remix = createRequestHandler(build, 'production')
  const edge = createEdge(service, async (request, page) => {
    // Remix compares Origin with Host, which proxies rewrite, and refuses `null`. The edge has judged it already, by TRUSTED_ORIGINS.
    request.headers.delete('origin')
    const response = await remix(request, page)
    // What Remix refuses itself names our files, in a form of its own.
    return response.headers.has('x-remix-error') ? refusePage(response.status) : response
  })
  const app = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>()
  app.use('/assets/*', async (c, next) => {
    await next()
    if (!c.res.ok) return
    c.res.headers.set('cache-control', 'public, max-age=31536000, immutable')
    c.res.headers.set('x-content-type-options', 'nosniff')
  })
  app.use('/assets/*', serveStatic({ root: clientFiles, precompressed: true }))
  app.all('*', (c) => edge.fetch(c.req.raw, { peerAddress: c.env.incoming.socket.remoteAddress ?? null }))
  return app.fetch
}

const listen = (server: Server, { host, port }: Service): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isUnknown = error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN'
      reject(isUnknown ? new UnknownHostError(host) : error)
    })
    server.listen(port, host, resolve)
  })

function announce({ deps, mode, outbox }: Service, server: Server): void {
  const { appName, baseUrl } = deps.settings
  const address = server.address()
  const at = typeof address === 'object' && address !== null ? `${address.address}:${address.port}` : String(address)
  deps.log.info({ address: at, baseUrl, mode }, 'listening')
  if (mode !== 'local') return
  const lines = [
    `${appName} runs at ${baseUrl}`,
    `  Sign up        ${baseUrl}/signup`,
    ...(outbox ? [`  Read its mail  ${baseUrl}/dev/mailbox`] : []),
    '  Stop it        Ctrl-C',
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

/**
 * First it serves on and says that it is going: not ready, and every connection closed by its next answer. Then no new connections,
 * the answers that are owed, and the end: sooner than whoever asked for it loses patience.
 */
async function stop(server: Server, service: Service, owed: Set<ServerResponse>, drainMs: number): Promise<void> {
  service.drain()
  for (const response of owed) if (!response.headersSent) response.setHeader('connection', 'close')
  await delay(drainMs)
  const patience = delay(longestStop)
  server.close()
  await Promise.race([patience, closingOf(owed)])
  // Browsers hold connections open that they never used: nothing but this ends them.
  server.closeAllConnections()
  await Promise.race([patience, service.stop()])
  process.exit(0)
}

async function closingOf(responses: Set<ServerResponse>): Promise<void> {
  for (const response of responses) await once(response, 'close')
}

try {
  await start()
} catch (error) {
  console.error(explainStartFailure(error))
  process.exit(1)
}
