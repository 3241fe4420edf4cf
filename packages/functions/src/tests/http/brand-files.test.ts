import { readFile } from 'node:fs/promises'
import { createOutbox } from '@floorpass/email'
import { createBrandFiles, icoFile, pngFile } from '@floorpass/testing/brand-files'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { afterAll, describe, expect, test } from 'vitest'
import { brandStyle } from '../../brand-style.ts'
import { createEdge } from '../../edge.ts'

const files = await createBrandFiles()
afterAll(files.remove)
const plain = await createTestApp()
const app = await createTestApp({
  APP_NAME: 'Desk & Sons',
  BRAND_LOGO: files.mark,
  BRAND_FAVICON: pngFile,
  BRAND_ACCENT: '#7A1FA2',
  BRAND_ACCENT_DARK: '#e0a8f5',
  BRAND_MAIL_FOOTER: 'Desk & <b>Sons</b> Ltd\\n1 Harbour Street, London',
})
const { brand } = app.service.deps.settings
const fetchFile = (path: string, from = app) => from.edge.fetch(new Request(from.baseUrl + path), { peerAddress: '127.0.0.1' })
const manifestOf = async (from: typeof app) => (await fetchFile('/manifest.webmanifest', from)).json()

describe('the files of the brand', () => {
  test('a logo has an address for its content, and an SVG runs no script there', async () => {
    const response = await fetchFile(brand.logo?.path ?? '')
    expect(response.status).toBe(200)
    expect(brand.logo?.path).toMatch(/^\/brand\/[\w-]{12}\.svg$/)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toBe(await readFile(files.mark, 'utf8'))
  })

  test('a PNG is the icon of tabs, home screens and the manifest', async () => {
    const content = await readFile(pngFile)
    for (const path of ['/favicon.ico', '/apple-touch-icon.png', brand.icon?.path ?? '']) {
      const response = await fetchFile(path)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'image/png'])
      expect(content.equals(await response.bytes())).toBe(true)
    }
    expect(await manifestOf(app)).toMatchObject({
      theme_color: '#7a1fa2',
      icons: [{ src: brand.icon?.path, sizes: '180x180', type: 'image/png' }],
    })
  })

  test.each([
    ['SVG', files.mark, 'image/svg+xml'],
    ['ICO', icoFile, 'image/x-icon'],
  ])('an %s is the icon of tabs and the manifest, and home screens get none', async (_, file, type) => {
    const other = await createTestApp({ BRAND_FAVICON: file })
    expect((await fetchFile('/favicon.ico', other)).headers.get('content-type')).toBe(type)
    expect((await fetchFile('/apple-touch-icon.png', other)).status).toBe(404)
    expect(await manifestOf(other)).toMatchObject({ theme_color: '#0b5674', icons: [{ sizes: 'any', type }] })
  })

  test('the colours are a stylesheet with an address for its content', async () => {
    if (!brand.accent) throw new Error('no accent')
    const response = await fetchFile(brandStyle(brand.accent).path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    const css = await response.text()
    expect(css).toContain('--accent: light-dark(#7a1fa2, #e0a8f5);')
    expect(css).toContain('--on-accent: light-dark(#ffffff, #0b1116);')
  })

  test('without settings there are none', async () => {
    expect(plain.service.deps.settings.brand).toEqual({
      logo: null,
      icon: null,
      accent: null,
      termsUrl: null,
      privacyUrl: null,
      mailFooter: [],
    })
    expect((await fetchFile(brand.logo?.path ?? '', plain)).status).toBe(404)
    expect(await manifestOf(plain)).toMatchObject({
      theme_color: '#0b5674',
      icons: [{ src: '/apple-touch-icon.png', sizes: '180x180', type: 'image/png' }],
    })
  })
})

describe('emails', () => {
  const mailOf = async (from: typeof app, headers: Record<string, string> = {}) => {
    const person = from.person()
    await from.browser().post('/auth/sign-up/email', person, { headers })
    await from.drainMail()
    return from.outbox.lastTo(person.email)
  }

  test.each(['en', 'fr'])('end with the lines of the operator, as plain text, in %s', async (language) => {
    const { text, html } = await mailOf(app, { 'accept-language': language })
    expect(text).toMatch(/\nDesk & <b>Sons<\/b> Ltd\n1 Harbour Street, London\n$/)
    expect(html).toContain('<br>Desk &amp; &lt;b&gt;Sons&lt;/b&gt; Ltd<br>1 Harbour Street, London</p>')
  })

  test('have the colours of the operator, and neither our mark nor a remote logo', async () => {
    const { html } = await mailOf(app)
    expect(html).toContain('<td class="button" style="background:#7a1fa2;')
    expect(html).toContain('.button { background: #e0a8f5 !important; color: #0b1116 !important }')
    expect(html).not.toMatch(/#0b5674|#7ec6e6|<img|aria-hidden="true" style="display:inline-block/)
  })

  test('look as before without settings', async () => {
    const { html, text } = await mailOf(plain)
    expect(html).toContain('<td class="button" style="background:#0b5674;')
    expect(html).toContain('aria-hidden="true" style="display:inline-block')
    expect(text).toMatch(/sign up for Floorpass\.\n$/)
  })

  test('look in the gallery as they do when they are sent', async () => {
    const outbox = createOutbox({ directory: '/unused', from: 'no-reply@localhost' })
    const edge = createEdge({ ...app.service, outbox })
    const response = await edge.fetch(new Request(`${app.baseUrl}/dev/mails/verify-email/1/fr`), { peerAddress: '127.0.0.1' })
    expect(await response.text()).toContain('1 Harbour Street, London')
  })
})
