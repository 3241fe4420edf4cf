const refusals = {
  UNAUTHORIZED: [401, 'Sign in to continue'],
  INSUFFICIENT_USER_AUTHENTICATION: [401, 'Reauthenticate to continue'],
  INSUFFICIENT_SCOPE: [403, 'A scope is missing'],
  ORGANIZATION_REQUIRED: [403, 'This needs another organization'],
  ROLE_REQUIRED: [403, 'This needs another role'],
  SERVICE_UNAVAILABLE: [503, 'The caller cannot be verified now. Try again.'],
} as const

/** Why a request may not pass. 401: sign in or reauthenticate. 403: not allowed. 503: the service does not answer. */
export type Refusal = {
  status: 401 | 403 | 503
  /** A newer service may know more codes. */
  code: keyof typeof refusals | (string & {})
  message: string
  /** The header `WWW-Authenticate` (RFC 6750, RFC 9470), or null. */
  wwwAuthenticate: string | null
  /** What failed, for your log. The guards do not send it. */
  cause?: unknown
}

export function refuse(code: keyof typeof refusals, wwwAuthenticate: string | null = null, cause?: unknown) {
  const [status, message] = refusals[code]
  return { ok: false as const, refusal: { status, code, message, wwwAuthenticate, cause } }
}

export function presentRefusal({ status, code, message, wwwAuthenticate }: Refusal) {
  const challenge: Record<string, string> = wwwAuthenticate === null ? {} : { 'www-authenticate': wwwAuthenticate }
  return { status, headers: { 'cache-control': 'no-store', ...challenge }, body: { code, message } }
}

/** The Response that answers a refused request: `{ code, message }` as JSON. */
export function refusalResponse(refusal: Refusal): Response {
  const { body, ...init } = presentRefusal(refusal)
  return Response.json(body, init)
}
