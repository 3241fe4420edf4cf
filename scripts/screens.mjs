// Every page at two widths in both themes, into docs/screens: `npm run screens`. The service is one of its own, with a scene that is
// always the same, on a clock that is always the same; only keys, codes and QR codes differ from one run to the next.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import sharp from 'sharp'
import { openPage, pages } from '../features/support/pages.ts'
import { foundAccounts, furnishScene, signInElsewhere } from '../features/support/scene.ts'
import { startGitHub } from '../packages/functions/src/test-support/github-stand-in.ts'
import { startOpenIdProvider } from '../packages/functions/src/test-support/openid-provider.ts'
import { fail, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'docs', 'screens')
const widths = [360, 1280]
const themes = ['light', 'dark']
const largestFolder = 4_000_000
const today = Date.parse('2026-09-14T09:12:05Z')
const day = 86_400_000

const address = (handle) => `${handle === 'guarded' ? 'ada' : handle}@${handle === 'guarded' ? 'guarded' : 'meridian'}.example`

/** Runs the service as if it were `now`, for as long as `use` takes. */
async function withService(now, environment, use) {
  // Whole half minutes, so that the codes of authenticators can be told.
  const lag = Math.floor((Date.now() - now) / 30_000) * 30
  const clock = `const Real = Date
    globalThis.Date = class Date extends Real {
      constructor(...given) { given.length ? super(...given) : super(Real.now() - ${lag * 1000}) }
      static now() { return Real.now() - ${lag * 1000} }
    }`
  const service = spawn(join(root, 'node_modules/node/bin/node'), ['scripts/start.mjs'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...environment,
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}`,
    },
  })
  const exited = once(service, 'exit')
  try {
    const deadline = Date.now() + 180_000
    while (!(await answers(`${environment.BASE_URL}/healthz`))) {
      if (service.exitCode !== null || Date.now() > deadline) throw new Error('the service did not start')
    }
    return await use(lag)
  } finally {
    service.kill('SIGTERM')
    await exited
  }
}

async function answers(url) {
  try {
    return (await fetch(url)).ok
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return false
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function photograph(baseURL, scene, google) {
  const executablePath = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium'].find(existsSync)
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars'],
  })
  const openContext = async (visitor, colorScheme) => {
    const context = await browser.newContext({
      baseURL,
      colorScheme,
      locale: 'en-US',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    })
    await context.addCookies(scene.cookies[visitor].map((cookie) => ({ ...cookie, url: baseURL })))
    return context
  }
  try {
    const linking = await (await openContext('member', 'light')).newPage()
    google.person = { sub: 'ada', email: address('ada'), email_verified: true, name: 'Ada Lovelace' }
    await linking.goto('/settings/accounts')
    await linking.getByRole('button', { name: 'Link Google' }).click()
    await linking.getByText('It is linked.').waitFor()

    const taken = []
    const only = process.argv.slice(2)
    for (const colorScheme of themes) {
      for (const visitor of Object.keys(scene.cookies)) {
        const context = await openContext(visitor, colorScheme)
        const page = await context.newPage()
        for (const row of pages.filter(({ as, name }) => as === visitor && (only.length === 0 || only.includes(name)))) {
          await page.setViewportSize({ width: 1280, height: 800 })
          await openPage(page, row, scene)
          await page.evaluate(() => document.fonts.ready)
          for (const width of widths) {
            await page.setViewportSize({ width, height: width < 600 ? 740 : 800 })
            await page.mouse.move(0, 0)
            const file = `${row.name}-${width}-${colorScheme}.png`
            const picture = sharp(await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' }))
            await writeFile(join(folder, file), await picture.png({ palette: true, colours: 32, effort: 10 }).toBuffer())
            taken.push(file)
          }
          say(`  ${row.name} (${colorScheme})`)
        }
        await context.close()
      }
    }
    return { taken, whole: only.length === 0 }
  } finally {
    await browser.close()
  }
}

async function takeScreens() {
  await mkdir(folder, { recursive: true })
  const dataDir = await mkdtemp(join(tmpdir(), 'floorpass-screens-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const google = await startOpenIdProvider(`${url}/auth/callback/google`)
  const github = await startGitHub(`${url}/auth/callback/github`)
  const environment = {
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: url,
    DATA_DIR: dataDir,
    ...Object.fromEntries(['DATABASE_URL', 'REDIS_URL', 'SMTP_URL', 'WEB_CONCURRENCY', 'APP_NAME'].map((name) => [name, ''])),
    RATE_LIMIT: 'off',
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
    GOOGLE_ISSUER: google.issuer,
    ...github.environment,
  }
  try {
    // The build takes its time: the scene's clock starts after it.
    await withService(today - 61 * day, environment, async () => {})
    say('Setting the scene: accounts of two months ago, devices of this week …')
    await withService(today - 61 * day, environment, () => foundAccounts(url, address))
    await withService(today - 4 * day + 7_500_000, environment, () => signInElsewhere(url, address, ['phone']))
    await withService(today - 1 * day - 5_400_000, environment, () => signInElsewhere(url, address, ['safari', 'firefox']))
    const { taken, whole } = await withService(today, environment, async (lag) => {
      const scene = await furnishScene(url, address, { slug: 'meridian-rates', lag })
      say(`Taking ${pages.length} pages at ${widths.join(' and ')} px, ${themes.join(' and ')} …`)
      return photograph(url, scene, google)
    })
    const pictures = (await readdir(folder)).filter((name) => name.endsWith('.png'))
    if (whole) for (const old of pictures.filter((name) => !taken.includes(name))) await rm(join(folder, old))
    const sizes = await Promise.all(taken.map(async (name) => (await stat(join(folder, name))).size))
    const size = sizes.reduce((sum, each) => sum + each, 0)
    say(`${taken.length} pictures in docs/screens, ${Math.round(size / 1000)} kB.`)
    if (size > largestFolder) fail('The pictures are too large.', `More than ${largestFolder / 1e6} MB.`, 'Use fewer colours.')
  } finally {
    await google.close()
    await github.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

await takeScreens()
