import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: { code: number; message?: string }
  attributes: Record<string, string | number>
}

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number }
type Export = {
  resourceSpans: { resource: { attributes: { key: string; value: Value }[] }; scopeSpans: { spans: RawSpan[] }[] }[]
}
type RawSpan = Omit<ReceivedSpan, 'attributes'> & { attributes: { key: string; value: Value }[] }

/** An OTLP/HTTP collector on loopback. */
export async function startTraceReceiver() {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    headers.push(request.headers)
    bodies.push(body)
    if (request.url === '/v1/traces') {
      for (const { scopeSpans } of (JSON.parse(body) as Export).resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push({ ...span, attributes: plain(span.attributes) })
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const plain = (attributes: { key: string; value: Value }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]))
