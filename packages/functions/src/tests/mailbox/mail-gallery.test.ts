import { createOutbox, mailNames, mailSamples } from '@floorpass/email'
import { textsIn } from '@floorpass/languages'
import { locales } from '@floorpass/languages/locales'
import { createBrowser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'
import { createEdge } from '../../edge.ts'

const metricsToken = 'what-only-prometheus-knows'
const app = await createTestApp({ APP_NAME: 'Desk & Sons', METRICS_TOKEN: metricsToken })
const outbox = createOutbox({ directory: '/unused', from: 'no-reply@localhost' })
const tab = createBrowser(createEdge({ ...app.service, outbox }), app.baseUrl)
const page = async (path: string) => String((await tab.get(path)).body)

describe('the gallery of emails', () => {
  test('lists every email, with its subject in every language', async () => {
    const list = await page('/dev/mails')
    const links = [...list.matchAll(/<li><a href="\/dev\/mails\/([^"]+)"/g)].map(([, name]) => name)
    expect(links).toEqual(mailNames)
    expect(links.length).toBeGreaterThan(20)
    expect(list).toContain('Choose a new password for Desk &amp; Sons')
    expect(list).toContain('<span lang="fr">Choisissez un nouveau mot de passe pour Desk &amp; Sons</span>')
  })

  test.each(mailNames)('shows %s in every language, as HTML and as plain text', async (name) => {
    const shown = await page(`/dev/mails/${name}`)
    const versions = mailSamples(app.baseUrl)[name].length
    expect(versions).toBeGreaterThan(0)
    const frames = [...shown.matchAll(/<iframe title="HTML, [^"]+" sandbox src="([^"]+)"><\/iframe>/g)]
    const expected = Array.from({ length: versions }, (_, index) => locales.map((locale) => `${index + 1}/${locale}`))
    expect(frames.map(([, source]) => source)).toEqual(expected.flat().map((path) => `/dev/mails/${name}/${path}`))
    const texts = [...shown.matchAll(/<pre>([^<]+)<\/pre>/g)].map(([, text]) => text ?? '')
    expect(texts).toHaveLength(frames.length)
    for (const [index, locale] of expected.flatMap(() => locales).entries())
      expect(texts[index]).toContain(textsIn(locale).mails.greeting('Ada'))
    for (const [, source = ''] of frames) {
      const { status, body, headers } = await tab.get(source)
      expect(status).toBe(200)
      expect(body).toContain(`<html lang="${source.split('/').at(-1)}">`)
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    }
  })

  test('runs no script, neither in its pages nor in the mails', async () => {
    for (const path of ['/dev/mails', '/dev/mails/password-paused']) {
      const { headers, body } = await tab.get(path)
      expect(body).not.toMatch(/<script| style="| on\w+=/)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
    }
    const policy = (await tab.get('/dev/mails/password-paused/2/fr')).headers.get('content-security-policy')
    expect(policy?.split('; ')).toEqual(expect.arrayContaining(["default-src 'none'", 'sandbox', "frame-ancestors 'self'"]))
    expect(policy).not.toMatch(/script-src|allow-/)
  })

  test.each([
    'unknown',
    'constructor',
    'verify-email/0/en',
    'verify-email/2/en',
    'verify-email/x/en',
    'verify-email/1/tlh',
    'verify-email/1',
    'unknown/1/en',
    '%00',
  ])('answers 404 to /dev/mails/%s', async (path) => {
    expect((await tab.get(`/dev/mails/${path}`)).code).toBe('NOT_FOUND')
  })

  const paths = ['/dev/mails', '/dev/mails/verify-email', '/dev/mails/verify-email/1/en', '/dev/style.css']

  test('is not available when mail leaves by SMTP', async () => {
    expect(app.service.outbox).toBeNull()
    for (const path of paths) {
      expect((await tab.get(path)).status).toBe(200)
      const { status, code } = await app.browser().get(path)
      expect([status, code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  test.each(['evil.test', 'localhost.evil.test', '192.0.2.1'])(
    'DNS rebinding: is not available under the host %s',
    async (host) => {
      for (const path of paths) expect((await tab.get(`http://${host}:3000${path}`)).code).toBe('NOT_FOUND')
    },
  )

  test('is read-only: every other method is 404', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await tab.request(method, '/dev/mails')).code).toBe('NOT_FOUND')
  })
})

test('the metrics count each page of the mailbox and of the gallery under one label', async () => {
  const countOf = async (route: string) => {
    const { body } = await tab.get('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })
    const name = `floorpass_http_requests_total{route="${route}",method="GET",status="2xx"}`
    return Number(String(body).split(`${name} `)[1]?.split('\n')[0] ?? 0)
  }
  const before = [await countOf('/dev/mailbox'), await countOf('/dev/mails')]
  await page('/dev/mailbox')
  for (const path of ['/dev/mails', `/dev/mails/${mailNames[0]}`]) await page(path)
  expect([await countOf('/dev/mailbox'), await countOf('/dev/mails')]).toEqual([Number(before[0]) + 1, Number(before[1]) + 2])
})
