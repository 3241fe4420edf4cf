import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequestListener, refuseMalformed } from '@floorpass/service/request-listener'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { sendRaw } from '@floorpass/testing/raw-http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEdge, type Pages } from '../../edge.ts'
import { publicUrl } from '../../http/public-url.ts'

/** A plain server whose pages answer with the URL that they see. */
async function openServer(environment: Record<string, string> = {}) {
  const app = await createTestApp({ BASE_URL: 'http://localhost', ...environment })
  const pages: Pages = async ({ url }) => new Response(url)
  const edge = createEdge(app.service, pages)
  const listener = createRequestListener(
    (request, { incoming }) => edge.fetch(request, { peerAddress: incoming.socket.remoteAddress ?? null, framesBodies: true }),
    app.service,
  )
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false }, refuseMalformed(app.service, listener))
  server.listen(0, '127.0.0.1')
  closeAfterFile(async () => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (target: string, lines: string[], method = 'GET') =>
    sendRaw(port, Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n'), 'latin1'))
  return { app, ask }
}

const behind = await openServer({ TRUST_PROXY: '127.0.0.1' })
const direct = await openServer()

const protocols: [line: string, scheme: string][] = [
  ['x-forwarded-proto: https', 'https'],
  ['x-forwarded-proto: http', 'http'],
  ['x-forwarded-proto: HTTP', 'http'],
  ['x-forwarded-proto: HTTP/1.1', 'https'],
  ['x-forwarded-proto: HTTP/2.0', 'https'],
  ['x-forwarded-proto: https,http', 'https'],
  ['x-forwarded-proto: http, https', 'http'],
  ['x-forwarded-proto: https\r\nx-forwarded-proto: http', 'https'],
  ['x-forwarded-proto:', 'https'],
  ['x-forwarded-proto: javascript', 'https'],
  ['x-forwarded-proto: ://', 'https'],
  ['x-forwarded-proto: \u00ff\u00a0http', 'https'],
  [`x-forwarded-proto: ${'x'.repeat(4096)}`, 'https'],
  ['x-forwarded-host: evil.test', 'http'],
  ['forwarded: proto=https;host=evil.test', 'http'],
]

describe('the URL that a page of the plain server sees', () => {
  test.each(protocols)('T67: has the protocol that a trusted proxy forwards: %j', async (line, scheme) => {
    const { status, body } = await behind.ask('/login?a=%20b', ['host: localhost', line])
    expect([status, body]).toEqual([200, `${scheme}://localhost/login?a=%20b`])
  })

  test.each(protocols)('has the protocol of the connection for any other peer: %j', async (line) => {
    const { status, body } = await direct.ask('/login?a=%20b', ['host: localhost', line])
    expect([status, body]).toEqual([200, 'http://localhost/login?a=%20b'])
  })

  test.each([
    ['accounts.example.test', 'https://accounts.example.test/x'],
    ['localhost:8443', 'https://localhost:8443/x'],
    ['LOCALHOST:443', 'https://localhost/x'],
    ['[::1]:3000', 'https://[::1]:3000/x'],
    ['127.1:99', 'https://127.0.0.1:99/x'],
  ])('has the host %s', async (host, url) => {
    expect((await behind.ask('/x', [`host: ${host}`, 'x-forwarded-proto: https'])).body).toBe(url)
  })

  test.each([
    ['https://accounts.example.test/x?y', 'http://accounts.example.test/x?y', 'https://accounts.example.test/x?y'],
    ['http://accounts.example.test', 'http://accounts.example.test/', 'https://accounts.example.test/'],
    ['http://accounts.example.test?y', 'http://accounts.example.test/?y', 'https://accounts.example.test/?y'],
    ['https://[::1]:99//evil.test', 'http://[::1]:99//evil.test', 'https://[::1]:99//evil.test'],
  ])('has the host of an absolute target, but not its protocol: %s', async (target, plain, secure) => {
    expect((await direct.ask(target, ['host: localhost'])).body).toBe(plain)
    expect((await behind.ask(target, ['host: localhost'])).body).toBe(plain)
    expect((await behind.ask(target, ['host: localhost', 'x-forwarded-proto: https'])).body).toBe(secure)
  })

  test.each(['//evil.test/x', '/x//y', '/%2f/evil.test', '/a/../b', '/?redirectTo=//evil.test\\x', '/__proto__'])(
    'keeps its host and path for the target %j, as without a proxy',
    async (target) => {
      const plain = await direct.ask(target, ['host: localhost'])
      const secure = await behind.ask(target, ['host: localhost', 'x-forwarded-proto: https'])
      expect(new URL(plain.body).host).toBe('localhost')
      expect([secure.status, secure.body]).toEqual([plain.status, plain.body.replace('http:', 'https:')])
    },
  )

  test.each([
    '*',
    'x',
    '/\\evil.test',
    'http://',
    'https://a:99999/',
    'ftp://localhost/',
    'http://a\\b/',
    'https://user@localhost/',
  ])('T160: the malformed target %j is 400 with and without a proxy', async (target) => {
    for (const { ask } of [behind, direct])
      expect((await ask(target, ['host: localhost', 'x-forwarded-proto: https'])).status).toBe(400)
  })
})

test('T67: no X-Forwarded-Proto, X-Forwarded-Host or Host ends in a failure', async () => {
  const strange = fc.oneof(
    fc.constantFrom(
      '',
      'https',
      'http',
      'HTTP/1.1',
      'localhost',
      'evil.test:99999',
      '[::1',
      'a b',
      'x@y',
      'https://',
      '\\',
      '%00',
      ',',
    ),
    // Header values hold no control characters: Node refuses those before our code.
    fc.string({
      unit: fc
        .integer({ min: 32, max: 255 })
        .filter((code) => code !== 127)
        .map((code) => String.fromCharCode(code)),
    }),
  )
  const target = fc.constantFrom('/', '/auth/get-session', '//x', '/?a=\\', 'http://localhost/x', 'https://a!b/', 'https://%6c/')
  await fc.assert(
    fc.asyncProperty(strange, strange, strange, target, async (protocol, forwardedHost, host, path) => {
      const lines = [`x-forwarded-proto: ${protocol}`, `x-forwarded-host: ${forwardedHost}`]
      const { status, body } = await behind.ask(path, ['host: localhost', ...lines])
      expect([status, status === 200 && !body.startsWith('null') && !URL.canParse(body)]).toEqual([200, false])
      const answer = await behind.ask(path, [`host: ${host}`, ...lines])
      expect([200, 400]).toContain(answer.status)
      if (answer.status === 400) expect(answer.body).toContain('The Host header does not name a host')
    }),
    { numRuns: 400 },
  )
  expect(behind.app.warnings()).toEqual([])
})

test('publicUrl always returns a URL of the host', () => {
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webPath())
  fc.assert(
    fc.property(
      fc.option(anything, { nil: undefined }),
      fc.option(anything, { nil: undefined }),
      anything,
      (protocol, host, path) => {
        const { hostname } = new URL(publicUrl({ protocol, host, path }, 'https://accounts.example.test'))
        expect(hostname).toBe(
          host !== undefined && /^[\w.[\]:-]+$/.test(host) && URL.canParse(`http://${host}`)
            ? new URL(`http://${host}`).hostname
            : 'accounts.example.test',
        )
      },
    ),
    { numRuns: 2000 },
  )
})
