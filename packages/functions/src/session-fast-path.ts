import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cachedSessionJson, createCaller, createContext, sessionCookieName, toAppError } from '@floorpass/api'
import type { EdgeService } from './edge-service.ts'
import { clientAddress } from './http/client-address.ts'
import { cookieValues, requestCookies } from './http/cookies.ts'
import { corsHeaders } from './http/cors.ts'
import { jsonType, retryHeaders } from './http/respond.ts'
import { addSecureHeaders, dataPolicy } from './http/secure-headers.ts'

/** Hosts that certainly need no validation. The edge validates all others. */
const plainHost = /^[a-z\d._-]+(?::[1-5]\d{3,4})?$/

const toBytes = (body: unknown): Buffer => Buffer.from(JSON.stringify(body))

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Answers `GET /auth/get-session`, the most frequent call, on Node's own request and response (ADR 022).
 * The answer equals the edge's, byte for byte. All other requests go to `edge` unchanged. */
export function createSessionFastPath({ deps, metrics, logFor, trustedProxies }: EdgeService, edge: Listener): Listener {
  const { trustedOrigins, cookie } = deps.settings
  const buildHeaders = (origin: string | null): string[] => {
    const headers = new Headers([['content-type', jsonType], ['vary', 'Origin'], ...corsHeaders(origin, trustedOrigins)])
    addSecureHeaders(headers, { https: cookie.secure, contentSecurityPolicy: dataPolicy })
    return [...headers, ['x-request-id']].flat()
  }
  const plainHeaders = buildHeaders(null)
  const headersByOrigin = new Map(trustedOrigins.map((origin) => [origin, buildHeaders(origin)]))

  const readSession = async ({ headers, socket }: IncomingMessage, cookies: Map<string, string>) => {
    const header = headers.cookie ?? ''
    const forwardedFor = headers['x-forwarded-for']?.toString() ?? null
    const requestId = randomUUIDv7()
    const log = logFor(requestId)
    const ownHeaders: string[] = [requestId]
    try {
      const client = {
        ip: clientAddress(socket.remoteAddress ?? null, forwardedFor, trustedProxies),
        userAgent: '',
        locale: 'en' as const,
      }
      const context = createContext({ ...deps, log }, client, {
        get: (name) => cookies.get(name),
        all: (name) => cookieValues(header, name),
        set: (cookie) => void ownHeaders.push('set-cookie', cookie),
      })
      return { status: 200, json: toBytes(await createCaller(context).sessions.get()), ownHeaders, log }
    } catch (thrown) {
      const error = toAppError(thrown)
      ownHeaders.push(...Object.entries(retryHeaders([error])).flat())
      return { status: error.status, json: toBytes({ code: error.key, message: error.message }), ownHeaders, log }
    }
  }

  return (request, response) => {
    const started = performance.now()
    const { method, url, headers } = request
    if (url !== '/auth/get-session' || method !== 'GET' || headers.cookie === undefined) return edge(request, response)
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return edge(request, response)
    if (!plainHost.test(headers.host ?? '')) return edge(request, response)
    const write = (status: number, ownHeaders: readonly string[], json: Buffer): void => {
      const sharedHeaders = (headers.origin !== undefined && headersByOrigin.get(headers.origin)) || plainHeaders
      response.writeHead(status, [...sharedHeaders, ...ownHeaders, 'content-length', String(json.length)])
      response.end(json)
      metrics?.countRequest({ route: url, method, status }, (performance.now() - started) / 1000)
    }
    const cookies = requestCookies(headers.cookie)
    const cached = cachedSessionJson(deps, cookies)
    if (cached) return write(200, [randomUUIDv7()], cached)
    // Traces begin at the edge, so a traced service reads the database there.
    if (deps.tracing || !cookies.has(sessionCookieName(deps.settings.cookie))) return edge(request, response)
    readSession(request, cookies)
      .then(({ status, json, ownHeaders, log }) => {
        write(status, ownHeaders, json)
        // More headers than the id mean a new cookie or an error: log these requests only.
        if (ownHeaders.length > 1)
          log[status >= 500 ? 'warn' : 'info'](
            { method, path: url, status, ms: Math.round(performance.now() - started) },
            'request',
          )
      })
      .catch((error: unknown) => {
        response.destroy()
        deps.log.error({ err: error }, 'request failed')
      })
  }
}
