import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutbox } from '@floorpass/email'
import { createBrowser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { afterAll, describe, expect, test } from 'vitest'
import { createEdge } from '../../edge.ts'

const folder = await mkdtemp(join(tmpdir(), 'floorpass-mailbox-'))
afterAll(() => rm(folder, { recursive: true }))

const app = await createTestApp({ APP_NAME: 'Desk & Sons' })
const outbox = createOutbox({ directory: join(folder, 'outbox'), from: 'no-reply@localhost' })
const edge = createEdge({ ...app.service, outbox })
const tab = createBrowser(edge, app.baseUrl)
const page = async (path: string) => String((await tab.get(path)).body)

const mail = {
  to: 'ada@example.test',
  subject: 'Verify your address',
  text: 'Follow http://localhost:3000/verify-email?token=abc&x=1 please',
  html: '<p>Hello <b>Ada</b></p>',
}

async function deliver(overrides: Partial<typeof mail> = {}): Promise<string> {
  await outbox.send({ ...mail, ...overrides })
  return (await outbox.list())[0]?.id ?? ''
}

describe('the local mailbox', () => {
  test('explains how to get a first mail while it is empty', async () => {
    const empty = createEdge({ ...app.service, outbox: createOutbox({ directory: join(folder, 'empty'), from: 'x@localhost' }) })
    const { status, body } = await createBrowser(empty, app.baseUrl).get('/dev/mailbox')
    expect(status).toBe(200)
    expect(body).toContain('<a href="/signup">Sign up</a>')
  })

  test('lists mails, newest first, and shows each with its links', async () => {
    const first = await deliver({ subject: 'The first' })
    const second = await deliver({ subject: 'The second' })
    const list = await page('/dev/mailbox')
    expect(list.indexOf('The second')).toBeLessThan(list.indexOf('The first'))
    for (const id of [first, second]) expect(list).toContain(`href="/dev/mailbox/${id}"`)

    const shown = await page(`/dev/mailbox/${second}`)
    expect(shown).toContain('<h1>The second</h1>')
    expect(shown).toContain('<dd>ada@example.test</dd>')
    expect(shown).toContain('href="http://localhost:3000/verify-email?token=abc&amp;x=1"')
    expect(shown).toContain(`<iframe title="The email" sandbox src="/dev/mailbox/${second}/body">`)
  })

  test('shows the mail of a real sign-up, and its link verifies', async () => {
    const { outbox: inbox } = app
    const { email } = await app.signUp()
    await outbox.send(inbox.lastTo(email))
    const [newest] = await outbox.list()
    const [, href = ''] = /href="(http:[^"]+verify-email[^"]+)"/.exec(await page(`/dev/mailbox/${newest?.id}`)) ?? []
    const token = new URL(href.replaceAll('&amp;', '&')).searchParams.get('token')
    expect((await tab.post('/auth/verify-email', { token })).status).toBe(200)
  })

  test('escapes hostile text in subject, address and body', async () => {
    const evil = '<img src=x onerror=alert(1)>"\'&'
    const id = await deliver({
      subject: evil,
      to: '<b>@example.test'.replace(/[<>]/g, "'"),
      text: `https://evil.test/"onmouseover=alert(1)<script>`,
    })
    for (const shown of [await page('/dev/mailbox'), await page(`/dev/mailbox/${id}`)]) {
      expect(shown).not.toContain('<img')
      expect(shown).not.toContain('<script')
      expect(shown).not.toMatch(/"onmouseover/)
      expect(shown).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    }
    expect(await page('/dev/mailbox')).toContain('Emails that Desk &amp; Sons would send')
  })

  test('turns only http and https URLs into links', async () => {
    const id = await deliver({ text: 'javascript:alert(1) data:text/html,x http://localhost:3000/ok' })
    const links = [...(await page(`/dev/mailbox/${id}`)).matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href)
    expect(links).toEqual(['http://localhost:3000/ok'])
  })

  test('runs no script, neither in its pages nor in the mails', async () => {
    const id = await deliver({ html: '<script>alert(1)</script><form action=/auth/sign-out method=post>' })
    for (const path of ['/dev/mailbox', `/dev/mailbox/${id}`]) {
      const { headers } = await tab.get(path)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-type')).toMatch(/^text\/html; charset=utf-8$/i)
    }
    const { headers, body } = await tab.get(`/dev/mailbox/${id}/body`)
    expect(body).toBe('<script>alert(1)</script><form action=/auth/sign-out method=post>')
    expect(headers.get('content-security-policy')?.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", 'sandbox', "frame-ancestors 'self'"]),
    )
    expect(headers.get('content-security-policy')).not.toMatch(/script-src|allow-/)
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('shows only its own mails, because no path leaves the folder', async () => {
    const unknown = `${'1'.repeat(13)}-000001-deadbeef`
    for (const id of [
      'unknown',
      unknown,
      '..%2fauth-secret',
      '..%2f..%2fauth-secret',
      '..%5cauth-secret',
      '%00',
      'x'.repeat(5000),
      '*',
    ]) {
      for (const path of [`/dev/mailbox/${id}`, `/dev/mailbox/${id}/body`]) {
        expect([id, (await tab.get(path)).code]).toEqual([id, 'NOT_FOUND'])
      }
    }
  })

  test('is read-only: every other method is 404', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await tab.request(method, '/dev/mailbox')).code).toBe('NOT_FOUND')
  })

  test.each(['evil.test', 'localhost.evil.test', 'localhost.', '127.0.0.1.evil.test', '192.0.2.1', '[2001:db8::1]', '0.0.0.0'])(
    'DNS rebinding: is not available under the host %s',
    async (host) => {
      const id = await deliver()
      for (const path of ['/dev/mailbox', '/dev/style.css', `/dev/mailbox/${id}`, `/dev/mailbox/${id}/body`]) {
        const answer = await tab.get(`http://${host}:3000${path}`)
        expect([answer.status, answer.code]).toEqual([404, 'NOT_FOUND'])
      }
    },
  )

  test.each(['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'localhost', 'LOCALHOST:3000'])(
    'is available under the host %s',
    async (host) => {
      expect((await tab.get(`http://${host}/dev/mailbox`)).status).toBe(200)
      expect((await tab.get(`http://${host}/dev/style.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8')
    },
  )

  test('is not available when mail leaves by SMTP', async () => {
    expect(app.service.outbox).toBeNull()
    for (const path of ['/dev/mailbox', '/dev/style.css', `/dev/mailbox/${await deliver()}`]) {
      const answer = await app.browser().get(path)
      expect([answer.status, answer.code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  test('pages know whether it is available', async () => {
    const seen: boolean[] = []
    for (const service of [app.service, { ...app.service, outbox }]) {
      const paged = createEdge(service, async (_request, { localMailbox }) => {
        seen.push(localMailbox)
        return new Response()
      })
      await createBrowser(paged, app.baseUrl).get('/signup')
    }
    expect(seen).toEqual([false, true])
  })
})
