import { createBrowser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'
import type { Pages } from '../../edge.ts'
import { createEdge } from '../../edge.ts'

const app = await createTestApp()
const secure = await createTestApp({ BASE_URL: 'https://localhost:3000' })

const requestSamples: [method: string, path: string, body?: unknown][] = [
  ['GET', '/auth/get-session'],
  ['POST', '/auth/sign-out', {}],
  ['POST', '/auth/sign-in/email', '{'],
  ['POST', '/auth/update-user', {}],
  ['GET', '/auth/unknown'],
  ['DELETE', '/auth/sign-out'],
  ['OPTIONS', '/auth/sign-out'],
  ['HEAD', '/auth/get-session'],
  ['GET', '/trpc/sessions.get'],
  ['GET', '/trpc/unknown'],
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/unknown'],
]

describe('T147, T149: a data answer', () => {
  test.each(requestSamples)('to %s %s has every security header', async (method, path, body) => {
    const { headers } = await app.browser().request(method, path, { body })
    const found = Object.fromEntries(headers)
    expect(found).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringMatching(/camera=\(\).*geolocation=\(\).*microphone=\(\)/),
      'referrer-policy': 'strict-origin-when-cross-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    if (method !== 'OPTIONS') expect(found['content-type']).toBe('application/json; charset=utf-8')
  })

  test('has a unique request id that its log line has too', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await app.browser().get('/healthz')).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(app.logs.filter(({ requestId, msg }) => requestId === id && msg === 'request')).toHaveLength(1)
  })

  test('never takes its request id from the caller', async () => {
    const { headers } = await app
      .browser()
      .get('/healthz', { headers: { 'x-request-id': 'forged', 'x-correlation-id': 'forged' } })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  })
})

describe('T146: HSTS', () => {
  test.each(requestSamples)(
    'lasts at least a year with sub-domains on https, and is absent on http: %s %s',
    async (method, path, body) => {
      const [, seconds = ''] =
        /^max-age=(\d+); includeSubDomains$/.exec(
          (await secure.browser().request(method, path, { body })).headers.get('strict-transport-security') ?? '',
        ) ?? []
      expect(Number(seconds)).toBeGreaterThanOrEqual(365 * 24 * 3600)
      expect((await app.browser().request(method, path, { body })).headers.get('strict-transport-security')).toBeNull()
    },
  )

  test('ignores forwarding headers', async () => {
    const { headers } = await app
      .browser()
      .get('/healthz', { headers: { 'x-forwarded-proto': 'https', forwarded: 'proto=https' } })
    expect(headers.get('strict-transport-security')).toBeNull()
  })
})

describe('T145: a page', () => {
  const nonces: string[] = []
  const pages: Pages = async (_request, { cspNonce }) => {
    nonces.push(cspNonce)
    return new Response('<!doctype html>', {
      headers: { 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' },
    })
  }
  const tab = createBrowser(createEdge(app.service, pages), app.baseUrl)

  test('runs scripts only by nonce, and cannot be framed, rebased or submitted elsewhere', async () => {
    const policy = (await tab.get('/dashboard')).headers.get('content-security-policy') ?? ''
    const directives = new Map(policy.split('; ').map((directive) => [directive.split(' ')[0], directive]))
    expect(policy).not.toMatch(/unsafe-(inline|eval)|\*/)
    expect(directives.get('script-src')).toBe(`script-src 'self' 'nonce-${nonces.at(-1)}'`)
    for (const name of ['object-src', 'base-uri', 'frame-ancestors', 'default-src'])
      expect(directives.get(name)).toBe(`${name} 'none'`)
    expect(directives.get('form-action')).toBe("form-action 'self'")
  })

  test('gets a new nonce of 128 bits each time', async () => {
    nonces.length = 0
    for (let count = 0; count < 50; count += 1) await tab.get('/')
    expect(new Set(nonces).size).toBe(50)
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64')).toHaveLength(16)
  })

  test('is not stored, and keeps the headers that it sets', async () => {
    const { headers } = await tab.get('/verify-email')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('never answers for /auth, /trpc or the health checks', async () => {
    for (const path of ['/auth/unknown', '/trpc/unknown', '/healthz', '/readyz']) {
      expect((await tab.get(path)).headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('T53: accepts a POST only from its own origin', async () => {
    const answer = await tab.post('/login', 'email=a', {
      headers: { origin: 'https://evil.test', 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([answer.status, answer.code]).toEqual([403, 'INVALID_ORIGIN'])
  })
})
