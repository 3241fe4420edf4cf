import { createHmac, createPublicKey, KeyObject, randomUUID, sign as signBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@floorpass/db'
import { outboxOf, signedInPerson } from '@floorpass/reliability'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createBrowser } from '@floorpass/testing/browser'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { eventually } from '@floorpass/testing/eventually'
import { type RecipeProcess, recipes } from '@floorpass/testing/recipe-process'
import { freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { verifiers } from '@floorpass/testing/toy-backends'
import {
  base64url,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

const audience = 'https://api.example.com'
const dataDir = await temporaryFolder()
const database = await createTestDatabase()
afterAll(() => database.drop())
const port = await freePort()

/** Keys of the test, published beside those of the service. */
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
const { privateKey: foreignKey } = await generateKeyPair('ES256')
const rsa = await generateKeyPair('RS256')
const published: JWK[] = [
  { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' },
  { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
]

/** Stands between the verifiers and the service, and counts what they fetch. */
let fetches = 0
let keysAreAway = false
const front = createServer(async (request, response) => {
  if (request.url === '/auth/jwks') fetches += 1
  if (keysAreAway) return void response.writeHead(503).end('{}')
  const answer = await fetch(`http://127.0.0.1:${port}${request.url}`).catch(() => null)
  if (!answer?.ok) return void response.writeHead(502).end('{}')
  const { keys } = (await answer.json()) as { keys: JWK[] }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [...keys, ...published] }))
})
await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
closeAfterFile(async () => {
  front.close()
  front.closeAllConnections()
})
const issuer = `http://127.0.0.1:${(front.address() as AddressInfo).port}`

const launch = () =>
  startServer({
    ...(database.options.kind === 'postgres' && { DATABASE_URL: database.options.url }),
    PORT: String(port),
    BASE_URL: issuer,
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    TOKEN_AUDIENCES: `${audience},https://other.example.com`,
  })
let service = await launch()
const target = { url: service.url, origin: issuer }

const ada = await signedInPerson(target, outboxOf(dataDir))
const tokenOf = async (cookie: string, of = audience): Promise<string> => {
  const answer = await fetch(`${target.url}/auth/token?audience=${of}`, { headers: { cookie } })
  return ((await answer.json()) as { token: string }).token
}

const now = () => Math.floor(Date.now() / 1000)
const goodClaims = (): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: 'user-1',
  sid: 'session-1',
  iat: now(),
  nbf: now(),
  exp: now() + 60,
  auth_time: now(),
  acr: 'aal2',
  amr: ['pwd', 'otp', 'mfa'],
  scope: 'order:read order:place withdrawal:read withdrawal:create',
})
const sign = (claims: JWTPayload = {}, header: Record<string, unknown> = {}, key = privateKey) =>
  new SignJWT({ ...goodClaims(), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header } as never)
    .sign(key)
const without = (name: string) => sign({ [name]: undefined })
const encode = (part: unknown) => base64url.encode(typeof part === 'string' ? part : JSON.stringify(part))
const unsigned = (header: unknown, signature = '') => `${encode(header)}.${encode(goodClaims())}.${signature}`
const withHmac = (secret: string | Uint8Array) => {
  const content = unsigned({ alg: 'HS256', typ: 'at+jwt', kid: 'test' }).slice(0, -1)
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}
/** A good ES256 signature under a header that names another algorithm. */
const signAs = (alg: string) => {
  const content = unsigned({ alg, typ: 'at+jwt', kid: 'test' }).slice(0, -1)
  const key = { key: KeyObject.from(privateKey), dsaEncoding: 'ieee-p1363' } as const
  return `${content}.${signBytes('sha256', Buffer.from(content), key).toString('base64url')}`
}
const mapPart = async (part: 0 | 1 | 2, change: (text: string) => string) => {
  const parts = (await sign()).split('.')
  parts[part] = change(parts[part] ?? '')
  return parts.join('.')
}
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const jwk = published[0] as JWK
const spki = await exportSPKI(publicKey)
const der = createPublicKey(spki).export({ type: 'spki', format: 'der' })
const point = Buffer.concat([Buffer.from(jwk.x ?? '', 'base64url'), Buffer.from(jwk.y ?? '', 'base64url')])

