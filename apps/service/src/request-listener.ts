import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createMalformedRequestAnswer, isHost, refusePage } from '@floorpass/functions'
import { getRequestListener } from '@hono/node-server'
import type { Service } from './compose-service.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

/** Node's requests, answered by a function of web ones; what makes no web request is refused in the edge's own form. */
export function createRequestListener(fetch: Fetch, service: Service): RequestListener {
  const answerMalformed = createMalformedRequestAnswer(service)
  let asked: IncomingMessage | undefined
  const closingWhatIsTooLarge: Fetch = async (...args) => {
    const response = (await fetch(...args)) as Response
    // Before its request is whole: what comes next on this connection is the rest of that.
    if (response.status === 413) response.headers.set('connection', 'close')
    return response
  }
  const answer = getRequestListener(closingWhatIsTooLarge, {
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      // The edge answers its own failures: another name than this one is a bug of the adapter.
      if (!(error instanceof Error && error.name === 'RequestError')) return refusePage(500)
      // The adapter says so before it waits for anything: `asked` is still that request.
      const origin = asked?.headers.origin ?? null
      const { body, ...head } = answerMalformed({ origin, status: 400, message: 'The address of the request cannot be read' })
      return new Response(body, head)
    },
  })
  return (request, response) => {
    // Behind an answer that said it was the last one (RFC 9112, 9.6).
    if (!request.socket.writable) return
    asked = request
    closeLate(request)
    void answer(request, response)
  }
}

/** Rejects requests that the edge would fail on, or that a proxy and Node could interpret differently. */
export function refuseMalformed(service: Service, listener: RequestListener): RequestListener {
  const answerMalformed = createMalformedRequestAnswer(service)
  let lastHost: string | undefined
  const findFault = ({ url = '', headers: { host = '', expect } }: IncomingMessage): [status: number, message: string] | null => {
    if (host !== lastHost && !isHost(host)) return [400, 'The Host header does not name a host']
    // Callers of one service name one host: parsing it costs more than the rest of this.
    lastHost = host
    if (hasCredentials(url)) return [400, 'The address of the request names a user']
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') return [417, 'The Expect header must be 100-continue']
    return null
  }
  return (request, response) => {
    const fault = findFault(request)
    if (fault === null) return listener(request, response)
    if (!request.socket.writable) return
    closeLate(request)
    const [status, message] = fault
    const answer = answerMalformed({ origin: request.headers.origin ?? null, status, message })
    response.statusCode = status
    response.setHeaders(answer.headers).setHeader('connection', 'close').end(answer.body)
  }
}

/** No web request can be made of such an address, and only some readers notice. */
function hasCredentials(target: string): boolean {
  const url = target.startsWith('/') ? null : URL.parse(target)
  return url !== null && url.username + url.password !== ''
}

/** A connection that is destroyed on what is still to come takes the answer with it: whoever reads it closes first. */
const patience = 1000

/** An answer before the end of its request, such as 413, has this long to be read; what comes meanwhile is thrown away. */
function closeLate(request: IncomingMessage): void {
  const { socket } = request
  const isKnown = newest.has(socket)
  newest.set(socket, request)
  if (isKnown) return
  const destroySoon = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const last = newest.get(socket)
    if (!last || last.complete) return destroySoon()
    socket.end()
    last.resume()
    setTimeout(() => socket.destroy(), patience).unref()
  }
}

/** The last request of each connection: those of one share its end. */
const newest = new WeakMap<Duplex, IncomingMessage>()

const refusals: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of the request are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The request body is framed too wastefully'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
}
const noHttp: [status: string, message: string] = ['400 Bad Request', 'The request is no HTTP']

/** For a server's `clientError`: what its parser refuses, or gave up waiting for. The connection ends with it. */
export function createClientErrorListener(service: Service) {
  const answerMalformed = createMalformedRequestAnswer(service)
  const refused = new WeakSet<Duplex>()
  return (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse | null }): void => {
    // The parser says it of every further byte.
    if (refused.has(socket)) return
    refused.add(socket)
    const owed = socket._httpMessage
    // A second answer would pass for a part of the one that has begun.
    if (!socket.writable || error.code === 'ECONNRESET' || owed?.headersSent) return void socket.destroy()
    // What came whole is in work, and may commit: the answer is its own, and the last one.
    if (owed?.req.complete) return void owed.setHeader('connection', 'close')
    const [line, message] = refusals[error.code ?? ''] ?? noHttp
    const origin = owed?.req.headers.origin ?? null
    const { headers, body } = answerMalformed({ origin, status: Number.parseInt(line, 10), message })
    headers.set('content-length', String(Buffer.byteLength(body)))
    headers.set('connection', 'close')
    const head = [...headers].map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${line}`, ...head, '', body].join('\r\n'))
    setTimeout(() => socket.destroy(), patience).unref()
  }
}
