import { connect } from 'node:net'
import { hasNginx, startNginx } from '@floorpass/testing/nginx-process'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: await temporaryFolder() })
const own = `http://localhost:${server.port}`
const nginx = hasNginx() ? await startNginx({ accounts: server.port, backend: server.port }) : null

/** Sends this, then a byte a second until the server closes. */
async function drip(first: string, port = server.port): Promise<{ seconds: number; answer: string }> {
  const started = performance.now()
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk
  })
  // The server may have closed while the next byte was on its way.
  socket.on('error', () => {})
  socket.write(first)
  const dripping = setInterval(() => socket.write('x'), 1000)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(dripping)
  return { seconds: (performance.now() - started) / 1000, answer }
}

test('a caller that sends a byte a second gets 408 after ten seconds, or thirty with a body, also behind the recipe of nginx', {
  timeout: 120_000,
}, async () => {
  const head = `POST /auth/sign-in/email HTTP/1.1\r\nhost: localhost\r\norigin: ${own}\r\ncontent-type: application/json\r\ncontent-length: 1000`
  const slowBody = `${head}\r\n\r\n{"email":"`
  const [headers, body, proxied] = await Promise.all([
    drip(`${head}\r\nx-slow: `),
    drip(slowBody),
    nginx && drip(slowBody, nginx.port),
  ])
  for (const { answer } of [headers, body, proxied ?? body]) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toMatch(/^x-request-id: [\da-f-]{36}\r$/m)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      code: 'BAD_REQUEST',
      message: 'The request took too long to arrive',
    })
  }
  expect(body.answer).toContain(`access-control-allow-origin: ${own}\r\n`)
  expect(headers.seconds).toBeGreaterThan(9.5)
  expect(body.seconds).toBeGreaterThan(29.5)
  expect(headers.seconds).toBeLessThan(body.seconds)
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect(server.logs().filter(({ level }) => Number(level) >= 40)).toEqual([])
})