const forgeries: [string, () => string | Promise<string>][] = [
  ['for another audience', () => sign({ aud: 'https://other.example.com' })],
  ['for another audience, from the service', () => tokenOf(ada.cookie, 'https://other.example.com')],
  ['for Floorpass itself', () => tokenOf(ada.cookie, issuer)],
  ['without an audience', () => without('aud')],
  ['from another issuer', () => sign({ iss: 'https://evil.example.com' })],
  ['from an issuer with a longer name', () => sign({ iss: `${issuer}/` })],
  ['without an issuer', () => without('iss')],
  ['of the type JWT', () => sign({}, { typ: 'JWT' })],
  ['of another type', () => sign({}, { typ: 'confirmation+jwt' })],
  ['without a type', () => sign({}, { typ: undefined })],
  ['that expired', () => sign({ exp: now() - 7 })],
  ['without an expiry', () => without('exp')],
  ['of tomorrow', () => sign({ nbf: now() + 86_400 })],
  ['of no one', () => without('sub')],
  ['without an authentication strength', () => without('acr')],
  ['without a time of authentication', () => without('auth_time')],
  ['signed by another key under a known id', () => sign({}, {}, foreignKey)],
  ['that brings its key', async () => sign({}, { jwk: await exportJWK(publicKey), kid: undefined }, foreignKey)],
  ['of an unknown key', () => sign({}, { kid: 'unknown' })],
  ['without a key id', () => sign({}, { kid: undefined })],
  ['with a list as key id', () => sign({}, { kid: ['test'] })],
  ['with a number as key id', () => sign({}, { kid: 1 })],
  ['with alg none', () => unsigned({ alg: 'none', typ: 'at+jwt', kid: 'test' })],
  ['with alg None and a signature', () => unsigned({ alg: 'None', typ: 'at+jwt', kid: 'test' }, 'AAAA')],
  ['with no alg', () => unsigned({ typ: 'at+jwt', kid: 'test' }, 'A'.repeat(86))],
  ['with HS256 and the public key as PEM', () => withHmac(spki)],
  ['with HS256 and the public key as DER', () => withHmac(der)],
  ['with HS256 and the public key as JWK', () => withHmac(JSON.stringify(jwk))],
  ['with HS256 and the point of the public key', () => withHmac(point)],
  ['with RS256 by a published key', () => sign({}, { alg: 'RS256', kid: 'rsa' }, rsa.privateKey)],
  ['with a good signature that is called ES384', () => signAs('ES384')],
  ['with a good signature that is called none', () => signAs('none')],
  ['with ES384 in the header', () => mapPart(0, () => encode({ alg: 'ES384', typ: 'at+jwt', kid: 'test' }))],
  ['with changed claims', () => mapPart(1, () => encode({ ...goodClaims(), sub: 'user-2' }))],
  ['with an empty signature', () => mapPart(2, () => '')],
  ['with half a signature', () => mapPart(2, (text) => text.slice(0, 43))],
  ['with a signature of zeros', () => mapPart(2, () => 'A'.repeat(86))],
  ['with a longer signature', () => mapPart(2, (text) => `${text}AAAA`)],
  ['with a deeply nested header', () => unsigned(`{"kid":${nested(5_000)}}`, 'AAAA')],
  ['with a header that is a list', () => unsigned([], 'AAAA')],
  ['with a header that is null', () => unsigned('null', 'AAAA')],
  ['with a header that is no JSON', () => unsigned('{', 'AAAA')],
  ['with bytes that are no UTF-8', () => `${base64url.encode(Buffer.from([0xff, 0xfe, 0x00]))}.AAAA.AAAA`],
  ['with four parts', async () => `${await sign()}.AAAA`],
  ['with two parts', async () => (await sign()).split('.').slice(0, 2).join('.')],
  ['with no part', () => '..'],
  ['that is a word', () => 'token'],
]

