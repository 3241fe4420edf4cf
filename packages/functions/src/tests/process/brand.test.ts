import { readFile } from 'node:fs/promises'
import { createBrandFiles, pngFile } from '@floorpass/testing/brand-files'
import { databaseEnvironment, failToStart, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { afterAll, describe, expect, test } from 'vitest'

const files = await createBrandFiles()
afterAll(files.remove)
const start = async (environment: Record<string, string>) =>
  startServer({ ...(await databaseEnvironment()), DATA_DIR: await temporaryFolder(), RATE_LIMIT: 'off', ...environment })

const terms = 'https://desk.example/terms'
const privacy = 'https://desk.example/privacy'
const server = await start({
  APP_NAME: 'Desk',
  SUPPORT_URL: 'https://desk.example/help',
  BRAND_LOGO: files.mark,
  BRAND_FAVICON: pngFile,
  BRAND_ACCENT: '#7a1fa2',
  BRAND_ACCENT_DARK: '#e0a8f5',
  BRAND_TERMS_URL: terms,
  BRAND_PRIVACY_URL: privacy,
})

const get = async (path: string, language = 'en', from = server) => {
  const response = await fetch(from.url + path, { headers: { accept: 'text/html', 'accept-language': language } })
  return { response, html: await response.text() }
}
const linksOf = (html: string) =>
  [...html.matchAll(/<a href="(https:\/\/desk[^"]+)"[^>]*>([^<]+)<\/a>/g)].map(([, href, label]) => `${label} ${href}`)

describe('pages of a service with a brand', () => {
  test.each(['/', '/login', '/signup', '/nowhere'])('%s has the logo, the icon, the colours and the links', async (path) => {
    const { response, html } = await get(path)
    const [, logo = ''] = /<img src="(\/brand\/[\w-]+\.svg)" width="28" height="28" alt="" /.exec(html) ?? []
    const [, icon = ''] = /<link rel="icon" href="(\/brand\/[\w-]+\.png)" type="image\/png"\/>/.exec(html) ?? []
    const [, css = ''] = /<link rel="stylesheet" href="(\/brand\/[\w-]+\.css)"\/>/.exec(html) ?? []
    for (const file of [logo, icon, css]) {
      expect(file).toMatch(/^\/brand\//)
      expect([file, (await fetch(server.url + file)).status]).toEqual([file, 200])
    }
    expect(await (await fetch(server.url + css)).text()).toContain('--accent: light-dark(#7a1fa2, #e0a8f5);')
    expect(html.match(/rel="icon"/g)).toHaveLength(1)
    expect(html.indexOf(css)).toBeGreaterThan(html.indexOf('/assets/app'))
    expect(linksOf(html)).toEqual(
      expect.arrayContaining(['Get help https://desk.example/help', `Terms of use ${terms}`, `Privacy policy ${privacy}`]),
    )
    expect(response.headers.get('content-security-policy')).toContain("style-src 'self';")
    expect(html).not.toMatch(/<style| style=/)
  })

  test('/signup says what an account accepts, in English and in French', async () => {
    expect((await get('/signup')).html.replace(/<!-- -->/g, '')).toMatch(
      /By creating an account, you accept the <a href="https:\/\/desk\.example\/terms"[^>]*>terms of use<\/a>\. The <a [^>]*>privacy policy<\/a> says how we use your data\./,
    )
    const { html } = await get('/signup', 'fr')
    expect(html.replace(/<!-- -->/g, '')).toMatch(
      /En créant un compte, vous acceptez les <a href="https:\/\/desk\.example\/terms"[^>]*>conditions d’utilisation<\/a>\./,
    )
    expect(linksOf(html)).toEqual(
      expect.arrayContaining([
        'Obtenir de l’aide https://desk.example/help',
        `Conditions d’utilisation ${terms}`,
        `Confidentialité ${privacy}`,
      ]),
    )
  })

  test('browsers find the icon by name, for a day', async () => {
    const content = await readFile(pngFile)
    for (const path of ['/favicon.ico', '/apple-touch-icon.png']) {
      const response = await fetch(server.url + path)
      expect([path, response.headers.get('cache-control')]).toEqual([path, 'public, max-age=86400'])
      expect(content.equals(await response.bytes())).toBe(true)
    }
  })
})

test('a logo more than twice as wide as high says the name alone; without a setting, nothing else changes', async () => {
  const wide = await start({ APP_NAME: 'Desk', BRAND_LOGO: files.wordmark })
  const { html } = await get('/login', 'en', wide)
  expect(html).toMatch(/<a [^>]*href="\/"[^>]*><img src="[^"]+" width="112" height="28" alt="Desk" class="[^"]*"\/><\/a>/)
  expect(html).not.toMatch(/\/brand\/[\w-]+\.css|desk\.example/)
  expect(html).toMatch(/<link rel="icon" href="\/assets\/favicon-[^"]+\.svg" type="image\/svg\+xml"\/>/)
})

test('a service does not start with a colour that cannot be read or a file that is no image', async () => {
  const { code, stderr } = await failToStart({
    ...(await databaseEnvironment()),
    DATA_DIR: await temporaryFolder(),
    BRAND_LOGO: new URL(import.meta.url).pathname,
    BRAND_ACCENT: '#f0b90b',
    BRAND_ACCENT_DARK: '#e0a8f5',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^BRAND_LOGO \S+ has another format\. Set the path .+\nBRAND_ACCENT #f0b90b has a contrast of 1\.\d\d:1 with .+ is the nearest\.\n$/,
  )
})
