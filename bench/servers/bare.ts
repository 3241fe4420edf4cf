import { createServer } from 'node:http'

// The upper bound for any service on node:http: it sends a fixed answer and does no work.

process.once('message', ({ port, headers, body }: { port: number; headers: [string, string][]; body: string }) => {
  const bytes = Buffer.from(body)
  createServer((_request, response) => {
    response.writeHead(200, headers.flat())
    response.end(bytes)
  }).listen(port, '127.0.0.1', () => process.send?.('up'))
})
