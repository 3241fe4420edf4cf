import { createTestApp } from '@floorpass/testing/create-test-app'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Edge } from '../../edge.ts'
import type { GatewayEvent, GatewayEventV1, GatewayEventV2 } from '../../gateway/lambda-handler.ts'
import { createLambdaHandler } from '../../index.ts'

const app = await createTestApp()
const base = 'https://accounts.example.test'
const handle = createLambdaHandler(app.edge, base)

const v1 = (fields: Partial<GatewayEventV1> = {}): GatewayEventV1 => ({
  httpMethod: 'GET',
  path: '/auth/get-session',
  requestContext: { identity: { sourceIp: '203.0.113.7' } },
  ...fields,
})
const v2 = ({ method = 'GET', ...fields }: Partial<GatewayEventV2> & { method?: string } = {}): GatewayEventV2 => ({
  version: '2.0',
  rawPath: '/auth/get-session',
  rawQueryString: '',
  requestContext: { http: { method, sourceIp: '203.0.113.7' } },
  ...fields,
})

/** The request that the edge receives. */
async function seenBy(event: GatewayEvent): Promise<Request> {
  let asked = new Request(base)
  const edge: Edge = {
    fetch: async (request) => {
      asked = request
      return new Response('{}')
    },
  }
  await createLambdaHandler(edge, base)(event)
  return asked
}
const urlOf = async (event: GatewayEvent): Promise<string> => (await seenBy(event)).url

const strangeText = fc.oneof(
  fc.constantFrom(app.baseUrl, 'https', 'HTTP/1.1', 'POST', 'GET', 'application/json', '{}', 'e30=', '=', '\u20ac', 'a\r\nb'),
  fc.string({ unit: 'binary' }),
)
const strange = fc.oneof(
  strangeText,
  fc.constantFrom(null, undefined, 0, Number.POSITIVE_INFINITY, true, {}, [], { toString: 1 }),
  fc.anything(),
)
const strangeName = fc.oneof(
  fc.constantFrom(
    ...['origin', 'Origin', 'cookie', 'Cookie', 'host', 'content-length', 'content-type', 'transfer-encoding', 'x-forwarded-for'],
  ),
  fc.constantFrom('', '__proto__', 'constructor', 'x-forwarded-proto', 'accept-language', 'user-agent', 'traceparent', 'referer'),
  strangeText,
)
const strangeFields = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: fc.dictionary(strangeName, value) }, strange)
const several = fc.oneof(fc.array(strange, { maxLength: 4 }), strange)
const record = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model, { requiredKeys: [] })
const method = fc.oneof(fc.constantFrom('GET', 'POST', 'OPTIONS', 'HEAD'), strange)
const path = fc.oneof(
  fc.constantFrom('/auth/sign-in/email', '/trpc/sessions.get', '/auth/get-session', '/metrics', '/prod/x'),
  strange,
)
const body = { body: strange, isBase64Encoded: fc.oneof(fc.boolean(), strange) }
const arbitraryV1 = record({
  httpMethod: method,
  path,
  headers: strangeFields(strange),
  multiValueHeaders: strangeFields(several),
  queryStringParameters: strangeFields(strange),
  multiValueQueryStringParameters: strangeFields(several),
  ...body,
  requestContext: fc.oneof(
    {
      weight: 4,
      arbitrary: record({
        domainName: strange,
        stage: strange,
        path,
        identity: fc.oneof(record({ sourceIp: strange }), strange),
      }),
    },
    strange,
  ),
})
const arbitraryV2 = fc
  .record({
    rest: record({
      rawQueryString: strange,
      cookies: several,
      headers: strangeFields(strange),
      ...body,
      requestContext: fc.oneof(
        {
          weight: 4,
          arbitrary: record({
            domainName: strange,
            stage: strange,
            http: fc.oneof(record({ method, sourceIp: strange }), strange),
          }),
        },
        strange,
      ),
    }),
    rawPath: path,
  })
  .map(({ rest, rawPath }) => ({ ...rest, rawPath }))

const protocols: [string | undefined, 'http' | 'https'][] = [
  ['https', 'https'],
  ['http', 'http'],
  ['HTTP/1.1', 'https'],
  ['HTTP/2.0', 'https'],
  ['https,http', 'https'],
  ['http, https', 'http'],
  ['HTTP', 'http'],
  ['', 'https'],
  ['javascript', 'https'],
  ['://', 'https'],
  ['x'.repeat(4096), 'https'],
  [undefined, 'https'],
]
const hosts: [string | undefined, string][] = [
  ['api.example.test', 'api.example.test'],
  ['api.example.test:8443', 'api.example.test:8443'],
  ['[::1]:3000', '[::1]:3000'],
  ...[
    '',
    ' ',
    'a b',
    'evil.test/x',
    'user@evil.test',
    '[::1',
    'evil.test:99999',
    'evil.test\\x',
    'evil.test#',
    '%00',
    'a'.repeat(5000),
    'm\u00fcnchen.test',
    undefined,
  ].map((host): [string | undefined, string] => [host, 'accounts.example.test']),
]
const paths = [
  '',
  '/',
  '//evil.test/x',
  '/\\evil.test',
  'http://evil.test/',
  '/%',
  '/%00',
  '/%ff%fe',
  '/auth/../../etc/passwd',
  '/\u0000\r\nx: y',
  '/\ud800',
  `/${'a'.repeat(20_000)}`,
  '/__proto__/constructor',
]

