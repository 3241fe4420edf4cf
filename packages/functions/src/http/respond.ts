import { AppError, type ErrorKey, type LimitState } from '@floorpass/api'
import { headerSafe } from '@floorpass/api/contracts'

export const jsonType = 'application/json; charset=utf-8'

/** A response before its transport: a Response, or Node's own on the fast path of get-session. */
export type Answer = { status: number; headers: Record<string, string>; body: string }

export const jsonAnswer = (body: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': jsonType },
  body: JSON.stringify(body),
})

export function errorAnswer(error: AppError): Answer {
  const { status, headers, body } = jsonAnswer({ code: error.key, message: error.message }, error.status)
  const challenge = error.challenge !== null && { 'www-authenticate': error.challenge }
  return { status, headers: { ...headers, ...retryHeaders([error]), ...challenge }, body }
}

export const toResponse = ({ status, headers, body }: Answer): Response => new Response(body || null, { status, headers })

export const json = (body: unknown): Response => toResponse(jsonAnswer(body))

export const errorResponse = (error: AppError): Response => toResponse(errorAnswer(error))

export function refuse(key: 'METHOD_NOT_ALLOWED' | 'UNAUTHORIZED', headers: Record<string, string>): Response {
  const response = errorResponse(new AppError(key))
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

const keysByStatus: Record<number, ErrorKey> = { 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 503: 'SERVICE_UNAVAILABLE' }

export const refusePage = (status: number): Response =>
  errorResponse(new AppError(keysByStatus[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')))

/** Retry-After and the name that better-auth's client reads. The longest wait wins. */
export function retryHeaders(errors: readonly AppError[]): Record<string, string> {
  const longest = Math.max(0, ...errors.map(({ retryAfter }) => retryAfter ?? 0))
  return longest > 0 ? { 'retry-after': String(longest), 'x-retry-after': String(longest) } : {}
}

/** The headers of the tightest limit that the request met, if any (ADR 019). */
export const limitHeaders = (state: LimitState | null): [name: string, value: string][] =>
  state === null
    ? []
    : [
        ['ratelimit-limit', String(state.points)],
        ['ratelimit-remaining', String(state.remaining)],
        ['ratelimit-reset', String(state.reset)],
      ]

export const redirectTo = (target: string): Response =>
  new Response(null, { status: 302, headers: { location: headerSafe(target) } })
