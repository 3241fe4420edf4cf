import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cachedSessionJson, createCaller, type LimitState, sessionCookieName, toAppError } from '@floorpass/api'
import type { EdgeService } from './edge-service.ts'
import { completeHeaders, type RequestFacts } from './http/complete-headers.ts'
import { requestCookies } from './http/cookies.ts'
import { addCorsHeaders } from './http/cors.ts'
import { openContext } from './http/open-context.ts'
import { recordRequest } from './http/record-request.ts'
import { type Answer, errorAnswer, jsonAnswer } from './http/respond.ts'
import { unlimitedPaths } from './http/unlimited-paths.ts'
import { answerGetSession } from './rest/answer-get-session.ts'

const path = '/auth/get-session'

/** Hosts that certainly need no validation. The edge validates all others. */
const plainHost = /^[a-z\d._-]+(?::[1-5]\d{3,4})?$/

const isPlain = ({ url, method, headers }: IncomingMessage): boolean =>
  url === path &&
  // Only the edge limits requests by IP address.
  unlimitedPaths.has(path) &&
  method === 'GET' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  plainHost.test(headers.host ?? '')

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Answers `GET /auth/get-session`, the most frequent call, on Node's own request and response (ADR 022).
 * The edge's own functions make the answer. All other requests go to `edge` unchanged. */
export function createSessionFastPath(service: EdgeService, edge: Listener): Listener {
  const { deps, logFor } = service
  const { settings } = deps
  const cookieName = sessionCookieName(settings.cookie)

  const buildHeaders = ({ status, headers: own }: Answer, origin: string | undefined, request: RequestFacts): Headers => {
    const headers = new Headers(own)
    addCorsHeaders(headers, origin ?? null, settings.trustedOrigins)
    completeHeaders(headers, settings, { status, ...request })
    return headers
  }

  /** Headers of a 200 that sets no cookie: only the id differs, and goes to `idAt`. */
  const prepareHeaders = (origin?: string) => {
    const list = [...buildHeaders(jsonAnswer(null), origin, { requestId: '' })].flat()
    return { list, idAt: list.indexOf('x-request-id') + 1 }
  }
  const plainHeaders = prepareHeaders()
  const headersByOrigin = new Map(settings.trustedOrigins.map((origin) => [origin, prepareHeaders(origin)]))

  const writePrepared = (
    { headers: { origin = '' } }: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    body: Buffer | string,
  ): void => {
    const { list, idAt } = headersByOrigin.get(origin) ?? plainHeaders
    const headers = [...list, 'content-length', String(Buffer.byteLength(body))]
    headers[idAt] = requestId
    response.writeHead(200, headers).end(body)
  }

  const answerFromDatabase = async (request: IncomingMessage, response: ServerResponse, started: number): Promise<void> => {
    const { headers, socket } = request
    const requestId = randomUUIDv7()
    const log = logFor(requestId)
    const setCookies: string[] = []
    const header = (name: string) => headers[name]?.toString() ?? null
    let limit: LimitState | null = null
    let answer: Answer
    try {
      const context = openContext(service, log, { peerAddress: socket.remoteAddress ?? null, header }, setCookies)
      answer = await answerGetSession(createCaller(context))
      limit = context.tightestLimit()
    } catch (bug) {
      answer = errorAnswer(toAppError(bug))
    }
    const { status, body } = answer
    const isPlainAnswer = status === 200 && setCookies.length === 0 && limit === null
    if (isPlainAnswer) writePrepared(request, response, requestId, body)
    else {
      response.statusCode = status
      response.setHeaders(buildHeaders(answer, headers.origin, { requestId, setCookies, limit }))
      response.setHeader('content-length', Buffer.byteLength(body)).end(body)
    }
    recordRequest(service, isPlainAnswer ? null : log, { method: 'GET', path, status, started })
  }

  return (request, response) => {
    const started = performance.now()
    const { cookie } = request.headers
    if (cookie === undefined || !isPlain(request)) return edge(request, response)
    const cookies = requestCookies(cookie)
    const cached = cachedSessionJson(deps, cookies)
    if (cached) {
      writePrepared(request, response, randomUUIDv7(), cached)
      return recordRequest(service, null, { method: 'GET', path, status: 200, started })
    }
    // Traces begin at the edge, so a traced service reads the database there.
    if (deps.tracing || !cookies.has(cookieName)) return edge(request, response)
    answerFromDatabase(request, response, started).catch((error: unknown) => {
      response.destroy()
      deps.log.error({ err: error }, 'request failed')
    })
  }
}