test.each<[string, Partial<GatewayEventV1>, string]>([
  ['several values', { multiValueQueryStringParameters: { a: ['1', 'x y'], b: ['&'] } }, '?a=1&a=x+y&b=%26'],
  ['one value', { queryStringParameters: { a: 'x y' } }, '?a=x+y'],
])('the parameters of payload 1.0 with %s become the query', async (_, fields, query) => {
  expect(new URL(await urlOf(v1(fields))).search).toBe(query)
})

describe.each([
  ['1.0', (headers: Record<string, string>, path = '/auth/get-session', query = '') => v1({ headers, path: path + query })],
  [
    '2.0',
    (headers: Record<string, string>, path = '/auth/get-session', query = '') =>
      v2({ headers, rawPath: path, rawQueryString: query.slice(1) }),
  ],
] as const)('behind API Gateway, payload %s', (_, eventOf) => {
  test.each(protocols)('T67: the forwarded protocol %j means %s', async (protocol, scheme) => {
    const headers = { host: 'api.example.test', ...(protocol !== undefined && { 'x-forwarded-proto': protocol }) }
    expect(await urlOf(eventOf(headers))).toBe(`${scheme}://api.example.test/auth/get-session`)
    expect((await handle(eventOf(headers))).statusCode).toBe(200)
  })

  test.each(hosts)('the host %j is read as %s', async (host, expected) => {
    const headers = host === undefined ? {} : { host }
    const url = new URL(await urlOf(eventOf(headers as Record<string, string>)))
    expect(url.host).toBe(expected)
    expect((await handle(eventOf(headers as Record<string, string>))).statusCode).toBe(200)
  })

  test.each(paths)(
    'the path %j gets an answer of the edge, for its own host',
    async (path) => {
      const headers = { host: 'api.example.test' }
      expect(new URL(await urlOf(eventOf(headers, path))).host).toBe('api.example.test')
      const { statusCode, body } = await handle(eventOf(headers, path))
      expect([statusCode, JSON.parse(body)]).toEqual([404, { code: 'NOT_FOUND', message: 'There is nothing at this address' }])
    },
    10_000,
  )

  test.each(['?%', '?%ff=%00', '?a[b]=1&a[b]=2', `?${'a=1&'.repeat(5000)}`, '?\ud800', '?#'])(
    'the query %j causes no error',
    async (query) => {
      expect((await handle(eventOf({ host: 'api.example.test' }, '/auth/get-session', query))).statusCode).toBeOneOf([200, 404])
    },
  )

  test.each(['TRACE', 'CONNECT', 'track', '', 'GET /', 'X'.repeat(100)])('the method %j is refused', async (method) => {
    const event = eventOf({ host: 'api.example.test', origin: app.baseUrl })
    const asked =
      'rawPath' in event ? v2({ ...event, method, requestContext: { http: { method } } }) : { ...event, httpMethod: method }
    expect((await handle(asked)).statusCode).toBeOneOf([403, 405])
  })

  test('drops header names and values that HTTP does not allow', async () => {
    const headers = {
      'bad name': 'x',
      '': 'x',
      good: 'a\r\nb',
      also: '\u20ac',
      'x-forwarded-for': '\u0000',
      host: 'api.example.test',
    }
    expect((await handle(eventOf(headers))).statusCode).toBe(200)
  })

  test('returns several cookies in the form of each payload version', async () => {
    const { email, password } = await app.verified()
    const event = eventOf({ 'content-type': 'application/json', origin: app.baseUrl }, '/auth/sign-in/email')
    const body = JSON.stringify({ email, password })
    const asked =
      'rawPath' in event
        ? v2({ ...event, body, requestContext: { http: { method: 'POST' } } })
        : { ...event, body, httpMethod: 'POST' }
    const { statusCode, cookies, multiValueHeaders, headers } = await handle(asked)
    expect(statusCode).toBe(200)
    expect(cookies ?? multiValueHeaders?.['set-cookie']).toEqual([
      expect.stringMatching(/^local-floorpass_session=/),
      expect.stringMatching(/^floorpass_known_device=/),
      expect.stringMatching(/^floorpass_sign_in_method=/),
    ])
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test.each(['a=\u20ac', 'a=b\r\nx-evil: 1', 'a=\u0000'])('drops the whole cookie %j', async (bad) => {
    const event = eventOf({ host: 'api.example.test' })
    const cookies = ['local-floorpass_session=x', bad]
    const asked = 'rawPath' in event ? { ...event, cookies } : { ...event, headers: { cookie: cookies.join('; ') } }
    expect((await seenBy(asked)).headers.has('cookie')).toBe(false)
    expect((await handle(asked)).statusCode).toBe(200)
  })

  test('answers every event, whatever fields it has or lacks', async () => {
    const isV2 = 'rawPath' in eventOf({})
    await fc.assert(
      fc.asyncProperty(isV2 ? arbitraryV2 : arbitraryV1, async (event) => {
        const { statusCode, body } = await handle(event as unknown as GatewayEvent)
        expect(statusCode).toBeLessThan(500)
        expect(typeof body).toBe('string')
      }),
      { numRuns: 500 },
    )
  })
})

test('answers a value that is no event', async () => {
  for (const nothing of [null, undefined, 'text', 7, true, [], {}])
    expect([nothing, (await handle(nothing as unknown as GatewayEvent)).statusCode]).toEqual([nothing, 404])
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (event) => {
      expect((await handle(event as GatewayEvent)).statusCode).toBeLessThan(500)
    }),
    { numRuns: 300 },
  )
})

