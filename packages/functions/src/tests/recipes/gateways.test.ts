import { outboxOf, signedInPerson } from '@floorpass/reliability'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createBrowser } from '@floorpass/testing/browser'
import { hasCaddy, startCaddy } from '@floorpass/testing/caddy-process'
import { eventually } from '@floorpass/testing/eventually'
import { hasNginx, startNginx } from '@floorpass/testing/nginx-process'
import { sendRaw } from '@floorpass/testing/raw-http'
import { freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { type Received, startEchoBackend } from '@floorpass/testing/toy-backends'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const database = await createTestDatabase()
afterAll(() => database.drop())
const port = await freePort()
const launch = () =>
  startServer({
    ...(database.options.kind === 'postgres' && { DATABASE_URL: database.options.url }),
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    TRUST_PROXY: 'loopback',
  })
const service = await launch()
const target = { url: service.url, origin: `http://localhost:${port}` }
const signedIn = () => signedInPerson(target, outboxOf(dataDir))
const backend = await startEchoBackend()

const ada = await signedIn()
const adaToken = await fetch(`${target.url}/auth/token`, { headers: { cookie: ada.cookie } })
  .then((answer) => answer.json())
  .then((body) => (body as { token: string }).token)

const facts = ['user', 'session', 'key', 'org', 'role', 'scopes', 'acr', 'amr', 'time', 'hold', 'token']
const nameOf = (header: string) => header.replaceAll('_', '-')
const factsOf = ({ headers }: Received) =>
  Object.fromEntries(headers.filter(([name, value]) => nameOf(name).startsWith('x-auth-') && value !== ''))

const gateways = [
  ['nginx', hasNginx(), startNginx],
  ['Caddy', hasCaddy(), startCaddy],
] as const

describe.each(gateways.filter(([, isInstalled]) => isInstalled))('%s', (_name, _isInstalled, start) => {
  let gateway: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    gateway = await start({ accounts: port, backend: backend.port })
  })

  type Options = { method?: string; cookie?: string; headers?: Record<string, string> }
  /** What the caller and the backend saw. */
  const call = async (path: string, { method = 'GET', cookie, headers = {} }: Options = {}) => {
    backend.received.length = 0
    const response = await fetch(gateway.url + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(cookie !== undefined && { cookie }) },
    })
    await response.text()
    return { status: response.status, headers: response.headers, received: backend.received[0] }
  }
  const raw = async (requestLine: string, ...headers: string[]) => {
    backend.received.length = 0
    const lines = [`${requestLine} HTTP/1.1`, `Host: localhost:${gateway.port}`, 'Connection: close', ...headers]
    const { status } = await sendRaw(gateway.port, `${lines.join('\r\n')}\r\n\r\n`)
    return { status, received: backend.received[0] }
  }

  test('an anonymous call gets 401 and a challenge, and the backend is not asked', async () => {
    const { status, headers, received } = await call('/api/orders')
    expect([status, headers.get('www-authenticate'), received]).toEqual([401, 'Bearer', undefined])
  })

  test('an anonymous visitor of a page goes to the sign-in page, which knows the whole target', async () => {
    const { status, headers, received } = await call('/app/orders?id=1&side=buy', { method: 'GET' })
    const location = new URL(headers.get('location') ?? '', gateway.url)
    expect([status, location.pathname, received]).toEqual([302, '/login', undefined])
    expect(location.searchParams.get('redirectTo')).toBe(`${gateway.url}/app/orders?id=1&side=buy`)
    expect((await call('/app/orders', { method: 'POST' })).status).toBe(302)
  })

  test('a page that needs a second factor leads to the reauthentication page', async () => {
    const { status, headers, received } = await call('/app/withdraw?to=a&b', { cookie: ada.cookie })
    const location = new URL(headers.get('location') ?? '', gateway.url)
    expect([status, location.pathname, received]).toEqual([302, '/reauthenticate', undefined])
    expect(Object.fromEntries(location.searchParams)).toEqual({
      acr: 'aal2',
      max_age: '300',
      redirectTo: `${gateway.url}/app/withdraw?to=a&b`,
    })
  })

  test('the backend learns who calls', async () => {
    const { status, received } = await call('/api/orders?id=1', { method: 'POST', cookie: ada.cookie })
    expect([status, received?.method, received?.url]).toEqual([200, 'POST', '/api/orders?id=1'])
    expect(received && factsOf(received)).toEqual({
      'x-auth-user': expect.stringMatching(/^[\w-]{10,}$/),
      'x-auth-session': expect.stringMatching(/^[\w-]{10,}$/),
      'x-auth-scopes': expect.stringContaining('order:read'),
      'x-auth-acr': 'aal1',
      'x-auth-amr': 'pwd',
      'x-auth-time': expect.stringMatching(/^\d{10}$/),
    })
    expect((await call('/app/orders', { cookie: ada.cookie })).received?.url).toBe('/app/orders')
  })

  test('the backend learns the organization and the role', async () => {
    const { cookie } = await signedIn()
    const post = async (path: string, body: object) => {
      const headers = { cookie, origin: target.origin, 'content-type': 'application/json' }
      const answer = await fetch(target.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(answer.status).toBe(200)
      return (await answer.json()) as { id: string }
    }
    const { id } = await post('/auth/organization/create', { name: 'Desk', slug: `desk-${gateway.port}` })
    await post('/auth/organization/set-active', { organizationId: id })
    const { received } = await call('/api/orders', { cookie })
    expect(received && factsOf(received)).toMatchObject({ 'x-auth-org': id, 'x-auth-role': 'owner' })
  })

  test('a bearer token works too, and a bad one does not', async () => {
    const bearer = (token: string) => call('/api/orders', { headers: { authorization: `Bearer ${token}` } })
    expect((await bearer(adaToken)).received).toBeDefined()
    const refused = await bearer(`${adaToken}x`)
    expect([refused.status, refused.headers.get('www-authenticate'), refused.received]).toEqual([
      401,
      'Bearer error="invalid_token"',
      undefined,
    ])
  })

  test('the pages and routes of Floorpass answer through the gateway', async () => {
    const session = await fetch(`${gateway.url}/auth/get-session`, { headers: { cookie: ada.cookie } })
    expect(JSON.stringify(await session.json())).toContain(ada.email)
    expect((await call('/login')).status).toBe(200)
    for (const path of ['/_verify/', '/_verify/acr=aal1', '/_sign_in/']) expect((await call(path)).status).toBe(404)
  })

  test('a withdrawal needs a recent second factor (RFC 9470), and waits for the hold of a new one', async () => {
    const person = await signedIn()
    const weak = await call('/api/withdrawals', { method: 'POST', cookie: person.cookie })
    expect([weak.status, weak.headers.get('www-authenticate'), weak.received]).toEqual([
      401,
      'Bearer error="insufficient_user_authentication", acr_values="aal2", max_age="300"',
      undefined,
    ])
    const tab = createBrowser({ fetch: (sent: Request) => fetch(sent) }, target.origin)
    for (const pair of person.cookie.split('; ')) tab.cookies.set(pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1))
    const { authenticator } = await switchOnTwoFactor(tab, person.password)
    expect((await tab.post('/auth/reauthenticate', { code: authenticator.code(1) })).status).toBe(200)
    const cookie = [...tab.cookies].map((pair) => pair.join('=')).join('; ')
    const held = await call('/api/withdrawals', { method: 'POST', cookie })
    expect([held.status, held.received]).toEqual([403, undefined])
    const strong = await call('/api/orders', { cookie })
    expect(strong.received && factsOf(strong.received)).toMatchObject({
      'x-auth-acr': 'aal2',
      'x-auth-hold': expect.stringMatching(/^\d{10}$/),
    })
  })

  test.each([
    ['as Floorpass writes them', facts.map((fact) => `x-auth-${fact}: forged`)],
    ['in upper case', facts.map((fact) => `X-AUTH-${fact.toUpperCase()}: forged`)],
    ['with underscores everywhere', facts.map((fact) => `X_AUTH_${fact.toUpperCase()}: forged`)],
    ['twice', ['X-Auth-User: forged', 'X-Auth-User: forged', 'X-Auth-Role: forged', 'x-auth-role: forged']],
    ['with underscores', ['x_auth_user: forged', 'X_Auth_Org: forged', 'X-Auth_Role: forged', 'X_AUTH-HOLD: forged']],
    ['folded over two lines', ['X-Pad: a', ' x-auth-org: forged', 'X-Auth-Org:', '\tforged']],
    ['with a space before the colon', ['X-Auth-Org : forged']],
    ['as a hop-by-hop header', ['X-Auth-Org: forged', 'Connection: x-auth-org, x-auth-hold', 'X-Auth-Hold: forged']],
    ['as a trailer of the body', ['Transfer-Encoding: chunked', 'Trailer: X-Auth-Org', '', '0', 'X-Auth-Org: forged']],
  ])('forged x-auth headers %s never reach the backend', async (_, forged) => {
    for (const path of ['/api/orders', '/app/orders'])
      for (const cookie of [[`Cookie: ${ada.cookie}`], []]) {
        const { received, status } = await raw(`POST ${path}`, ...cookie, ...forged)
        if (cookie.length === 0) expect([status >= 300, received]).toEqual([true, undefined])
        expect(JSON.stringify(received?.headers.filter(([name]) => nameOf(name).startsWith('x-auth')) ?? [])).not.toContain(
          'forged',
        )
      }
  })

  test('a caller cannot remove a header of Floorpass by naming it in Connection', async () => {
    const connection = 'Connection: close, x-auth-user, x-auth-scopes, x-auth-acr'
    const { received } = await raw('GET /api/orders', `Cookie: ${ada.cookie}`, connection)
    expect(received ? Object.keys(factsOf(received)) : ['x-auth-acr']).toContain('x-auth-acr')
  })

  const odd = [
    ...['/api//withdrawals', '//api/withdrawals', '/api/./withdrawals', '/api/x/../withdrawals', '/api/..;/api/withdrawals'],
    ...[
      '/api/x/..;/withdrawals',
      '/api/withdrawals;a=b',
      '/api/;/withdrawals',
      '/api/%2e/withdrawals',
      '/api/x/%2e%2e/withdrawals',
    ],
    ...[
      '/api/x/%2E%2e/withdrawals',
      '/api%2fwithdrawals',
      '/api/x%2f..%2fwithdrawals',
      '/api/x%5c..%5cwithdrawals',
      '/api/withdrawals%00',
    ],
    ...[
      '/api/%00/withdrawals',
      '/api\\withdrawals',
      '/login/../api/withdrawals',
      '/auth/..%2fapi/withdrawals',
      '/auth/..;/api/withdrawals',
    ],
    ...[
      '/Api/withdrawals',
      '/api/Withdrawals',
      '/api/WITHDRAWALS',
      '/api/%77ithdrawals',
      '/%61pi/withdrawals',
      '/api/withdrawals/',
    ],
    ...[
      '/api/withdrawals?x=1',
      '/api/withdrawals?',
      '/api/withdrawals#x',
      '/api/withdrawals%20',
      '/api/withdrawals.json',
      '/x?/../api/withdrawals',
    ],
    ...['/api/x/%252e%252e/withdrawals', '/api/withdrawals%3fx', '/api/withdrawals%23', '/_verify', '/api/%ff/../withdrawals'],
  ]
  test.each(odd)('%s serves no one who may not withdraw', async (path) => {
    for (const form of [path, `http://localhost:${gateway.port}${path}`]) {
      const anonymous = await raw(`POST ${form}`, 'Content-Length: 0')
      expect([anonymous.received, anonymous.status >= 300]).toEqual([undefined, true])
      const weak = await raw(`POST ${form}`, 'Content-Length: 0', `Cookie: ${ada.cookie}`)
      // The double encoding is one path segment for every backend that decodes once.
      if (!path.includes('%25')) expect(weak.received).toBeUndefined()
    }
  })

  test.each([7_000, 20_000, 100_000])('a Cookie header of %i bytes opens nothing and breaks nothing', async (length) => {
    const pad = `pad=${'x'.repeat(length)}`
    const anonymous = await call('/api/orders', { cookie: pad }).catch(() => null)
    expect(anonymous?.received).toBeUndefined()
    expect(anonymous?.status ?? 400).toBeGreaterThanOrEqual(400)
    const withSession = await call('/api/orders', { cookie: `${pad}; ${ada.cookie}` }).catch(() => null)
    if (length < 8_000) expect(withSession?.status).toBe(200)
    else expect([withSession?.received, (withSession?.status ?? 400) >= 400]).toEqual([undefined, true])
    expect((await call('/api/orders', { cookie: ada.cookie })).status).toBe(200)
  })

  test('a revoked session is refused at once while 64 clients call', async () => {
    const person = await signedIn()
    const calls: { began: number; status: number }[] = []
    let isOver = false
    const client = async () => {
      while (!isOver) {
        const began = performance.now()
        const response = await fetch(`${gateway.url}/api/orders`, { headers: { cookie: person.cookie } })
        await response.arrayBuffer()
        calls.push({ began, status: response.status })
      }
    }
    const clients = Array.from({ length: 64 }, client)
    await eventually(() => expect(calls.length).toBeGreaterThan(200))
    const signOut = await fetch(`${target.url}/auth/sign-out`, {
      method: 'POST',
      headers: { cookie: person.cookie, origin: target.origin },
    })
    const revoked = performance.now()
    expect(signOut.status).toBe(200)
    const later = () => calls.filter(({ began }) => began > revoked)
    await eventually(() => expect(later().length).toBeGreaterThan(200))
    isOver = true
    await Promise.all(clients)
    expect(calls.filter(({ status }) => status === 200).length).toBeGreaterThan(100)
    expect(later().filter(({ status }) => status !== 401)).toEqual([])
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'without the database, the gateway lets no one through until it is back',
    async () => {
      const back = await database.hide?.()
      const away = await call('/api/orders', { cookie: ada.cookie })
      expect([away.status, away.received]).toEqual([503, undefined])
      expect((await call('/app/orders', { cookie: ada.cookie })).received).toBeUndefined()
      await back?.()
      await eventually(async () => expect((await call('/api/orders', { cookie: ada.cookie })).status).toBe(200))
    },
  )
})

test('without Floorpass, no gateway lets a call through', async () => {
  const running = await Promise.all(
    gateways
      .filter(([, isInstalled]) => isInstalled)
      .map(async ([, , start]) => start({ accounts: port, backend: backend.port })),
  )
  await service.end('SIGKILL')
  backend.received.length = 0
  for (const { url } of running)
    for (const path of ['/api/orders', '/app/orders', '/api/withdrawals']) {
      const { status } = await fetch(url + path, { headers: { cookie: ada.cookie }, redirect: 'manual' })
      expect([502, 503]).toContain(status)
    }
  expect(backend.received).toEqual([])
})
