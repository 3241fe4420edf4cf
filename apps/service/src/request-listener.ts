import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { callerScheme, createMalformedRequestAnswer, isHost, publicUrl, refusePage } from '@floorpass/functions'
import { getRequestListener } from '@hono/node-server'
import type { Service } from './compose-service.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

/** Adapts `fetch` to Node's requests. Answers requests that the adapter cannot convert in the edge's error format. */
export function createRequestListener(fetch: Fetch, service: Service): RequestListener {
  const answerMalformed = createMalformedRequestAnswer(service)
  let current: IncomingMessage | undefined
  const fetchAndClose: Fetch = async (...args) => {
    const response = (await fetch(...args)) as Response
    if (response.status === 413) response.headers.set('connection', 'close')
    return response
  }
  const answer = getRequestListener(fetchAndClose, {
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      if (!(error instanceof Error && error.name === 'RequestError')) return refusePage(500)
      // The adapter throws synchronously, so `current` is the failed request.
      const origin = current?.headers.origin ?? null
      const { body, ...head } = answerMalformed({ origin, status: 400, message: 'The request target is not a valid URL' })
      return new Response(body, head)
    },
  })
  return (request, response) => {
    // Ignore requests that follow a response with `Connection: close` (RFC 9112, 9.6).
    if (!request.socket.writable) return
    current = request
    delayDestroy(request)
    request.url = toPublicTarget(request, service)
    void answer(request, response)
  }
}

const absoluteForm = /^https?:\/\/[^/?#\\]*/

/** The target in absolute form, unless the adapter builds the same URL: it knows no proxy. The adapter refuses an invalid target. */
function toPublicTarget(request: IncomingMessage, { deps, trustedProxies }: Service): string {
  const { url = '', headers } = request
  const protocol = callerScheme(request, trustedProxies)
  const [authority = ''] = absoluteForm.exec(url) ?? []
  const isPlain = url.startsWith('/') ? protocol === 'http' : authority === ''
  const host = authority === '' ? headers.host : URL.parse(authority)?.host
  if (isPlain || host === undefined) return url
  return publicUrl({ protocol, host, path: url.slice(authority.length) }, deps.settings.baseUrl)
}

/** Health checks may come without Host: HAProxy's `option httpchk GET /readyz` speaks HTTP/1.0. */
const healthTarget = /^\/(healthz|readyz)(\?|$)/

/** Rejects requests that the edge would fail on, or that a proxy and Node could interpret differently. */
export function refuseMalformed(service: Service, listener: RequestListener): RequestListener {
  const answerMalformed = createMalformedRequestAnswer(service)
  const ownHost = new URL(service.deps.settings.baseUrl).host
  let lastHost: string | undefined
  const findProblem = ({
    url = '',
    headers: { host = '', expect },
  }: IncomingMessage): [status: number, message: string] | null => {
    if (host !== lastHost && !isHost(host)) return [400, 'The Host header does not name a host']
    // Parsing costs more than all other checks, and callers of one service send the same Host.
    lastHost = host
    if (hasCredentials(url)) return [400, 'The request target contains a user name']
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') return [417, 'The Expect header must be 100-continue']
    return null
  }
  return (request, response) => {
    if (!request.headers.host && healthTarget.test(request.url ?? '')) request.headers.host = ownHost
    const problem = findProblem(request)
    if (problem === null) return listener(request, response)
    if (!request.socket.writable) return
    delayDestroy(request)
    const [status, message] = problem
    const answer = answerMalformed({ origin: request.headers.origin ?? null, status, message })
    response.statusCode = status
    response.setHeaders(answer.headers).setHeader('connection', 'close').end(answer.body)
  }
}

/** The Request constructor rejects such a URL. Other URL parsers accept it. */
function hasCredentials(target: string): boolean {
  const url = target.startsWith('/') ? null : URL.parse(target)
  return url !== null && url.username + url.password !== ''
}

const readTime = 1000
const lastRequests = new WeakMap<Duplex, IncomingMessage>()

/** Destroying a socket with unread input resets it, and the client loses an early response such as 413. Discard the input for a second first. */
function delayDestroy(request: IncomingMessage): void {
  const { socket } = request
  const isKnown = lastRequests.has(socket)
  lastRequests.set(socket, request)
  if (isKnown) return
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const last = lastRequests.get(socket)
    if (!last || last.complete) return destroySoon()
    socket.end()
    // The reader of the body pauses the request again with each chunk.
    last.removeAllListeners('data').resume()
    setTimeout(() => socket.destroy(), readTime).unref()
  }
}

const parserErrors: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions of the request body are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
}
const malformed: [status: string, message: string] = ['400 Bad Request', 'Malformed HTTP request']

/** Listens to a server's `clientError`: answers parser errors and timeouts, then closes the connection. */
export function createClientErrorListener(service: Service) {
  const answerMalformed = createMalformedRequestAnswer(service)
  const refused = new WeakSet<Duplex>()
  return (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse | null }): void => {
    if (refused.has(socket)) return
    refused.add(socket)
    const pending = socket._httpMessage
    // Clients would read a second response as a part of the started one.
    if (!socket.writable || error.code === 'ECONNRESET' || pending?.headersSent) return void socket.destroy()
    // A complete request is in progress and may commit, so it keeps its own response.
    if (pending?.req.complete) return void pending.setHeader('connection', 'close')
    const [line, message] = parserErrors[error.code ?? ''] ?? malformed
    const origin = pending?.req.headers.origin ?? null
    const { headers, body } = answerMalformed({ origin, status: Number.parseInt(line, 10), message })
    headers.set('content-length', String(Buffer.byteLength(body)))
    headers.set('connection', 'close')
    const head = [...headers].map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${line}`, ...head, '', body].join('\r\n'))
    setTimeout(() => socket.destroy(), readTime).unref()
  }
}
