import { createServer } from 'node:http'

// What any service on Node's own HTTP server could reach at best: the very bytes of an answer, headers too, with no work behind them.

process.once('message', ({ port, headers, body }: { port: number; headers: [string, string][]; body: string }) => {
  const bytes = Buffer.from(body)
  createServer((_request, response) => {
    response.writeHead(200, headers.flat())
    response.end(bytes)
  }).listen(port, '127.0.0.1', () => process.send?.('up'))
})
