import cluster from 'node:cluster'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { addFileHeaders, createEdge, createSessionFastPath } from '@floorpass/functions'
import { clientFiles, loadPages } from '@floorpass/web'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import type { Service } from './compose-service.ts'
import { isFirst, openService } from './open-service.ts'
import { createClientErrorListener, createRequestListener, refuseMalformed } from './request-listener.ts'
import { explainStartFailure, UnknownHostError } from './start-failure.ts'

/** From the signal to the end: less than the 30 s that orchestrators wait. Each part is over sooner where nothing is owed, see docs/deployment.md. */
const limits = { drain: 10_000, answers: 22_000, close: 2_000 }
/** What asks whether it is well is no load: it comes to the end, balanced or not. */
const probes: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

const signals = ['SIGINT', 'SIGTERM'] as const
type Signal = (typeof signals)[number]
/** While it starts. By themselves, signals do nothing to the first process of a container. */
const leave = (signal: Signal): void => process.exit(signal === 'SIGINT' ? 130 : 143)

async function start(): Promise<void> {
  const service = await openService()
  const edge = createRequestListener(await requestHandler(service), service)
  const server = createServer(
    // `refuseMalformed` answers a request without a Host with a code: Node's own answer has none.
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      // Node looks every thirty seconds otherwise, and the limits above would be three times as long.
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
      // Node keeps the first of two Host headers otherwise, where a proxy may have gone by the second.
      joinDuplicateHeaders: true,
    },
    refusingFloods(refuseMalformed(service, createSessionFastPath(service, edge))),
  ).on('clientError', createClientErrorListener(service))
  // Without a listener Node answers 417 itself, without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Who takes none of an answer for so long takes none of it any more. Longer than a request may take to come: that is told why.
  server.timeout = 40_000
  try {
    await listen(server, service)
  } catch (error) {
    await service.stop()
    throw error
  }
  const work = watchWork(server, service)
  let stopping = false
  const end = (signal: Signal): void => {
    if (!stopping) void stop(server, service, work, signal)
    stopping = true
  }
  // `on`, and counted: a Ctrl-C under npm arrives twice, and the second one must not kill what the first one ends.
  for (const signal of signals) process.off(signal, leave).on(signal, () => end(signal))
  const { worker } = cluster
  worker?.once('disconnect', () => {
    // The primary is gone. Node would end this process here and now, and with it the answers that are owed.
    worker.exitedAfterDisconnect = true
    end('SIGTERM')
  })
  // Last: whoever reads it may send a signal at once.
  announce(service, server)
}

/** Files of the build first, then the edge; what the edge does not answer itself is a page. */
async function requestHandler(service: Service) {
  const edge = createEdge(service, await loadPages())
  const app = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>()
  app.use('/assets/*', async (c, next) => {
    await next()
    if (c.res.ok || c.res.status === 416) addFileHeaders(c.res.headers, service)
  })
  app.use('/assets/*', serveStatic({ root: clientFiles, precompressed: true }))
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
    ...(outbox ? [`  Read its mail  ${baseUrl}/dev/mailbox`] : []),
    '  Stop it        Ctrl-C',
  ]
  console.log(`\n${lines.join('\n')}\n`)
}

/** More than any browser or proxy sends before it has read an answer. */
const mostInWork = 20

/** Node reads on while answers wait for the database: thousands of requests in a few packets would make everybody else wait. */
function refusingFloods(listener: RequestListener): RequestListener {
  const inWork = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const count = (inWork.get(socket) ?? 0) + 1
    inWork.set(socket, count)
    // What was read with it is answered no more.
    if (count > mostInWork) return void socket.destroy()
    response.once('close', () => inWork.set(socket, (inWork.get(socket) ?? 1) - 1))
    listener(request, response)
  }
}

/** What its callers are about: read by `stop` alone. */
type Work = {
  /** Answers that are not yet with their callers. */
  owed: Set<ServerResponse>
  /** Requests so far, without those of probes. */
  arrived: number
  /** When /readyz was asked for, the last two times, of whichever worker. */
  polls: [number, number]
  /** Somebody has been told that the service is going. */
  isTold: boolean
  /** From the signal on, every answer closes its connection. */
  isEnding: boolean
}

