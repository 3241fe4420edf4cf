import { Agent, createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

// The parts of Caddy that a rollout uses: it forwards to one upstream, which its admin API shows and changes.
let upstreams: { dial: string }[] = []
/** Open connections keep their upstream for a moment after a change. */
let inUse = upstreams
const changeTakes = 1000
// Like Caddy, it reuses upstream connections, even to a version that is about to stop.
const agent = new Agent({ keepAlive: true })

const proxy = createServer((incoming, outgoing) => {
  const [host, port] = inUse[0]?.dial.split(':') ?? []
  if (!port) return void outgoing.writeHead(502).end()
  const { method, url, headers } = incoming
  const onward = forward({ host, port, method, path: url, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
  incoming.pipe(onward)
})

const admin = createServer(async (request, response) => {
  if (request.url !== '/id/floorpass/upstreams') return response.writeHead(404).end()
  if (request.method === 'PATCH') {
    upstreams = (await json(request)) as { dial: string }[]
    setTimeout(() => (inUse = upstreams), inUse.length > 0 ? changeTakes : 0)
  }
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
