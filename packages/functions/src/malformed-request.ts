import { randomUUIDv7 } from 'node:crypto'
import type { ErrorKey } from '@floorpass/api'
import type { EdgeService } from './edge-service.ts'
import { completeHeaders } from './http/complete-headers.ts'
import { addCorsHeaders } from './http/cors.ts'
import { jsonType } from './http/respond.ts'
import { addSecureHeaders, dataPolicy } from './http/secure-headers.ts'

/** A request that the server could not parse. `origin` is null if the headers could not be parsed either. */
export type MalformedRequest = { origin: string | null; status: number; message: string }

export const createMalformedRequestAnswer =
  ({ deps: { settings }, logFor }: EdgeService) =>
  ({ origin, status, message }: MalformedRequest): { status: number; headers: Headers; body: string } => {
    const requestId = randomUUIDv7()
    logFor(requestId).info({ status, reason: message }, 'malformed request refused')
    const headers = new Headers({ 'content-type': jsonType })
    addCorsHeaders(headers, origin, settings.trustedOrigins)
    completeHeaders(headers, settings, { status, requestId })
    const code: ErrorKey = 'BAD_REQUEST'
    return { status, headers, body: JSON.stringify({ code, message }) }
  }

/** Adds the headers of a file that browsers may cache. */
export function addFileHeaders(headers: Headers, { deps: { settings } }: EdgeService, cacheControl: string): void {
  headers.set('cache-control', cacheControl)
  addSecureHeaders(headers, { https: settings.cookie.secure, contentSecurityPolicy: dataPolicy })
}
