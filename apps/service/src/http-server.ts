import cluster from 'node:cluster'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { addFileHeaders, createEdge, createSessionFastPath } from '@floorpass/functions'
import { clientFiles, loadPages } from '@floorpass/web'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import type { Service } from './compose-service.ts'
import { findEmbeddedDirectory, isFirst, openService } from './open-service.ts'
import { createClientErrorListener, createRequestListener, refuseMalformed } from './request-listener.ts'
import { explainStartFailure, UnknownHostError } from './start-failure.ts'

/** The longest parts of a shutdown in milliseconds, below the 30 s that orchestrators wait. See docs/deployment.md. */
const limits = { drain: 10_000, answers: 22_000, close: 2_000 }
/** Drop clients that stop reading the response. Must exceed requestTimeout, whose refusal has a body. */
const stalledTimeout = 40_000
/** Requests that do not delay the shutdown: monitors send them until the process is gone. */
const probes: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

const signals = ['SIGINT', 'SIGTERM'] as const
type Signal = (typeof signals)[number]
/** Handles signals during the start. The kernel ignores them for PID 1 of a container without a handler. */
const exitOnSignal = (signal: Signal): void => process.exit(signal === 'SIGINT' ? 130 : 143)

async function start(): Promise<void> {
  const service = await openService()
  const edge = createRequestListener(await createHandler(service), service)
  const traffic = createTraffic()
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      // `refuseMalformed` answers a missing Host with an error code; Node's own answer has none.
      requireHostHeader: false,
      // Otherwise Node keeps the first of two Host headers, while a proxy may have used the second.
      joinDuplicateHeaders: true,
    },
    watchTraffic(traffic, service, refuseMalformed(service, createSessionFastPath(service, edge))),
  ).on('clientError', createClientErrorListener(service))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  try {
    await listen(server, service)
  } catch (error) {
    await service.stop()
    throw error
  }
  let stopping = false
  const stopOnce = (signal: Signal): void => {
    if (!stopping) void stop(server, service, traffic, signal)
    stopping = true
  }
  // Ctrl-C under npm arrives twice, so `on`. Add before removing: Node drops a pending signal with its last listener.
  for (const signal of signals) process.on(signal, () => stopOnce(signal)).off(signal, exitOnSignal)
  const { worker } = cluster
  worker?.once('disconnect', () => {
    // The primary is gone. Without this flag Node exits at once and drops the pending responses.
    worker.exitedAfterDisconnect = true
    stopOnce('SIGTERM')
  })
  // Last, since a reader of this line may send a signal at once.
  announce(service, server)
}

