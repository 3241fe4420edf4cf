import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type RequestListener, request as requestPlain } from 'node:http'
import { createServer as createTlsServer, request as requestTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

export type FrontProxy = {
  port: number
  /** Sends a request for any host to this proxy. */
  fetch(request: Request): Promise<Response>
  close(): void
}

type Upstream = {
  port: number
  /** The loopback address that the proxy connects from, which TRUST_PROXY may name. */
  from?: string
}

/** A proxy as nginx or Caddy in front of a service: ends TLS, keeps Host, sets X-Forwarded-For and X-Forwarded-Proto.
 * `answer` may answer for another host itself. */
export async function startFrontProxy(
  { port: upstreamPort, from = '127.0.0.1' }: Upstream,
  { tls = true, answer = () => false }: { tls?: boolean; answer?: (...args: Parameters<RequestListener>) => boolean } = {},
): Promise<FrontProxy> {
  const listener: RequestListener = (incoming, outgoing) => {
    if (answer(incoming, outgoing)) return
    const { method, url, headers, socket } = incoming
    const added = { 'x-forwarded-for': socket.remoteAddress, 'x-forwarded-proto': tls ? 'https' : 'http' }
    const onward = forward(
      { port: upstreamPort, host: '127.0.0.1', localAddress: from, method, path: url, headers: { ...headers, ...added } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
        response.pipe(outgoing)
      },
    )
    onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    incoming.pipe(onward)
  }
  const server = (tls ? createTlsServer(certificate, listener) : createServer(listener)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async fetch(request) {
      const { host, pathname, search } = new URL(request.url)
      const outgoing = (tls ? requestTls : requestPlain)({
        ...{ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false },
        ...{ method: request.method, path: `${pathname}${search}`, headers: { ...Object.fromEntries(request.headers), host } },
      })
      outgoing.end(Buffer.from(await request.arrayBuffer()))
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      const headers = new Headers()
      for (const [name, values = []] of Object.entries(incoming.headersDistinct))
        for (const value of values) headers.append(name, value)
      const body = incoming.statusCode === 204 ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>)
      return new Response(body as BodyInit | null, { status: incoming.statusCode ?? 0, headers })
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** For localhost and *.floor.localhost, until 2126. Only tests on loopback use this key. */
const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoptqyVdv1rdQavFk
6/FjKP5Hl4He2XYSFvCrxTjE8ImhRANCAAS9t9OR9m2yegdElq7uMhZs9XLUxpJV
wzseS+KX1jtKcS8w401N/7ZtSqYWJS8QBVK8yPCSR5jT91Oj8/J7kuNQ
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBtDCCAVqgAwIBAgIUeBWLmnLXPqYHrTy9Hmo/xkG6qI8wCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPZmxvb3JwYXNzIHRlc3RzMCAXDTI2MTEyMzA5MDgzNloYDzIx
MjYxMDMwMDkwODM2WjAaMRgwFgYDVQQDDA9mbG9vcnBhc3MgdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAS9t9OR9m2yegdElq7uMhZs9XLUxpJVwzseS+KX
1jtKcS8w401N/7ZtSqYWJS8QBVK8yPCSR5jT91Oj8/J7kuNQo3wwejAdBgNVHQ4E
FgQUrwAKNKa7qAOSLENlEIreA6E/tbQwHwYDVR0jBBgwFoAUrwAKNKa7qAOSLENl
EIreA6E/tbQwDwYDVR0TAQH/BAUwAwEB/zAnBgNVHREEIDAegglsb2NhbGhvc3SC
ESouZmxvb3IubG9jYWxob3N0MAoGCCqGSM49BAMCA0gAMEUCIHziI5098qrYshsu
UK4qRSYY6r/3IyKLAd/xrdp87YlCAiEA8alCQxx0sMJe45jX0aPG2HODQlDrkapf
kCO84ecCcGs=
-----END CERTIFICATE-----
`,
}
