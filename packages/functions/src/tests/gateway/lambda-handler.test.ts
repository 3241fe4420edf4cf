import { describe, expect, test } from 'vitest'
import type { Edge } from '../../edge.ts'
import { createLambdaHandler, type GatewayEvent, type GatewayEventV1, type GatewayEventV2 } from '../../gateway/lambda-handler.ts'
import { createTestApp } from '../../test-support/create-test-app.ts'

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

/** The URL that the edge is asked for. */
async function urlOf(event: GatewayEvent): Promise<string> {
  let asked = ''
  const edge: Edge = {
    fetch: async ({ url }) => {
      asked = url
      return new Response('{}')
    },
  }
  await createLambdaHandler(edge, base)(event)
  return asked
}

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
    'the path %j gives an answer of the edge, on its own host',
    async (path) => {
      const headers = { host: 'api.example.test' }
      expect(new URL(await urlOf(eventOf(headers, path))).host).toBe('api.example.test')
      const { statusCode, body } = await handle(eventOf(headers, path))
      expect([statusCode, JSON.parse(body)]).toEqual([404, { code: 'NOT_FOUND', message: 'There is nothing at this address' }])
    },
    10_000,
  )

  test.each(['?%', '?%ff=%00', '?a[b]=1&a[b]=2', `?${'a=1&'.repeat(5000)}`, '?\ud800', '?#'])(
    'the query %j does no harm',
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

  test('header names and values that HTTP does not carry are left out', async () => {
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

  test('several cookies leave by the way that the payload has for them', async () => {
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
      expect.stringMatching(/^floorpass_session=/),
      expect.stringMatching(/^floorpass_known_device=/),
    ])
    expect(headers).not.toHaveProperty('set-cookie')
  })
})