async function createHandler(service: Service) {
  const edge = createEdge(service, await loadPages())
  const app = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>()
  const serveFiles = (path: string, cacheControl: string) =>
    app.use(
      path,
      async (c, next) => {
        await next()
        if (c.res.ok || c.res.status === 416) addFileHeaders(c.res.headers, service, cacheControl)
      },
      serveStatic({ root: clientFiles, precompressed: true }),
    )
  // The names of assets contain a hash of their content.
  serveFiles('/assets/*', 'public, max-age=31536000, immutable')
  // Browsers ask for these by name.
  const icons = service.deps.settings.brand.icon ? [] : ['/favicon.ico', '/apple-touch-icon.png']
  for (const icon of icons) serveFiles(icon, 'public, max-age=86400')
  app.all('*', (c) => edge.fetch(c.req.raw, { peerAddress: c.env.incoming.socket.remoteAddress ?? null, framesBodies: true }))
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
  if (mode !== 'local' || !isFirst()) return
  const lines = [
    `${appName} runs at ${baseUrl}`,
    `  Sign up        ${baseUrl}/signup`,
    ...(outbox ? [`  Read emails    ${baseUrl}/dev/mailbox`] : []),
    '  Stop           Ctrl-C',
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

/** Responses of one connection that wait. Otherwise thousands of pipelined requests could block all other clients. */
const maxInProgress = 20

type Traffic = {
  pending: Map<Socket, Set<ServerResponse>>
  received: number
  /** The times of the last two polls of /readyz, on any worker. */
  polls: [number, number]
  /** A balancer has seen /readyz fail. */
  isDrainSeen: boolean
  isStopping: boolean
}

const createTraffic = (): Traffic => ({
  pending: new Map(),
  received: 0,
  polls: [-Infinity, -Infinity],
  isDrainSeen: false,
  isStopping: false,
})

/** Tracks only responses that are not sent at once: tracking costs as much as finding a session (ADR 050). */
function watchTraffic(traffic: Traffic, { primary }: Service, listener: RequestListener): RequestListener {
  const { pending } = traffic
  const recordPoll = (isDrainSeen: boolean): void => {
    traffic.polls = [traffic.polls[1], performance.now()]
    if (isDrainSeen) traffic.isDrainSeen = true
  }
  // A balancer's polls reach the workers in turn, so workers share them.
  primary?.on('poll', (isDrainSeen) => recordPoll(isDrainSeen === true))
  const openConnection = (socket: Socket): Set<ServerResponse> => {
    const responses = new Set<ServerResponse>()
    pending.set(socket, responses)
    // Queued responses of a closed connection never emit `close`.
    socket.once('close', () => pending.delete(socket))
    return responses
  }
  function closeResponse(this: ServerResponse): void {
    pending.get(this.req.socket)?.delete(this)
  }
  return (request, response) => {
    const { socket, url } = request
    if (!probes.includes(url)) traffic.received += 1
    if (url === '/readyz') {
      recordPoll(traffic.isStopping)
      primary?.notify('poll', traffic.isStopping)
    }
    if (traffic.isStopping) response.setHeader('connection', 'close')
    const responses = pending.get(socket)
    if (responses && responses.size >= maxInProgress) return void socket.destroy()
    listener(request, response)
    // A queued response has no socket yet.
    const isSent = response.writableEnded && response.socket !== null && socket.writableLength === 0
    if (isSent || socket.destroyed) return
    const tracked = responses ?? openConnection(socket)
    tracked.add(response)
    response.on('close', closeResponse)
    // Node removes this timeout with the next request. `server.timeout` would set one for every request.
    socket.setTimeout(stalledTimeout)
  }
}

const listPending = ({ pending }: Traffic): ServerResponse[] => [...pending.values()].flatMap((responses) => [...responses])

/** Drains, answers the pending requests and exits (ADR 020). Every response closes its connection, so that no proxy reuses it. */
async function stop(server: Server, service: Service, traffic: Traffic, signal: Signal): Promise<void> {
  const stoppedAt = performance.now()
  service.drain()
  traffic.isStopping = true
  for (const response of listPending(traffic)) if (!response.headersSent) response.setHeader('connection', 'close')
  if (signal === 'SIGTERM') await untilBalancersLeave(traffic, stoppedAt)
  server.close()
  await Promise.race([allClosed(traffic), untilOnlyStalled(traffic, stoppedAt + limits.answers)])
  // Browsers keep unused connections open.
  server.closeAllConnections()
  try {
    const isStopped = await Promise.race([delay(limits.close, false), service.stop().then(() => true)])
    if (!isStopped) console.error(`The service did not stop within ${limits.close / 1000} s: it left its work undone.`)
  } catch (error) {
    console.error(`The service did not stop cleanly: ${error instanceof Error ? error.message : error}`)
  }
  process.exit(0)
}

/** Waits for a second without requests. If /readyz was polled twice in the last five seconds, also waits until a poll has failed. */
async function untilBalancersLeave(traffic: Traffic, stoppedAt: number): Promise<void> {
  const isPolled = traffic.polls[0] > stoppedAt - 5_000
  let known = traffic.received
  await untilIdle(stoppedAt + limits.drain, () => {
    const isBusy = traffic.received > known || (isPolled && !traffic.isDrainSeen)
    known = traffic.received
    return isBusy
  })
}

async function untilOnlyStalled(traffic: Traffic, end: number): Promise<void> {
  let known = 0
  await untilIdle(end, () => {
    const responses = listPending(traffic)
    const received = responses.reduce((sum, { req }) => sum + req.socket.bytesRead, 0)
    const isBusy = received !== known || responses.some(({ req }) => req.complete)
    known = received
    return isBusy
  })
}

/** Resolves when `isBusy` was false for a second, or at `end`.
 * Counts turns of the event loop instead of time: a process without CPU would mistake its own pause for idle clients. */
async function untilIdle(end: number, isBusy: () => boolean): Promise<void> {
  for (let turns = 0; turns < 20 && performance.now() < end; ) {
    await delay(50)
    turns = isBusy() ? 0 : turns + 1
  }
}

async function allClosed(traffic: Traffic): Promise<void> {
  // `once` of node:events would reject if the response has an error.
  for (let [response] = listPending(traffic); response; [response] = listPending(traffic))
    await new Promise((resolve) => response?.once('close', resolve))
}

for (const signal of signals) process.on(signal, exitOnSignal)
try {
  await start()
} catch (error) {
  console.error(explainStartFailure(error, findEmbeddedDirectory() === null ? 'postgres' : 'embedded'))
  process.exit(1)
}
