import { readFile } from 'node:fs/promises'
import { ConfigError, loadConfig } from '@floorpass/env'
import { openBrand } from '@floorpass/service'
import { contrast, surroundings } from '@floorpass/service/brand-accent'
import { createBrandFiles, icoFile } from '@floorpass/testing/brand-files'
import { afterAll, describe, expect, it } from 'vitest'

const files = await createBrandFiles()
afterAll(files.remove)

const accents = { BRAND_ACCENT: '#7a1fa2', BRAND_ACCENT_DARK: '#e0a8f5' }
const open = (environment: Record<string, string>) => openBrand(loadConfig(environment, '/srv/floorpass').brand)
const refusal = (environment: Record<string, string>): Promise<string> =>
  open(environment).then(
    () => 'accepted',
    (error: Error) => error.message,
  )
const refused = (environment: Record<string, string>) => {
  try {
    loadConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ variable, what }) => `${variable} ${what}`)
    throw error
  }
  return []
}

describe('the settings of the brand', () => {
  it('are read, and paths start at the root of the repository', () => {
    const environment = {
      ...accents,
      BRAND_LOGO: 'brand/logo.svg',
      BRAND_FAVICON: '/etc/brand/icon.png',
      BRAND_TERMS_URL: 'https://example.com/terms',
      BRAND_PRIVACY_URL: 'https://example.com/privacy',
    }
    expect(loadConfig(environment, '/srv/floorpass').brand).toEqual({
      logo: '/srv/floorpass/brand/logo.svg',
      favicon: '/etc/brand/icon.png',
      accent: { light: '#7a1fa2', dark: '#e0a8f5' },
      termsUrl: 'https://example.com/terms',
      privacyUrl: 'https://example.com/privacy',
      mailFooter: [],
    })
  })

  it.each(['Example Ltd\n1 Harbour Street', 'Example Ltd\\n1 Harbour Street'])(
    'BRAND_MAIL_FOOTER has two lines in %j',
    (text) => {
      expect(loadConfig({ BRAND_MAIL_FOOTER: text }).brand.mailFooter).toEqual(['Example Ltd', '1 Harbour Street'])
    },
  )

  it.each([
    [{ BRAND_TERMS_URL: 'http://example.com/terms' }, 'BRAND_TERMS_URL must be an https:// URL'],
    [{ BRAND_PRIVACY_URL: 'javascript:alert(1)' }, 'BRAND_PRIVACY_URL must be an https:// URL'],
    [{ BRAND_MAIL_FOOTER: 'one\ntwo\nthree' }, expect.stringContaining('BRAND_MAIL_FOOTER must be one or two lines')],
    [{ BRAND_MAIL_FOOTER: 'x'.repeat(161) }, expect.stringContaining('BRAND_MAIL_FOOTER must be one or two lines')],
    [{ BRAND_MAIL_FOOTER: 'a\u0007b' }, expect.stringContaining('BRAND_MAIL_FOOTER must be one or two lines')],
    [{ ...accents, BRAND_ACCENT: 'red' }, expect.stringContaining('BRAND_ACCENT must be a colour of six hexadecimal digits')],
    [{ ...accents, BRAND_ACCENT_DARK: '#fff' }, expect.stringContaining('BRAND_ACCENT_DARK must be a colour')],
    [{ BRAND_ACCENT: '#7a1fa2' }, 'BRAND_ACCENT_DARK is missing: BRAND_ACCENT is the colour of one theme only'],
    [{ BRAND_ACCENT_DARK: '#e0a8f5' }, 'BRAND_ACCENT is missing: BRAND_ACCENT_DARK is the colour of one theme only'],
  ])('refuses %j', (environment, problem) => {
    expect(refused(environment as Record<string, string>)).toEqual([problem])
  })
})

