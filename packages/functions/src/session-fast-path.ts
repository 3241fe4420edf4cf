import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cachedSessionJson, createCaller, createContext, sessionCookieName, toAppError } from '@floorpass/api'
import type { EdgeService } from './edge-service.ts'
import { clientAddress } from './http/client-address.ts'
import { cookieValues, requestCookies } from './http/cookies.ts'
import { corsHeaders } from './http/cors.ts'
import { jsonType, retryHeaders } from './http/respond.ts'
import { addSecureHeaders, dataPolicy } from './http/secure-headers.ts'

/** Hosts that every later layer takes as they are; others are judged there. */
const plainHost = /^[a-z\d._-]+(?::[1-5]\d{3,4})?$/

const bytesOf = (body: unknown): Buffer => Buffer.from(JSON.stringify(body))

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * `GET /auth/get-session` with a session's cookie, on Node's own request and response: the most frequent call there is, from memory or by the
 * one procedure that reads it, without the edge, whose answer it gives to the byte (ADR 022). All else goes to the edge with nothing touched.
 */
export function createSessionFastPath({ deps, metrics, logFor, trustedProxies }: EdgeService, edge: Listener): Listener {
  const { trustedOrigins, cookie } = deps.settings
  const headersTo = (origin: string | null): string[] => {
    const headers = new Headers([['content-type', jsonType], ['vary', 'Origin'], ...corsHeaders(origin, trustedOrigins)])
    addSecureHeaders(headers, { https: cookie.secure, contentSecurityPolicy: dataPolicy })
    // In the order of a Response's headers; what each answer has of its own follows.
    return [...headers, ['x-request-id']].flat()
  }
  const plain = headersTo(null)
  const byOrigin = new Map(trustedOrigins.map((origin) => [origin, headersTo(origin)]))

  const readSession = async ({ headers, socket }: IncomingMessage, cookies: Map<string, string>) => {
    const header = headers.cookie ?? ''
    const forwardedFor = headers['x-forwarded-for']?.toString() ?? null
    const requestId = randomUUIDv7()
    const log = logFor(requestId)
    const own: string[] = [requestId]
    try {
      // Reading a session needs only the caller's address.
      const client = {
        ip: clientAddress(socket.remoteAddress ?? null, forwardedFor, trustedProxies),
        userAgent: '',
        locale: 'en' as const,
      }
      const context = createContext({ ...deps, log }, client, {
        get: (name) => cookies.get(name),
        all: (name) => cookieValues(header, name),
        set: (cookie) => void own.push('set-cookie', cookie),
      })
      return { status: 200, json: bytesOf(await createCaller(context).sessions.get()), own, log }
    } catch (thrown) {
      const error = toAppError(thrown)
      own.push(...Object.entries(retryHeaders([error])).flat())
      return { status: error.status, json: bytesOf({ code: error.key, message: error.message }), own, log }
    }
  }

  return (request, response) => {
    const started = performance.now()
    const { method, url, headers } = request
    if (url !== '/auth/get-session' || method !== 'GET' || headers.cookie === undefined) return edge(request, response)
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return edge(request, response)
    if (!plainHost.test(headers.host ?? '')) return edge(request, response)
    const write = (status: number, own: readonly string[], json: Buffer): void => {
      const known = (headers.origin !== undefined && byOrigin.get(headers.origin)) || plain
      response.writeHead(status, [...known, ...own, 'content-length', String(json.length)])
      response.end(json)
      metrics?.countRequest({ route: url, method, status }, (performance.now() - started) / 1000)
    }
    const cookies = requestCookies(headers.cookie)
    const kept = cachedSessionJson(deps, cookies)
    if (kept) return write(200, [randomUUIDv7()], kept)
    // A read of the database belongs into a trace, and those begin at the edge. Without a token nothing is read.
    if (deps.tracing || !cookies.has(sessionCookieName(deps.settings.cookie))) return edge(request, response)
    readSession(request, cookies)
      .then(({ status, json, own, log }) => {
        write(status, own, json)
        // What was refused, written or failed is logged, as at the edge.
        if (own.length > 1)
          log[status >= 500 ? 'warn' : 'info'](
            { method, path: url, status, ms: Math.round(performance.now() - started) },
            'request',
          )
      })
      .catch((error: unknown) => {
        response.destroy()
        deps.log.error({ err: error }, 'a request failed')
      })
  }
}
