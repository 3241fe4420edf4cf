// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBrandFiles } from '@floorpass/testing/brand-files'
import { expect, test } from '@playwright/test'
import { freePort } from '../packages/reliability/src/service-process.ts'
import { expectAccessible } from './support/accessible.ts'
import { startSeparateService } from './support/separate-service.ts'

// This file starts its own service: no monitoring service can run it.
for (const colorScheme of ['light', 'dark'] as const)
  test(`pages: a brand is readable in ${colorScheme}`, async ({ page }, { outputDir }) => {
    const files = await createBrandFiles()
    const folder = await mkdtemp(join(tmpdir(), 'floorpass-brand-'))
    const port = await freePort()
    const service = await startSeparateService({
      PORT: String(port),
      BASE_URL: `http://localhost:${port}`,
      DATA_DIR: folder,
      APP_NAME: 'Harbor Desk',
      SUPPORT_URL: 'https://desk.example/help',
      BRAND_LOGO: colorScheme === 'light' ? files.mark : files.wordmark,
      BRAND_FAVICON: files.mark,
      BRAND_ACCENT: '#7a1fa2',
      BRAND_ACCENT_DARK: '#e0a8f5',
      BRAND_TERMS_URL: 'https://desk.example/terms',
      BRAND_PRIVACY_URL: 'https://desk.example/privacy',
    })
    try {
      await page.emulateMedia({ colorScheme })
      for (const path of ['/', '/signup', '/login']) {
        await page.goto(service.url.replace('127.0.0.1', 'localhost') + path)
        const logo = page.locator('img:visible')
        expect(await logo.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).toBeGreaterThan(0)
        await expectAccessible(page, `${path} in ${colorScheme}`)
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 900 })
          const name = `brand${path.replace('/', '-')}-${colorScheme}-${width}.png`
          await page.screenshot({ path: join(outputDir, '..', name), fullPage: true })
        }
      }
      const color = colorScheme === 'light' ? 'rgb(122, 31, 162)' : 'rgb(224, 168, 245)'
      await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toHaveCSS('background-color', color)
      await expect(page.getByRole('link', { name: 'Terms of use' })).toHaveCSS('color', color)
    } finally {
      await service.end('SIGTERM')
      await files.remove()
      await rm(folder, { recursive: true, force: true })
    }
  })
