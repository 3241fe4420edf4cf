import type { LimitState, Settings } from '@floorpass/api'
import { limitHeaders } from './respond.ts'
import { addSecureHeaders, dataPolicy } from './secure-headers.ts'

export type RequestFacts = {
  requestId: string
  setCookies?: readonly string[]
  limit?: LimitState | null
  contentSecurityPolicy?: string
}

/** Adds the headers of every response in place: copying a Response costs more than all its headers. */
export function completeHeaders(
  headers: Headers,
  { cookie }: Settings,
  { status, requestId, setCookies = [], limit = null, contentSecurityPolicy = dataPolicy }: RequestFacts & { status: number },
): void {
  for (const setCookie of setCookies) headers.append('set-cookie', setCookie)
  headers.set('x-request-id', requestId)
  for (const [name, value] of limitHeaders(limit)) headers.set(name, value)
  // Remix drops the headers of an error that a parent layout renders.
  if (status === 503 && !headers.has('retry-after')) headers.set('retry-after', '1')
  addSecureHeaders(headers, { https: cookie.secure, contentSecurityPolicy })
}
