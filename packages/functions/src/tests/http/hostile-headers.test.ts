import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const evil = 'evil.test'

const hostile: Record<string, string>[] = [
  { host: evil },
  { host: '' },
  { host: 'a b' },
  { host: '[::1' },
  { host: `${'a'.repeat(4000)}.test` },
  { 'x-forwarded-host': evil },
  { forwarded: `host=${evil};proto=https;for=_x` },
  { 'x-original-url': `https://${evil}/auth/get-session`, 'x-rewrite-url': '/auth/get-session' },
  ...['https', 'http', 'HTTP/1.1', 'https,http', '', 'javascript', 'x'.repeat(4096)].map((proto) => ({
    'x-forwarded-proto': proto,
  })),
  { 'x-forwarded-port': '99999999', 'x-forwarded-prefix': '//evil.test', 'x-forwarded-server': evil },
  { 'user-agent': `<script>alert(1)</script>\u001b[31m${'x'.repeat(65_536)}` },
  { 'accept-language': `fr;q=${'9'.repeat(4000)},*;q=x,;;;===,${'a'.repeat(4000)}` },
  { 'accept-language': ';,;q=;q=0.5,"' },
  { accept: `${'application/jsonl,'.repeat(500)}*/*` },
  { cookie: '\u00ff=\u00fe; ='.repeat(500) },
  { authorization: `Bearer ${'x'.repeat(8192)}` },
  { 'if-none-match': '*', range: 'bytes=0-0', expect: 'nothing' },
]

describe('T152: no header changes the address of the service', () => {
  test.each(hostile)('%j', async (headers) => {
    const person = app.person()
    const answer = await app.browser().post('/auth/sign-up/email', person, { headers: { ...headers, origin: app.baseUrl } })
    expect([answer.status, answer.code]).toEqual([200, undefined])
    expect(JSON.stringify([answer.body, ...answer.headers])).not.toContain(evil)
    await app.drainMail()
    const { link, html, text } = app.outbox.lastTo(person.email)
    expect(link.origin).toBe(app.baseUrl)
    expect(html + text).not.toContain(evil)
  })

  test('the URL of the request does not change the address of the service', async () => {
    const person = app.person()
    const answer = await app.browser().post(`https://${evil}:8443/auth/sign-up/email`, person)
    expect(answer.status).toBe(200)
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).link.origin).toBe(app.baseUrl)
  })

  test.each(hostile)('reading a session tolerates %j', async (headers) => {
    const answer = await app.browser().get('/auth/get-session', { headers })
    expect([answer.status, answer.body]).toEqual([200, null])
  })
})

describe('T158: the user agent', () => {
  test('is stored and listed as one short line without control characters', async () => {
    const { email, password } = await app.verified()
    const tab = app.browser()
    const headers = { 'user-agent': `Mozilla \u0001\u0085\u00ad\u007f\u001b<b>bold</b> ${'x'.repeat(65_536)}` }
    await tab.post('/auth/sign-in/email', { email, password }, { headers })
    const { session } = (await tab.get('/auth/get-session')).body as { session: { userAgent: string } }
    expect(session.userAgent).toMatch(/^Mozilla <b>bold<\/b> x+$/)
    expect(session.userAgent).toHaveLength(512)
    expect((await tab.get('/auth/list-sessions')).body).toMatchObject([{ userAgent: session.userAgent }])
  })

  test('leaves one log line for each request, together with the path', async () => {
    await app
      .browser()
      .get(`/auth/${encodeURIComponent('\r\n\u001b[31m\u2028forged')}`, { headers: { 'user-agent': 'x\u0085y' } })
    const line = app.logs.findLast(({ msg }) => msg === 'request')
    expect(line).toMatchObject({ path: '/auth/[31mforged', status: 404 })
  })
})