describe('the accent', () => {
  it('stands on the colours of app.css', async () => {
    const css = await readFile(new URL('../../../../../apps/web/app/app.css', import.meta.url), 'utf8')
    for (const name of ['surface', 'canvas', 'sunken'] as const) {
      const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\);`).exec(css) ?? []
      expect([name, light, dark]).toEqual([name, surroundings.light[name], surroundings.dark[name]])
    }
  })

  it.each([
    ['#000000', '#ffffff', '21.00'],
    ['#777777', '#ffffff', '4.48'],
    ['#ff0000', '#ffffff', '4.00'],
  ])('has the contrast of WCAG 2.2: %s on %s is %s', (one, other, ratio) => {
    expect(contrast(one, other).toFixed(2)).toBe(ratio)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })

  it('says what a colour that is too light or too dark measures, and the nearest that passes', async () => {
    const message = await refusal({ BRAND_ACCENT: '#f0b90b', BRAND_ACCENT_DARK: '#333333' })
    expect(message.split('\n')).toEqual([
      expect.stringMatching(
        /^BRAND_ACCENT #f0b90b has a contrast of 1\.\d\d:1 with #\w{6} on light pages, and text needs 4\.5:1\. Set a darker colour: #\w{6} is the nearest\.$/,
      ),
      expect.stringMatching(
        /^BRAND_ACCENT_DARK #333333 has a contrast of 1\.\d\d:1 with #\w{6} on dark pages, and text needs 4\.5:1\. Set a lighter colour: #\w{6} is the nearest\.$/,
      ),
    ])
    const [light = '', dark = ''] = [...message.matchAll(/(#\w{6}) is the nearest/g)].map(([, color]) => color ?? '')
    expect(await refusal({ BRAND_ACCENT: light, BRAND_ACCENT_DARK: dark })).toBe('accepted')
  })

  it('is readable on every colour that comes from it', async () => {
    const { accent } = await open(accents)
    for (const { accent: color, soft, onAccent, strong } of [accent?.light, accent?.dark].filter(
      (colors) => colors !== undefined,
    )) {
      expect(contrast(color, soft)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(color, onAccent)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(strong, onAccent)).toBeGreaterThanOrEqual(4.5)
    }
    expect([accent?.light.onAccent, accent?.dark.onAccent]).toEqual(['#ffffff', '#0b1116'])
  })
})

describe('the files', () => {
  it('have a type by their content, and a size', async () => {
    expect((await open({ BRAND_LOGO: files.wordmark })).logo).toMatchObject({
      type: 'image/svg+xml',
      size: { width: 160, height: 40 },
    })
    const renamed = await files.write('icon.svg', await readFile(icoFile))
    expect((await open({ BRAND_FAVICON: renamed })).icon).toMatchObject({ type: 'image/x-icon', size: null })
  })

  it('are refused when missing, too large or of another format, all at once', async () => {
    const page = await files.write('page.svg', '<html><svg xmlns="http://www.w3.org/2000/svg"></svg></html>')
    const large = await files.write('large.svg', `<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(200_000)}</svg>`)
    const ask = 'or unset it.'
    expect(await refusal({ BRAND_LOGO: page })).toBe(
      `BRAND_LOGO ${page} has another format. Set the path of a file in the format SVG or PNG, ${ask}`,
    )
    expect(await refusal({ BRAND_LOGO: icoFile })).toContain('has another format')
    expect((await refusal({ BRAND_LOGO: large, BRAND_FAVICON: '/nowhere/icon.png' })).split('\n')).toEqual([
      `BRAND_LOGO ${large} has more than 200 kB. Set the path of a file in the format SVG or PNG, ${ask}`,
      `BRAND_FAVICON /nowhere/icon.png cannot be read (ENOENT). Set the path of a file in the format SVG or PNG or ICO, ${ask}`,
    ])
  })

  it('are refused when they are no files, before they are read', async () => {
    // Reading it would never end.
    expect(await refusal({ BRAND_LOGO: '/dev/zero' })).toContain('BRAND_LOGO /dev/zero is no file.')
    expect(await refusal({ BRAND_LOGO: '/' })).toContain('BRAND_LOGO / is no file.')
  })

  it.each([
    ['no height', 160, 0],
    ['no width', 0, 40],
    ['one line that fills the page', 50_000, 40],
  ])('of a picture with %s have no size', async (_what, width, height) => {
    const header = Buffer.alloc(33)
    header.write('\x89PNG\r\n\x1a\n', 'latin1')
    header.writeUInt32BE(width, 16)
    header.writeUInt32BE(height, 20)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"></svg>`
    for (const file of [await files.write('odd.png', header), await files.write('odd.svg', svg)])
      expect((await open({ BRAND_LOGO: file })).logo?.size).toBe(null)
  })
})
