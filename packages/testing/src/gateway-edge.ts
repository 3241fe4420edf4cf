import { createLambdaHandler, type Edge, type GatewayEvent, type GatewayResult } from '@floorpass/functions'

export type Payload = '1.0' | '2.0'

/** The edge behind API Gateway: converts each request to a gateway event and each result to a response. */
export function gatewayEdge(edge: Edge, baseUrl: string, payload: Payload): Edge {
  const handle = createLambdaHandler(edge, baseUrl)
  return {
    async fetch(request, { peerAddress }) {
      const bytes = await readUpTo(largestPayload, request.body)
      return response(await handle(eventOf(request, bytes, peerAddress, payload)))
    },
  }
}

/** The gateway buffers the request and refuses a large body; tests send bodies without an end. */
const largestPayload = 256 * 1024

async function readUpTo(limit: number, body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    chunks.push(chunk.value)
    size += chunk.value.length
    if (size > limit) void reader?.cancel()
    if (size > limit) break
  }
  return Buffer.concat(chunks)
}

function eventOf(request: Request, bytes: Buffer, peerAddress: string | null, payload: Payload): GatewayEvent {
  const url = new URL(request.url)
  const headers = { 'x-forwarded-proto': url.protocol.slice(0, -1), ...Object.fromEntries(request.headers) }
  const sourceIp = peerAddress === null ? {} : { sourceIp: peerAddress }
  const body = bytes.length === 0 ? null : bytes.toString('base64')
  if (payload === '2.0') {
    const { cookie, ...others }: Record<string, string> = headers
    return {
      version: '2.0',
      rawPath: url.pathname,
      rawQueryString: url.search.slice(1),
      ...(cookie !== undefined && { cookies: cookie.split('; ') }),
      headers: others,
      body,
      isBase64Encoded: body !== null,
      requestContext: { domainName: url.host, http: { method: request.method, ...sourceIp } },
    }
  }
  const query = Map.groupBy(url.searchParams, ([name]) => name)
  return {
    httpMethod: request.method,
    path: url.pathname,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    multiValueQueryStringParameters: Object.fromEntries(
      [...query].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
    ),
    body,
    isBase64Encoded: body !== null,
    requestContext: { domainName: url.host, identity: sourceIp },
  }
}

function response({ statusCode, headers, cookies, multiValueHeaders, body, isBase64Encoded }: GatewayResult): Response {
  const all = new Headers(headers)
  for (const cookie of cookies ?? multiValueHeaders?.['set-cookie'] ?? []) all.append('set-cookie', cookie)
  const isEmpty = [204, 304].includes(statusCode)
  return new Response(isEmpty ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'), {
    status: statusCode,
    headers: all,
  })
}