const installed = Object.entries(verifiers).filter(([, { isInstalled }]) => isInstalled())
const running = new Map<string, RecipeProcess>()
beforeAll(async () => {
  for (const [name, { start }] of installed) running.set(name, await start({ ACCOUNTS_URL: issuer, AUDIENCE: audience }))
})

type Reply = { status: number; challenge: string | null; body: Record<string, unknown> }
const callOf =
  (name: string) =>
  async (token: string | null, path = 'GET /orders'): Promise<Reply> => {
    const [method = '', pathname = ''] = path.split(' ')
    const response = await fetch(`${running.get(name)?.url}${pathname}`, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }) },
    })
    const body = (await response.json()) as Record<string, unknown>
    return { status: response.status, challenge: response.headers.get('www-authenticate'), body }
  }

const stepUp = (wanted: string) => ({
  status: 401,
  challenge: `Bearer error="insufficient_user_authentication", ${wanted}`,
  body: { code: 'INSUFFICIENT_USER_AUTHENTICATION' },
})

describe.each(installed.map(([name]) => name))('%s', (name) => {
  const call = callOf(name)

  test('without keys, no token is believed, and the answer does not blame the token', async () => {
    keysAreAway = true
    const { status } = await call(await sign())
    keysAreAway = false
    expect(status).toBe(503)
    await eventually(async () => expect((await call(await sign())).status).toBe(200))
  })

  test('an anonymous call gets 401 and a challenge', async () => {
    expect(await call(null)).toEqual({ status: 401, challenge: 'Bearer', body: { code: 'UNAUTHORIZED' } })
  })

  test('a token of the service is believed', async () => {
    const { status, body } = await call(await tokenOf(ada.cookie))
    expect([status, body]).toEqual([200, { user: decodeJwt(await tokenOf(ada.cookie)).sub, org: null, role: null }])
    const member = await call(await sign({ org: 'desk', role: 'admin' }))
    expect(member.body).toEqual({ user: 'user-1', org: 'desk', role: 'admin' })
  })

  test('a clock may differ by a few seconds', async () => {
    expect((await call(await sign({ exp: now() - 2 }))).status).toBe(200)
    expect((await call(await sign({ nbf: now() + 2 }))).status).toBe(200)
  })

  test.each(forgeries)('a token %s is refused', async (_, forge) => {
    expect(await call(await forge())).toEqual({
      status: 401,
      challenge: 'Bearer error="invalid_token"',
      body: { code: 'UNAUTHORIZED' },
    })
  })

  test('a withdrawal needs a recent second factor (RFC 9470)', async () => {
    const withdraw = async (token: string) => call(token, 'POST /withdrawals')
    const refusal = stepUp('acr_values="aal2", max_age="300"')
    expect(await withdraw(await tokenOf(ada.cookie))).toEqual(refusal)
    expect(await withdraw(await sign({ acr: 'aal1' }))).toEqual(refusal)
    expect(await withdraw(await sign({ auth_time: now() - 302 }))).toEqual(refusal)
    for (const name of ['acr', 'auth_time']) expect((await withdraw(await without(name))).status).toBe(401)
    expect((await withdraw(await sign({ auth_time: now() - 290 }))).status).toBe(200)
  })

  test('a route that requires only a second factor asks for no age', async () => {
    const read = async (claims: JWTPayload) => call(await sign(claims), 'GET /withdrawals')
    expect(await read({ acr: 'aal1' })).toEqual(stepUp('acr_values="aal2"'))
    expect((await read({ auth_time: now() - 1_000_000 })).status).toBe(200)
  })

  test('a route that requires only a recent proof asks for it at the strength of the token', async () => {
    const order = async (claims: JWTPayload) => call(await sign(claims), 'POST /orders')
    for (const acr of ['aal1', 'aal2'])
      expect(await order({ acr, auth_time: now() - 3610 })).toEqual(stepUp(`acr_values="${acr}", max_age="3600"`))
    expect((await order({ acr: 'aal1', auth_time: now() - 3590 })).status).toBe(200)
  })

  test('a proof more than a minute in the future is not recent', async () => {
    const order = async (ahead: number) => call(await sign({ auth_time: now() + ahead }), 'POST /orders')
    expect(await order(70)).toEqual(stepUp('acr_values="aal2", max_age="3600"'))
    expect((await order(50)).status).toBe(200)
  })

  test('a scope that the token lacks is 403', async () => {
    for (const scope of ['account:read', 'order:reader xorder:read', ''])
      expect(await call(await sign({ scope }))).toEqual({
        status: 403,
        challenge: 'Bearer error="insufficient_scope", scope="order:read"',
        body: { code: 'INSUFFICIENT_SCOPE' },
      })
  })

  test('500 tokens of unknown keys fetch the key set at most once', async () => {
    const before = fetches
    const tokens = await Promise.all(Array.from({ length: 500 }, () => sign({}, { kid: randomUUID() })))
    const answers: number[] = []
    const client = async () => {
      for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) answers.push((await call(token)).status)
    }
    await Promise.all([...Array.from({ length: 16 }, client), expect(call(await sign())).resolves.toMatchObject({ status: 200 })])
    expect([answers.length, new Set(answers)]).toEqual([500, new Set([401])])
    expect(fetches - before).toBeLessThanOrEqual(1)
  })
})

