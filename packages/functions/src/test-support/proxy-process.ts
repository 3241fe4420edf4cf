import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

// The part of Caddy that a roll-out uses, in small: it forwards to one upstream, and its admin API says and changes which.
let upstreams: { dial: string }[] = []

const proxy = createServer((incoming, outgoing) => {
  const [host, port] = upstreams[0]?.dial.split(':') ?? []
  if (!port) return void outgoing.writeHead(502).end()
  const { method, url, headers } = incoming
  // No agent: a kept connection would belong to a version that may be gone.
  const onward = forward({ host, port, method, path: url, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
  incoming.pipe(onward)
})

const admin = createServer(async (request, response) => {
  if (request.url !== '/id/floorpass/upstreams') return response.writeHead(404).end()
  if (request.method === 'PATCH') upstreams = (await json(request)) as { dial: string }[]
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(upstreams))
})

const [port = 0, adminPort = 0] = process.argv.slice(2).map(Number)
proxy.listen(port, '127.0.0.1', () =>
  admin.listen(adminPort, '127.0.0.1', () => {
    const ports = [proxy, admin].map((server) => (server.address() as AddressInfo).port)
    process.send?.(ports)
  }),
)
if (process.send) process.on('disconnect', () => process.exit())
