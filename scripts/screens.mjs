// Writes a screenshot of every page, at two widths and in both themes, to docs/screens: `npm run screens`.
// The scene and the clock are fixed. Only keys, codes and QR codes change from run to run.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { chromium } from '@playwright/test'
import sharp from 'sharp'
import { openPage, pages } from '../features/support/pages.ts'
import { createAccounts, seedScene, signInEarlier, signInElsewhere } from '../features/support/scene.ts'
import { fail, say } from './run.mjs'
import { address, chromiumPath, prepareService, withService } from './scene-service.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'docs', 'screens')
const widths = [360, 1280]
const themes = ['light', 'dark']
const largestFolder = 10_000_000
const today = Date.parse('2026-09-14T09:12:05Z')
const day = 86_400_000

async function takePictures(baseURL, scene, google, lag) {
  const browser = await chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
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
    // The page counts "3 minutes ago" from the clock of its browser.
    await context.clock.setFixedTime(Date.now() - lag * 1000)
    return context
  }
  try {
    const linking = await (await openContext('member', 'light')).newPage()
    google.person = { sub: 'ada', email: address('ada'), email_verified: true, name: 'Ada Lovelace' }
    await linking.goto('/settings/accounts')
    await linking.getByRole('button', { name: 'Link Google' }).click()
    await linking.getByText('Account linked.').waitFor()

    const taken = []
    const only = process.argv.slice(2)
    for (const colorScheme of themes) {
      for (const visitor of Object.keys(scene.cookies)) {
        const context = await openContext(visitor, colorScheme)
        const page = await context.newPage()
        for (const row of pages.filter(
          ({ as, name, photo }) => as === visitor && photo !== false && (only.length === 0 || only.includes(name)),
        )) {
          await page.setViewportSize({ width: 1280, height: 800 })
          await openPage(page, row, scene)
          await page.evaluate(() => document.fonts.ready)
          for (const width of widths) {
            await page.setViewportSize({ width, height: width < 600 ? 740 : 800 })
            await page.mouse.move(0, 0)
            const file = `${row.name}-${width}-${colorScheme}.png`
            const picture = sharp(await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' }))
            await writeFile(
              join(folder, file),
              await picture.png({ palette: true, colours: 32, dither: 0, effort: 10 }).toBuffer(),
            )
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

async function writeGallery() {
  const file = join(folder, 'README.md')
  const shots = pages.filter(({ photo }) => photo !== false)
  const picture = (name, width, theme) =>
    `[<img src="${name}-${width}-${theme}.png" width="${width === 360 ? 90 : 240}" alt="${name}, ${width} px, ${theme}">](${name}-${width}-${theme}.png)`
  const rows = shots.map(({ name }) => {
    const cells = themes.flatMap((theme) => widths.map((width) => picture(name, width, theme)))
    return `| ${[name, ...cells].join(' | ')} |`
  })
  const gallery = [
    '| Page | Light, 360 px | Light, 1280 px | Dark, 360 px | Dark, 1280 px |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/(<!-- pictures -->).*(<!-- end -->)/s, `$1\n\n${gallery}\n\n$2`))
}

async function takeScreens() {
  await mkdir(folder, { recursive: true })
  const service = await prepareService()
  const { url } = service
  const google = await startOpenIdProvider(`${url}/auth/callback/google`)
  const github = await startGitHub(`${url}/auth/callback/github`)
  const environment = {
    ...service.environment,
    ...google.environment,
    ...github.environment,
  }
  let size = 0
  try {
    // Build now, so that the scene's clock does not run during the build.
    await withService(today - 61 * day, environment, async () => {})
    say('Creating the scene: accounts from two months ago, devices from this week …')
    await withService(today - 61 * day, environment, () => createAccounts(url, address))
    await withService(today - 4 * day + 7_500_000, environment, () => signInElsewhere(url, address, ['phone']))
    const returning = await withService(today - 1 * day - 5_400_000, environment, async (lag) => {
      await signInElsewhere(url, address, ['safari', 'firefox'])
      return signInEarlier(url, address('ines'), lag)
    })
    const { taken, whole } = await withService(today, environment, async (lag) => {
      const scene = await seedScene(url, address, { slug: 'meridian-rates', returning, lag })
      say(`Taking ${pages.length} pages at ${widths.join(' and ')} px, ${themes.join(' and ')} …`)
      return takePictures(url, scene, google, lag)
    })
    const pictures = (await readdir(folder)).filter((name) => name.endsWith('.png'))
    if (whole) for (const old of pictures.filter((name) => !taken.includes(name))) await rm(join(folder, old))
    await writeGallery()
    const sizes = await Promise.all(taken.map(async (name) => (await stat(join(folder, name))).size))
    size = sizes.reduce((sum, each) => sum + each, 0)
    say(`${taken.length} pictures in docs/screens, ${Math.round(size / 1000)} kB.`)
  } finally {
    await google.close()
    await github.close()
    await service.end()
  }
  if (size > largestFolder) fail('The pictures are too large.', `More than ${largestFolder / 1e6} MB.`, 'Use fewer colours.')
}

await takeScreens()