describe('repeated headers and headers in mixed case', () => {
  const origins = ['https://one.example.test', 'https://two.example.test']
  const post = { httpMethod: 'POST', path: '/auth/sign-out' }

  test('T61: refuses two Origin headers in any case, as over HTTP', async () => {
    for (const fields of [
      { multiValueHeaders: { origin: [app.baseUrl, app.baseUrl] }, headers: { origin: app.baseUrl } },
      { multiValueHeaders: { origin: [app.baseUrl], Origin: [app.baseUrl] } },
      { headers: { origin: app.baseUrl, ORIGIN: app.baseUrl } },
    ])
      expect((await handle(v1({ ...post, ...fields }))).statusCode).toBe(403)
    const twice = { origin: app.baseUrl, ORIGIN: app.baseUrl }
    expect((await handle(v2({ method: 'POST', rawPath: '/auth/sign-out', headers: twice }))).statusCode).toBe(403)
    expect((await handle(v1({ ...post, headers: { Origin: app.baseUrl } }))).statusCode).toBe(200)
  })

  test('drops every value of a header when one value is invalid, in any list and case', async () => {
    for (const event of [
      v1({ multiValueHeaders: { origin: [origins[0] ?? '', 'a\r\nb'] }, headers: { origin: origins[0] } }),
      v1({ multiValueHeaders: { origin: ['\u20ac'] }, headers: { Origin: origins[0] } }),
      v1({ multiValueHeaders: { Origin: origins, origin: ['\u0000'] } }),
      v2({ headers: { Origin: origins[0], origin: '\u20ac' } }),
    ]) {
      const { headers } = await seenBy(event)
      expect(headers.get('origin')).toBeNull()
    }
  })
})

describe('a deployment stage', () => {
  // Events as AWS documents them: of an HTTP API, of a REST API, and of an HTTP API with payload 1.0.
  const httpApi = (stage: string, rawPath: string, domainName = 'a1b2c3.execute-api.eu-west-1.amazonaws.com') => ({
    ...v2({ rawPath, headers: { host: domainName, 'x-forwarded-proto': 'https' } }),
    routeKey: 'ANY /{proxy+}',
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3',
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: { method: 'GET', path: rawPath, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'curl/8' },
      requestId: 'id',
      routeKey: 'ANY /{proxy+}',
      stage,
      time: '22/Nov/2026:03:00:00 +0000',
      timeEpoch: 1795316400000,
    },
  })
  const payload1 = (stage: string, path: string, contextPath: string) => ({
    ...v1({ path }),
    resource: '/{proxy+}',
    pathParameters: { proxy: path.slice(1) },
    requestContext: {
      accountId: '123456789012',
      domainName: 'a1b2c3.execute-api.eu-west-1.amazonaws.com',
      httpMethod: 'GET',
      identity: { sourceIp: '203.0.113.7' },
      path: contextPath,
      protocol: 'HTTP/1.1',
      resourcePath: '/{proxy+}',
      stage,
    },
  })
  const own = '/auth/get-session'

  test.each<[what: string, GatewayEvent, path: string]>([
    ['keeps the path of the default stage', httpApi('$default', own), own],
    ['removes a named stage from the path', httpApi('prod', `/prod${own}`), own],
    ['turns the root of a named stage into /', httpApi('prod', '/prod'), '/'],
    ['keeps a path that only starts like the stage', httpApi('prod', '/production/x'), '/production/x'],
    ['removes a named stage under a custom domain', httpApi('prod', `/prod${own}`, 'accounts.example.test'), own],
    ['removes a named stage only once', httpApi('auth', '/auth/auth/get-session'), own],
    ['keeps the path of a REST API', payload1('prod', own, `/prod${own}`), own],
    ['keeps the path of a REST API whose stage is named like it', payload1('auth', own, `/auth${own}`), own],
    ['keeps the path of a REST API under a custom domain', payload1('prod', own, own), own],
    ['removes a named stage of an HTTP API with payload 1.0', payload1('prod', `/prod${own}`, `/prod${own}`), own],
    ['keeps the path without a stage', v1(), own],
  ])('%s', async (_, event, path) => {
    expect(new URL((await seenBy(event)).url).pathname).toBe(path)
  })

  test('keeps the base path of a domain mapping, which matches no route', async () => {
    const event = payload1('prod', `/accounts${own}`, `/accounts${own}`)
    expect((await handle(event)).statusCode).toBe(404)
  })
})
