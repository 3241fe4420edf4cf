import type { Edge } from '../edge.ts'
import { publicUrl } from './public-url.ts'

type Headers1 = Record<string, string | undefined> | null | undefined

/** API Gateway's REST event (payload 1.0), as far as it is read. */
export type GatewayEventV1 = {
  httpMethod: string
  path: string
  headers?: Headers1
  multiValueHeaders?: Record<string, string[] | undefined> | null
  queryStringParameters?: Record<string, string | undefined> | null
  multiValueQueryStringParameters?: Record<string, string[] | undefined> | null
  body?: string | null
  isBase64Encoded?: boolean
  requestContext: { domainName?: string; identity?: { sourceIp?: string } }
}

/** API Gateway's HTTP event (payload 2.0) and that of function URLs. */
export type GatewayEventV2 = {
  version: '2.0'
  rawPath: string
  rawQueryString: string
  cookies?: string[]
  headers?: Headers1
  body?: string | null
  isBase64Encoded?: boolean
  requestContext: { domainName?: string; http: { method: string; sourceIp?: string } }
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
 * own makes no URL. Open the service with `{ sessionCache: false }`: a frozen process hears of no change. Methods that no Request can carry are refused as the edge refuses unknown ones.
 */
export const createLambdaHandler =
  (edge: Edge, baseUrl: string) =>
  async (event: GatewayEvent): Promise<GatewayResult> => {
    const isV2 = 'rawPath' in event
    const call = isV2 ? readV2(event) : readV1(event)
    const url = publicUrl(
      { protocol: call.headers.get('x-forwarded-proto') ?? undefined, host: call.host, path: call.path },
      baseUrl,
    )
    const hasBody = event.body !== undefined && event.body !== null && event.body !== ''
    const request = new Request(url, {
      method: carriable(call.method),
      headers: call.headers,
      ...(hasBody &&
        !['GET', 'HEAD'].includes(call.method) && {
          body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
        }),
    })
    const response = await edge.fetch(request, { peerAddress: call.peerAddress })
    return present(response, isV2)
  }

type Call = { method: string; path: string; headers: Headers; host: string | undefined; peerAddress: string | null }

function readV1(event: GatewayEventV1): Call {
  const headers = new Headers()
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {}))
    for (const value of values ?? []) appendHeader(headers, name, value)
  const known = new Set(headers.keys())
  for (const [name, value] of Object.entries(event.headers ?? {}))
    if (!known.has(name.toLowerCase())) appendHeader(headers, name, value)
  // The gateway has decoded the query, path parameters stay as they came.
  const query = new URLSearchParams(
    Object.entries(event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {}).flatMap(([name, values]) =>
      [values ?? []].flat().map((value) => [name, value]),
    ),
  ).toString()
  return {
    method: event.httpMethod,
    path: query === '' ? event.path : `${event.path}?${query}`,
    headers,
    host: event.requestContext.domainName ?? headers.get('host') ?? undefined,
    peerAddress: event.requestContext.identity?.sourceIp ?? null,
  }
}

function readV2(event: GatewayEventV2): Call {
  const headers = new Headers()
  for (const [name, value] of Object.entries(event.headers ?? {})) appendHeader(headers, name, value)
  if (event.cookies) headers.set('cookie', event.cookies.join('; '))
  return {
    method: event.requestContext.http.method,
    path: event.rawQueryString === '' ? event.rawPath : `${event.rawPath}?${event.rawQueryString}`,
    headers,
    host: event.requestContext.domainName ?? headers.get('host') ?? undefined,
    peerAddress: event.requestContext.http.sourceIp ?? null,
  }
}

/** A header that HTTP itself would not carry is left out: a caller can send one through a gateway. */
function appendHeader(headers: Headers, name: string, value: string | undefined): void {
  if (value === undefined || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  if (!/[\u0000\r\n]|[^\u0000-\u00ff]/.test(value)) headers.append(name, value)
}

/** A Request refuses to be made with these; the edge answers an unknown method in their place. */
const carriable = (method: string): string =>
  /^[A-Z]{1,32}$/.test(method) && !['CONNECT', 'TRACE', 'TRACK'].includes(method) ? method : 'UNKNOWN'

async function present(response: Response, isV2: boolean): Promise<GatewayResult> {
  const cookies = response.headers.getSetCookie()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'))
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text, 'utf8').equals(bytes)
  return {
    statusCode: response.status,
    headers,
    ...(isV2 ? { cookies } : { multiValueHeaders: { 'set-cookie': cookies } }),
    body: isText ? text : bytes.toString('base64'),
    isBase64Encoded: !isText,
  }
}
