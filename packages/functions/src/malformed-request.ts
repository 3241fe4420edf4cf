import { randomUUIDv7 } from 'node:crypto'
import type { ErrorKey } from '@floorpass/api'
import type { EdgeService } from './edge-service.ts'
import { corsHeaders } from './http/cors.ts'
import { jsonType } from './http/respond.ts'
import { addSecureHeaders, dataPolicy } from './http/secure-headers.ts'

/** Of what never became a Request. `origin` is null where the headers were not read either: such an answer names none. */
export type MalformedRequest = { origin: string | null; status: number; message: string }

/** The edge's answer to what the server below it cannot read: BAD_REQUEST with HTTP's own status, and every header of safety. */
export const createMalformedRequestAnswer =
  ({ deps: { settings }, logFor }: EdgeService) =>
  ({ origin, status, message }: MalformedRequest): { status: number; headers: Headers; body: string } => {
    const requestId = randomUUIDv7()
    logFor(requestId).info({ status, reason: message }, 'a request that could not be read')
    const cors = corsHeaders(origin, settings.trustedOrigins)
    const headers = new Headers([['content-type', jsonType], ['vary', 'Origin'], ['x-request-id', requestId], ...cors])
    addSecureHeaders(headers, { https: settings.cookie.secure, contentSecurityPolicy: dataPolicy })
    const code: ErrorKey = 'BAD_REQUEST'
    return { status, headers, body: JSON.stringify({ code, message }) }
  }

/** A file of the build: to be kept for ever, its name changes with it. No id: it stands in no log, and each byte counts once for each file. */
export function addFileHeaders(headers: Headers, { deps: { settings } }: EdgeService): void {
  headers.set('cache-control', 'public, max-age=31536000, immutable')
  addSecureHeaders(headers, { https: settings.cookie.secure, contentSecurityPolicy: dataPolicy })
}
