import type { Edge } from '../edge.ts'
import { publicUrl } from './public-url.ts'

type HeaderFields = Record<string, string | undefined> | null | undefined

/** API Gateway's REST event (payload 1.0), as far as it is read. */
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

/** API Gateway's HTTP event (payload 2.0) and that of function URLs. */
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
  /** Payload 2.0: where Set-Cookie goes. */
  cookies?: string[]
  /** Payload 1.0: the only way to give a header more than one value. */
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: boolean
}

/**
 * The edge behind AWS API Gateway, payload 1.0 and 2.0: the same answers as over HTTP. `baseUrl` lends its host when the event's
 * own makes no URL. Open the service with `{ sessionCache: false }`: a frozen process hears of no change. Methods that no Request
 * can carry are refused as the edge refuses unknown ones, and what an event lacks, or has in another type, counts as not there.
 */
export const createLambdaHandler =
  (edge: Edge, baseUrl: string) =>
  async (given: GatewayEvent): Promise<GatewayResult> => {
    // What is no event at all, as somebody's test of a function sends it, is one that lacks everything.
    const event = typeof given === 'object' && given !== null ? given : ({} as GatewayEventV1)
    const isV2 = 'rawPath' in event
    const { method, headers, host, path, peerAddress } = isV2 ? readV2(event) : readV1(event)
    const url = publicUrl({ protocol: headers.get('x-forwarded-proto') ?? undefined, host, path }, baseUrl)
    const body = text(event.body) ?? ''
    const request = new Request(url, {
      method: carriable(method),
      headers,
      ...(body !== '' &&
        !['GET', 'HEAD'].includes(method) && { body: Buffer.from(body, event.isBase64Encoded === true ? 'base64' : 'utf8') }),
    })
    return present(await edge.fetch(request, { peerAddress }), isV2)
  }

type Call = { method: string; path: string; headers: Headers; host: string | undefined; peerAddress: string | null }

// Events are what the gateway was told to send, and what somebody pastes into a console: their types are a promise of others.
function readV1(event: GatewayEventV1): Call {
  const several = fieldsOf(event.multiValueHeaders)
  const known = new Set(several.map(([name]) => name.toLowerCase()))
  const headers = carriableHeaders([...several, ...fieldsOf(event.headers).filter(([name]) => !known.has(name.toLowerCase()))])
  const context = event.requestContext ?? {}
  // The gateway has decoded the query, path parameters stay as they came.
  const query = new URLSearchParams(
    fieldsOf(event.multiValueQueryStringParameters ?? event.queryStringParameters).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  ).toString()
  const whole = text(event.path) ?? ''
  // A REST API has left the stage out of the one, not of the other; an HTTP API leaves it in both.
  const path = whole === context.path ? withoutStage(whole, context.stage) : whole
  return {
    method: text(event.httpMethod) ?? '',
    path: query === '' ? path : `${path}?${query}`,
    headers,
    host: text(context.domainName) ?? headers.get('host') ?? undefined,
    peerAddress: text(context.identity?.sourceIp) ?? null,
  }
}

function readV2(event: GatewayEventV2): Call {
  const { cookies } = event
  const others = fieldsOf(event.headers).filter(([name]) => !Array.isArray(cookies) || name.toLowerCase() !== 'cookie')
  const headers = carriableHeaders([
    ...others,
    ...(Array.isArray(cookies) ? fieldsOf({ cookie: cookies.filter((cookie) => typeof cookie === 'string').join('; ') }) : []),
  ])
  const context: Partial<GatewayEventV2['requestContext']> = event.requestContext ?? {}
  const path = withoutStage(text(event.rawPath) ?? '', context.stage)
  const query = text(event.rawQueryString) ?? ''
  return {
    method: text(context.http?.method) ?? '',
    path: query === '' ? path : `${path}?${query}`,
    headers,
    host: text(context.domainName) ?? headers.get('host') ?? undefined,
    peerAddress: text(context.http?.sourceIp) ?? null,
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const fieldsOf = (fields: unknown): [name: string, values: string[]][] =>
  typeof fields === 'object' && fields !== null
    ? Object.entries(fields).map(([name, values]) => [name, [values].flat().filter((value) => typeof value === 'string')])
    : []

/** A named stage is the first part of the path that the caller asked for, and no part of the service's. */
const withoutStage = (path: string, stage: unknown): string =>
  typeof stage === 'string' && stage !== '' && (path === `/${stage}` || path.startsWith(`/${stage}/`))
    ? path.slice(stage.length + 1)
    : path

/** A header that HTTP itself would not carry is left out, with all its values: a caller can send one through a gateway. */
function carriableHeaders(fields: readonly [name: string, values: string[]][]): Headers {
  const isCarriable = ([name, values]: [string, string[]]) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !values.some((value) => /[\u0000\r\n]|[^\u0000-\u00ff]/.test(value))
  const refused = new Set(fields.filter((field) => !isCarriable(field)).map(([name]) => name.toLowerCase()))
  const headers = new Headers()
  for (const [name, values] of fields)
    for (const value of refused.has(name.toLowerCase()) ? [] : values) headers.append(name, value)
  return headers
}

/** A Request refuses to be made with these; the edge answers an unknown method in their place. */
const carriable = (method: string): string =>
  /^[A-Z]{1,32}$/.test(method) && !['CONNECT', 'TRACE', 'TRACK'].includes(method) ? method : 'UNKNOWN'

async function present(response: Response, isV2: boolean): Promise<GatewayResult> {
  const cookies = response.headers.getSetCookie()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'))
  const bytes = Buffer.from(await response.arrayBuffer())
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