test.each(installed)('%s does not start without an audience', async (_, { start }) => {
  await expect(start({ ACCOUNTS_URL: issuer, AUDIENCE: '' })).rejects.toThrow('Set ACCOUNTS_URL and AUDIENCE.')
})

const statuses = async (token: string, path?: string) =>
  Object.fromEntries(await Promise.all(installed.map(async ([name]) => [name, (await callOf(name)(token, path)).status])))
const all = (status: number) => Object.fromEntries(installed.map(([name]) => [name, status]))

test('a second factor at Floorpass opens the list of withdrawals, and its hold keeps a withdrawal closed', async () => {
  const person = await signedInPerson(target, outboxOf(dataDir))
  const tab = createBrowser({ fetch: (sent: Request) => fetch(sent) }, target.url, { origin: issuer })
  for (const pair of person.cookie.split('; ')) tab.cookies.set(pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1))
  const { authenticator } = await switchOnTwoFactor(tab, person.password)
  expect((await tab.post('/auth/reauthenticate', { code: authenticator.code(1) })).status).toBe(200)
  const token = await tokenOf([...tab.cookies].map((pair) => pair.join('=')).join('; '))
  expect(await statuses(token, 'GET /withdrawals')).toEqual(all(200))
  expect(await statuses(token, 'POST /withdrawals')).toEqual(all(403))
})

test('a page calls with a token, keeps it, and leads the person to the page that the backend asks for', async () => {
  const requests: string[] = []
  const places: string[] = []
  const realFetch = globalThis.fetch
  const asBrowser: typeof fetch = (input, { credentials, ...init } = {}) => {
    requests.push(String(input))
    const isSignedIn = credentials === 'include' && !places.includes('signed out')
    return realFetch(input, {
      ...init,
      headers: new Headers([...new Headers(init.headers), ...(isSignedIn ? [['cookie', ada.cookie] as [string, string]] : [])]),
    })
  }
  vi.stubGlobal('fetch', asBrowser)
  vi.stubGlobal('location', { href: 'https://app.example.com/orders?id=1', assign: (place: string) => places.push(place) })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { createCaller } = await import(`${recipes}front-end.mjs`)
  const callBackend = createCaller({ accounts: target.url, audience })
  const backend = running.get('Node with jose')?.url
  expect((await callBackend(`${backend}/orders`)).status).toBe(200)
  expect((await callBackend(`${backend}/orders`)).status).toBe(200)
  expect(requests.filter((url) => url.includes('/auth/token'))).toHaveLength(1)
  expect((await callBackend(`${backend}/withdrawals`, { method: 'POST' })).status).toBe(401)
  const { pathname, searchParams } = new URL(places[0] ?? '')
  expect([pathname, Object.fromEntries(searchParams)]).toEqual([
    '/reauthenticate',
    { acr: 'aal2', max_age: '300', redirectTo: 'https://app.example.com/orders?id=1' },
  ])
  places.push('signed out')
  await expect(callBackend(`${backend}/orders`)).rejects.toThrow('no access token: 401')
  expect(places.at(-1)).toBe(`${target.url}/login?redirectTo=https%3A%2F%2Fapp.example.com%2Forders%3Fid%3D1`)
})