function watchWork(server: Server, { primary }: Service): Work {
  const work: Work = { owed: new Set(), arrived: 0, polls: [-Infinity, -Infinity], isTold: false, isEnding: false }
  const countPoll = (isTold: boolean): void => {
    work.polls = [work.polls[1], performance.now()]
    if (isTold) work.isTold = true
  }
  // A balancer's connections go to the workers in turn: each must know how closely all are watched.
  primary?.on('poll', (isTold) => countPoll(isTold === true))
  // Of several on one connection, those that were not yet their turn never close.
  server.on('connection', (socket: Socket) =>
    socket.once('close', () => {
      for (const response of work.owed) if (response.req.socket === socket) work.owed.delete(response)
    }),
  )
  server.prependListener('request', (request, response) => {
    work.owed.add(response)
    response.once('close', () => work.owed.delete(response))
    if (!probes.includes(request.url)) work.arrived += 1
    if (request.url === '/readyz') {
      countPoll(work.isEnding)
      primary?.notify('poll', work.isEnding)
    }
    // Announced, so that no proxy sends its next request into a connection that is being closed.
    if (work.isEnding) response.setHeader('connection', 'close')
  })
  return work
}

/**
 * First it serves on and says that it is going: not ready, and every connection closed by its next answer. When nothing comes any more, no
 * new connections, the answers that are owed, and the end: sooner than whoever asked for it loses patience.
 */
async function stop(server: Server, service: Service, work: Work, signal: Signal): Promise<void> {
  const asked = performance.now()
  service.drain()
  work.isEnding = true
  for (const response of work.owed) if (!response.headersSent) response.setHeader('connection', 'close')
  // A person at the keyboard does not wait for balancers.
  if (signal === 'SIGTERM') await untilBalancersLeave(work, asked)
  server.close()
  await Promise.race([closingOf(work.owed), untilOnlyStalled(work.owed, asked + limits.answers)])
  // Browsers hold connections open that they never used: nothing but this ends them.
  server.closeAllConnections()
  try {
    await Promise.race([delay(limits.close), service.stop()])
  } catch (error) {
    console.error(`Not all of the service ended in order: ${error instanceof Error ? error.message : error}`)
  }
  process.exit(0)
}

/** A second without a request; and who polled /readyz closely, twice in five seconds, has been told. */
async function untilBalancersLeave(work: Work, asked: number): Promise<void> {
  const isPolled = work.polls[0] > asked - 5_000
  let known = work.arrived
  await untilCalm(asked + limits.drain, () => {
    const isBusy = work.arrived > known || (isPolled && !work.isTold)
    known = work.arrived
    return isBusy
  })
}

/** What was received whole gets its answer; who sends nothing for a second may never finish. */
async function untilOnlyStalled(owed: ReadonlySet<ServerResponse>, end: number): Promise<void> {
  let known = 0
  await untilCalm(end, () => {
    const received = [...owed].reduce((sum, { req }) => sum + req.socket.bytesRead, 0)
    const isBusy = received !== known || [...owed].some(({ req }) => req.complete)
    known = received
    return isBusy
  })
}

/**
 * Resolves when `isBusy` was false for a second, or at `end`. Counted in turns of the event loop, in each of which what has come is
 * read: by the clock alone, a process that gets no processor would take its own stillness for that of its callers.
 */
async function untilCalm(end: number, isBusy: () => boolean): Promise<void> {
  for (let turns = 0; turns < 20 && performance.now() < end; ) {
    await delay(50)
    turns = isBusy() ? 0 : turns + 1
  }
}

async function closingOf(responses: Set<ServerResponse>): Promise<void> {
  // Not `once` of node:events, which rejects when the response has an error.
  for (const response of responses) await new Promise((resolve) => response.once('close', resolve))
}

for (const signal of signals) process.on(signal, leave)
try {
  await start()
} catch (error) {
  console.error(explainStartFailure(error))
  process.exit(1)
}
