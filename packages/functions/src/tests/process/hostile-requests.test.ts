import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { eventually } from '@floorpass/testing/eventually'
import { type RawAnswer, sendRaw } from '@floorpass/testing/raw-http'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { describe, expect, onTestFinished, test } from 'vitest'

const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: await temporaryFolder(), RATE_LIMIT: 'off' })
const own = `http://localhost:${server.port}`
/** A second server, on https and with one provider. */
const secure = await startServer({
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  BASE_URL: 'https://localhost:4443',
  GITHUB_CLIENT_ID: 'github',
  GITHUB_CLIENT_SECRET: 'a secret',
})

type Lines = Record<string, string> | [name: string, value: string][]

const head = (start: string, headers: Lines = {}) => {
  const lines = Array.isArray(headers) ? headers : Object.entries(headers)
  const host = lines.some(([name]) => name.toLowerCase() === 'host') ? [] : [['host', `localhost:${server.port}`]]
  return [start, ...[...host, ['connection', 'close'], ...lines].map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
}
const get = (target: string, headers?: Lines) => sendRaw(server.port, head(`GET ${target} HTTP/1.1`, headers))
const post = (target: string, body: string, headers: [string, string][] = []) =>
  sendRaw(
    server.port,
    head(`POST ${target} HTTP/1.1`, [
      ['content-type', 'application/json'],
      ['content-length', String(Buffer.byteLength(body))],
      ...headers,
    ]) + body,
  )
const isAlive = async () => (await fetch(`${server.url}/healthz`)).status === 200

describe('the running server', () => {
  test.each([
    ['a foreign name', 'evil.test'],
    ['an invalid port', 'localhost:99999999'],
    ['an empty value', ''],
    ['a space', 'a b'],
    ['a path', 'evil.test/x?y#z'],
    ['a user', 'user:password@localhost'],
    ['a bracket', '[::1'],
    ['a backslash', 'localhost\\evil.test'],
    ['a percent sign', '%00.localhost'],
    ['8 KB', `${'a'.repeat(8000)}`],
    ['an umlaut', 'm\u00fcnchen.test'],
  ])('answers any Host without a 500: %s', async (_, host) => {
    for (const target of ['/auth/get-session', '/login', '/unknown', '/dev/mailbox', '/assets/unknown.js']) {
      const { status, all } = await get(target, { host })
      expect([target, status]).toEqual([target, expect.toBeOneOf([200, 400, 404])])
      expect(all).not.toMatch(/node_modules|\.ts:\d|at async/)
    }
    expect(await isAlive()).toBe(true)
  })

  test('T152: answers any forwarding header without a 500, and never links to its host', async () => {
    const protos = ['https', 'http', 'HTTP/1.1', 'https,http', '', 'javascript', 'x'.repeat(4096)]
    for (const proto of protos) {
      const headers = {
        'x-forwarded-proto': proto,
        'x-forwarded-host': 'evil.test',
        forwarded: 'host=evil.test;proto=https',
        'x-original-url': 'https://evil.test/',
      }
      for (const target of ['/', '/login', '/auth/get-session', '/dev/mailbox']) {
        const { status, all } = await get(target, headers)
        expect([target, status]).toEqual([target, 200])
        expect(all).not.toContain('evil.test')
      }
      const { head: answered, status } = await get('/dashboard', { ...headers, host: 'evil.test' })
      expect([status, /^location: (.+)$/im.exec(answered)?.[1]]).toEqual([302, '/login?redirectTo=%2Fdashboard'])
    }
  })

  test('T160: accepts an absolute-form target and ignores its host', async () => {
    expect((await get('http://evil.test/auth/get-session')).status).toBe(200)
    expect((await get('https://evil.test:99/auth/get-session')).status).toBe(200)
    expect((await get('http://evil.test/dev/mailbox')).status).toBe(404)
    const { head: answered } = await get('http://evil.test/dashboard')
    expect(answered).toMatch(/^location: \/login\?redirectTo=%2Fdashboard$/im)
    for (const target of [
      'ftp://evil.test/',
      'http://',
      'http://[',
      'evil.test/auth/get-session',
      'javascript:alert(1)',
      '*',
      '',
    ]) {
      expect([target, (await get(target)).status]).toEqual([target, expect.toBeOneOf([400, 404])])
    }
    expect(await isAlive()).toBe(true)
  })

  test.each([
    ['/auth/../auth/get-session', 200],
    ['/auth/./get-session', 200],
    ['/x/../../../auth/get-session', 200],
    ['/auth/%2e%2e/auth/get-session', 200],
    ['//auth/get-session', 404],
    ['//evil.test/auth/get-session', 404],
    ['//evil.test/%2f..', 404],
    ['/\\evil.test/', 400],
    ['/auth\\get-session', 400],
    ['/auth/get-session/', 404],
    ['/auth/get%2dsession', 200],
    ['/AUTH/get-session', 404],
    ['/auth/%', 404],
    ['/%', 404],
    ['/%c0%af', 404],
    ['/%00', 404],
    ['/\u0001', 400],
    ['/a b', 400],
    ['/auth/get-session?%', 200],
    ['/assets/../server/index.js', 404],
    ['/assets/..%2f..%2fserver.ts', 404],
    ['/assets/%2e%2e/%2e%2e/%2e%2e/package.json', 404],
    ['/assets/..%5c..%5cserver.ts', 404],
    ['/assets//etc/passwd', 404],
    ['/assets/%2fetc%2fpasswd', 404],
    ['/assets/%00', 404],
    ['/assets/%', 404],
    ['/assets/', 404],
    ['/assets', 404],
    [`/${'a'.repeat(12_000)}`, 404],
    [`/${'a'.repeat(20_000)}`, 431],
  ])('answers the odd path %s with %i', async (target, expected) => {
    const { status, all } = await get(target)
    expect(status).toBe(expected)
    expect(all).not.toMatch(/root:x:|@floorpass|node_modules|at async/)
    expect(await isAlive()).toBe(true)
  })

  test('13.4.4: refuses TRACE, TRACK and CONNECT', async () => {
    const canary = 'canary-in-a-cookie'
    for (const target of ['/auth/get-session', '/login', '/unknown']) {
      for (const method of ['TRACE', 'TRACK']) {
        const { status, all } = await sendRaw(server.port, head(`${method} ${target} HTTP/1.1`, { cookie: `a=${canary}` }))
        expect([method, target, status]).toEqual([method, target, expect.toBeOneOf([400, 403, 404, 405])])
        expect(all).not.toContain(canary)
      }
    }
    expect((await sendRaw(server.port, head('CONNECT evil.test:443 HTTP/1.1'))).status).toBeOneOf([0, 400, 404, 405])
    expect(await isAlive()).toBe(true)
  })

  test('T61: refuses two Origin headers, and two of any other decisive header', async () => {
    const twice = await post('/auth/sign-out', '{}', [
      ['origin', own],
      ['origin', 'https://evil.test'],
    ])
    expect([twice.status, JSON.parse(twice.body).code]).toEqual([403, 'INVALID_ORIGIN'])
    const reversed = await post('/auth/sign-out', '{}', [
      ['Origin', 'https://evil.test'],
      ['ORIGIN', own],
    ])
    expect([reversed.status, JSON.parse(reversed.body).code]).toEqual([403, 'INVALID_ORIGIN'])
    const same = await post('/auth/sign-out', '{}', [
      ['origin', own],
      ['origin', own],
    ])
    expect(same.status).toBe(403)
    expect((await post('/auth/sign-out', '{}', [['origin', own]])).status).toBe(200)
    const { status } = await get('/auth/get-session', [
      ['host', 'localhost'],
      ['host', 'evil.test'],
    ])
    expect(status).toBe(400)
  })

  test.each<[string, string]>([
    [
      'CL and TE',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    [
      'two CL',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\ncontent-length: 40\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    [
      'a list of CL',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0, 40\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    [
      'a negative CL',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    ['a CL with a plus', 'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ncontent-length: +0\r\n\r\n'],
    ['an unknown TE', 'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n'],
    [
      'TE in two parts',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'GET /auth/get-session HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\n\r\n'],
    ['a space before the colon', 'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ncontent-length : 0\r\n\r\n'],
    ['a bare LF between its lines', 'GET /auth/get-session HTTP/1.1\nhost: localhost\n\n'],
    [
      'a bare LF inside a header',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\nx: y\ncontent-length: 4\r\n\r\nabcdGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    [
      'a bare LF around a chunk',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\n\nGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    ['a bare CR', 'GET /auth/get-session HTTP/1.1\r\nhost: localhost\rx: y\r\n\r\n'],
    [
      'a bad chunk size',
      'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /auth/get-session HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['no version', 'GET /auth/get-session\r\n\r\n'],
    ['NUL in a header', 'GET /auth/get-session HTTP/1.1\r\nhost: localhost\r\nx: a\u0000b\r\n\r\n'],
    ['headers of 1 MB', `GET /auth/get-session HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(1_000_000)}\r\n\r\n`],
    ['nonsense', 'hello\r\n\r\n'],
  ])('T160: refuses %s, closes, and answers nothing that was smuggled', async (_, request) => {
    const { status, all, isOpen } = await sendRaw(server.port, request)
    expect(status).toBeOneOf([0, 400, 431, 505])
    expect(isOpen).toBe(false)
    expect(all.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(all).not.toContain('NOT_FOUND')
    expect(await isAlive()).toBe(true)
  })

  test('T161: never reads bytes beyond the declared length as part of the body', async () => {
    const request = `POST /auth/sign-in/email HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}${'x'.repeat(100_000)}`
    const answers = (await sendRaw(server.port, request)).all.match(/HTTP\/1\.1 \d{3}/g)
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 400']))
  })

  test.each([
    ['text', 'hello\r\n\r\n'],
    ['an invalid header', 'GET / HTTP/1.1\r\nx : y\r\n\r\n'],
    ['50 KB of text', 'x'.repeat(50_000)],
  ])('answers only the request in front of unreadable bytes: %s', async (_, behind) => {
    const body = '{"email":"unknown@example.test","password":"plum kettle orbit"}'
    const lines = `host: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
    const {
      status,
      all,
      head: answered,
    } = await sendRaw(server.port, `POST /auth/sign-in/email HTTP/1.1\r\n${lines}\r\n\r\n${body}${behind}`)
    expect([status, all.match(/HTTP\/1\.1 \d{3}/g)?.length]).toEqual([401, 1])
    expect(answered).toMatch(/^connection: close$/im)
  })

  test('reads a chunked body like any other, also on a page', async () => {
    for (const [target, type, body, expected] of [
      ['/auth/sign-in/email', 'application/json', '{"email":"unknown@example.test","password":"x"}', 401],
      ['/login', 'application/x-www-form-urlencoded', 'email=unknown%40example.test&password=x', 401],
    ] as const) {
      const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('')
      const answer = await sendRaw(
        server.port,
        `${head(`POST ${target} HTTP/1.1`, { 'content-type': type, 'transfer-encoding': 'chunked' })}${chunks}0\r\n\r\n`,
      )
      expect([target, answer.status]).toEqual([target, expected])
    }
  })

  test('T161: answers 413 before an oversized body arrives, declared or chunked, and fifty at once cost no memory', async () => {
    const declared = await sendRaw(
      server.port,
      `${head('POST /auth/sign-in/email HTTP/1.1', { 'content-type': 'application/json', 'content-length': String(10 ** 10) })}{`,
    )
    expect([declared.status, JSON.parse(declared.body).code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])

    const before = await residentMegabytes()
    const chunk = `20000\r\n${'x'.repeat(0x20000)}\r\n`
    const request =
      head('POST /auth/sign-in/email HTTP/1.1', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }) +
      chunk.repeat(64)
    const bytes = Buffer.from(request)
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendRaw(server.port, bytes)))
    for (const { status } of answers) expect(status).toBe(413)
    const sentMegabytes = (answers.length * bytes.length) / 2 ** 20
    expect((await residentMegabytes()) - before).toBeLessThan(sentMegabytes / 2)
    expect(await isAlive()).toBe(true)
  })

  test.each(['/auth/sign-in/email', '/trpc/signIn.email', '/login'])(
    'T161: a caller that reads only after sending four megabytes still reads 413: %s',
    async (target) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      onTestFinished(() => void socket.destroy())
      const type = target === '/login' ? 'application/x-www-form-urlencoded' : 'application/json'
      const body = `400000\r\n${'x'.repeat(0x400000)}\r\n0\r\n\r\n`
      socket.pause()
      const request = head(`POST ${target} HTTP/1.1`, { 'content-type': type, 'transfer-encoding': 'chunked' }) + body
      await new Promise((resolve) => socket.write(request, resolve))
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume()
      await closed
      expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 413 /)
    },
  )

  test('twenty thousand requests on one connection, twenty at a time, all get an answer', async () => {
    const socket = connect(server.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const closed = new Promise((resolve) => socket.once('close', resolve))
    let answers = 0
    let answered = Promise.withResolvers<void>()
    socket.on('data', (bytes: Buffer) => {
      answers += bytes.toString('latin1').match(/HTTP\/1\.1 200 /g)?.length ?? 0
      if (answers % 20 === 0) answered.resolve()
    })
    const request = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
    for (let round = 0; round < 1_000; round += 1) {
      answered = Promise.withResolvers()
      socket.write(request.repeat(20))
      await answered.promise
    }
    socket.write(head('GET /healthz HTTP/1.1'))
    await closed
    expect(answers).toBe(20_001)
    expect(await isAlive()).toBe(true)
  })

  test('closes a connection with too many requests at once, without slowing other callers', async () => {
    const made = { cookie: `local-floorpass_session=${'A'.repeat(43)}` }
    const flood = head('GET /auth/get-session HTTP/1.1', made).replace('connection: close\r\n', '').repeat(5_000)
    const floods = Array.from({ length: 5 }, () => sendRaw(server.port, flood))
    expect(await isAlive()).toBe(true)
    expect((await get('/auth/get-session', made)).status).toBe(200)
    for (const { isOpen, all } of await Promise.all(floods)) {
      expect(isOpen).toBe(false)
      expect(all.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThan(5_000)
    }
  })

  test('T161: closes the connection after an oversized body, and answers nothing behind it', async () => {
    const body = 'x'.repeat(200_000)
    const lines = `host: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
    const behind = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
    const answer = await sendRaw(server.port, `POST /auth/sign-in/email HTTP/1.1\r\n${lines}\r\n\r\n${body}${behind}`)
    expect([answer.status, answer.isOpen, answer.all.match(/HTTP\/1\.1 \d{3}/g)?.length]).toEqual([413, false, 1])
    expect(answer.head).toMatch(/^connection: close$/im)
  })

  test.each(['/auth/sign-in/email', '/trpc/signIn.email', '/login'])(
    'survives a caller that hangs up in mid-body: %s',
    async (target) => {
      for (const framing of ['content-length: 100\r\n\r\n{"email":', 'transfer-encoding: chunked\r\n\r\n9\r\n{"email":\r\n']) {
        const socket = connect(server.port, '127.0.0.1')
        socket.on('error', () => {})
        const start = `POST ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framing}`
        await new Promise((resolve) => socket.write(start, resolve))
        // The server has read the start when it answers a later request.
        expect(await isAlive()).toBe(true)
        socket.resetAndDestroy()
      }
      expect(await isAlive()).toBe(true)
    },
  )

  test('T163: answers 400 to deep and wide JSON', async () => {
    for (const body of [
      '['.repeat(30_000) + ']'.repeat(30_000),
      `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      `[${'0,'.repeat(30_000)}0]`,
    ])
      expect((await post('/auth/sign-in/email', body)).status).toBe(400)
  })

  const origin = own
  const refusals: [what: string, status: number, hasOrigin: boolean, request: () => Promise<RawAnswer>][] = [
    ['a bad Host', 400, true, () => get('/auth/get-session', { host: 'a b', origin })],
    ['no Host', 400, true, () => sendRaw(server.port, `GET /auth/x HTTP/1.1\r\nconnection: close\r\norigin: ${own}\r\n\r\n`)],
    ['a bad target', 400, true, () => get('ftp://evil.test/', { origin })],
    ['a backslash', 400, true, () => get('/auth\\get-session', { origin })],
    ['text', 400, false, () => sendRaw(server.port, 'hello\r\n\r\n')],
    ['an invalid header', 400, false, () => sendRaw(server.port, 'GET / HTTP/1.1\r\nhost : x\r\n\r\n')],
    ['oversized headers', 431, false, () => get('/auth/get-session', { origin, x: 'a'.repeat(20_000) })],
    [
      'a badly framed body',
      400,
      true,
      () =>
        sendRaw(
          server.port,
          `${head('POST /auth/sign-out HTTP/1.1', { origin, 'content-type': 'application/json', 'transfer-encoding': 'chunked' })}xyz\r\n`,
        ),
    ],
    [
      'chunks that are mostly frame',
      413,
      true,
      () =>
        sendRaw(
          server.port,
          `${head('POST /auth/sign-out HTTP/1.1', { origin, 'content-type': 'application/json', 'transfer-encoding': 'chunked' })}1;${'x'.repeat(20_000)}\r\n`,
        ),
    ],
  ]

  test.each(refusals)(
    'T147, T182: refusals below the edge have a code, a request id and every security header: %s',
    async (_, expected, hasOrigin, request) => {
      const { status, head: answered, body, all } = await request()
      expect([status, JSON.parse(body)]).toEqual([expected, { code: 'BAD_REQUEST', message: expect.any(String) }])
      const headers = new Map(
        answered
          .split('\r\n')
          .slice(1)
          .map((line) => line.toLowerCase().split(/: (.*)/s) as [string, string]),
      )
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        connection: 'close',
        vary: 'origin',
      })
      // CORS needs the Origin header, which a malformed request does not deliver.
      expect(headers.get('access-control-allow-origin')).toBe(hasOrigin ? own : undefined)
      expect(all.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1)
      await eventually(() =>
        expect(server.logs().filter(({ requestId }) => requestId === headers.get('x-request-id'))).toHaveLength(1),
      )
    },
  )

  test('T147, T146: build files carry every security header, and HSTS on https', async () => {
    const script = /\/assets\/[\w.-]+\.js/.exec(await (await fetch(`${server.url}/`)).text())?.[0] ?? ''
    for (const [url, hsts] of [
      [server.url, null],
      [secure.url, 'max-age=63072000; includeSubDomains'],
    ] as const) {
      const { status, headers } = await fetch(url + script)
      expect([status, headers.get('strict-transport-security')]).toEqual([200, hsts])
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      })
    }
  })

  test('T147: an unsatisfiable range of a file is refused with the security headers', async () => {
    const script = /\/assets\/[\w.-]+\.js/.exec(await (await fetch(`${server.url}/`)).text())?.[0] ?? ''
    const { status, headers } = await fetch(server.url + script, { headers: { range: 'bytes=999999999-' } })
    expect([status, headers.get('x-content-type-options')]).toEqual([416, 'nosniff'])
  })

  test('T77: pages offer configured providers and no others', async () => {
    for (const page of ['/login', '/signup']) {
      expect(await (await fetch(server.url + page)).text()).not.toMatch(/google|github/i)
      const html = await (await fetch(secure.url + page)).text()
      expect(html).toMatch(/<a [^>]*href="\/auth\/sign-in\/social\?provider=github/)
      expect(html).not.toMatch(/google/i)
    }
  })

  test('serves build files with a type and a long cache time, and no server files', async () => {
    const page = await (await fetch(`${server.url}/`)).text()
    const script = /\/assets\/[\w.-]+\.js/.exec(page)?.[0] ?? ''
    const answer = await fetch(server.url + script)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': expect.stringMatching(/javascript/),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    for (const path of ['/build/server/index.js', '/server.ts', '/package.json', '/.env', '/.data/auth-secret', '/.git/config']) {
      expect((await fetch(server.url + path)).status).toBe(404)
    }
  })

  test('T50, T53: no page accepts a form of another origin, with or without a cookie', async () => {
    const pages = ['login', 'signup', 'forgot-password', 'reset-password', 'verify-email', 'two-factor', 'logout', 'unknown']
    const settings = [
      'profile',
      'trading',
      'email',
      'password',
      'sessions',
      'security',
      'accounts',
      'danger',
      'data',
      'organizations',
    ]
    const form: [string, string] = ['content-type', 'application/x-www-form-urlencoded']
    for (const page of [...pages, ...settings.map((name) => `settings/${name}`), 'login.data', 'settings/profile.data']) {
      for (const cookie of [[], [['cookie', 'local-floorpass_session=x']]] as [string, string][][]) {
        const head = `POST /${page} HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.test\r\nconnection: close\r\n`
        const lines = [form, ['content-length', '3'], ...cookie].map((line) => line.join(': ')).join('\r\n')
        const { status, body } = await sendRaw(server.port, `${head}${lines}\r\n\r\na=b`)
        expect([page, status, JSON.parse(body).code]).toEqual([page, 403, 'INVALID_ORIGIN'])
      }
    }
  })

  test('refuses with a code what a page does not accept, and names no file', async () => {
    for (const path of ['/settings/data', '/settings/activity/download']) {
      const answer = await fetch(server.url + path, { method: 'POST', body: '{}', headers: { origin: own } })
      expect([answer.status, await answer.json()]).toEqual([
        405,
        { code: 'METHOD_NOT_ALLOWED', message: 'This address does not support that method' },
      ])
    }
  })

  test('T148: sends pages with a secret in their URL without a referrer and without third parties', async () => {
    const token = 'canary-in-an-address'
    for (const page of ['reset-password', 'verify-email', 'undo-email-change', 'delete-account', 'accept-invitation']) {
      const answer = await fetch(`${server.url}/${page}?token=${token}`, { redirect: 'manual' })
      const html = await answer.text()
      if (answer.status === 200) expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      else expect([page, answer.headers.get('location')]).toEqual(['delete-account', expect.stringMatching(/^\/login/)])
      expect(html.match(/(?:src|href|action)="(?:[a-z]+:)?\/\/[^"]*"/gi)).toBeNull()
    }
    expect(server.stdout()).not.toContain(token)
  })

  test('T145: sends pages with a policy whose nonce is on every script', async () => {
    for (const path of ['/', '/login', '/signup', '/verify-email?token=x', '/unknown']) {
      const answer = await fetch(server.url + path)
      const html = await answer.text()
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '') ?? []
      expect(nonce).toHaveLength(24)
      const scripts = html.match(/<script\b[^>]*>/g) ?? []
      expect(scripts.length).toBeGreaterThan(0)
      for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
      expect(html).not.toMatch(/\son\w+=|javascript:/i)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('strict-transport-security')).toBeNull()
    }
  })
})

test('no request logged a warning or an error', async () => {
  const { code, stdout, stderr } = await server.end('SIGTERM')
  const lines = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.length).toBeGreaterThan(50)
  expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([])
  expect(code).toBe(0)
  // Remix logs every path that is not UTF-8, and answers 404.
  expect(stderr.split('\n').filter((line) => !line.includes('could not be decoded'))).toEqual([''])
})

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8').catch(() => 'VmRSS: 0')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