test.each([
  ['acr_values="aal2"', { acr: 'aal2' }],
  ['max_age="300"', { max_age: '300' }],
  ['acr_values="", max_age=""', {}],
])('a page asks for what the challenge requires and for nothing else: %s', async (wanted, expected) => {
  const places: string[] = []
  const answerAsBackend: typeof fetch = async (input) =>
    String(input).includes('/auth/token')
      ? Response.json({ token: 'token', expiresIn: 120 })
      : new Response(null, { status: 401, headers: { 'www-authenticate': stepUp(wanted).challenge } })
  vi.stubGlobal('fetch', answerAsBackend)
  vi.stubGlobal('location', { href: 'https://app.example.com/', assign: (place: string) => places.push(place) })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { createCaller } = await import(`${recipes}front-end.mjs`)
  await createCaller({ accounts: issuer, audience })('https://api.example.com/orders')
  const { pathname, searchParams } = new URL(places[0] ?? '')
  expect([pathname, Object.fromEntries(searchParams)]).toEqual([
    '/reauthenticate',
    { ...expected, redirectTo: 'https://app.example.com/' },
  ])
})

test('no verifier refuses a token while the keys rotate', async () => {
  const first = await tokenOf(ada.cookie)
  expect(await statuses(first)).toEqual(all(200))
  const held = [first]
  const signers = () => new Set(held.map((token) => decodeProtectedHeader(token).kid))
  const before = fetches
  const refused: string[] = []
  let calls = 0
  let isOver = false
  const traffic = installed.map(async ([name]) => {
    while (!isOver) {
      for (const token of held) {
        const { status } = await callOf(name)(token)
        calls += 1
        if (status !== 200) refused.push(`${name}: ${status}`)
      }
      await delay(10)
    }
  })
  // The standby key that the verifiers already know signs from now on.
  await service.end('SIGTERM')
  const { db, close } = await openDatabase(
    database.options.kind === 'postgres' ? database.options : { kind: 'embedded', directory: `${dataDir}/database` },
  )
  const moved = await db.signingKey.updateMany({ where: { signsFrom: { gt: new Date() } }, data: { signsFrom: new Date() } })
  await close()
  service = await launch()
  held.push(await tokenOf(ada.cookie))
  const callsBefore = calls
  await eventually(() => expect(calls).toBeGreaterThan(callsBefore + 4 * installed.length))
  isOver = true
  await Promise.all(traffic)
  expect([moved.count, signers().size, refused]).toEqual([1, 2, []])
  expect(calls).toBeGreaterThan(20)
  expect(fetches).toBe(before)
})

test('without Floorpass, held tokens are believed until they expire, at most two minutes', async () => {
  const token = await tokenOf(ada.cookie)
  const { iat = 0, exp = 0 } = decodeJwt(token)
  expect(await statuses(token)).toEqual(all(200))
  await service.end('SIGKILL')
  expect(await statuses(token)).toEqual(all(200))
  expect(exp - iat).toBeLessThanOrEqual(120)
  service = await launch()
})

// Waits for the cooldown, and needs no database.
test.runIf(testDatabase.kind === 'embedded')(
  'a key that appears without notice is found after the cooldown, with one fetch for each verifier',
  async () => {
    published.push({ ...(await exportJWK(publicKey)), kid: 'new', alg: 'ES256', use: 'sig' })
    const before = fetches
    await eventually(async () => expect(await statuses(await sign({}, { kid: 'new' }))).toEqual(all(200)), 40_000)
    expect(fetches - before).toBe(installed.length)
  },
)
