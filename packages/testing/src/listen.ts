import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { Edge } from '@floorpass/functions'
import { afterAll } from 'vitest'

/** Serves an edge on a port, for programs that speak HTTP. Closes after the file. */
export async function listen(edge: Edge, port: number): Promise<void> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: Object.entries(incoming.headersDistinct).flatMap(([name, list = []]) =>
        list.map((value): [string, string] => [name, value]),
      ),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const response = await edge.fetch(request, { peerAddress: '127.0.0.1' })
    const cookies = response.headers.getSetCookie()
    outgoing.writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    })
    if (!response.body) return outgoing.end()
    Readable.fromWeb(response.body as NodeReadableStream).pipe(outgoing)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
}
