import { Agent, createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { freePort } from './service-process.ts'

/** A small load balancer: round robin, health checks on /readyz, keep-alive. It retries only requests that were never sent. */
export type Balancer = { port: number; close(): void }

const healthCheckMs = 250

export async function startBalancer(upstreams: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const healthy = new Map(upstreams.map((port) => [port, false]))
  let turn = 0

  const checkHealth = async () => {
    for (const port of upstreams) {
      const ok = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
        async (response) => {
          await response.arrayBuffer()
          return response.ok
        },
        () => false,
      )
      healthy.set(port, ok)
    }
  }
  await checkHealth()
  const timer = setInterval(checkHealth, healthCheckMs)

  const forwardRequest = (incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, tried: readonly number[]) => {
    const left = upstreams.filter((port) => !tried.includes(port))
    const choice = left.filter((port) => healthy.get(port))
    const port = (choice.length > 0 ? choice : left)[turn++ % Math.max(1, choice.length || left.length)]
    if (port === undefined) return void outgoing.writeHead(502).end()
    const { method, url, headers } = incoming
    const onward = forward({ host: '127.0.0.1', port, method, path: url, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', (error: NodeJS.ErrnoException) => {
      // After ECONNREFUSED no byte was sent, so a retry is safe. After other errors the request may have taken effect.
      if (error.code === 'ECONNREFUSED') return forwardRequest(incoming, body, outgoing, [...tried, port])
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502, { 'x-balancer': error.code ?? 'error' }).end()
    })
    onward.end(body)
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    forwardRequest(incoming, Buffer.concat(chunks), outgoing, [])
  })
  const port = await freePort()
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  return {
    port,
    close() {
      clearInterval(timer)
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
