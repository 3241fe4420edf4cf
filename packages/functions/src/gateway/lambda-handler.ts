import type { Edge } from '../edge.ts'
import { publicUrl } from '../http/public-url.ts'

type HeaderFields = Record<string, string | undefined> | null | undefined

export type GatewayEventV1 = {
  httpMethod: string
  path: string
  headers?: HeaderFields
  multiValueHeaders?: Record<string, string[] | undefined> | null
  queryStringParameters?: Record<string, string | undefined> | null
  multiValueQueryStringParameters?: Record<string, string[] | undefined> | null
  body?: string | null
  isBase64Encoded?: boolean
  requestContext: { domainName?: string; stage?: string; path?: string; identity?: { sourceIp?: string } }
}

export type GatewayEventV2 = {
  version: '2.0'
  rawPath: string
  rawQueryString: string
  cookies?: string[]
  headers?: HeaderFields
  body?: string | null
  isBase64Encoded?: boolean
  requestContext: { domainName?: string; stage?: string; http: { method: string; sourceIp?: string } }
}

export type GatewayEvent = GatewayEventV1 | GatewayEventV2

export type GatewayResult = {
  statusCode: number
  headers: Record<string, string>
  cookies?: string[]
  /** Payload 1.0: the only field for headers with several values. */
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: boolean
}

/** Serves the edge behind AWS API Gateway, payload 1.0 and 2.0. `baseUrl` supplies the host if the event has no valid one.
 * Open the service with `{ sessionCache: false }`: a frozen process misses session changes. Invalid event fields count as missing. */
export const createLambdaHandler =
  (edge: Edge, baseUrl: string) =>
  async (given: GatewayEvent): Promise<GatewayResult> => {
    const event = typeof given === 'object' && given !== null ? given : ({} as GatewayEventV1)
    const isV2 = 'rawPath' in event
    const { method, headers, host, path, peerAddress } = isV2 ? readV2(event) : readV1(event)
    const url = publicUrl({ protocol: headers.get('x-forwarded-proto') ?? undefined, host, path }, baseUrl)
    const body = asText(event.body) ?? ''
    const request = new Request(url, {
      method: toRequestMethod(method),
      headers,
      ...(body !== '' &&
        !['GET', 'HEAD'].includes(method) && { body: Buffer.from(body, event.isBase64Encoded === true ? 'base64' : 'utf8') }),
    })
    return toResult(await edge.fetch(request, { peerAddress }), isV2)
  }

type Call = { method: string; path: string; headers: Headers; host: string | undefined; peerAddress: string | null }

// A console test may send any JSON, so the readers trust no type of the event.
function readV1(event: GatewayEventV1): Call {
  const multiValueFields = readFields(event.multiValueHeaders)
  const known = new Set(multiValueFields.map(([name]) => name.toLowerCase()))
  const others = readFields(event.headers).filter(([name]) => !known.has(name.toLowerCase()))
  const headers = toHeaders([...multiValueFields, ...others])
  const context = event.requestContext ?? {}
  // The gateway decodes the query but not the path.
  const query = new URLSearchParams(
    readFields(event.multiValueQueryStringParameters ?? event.queryStringParameters).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  ).toString()
  const fullPath = asText(event.path) ?? ''
  // A REST API puts the stage into `context.path` only, an HTTP API into both paths.
  const path = fullPath === context.path ? withoutStage(fullPath, context.stage) : fullPath
  return {
    method: asText(event.httpMethod) ?? '',
    path: query === '' ? path : `${path}?${query}`,
    headers,
    host: asText(context.domainName) ?? headers.get('host') ?? undefined,
    peerAddress: asText(context.identity?.sourceIp) ?? null,
  }
}

function readV2(event: GatewayEventV2): Call {
  const { cookies } = event
  const others = readFields(event.headers).filter(([name]) => !Array.isArray(cookies) || name.toLowerCase() !== 'cookie')
  const headers = toHeaders([
    ...others,
    ...(Array.isArray(cookies) ? readFields({ cookie: cookies.filter((cookie) => typeof cookie === 'string').join('; ') }) : []),
  ])
  const context: Partial<GatewayEventV2['requestContext']> = event.requestContext ?? {}
  const path = withoutStage(asText(event.rawPath) ?? '', context.stage)
  const query = asText(event.rawQueryString) ?? ''
  return {
    method: asText(context.http?.method) ?? '',
    path: query === '' ? path : `${path}?${query}`,
    headers,
    host: asText(context.domainName) ?? headers.get('host') ?? undefined,
    peerAddress: asText(context.http?.sourceIp) ?? null,
  }
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const readFields = (fields: unknown): [name: string, values: string[]][] =>
  typeof fields === 'object' && fields !== null
    ? Object.entries(fields).map(([name, values]) => [name, [values].flat().filter((value) => typeof value === 'string')])
    : []

const withoutStage = (path: string, stage: unknown): string =>
  typeof stage === 'string' && stage !== '' && (path === `/${stage}` || path.startsWith(`/${stage}/`))
    ? path.slice(stage.length + 1)
    : path

/** Drops headers that are invalid in HTTP, with all their values: a caller can send them through a gateway. */
function toHeaders(fields: readonly [name: string, values: string[]][]): Headers {
  const isValid = ([name, values]: [string, string[]]) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters make a header invalid
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !values.some((value) => /[\u0000\r\n]|[^\u0000-\u00ff]/.test(value))
  const dropped = new Set(fields.filter((field) => !isValid(field)).map(([name]) => name.toLowerCase()))
  const headers = new Headers()
  for (const [name, values] of fields)
    for (const value of dropped.has(name.toLowerCase()) ? [] : values) headers.append(name, value)
  return headers
}

/** Maps methods that the Request constructor rejects to one that the edge refuses. */
const toRequestMethod = (method: string): string =>
  /^[A-Z]{1,32}$/.test(method) && !['CONNECT', 'TRACE', 'TRACK'].includes(method) ? method : 'UNKNOWN'

/** A gateway sends only whole answers: a stream of events ends after its first page, and its client connects again. */
async function readBody(response: Response): Promise<Buffer> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return Buffer.from(await response.arrayBuffer())
  const reader = response.body?.getReader()
  const page = await reader?.read()
  await reader?.cancel()
  return Buffer.from(page?.value ?? [])
}

async function toResult(response: Response, isV2: boolean): Promise<GatewayResult> {
  const cookies = response.headers.getSetCookie()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'))
  const bytes = await readBody(response)
  const body = bytes.toString('utf8')
  const isText = Buffer.from(body, 'utf8').equals(bytes)
  return {
    statusCode: response.status,
    headers,
    ...(isV2 ? { cookies } : { multiValueHeaders: { 'set-cookie': cookies } }),
    body: isText ? body : bytes.toString('base64'),
    isBase64Encoded: !isText,
  }
}
