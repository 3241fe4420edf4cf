import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sessionFromMemory } from '@floorpass/api'
import type { Service } from './deps.ts'
import { requestCookies } from './http/cookies.ts'
import { corsHeaders } from './http/cors.ts'
import { jsonType } from './http/respond.ts'
import { addSecureHeaders, dataPolicy } from './http/secure-headers.ts'

/** Hosts that every later layer takes as they are; others are judged there. */
const plainHost = /^[a-z\d._-]+(?::[1-5]\d{3,4})?$/

/**
 * `GET /auth/get-session` of a session in memory, on Node's own request and response: the most frequent call there is, without the
 * edge, whose answer it gives to the byte (ADR 012). False, with nothing touched, when the edge must answer.
 */
export function createSessionFastPath({
  deps,
  metrics,
}: Service): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { trustedOrigins, cookie } = deps.settings
  const headersTo = (origin: string | null): string[] => {
    const headers = new Headers([['content-type', jsonType], ['vary', 'Origin'], ...corsHeaders(origin, trustedOrigins)])
    addSecureHeaders(headers, { https: cookie.secure, contentSecurityPolicy: dataPolicy })
    // In the order of a Response's headers; what each answer has of its own follows.
    return [...headers, ['x-request-id']].flat()
  }
  const plain = headersTo(null)
  const byOrigin = new Map(trustedOrigins.map((origin) => [origin, headersTo(origin)]))

  return (request, response) => {
    const started = performance.now()
    const { method, url, headers } = request
    if (url !== '/auth/get-session' || method !== 'GET' || headers.cookie === undefined) return false
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
    if (!plainHost.test(headers.host ?? '')) return false
    const json = sessionFromMemory(deps, requestCookies(headers.cookie))
    if (!json) return false
    const known = (headers.origin !== undefined && byOrigin.get(headers.origin)) || plain
    response.writeHead(200, [...known, randomUUIDv7(), 'content-length', String(json.length)])
    response.end(json)
    metrics?.countRequest({ route: url, method, status: 200 }, (performance.now() - started) / 1000)
    return true
  }
}
