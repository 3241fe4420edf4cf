import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ByteText,
  type Caller,
  cachedSessionJson,
  createCaller,
  findSessionToken,
  type LimitState,
  mayBeKeySecret,
  toAppError,
  toByteText,
  verifyCached,
  verifyCachedKey,
} from '@floorpass/api'
import { type Requirements, verifyInput } from '@floorpass/api/contracts'
import type { EdgeService } from './edge-service.ts'
import { bearerToken } from './http/bearer.ts'
import { clientAddress } from './http/client-address.ts'
import { completeHeaders, type RequestFacts } from './http/complete-headers.ts'
import { requestCookies } from './http/cookies.ts'
import { addCorsHeaders } from './http/cors.ts'
import { openContext } from './http/open-context.ts'
import { callerScheme } from './http/public-url.ts'
import { recordRequest } from './http/record-request.ts'
import { type Answer, errorAnswer, jsonAnswer } from './http/respond.ts'
import { answerGetSession } from './rest/answer-get-session.ts'
import { verifiedAnswer, verifiedHeaders } from './rest/answer-verify.ts'

const path = '/auth/get-session'
const verifyPath = '/auth/verify'

/** Hosts that certainly need no validation. The edge validates all others. */
const plainHost = /^[a-z\d._-]+(?::[1-5]\d{3,4})?$/

const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  plainHost.test(headers.host ?? '')

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Answers the most frequent calls, `GET /auth/get-session` and `GET /auth/verify`, on Node's own request and response (ADR 022).
 * The edge's own functions make the answer. All other requests go to `edge` unchanged. */
export function createSessionFastPath(service: EdgeService, edge: Listener): Listener {
  const { deps, logFor, trustedProxies } = service
  const { settings } = deps

  const buildHeaders = ({ status, headers: own }: Answer, origin: string | undefined, request: RequestFacts): Headers => {
    const headers = new Headers(own)
    addCorsHeaders(headers, origin ?? null, settings.trustedOrigins)
    completeHeaders(headers, settings, { status, ...request })
    return headers
  }

  /** Headers of a 200 that sets no cookie, with a place for each value that differs. */
  const prepareHeaders = (answer: Answer, origin?: string) => {
    const pairs = [...buildHeaders(answer, origin, { requestId: '' })]
    if (answer.body) pairs.push(['content-length', ''])
    const places = new Map(pairs.map(([name], index) => [name, 2 * index + 1]))
    const list = pairs.flat()
    return (values: Record<string, string>): string[] => {
      const headers = [...list]
      for (const name in values) headers[places.get(name) as number] = values[name] as string
      return headers
    }
  }
  const prepareForOrigins = (answer: Answer) => {
    const byOrigin = new Map(settings.trustedOrigins.map((origin) => [origin, prepareHeaders(answer, origin)]))
    const forOthers = prepareHeaders(answer)
    return ({ headers: { origin = '' } }: IncomingMessage) => byOrigin.get(origin) ?? forOthers
  }
  const sessionHeaders = prepareForOrigins(jsonAnswer(null))
  const callerHeaders = prepareForOrigins(verifiedAnswer(noCaller))

  /** Node joins a `latin1` text with the head to one write, which takes a fifth less time than the two of a Buffer (ADR 050). */
  const writeSession = (request: IncomingMessage, response: ServerResponse, requestId: string, body: ByteText): void => {
    const headers = sessionHeaders(request)({ 'x-request-id': requestId, 'content-length': String(body.length) })
    response.writeHead(200, headers).end(body, 'latin1')
  }

  const writeCaller = (request: IncomingMessage, response: ServerResponse, caller: Caller): void => {
    const values = { 'x-request-id': randomUUIDv7(), ...verifiedHeaders(caller) }
    response.writeHead(200, callerHeaders(request)(values)).end()
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
      const isHttps = callerScheme(request, trustedProxies) === 'https'
      const context = openContext(service, log, { peerAddress: socket.remoteAddress ?? null, isHttps, header }, setCookies)
      answer = await answerGetSession(createCaller(context))
      limit = context.tightestLimit()
    } catch (bug) {
      answer = errorAnswer(toAppError(bug))
    }
    const { status, body } = answer
    const isPlainAnswer = status === 200 && setCookies.length === 0 && limit === null
    if (isPlainAnswer) writeSession(request, response, requestId, toByteText(body))
    else {
      response.statusCode = status
      response.setHeaders(buildHeaders(answer, headers.origin, { requestId, setCookies, limit }))
      response.setHeader('content-length', Buffer.byteLength(body)).end(body)
    }
    recordRequest(service, isPlainAnswer ? null : log, { method: 'GET', path, status, started })
  }

  const fail = (response: ServerResponse) => (error: unknown) => {
    response.destroy()
    deps.log.error({ err: error }, 'request failed')
  }

  const answerSession = (request: IncomingMessage, response: ServerResponse, cookie: string): void => {
    const started = performance.now()
    const cookies = requestCookies(cookie)
    const cached = cachedSessionJson(deps, cookies)
    if (cached) {
      writeSession(request, response, randomUUIDv7(), cached)
      recordRequest(service, null, { method: 'GET', path, status: 200, started })
      return
    }
    // Traces begin at the edge, so a traced service reads the database there.
    if (deps.tracing || findSessionToken({ cookies, settings }) === undefined) {
      edge(request, response)
      return
    }
    answerFromDatabase(request, response, started).catch(fail(response))
  }

  /** The edge answers everything but a caller in memory that meets all requirements. */
  const answerCaller = (request: IncomingMessage, response: ServerResponse, cookie: string): void => {
    const started = performance.now()
    const requirements = findRequirements(request.url ?? '')
    const caller = requirements && findCaller(() => verifyCached(deps, requestCookies(cookie), requirements))
    if (!caller) {
      edge(request, response)
      return
    }
    writeCaller(request, response, caller)
    recordRequest(service, null, { method: 'GET', path: verifyPath, status: 200, started })
  }

  /** The edge words every refusal. A key that it refuses for its limit is counted twice, which changes nothing. */
  const answerKey = async (request: IncomingMessage, response: ServerResponse, secret: string): Promise<unknown> => {
    const started = performance.now()
    const requirements = findRequirements(request.url ?? '')
    const { remoteAddress } = request.socket
    const ip = clientAddress(remoteAddress ?? null, request.headers['x-forwarded-for']?.toString() ?? null, trustedProxies)
    const caller = requirements && findCaller(() => verifyCachedKey(deps, secret, ip, requirements))
    if (!caller || !(await isBelowLimit(caller.keyId))) return edge(request, response)
    deps.keyUses.count(caller.keyId, ip)
    writeCaller(request, response, caller)
    return recordRequest(service, null, { method: 'GET', path: verifyPath, status: 200, started })
  }

  const isBelowLimit = (keyId: string): Promise<boolean> =>
    deps.limiter.consume('api-key:key', keyId).then(
      () => true,
      () => false,
    )

  return (request, response) => {
    const { url, headers } = request
    if (!isPlain(request)) return edge(request, response)
    if (url === path && headers.cookie !== undefined) return answerSession(request, response, headers.cookie)
    const asksForCaller = url === verifyPath || url?.startsWith(`${verifyPath}?`)
    if (!asksForCaller) return edge(request, response)
    const secret = readPresentedSecret(headers)
    if (secret !== null) return answerKey(request, response, secret).catch(fail(response))
    // A bearer token counts before the cookie.
    const isByCookie = headers.authorization === undefined && headers.signature === undefined && headers.cookie !== undefined
    return isByCookie ? answerCaller(request, response, headers.cookie as string) : edge(request, response)
  }
}

const noCaller: Caller = {
  userId: '',
  sessionId: '',
  keyId: '',
  organization: null,
  scopes: [],
  acr: 'aal1',
  amr: [],
  authTime: new Date(0),
  tradingEnabled: false,
  heldUntil: null,
  expiresAt: new Date(0),
}

/** The edge decides about a request that sends two secrets. */
function readPresentedSecret({ authorization, 'x-api-key': apiKey }: IncomingMessage['headers']): string | null {
  if (apiKey !== undefined) return authorization === undefined ? apiKey.toString() : null
  const bearer = bearerToken(authorization ?? null)
  return bearer !== null && mayBeKeySecret(bearer) ? bearer : null
}

/** Null also for a refusal: the edge words it. */
function findCaller(verify: () => Caller | null): Caller | null {
  try {
    return verify()
  } catch {
    return null
  }
}

/** A gateway repeats few URLs. Null when the edge must refuse the URL. */
const requirementsByUrl = new Map<string, Requirements | null>()
const mostUrls = 1_000

function findRequirements(url: string): Requirements | null {
  const known = requirementsByUrl.get(url)
  if (known !== undefined) return known
  const parameters = new URLSearchParams(url.slice(verifyPath.length))
  const query = Object.fromEntries(parameters)
  const isRepeated = Object.keys(query).length !== parameters.size
  const requirements = isRepeated ? null : (verifyInput.safeParse(query).data ?? null)
  // A flood of other URLs must not keep the gateway's own out.
  if (requirementsByUrl.size >= mostUrls) requirementsByUrl.clear()
  if (url.length < 512) requirementsByUrl.set(url, requirements)
  return requirements
}
