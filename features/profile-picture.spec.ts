// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile
import { expect, type Page, test } from '@playwright/test'
import sharp from 'sharp'
import { byKeyboard, scriptsAtWork } from './support/drivers.ts'
import { signedInPerson } from './support/person.ts'

/** Three squares side by side: red, green, blue. */
async function stripes(): Promise<Buffer> {
  const square = (background: string) =>
    sharp({ create: { width: 200, height: 200, channels: 3, background } })
      .png()
      .toBuffer()
  const [red, green, blue] = await Promise.all([square('#ff0000'), square('#00ff00'), square('#0000ff')])
  return sharp({ create: { width: 600, height: 200, channels: 3, background: '#000000' } })
    .composite([
      { input: red, left: 0, top: 0 },
      { input: green, left: 200, top: 0 },
      { input: blue, left: 400, top: 0 },
    ])
    .png()
    .toBuffer()
}

/** Larger than what the service reads. */
async function photo(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
  const large = await sharp({ create: { width: 1200, height: 1200, channels: 3, background: '#000', noise } })
    .png()
    .toBuffer()
  expect(large.length).toBeGreaterThan(2 * 1024 * 1024)
  return large
}

const png = (buffer: Buffer) => ({ name: 'me.png', mimeType: 'image/png', buffer })
const field = (page: Page) => page.getByLabel('Choose a picture')
const save = (page: Page) => page.getByRole('button', { name: 'Save picture' })
const pictures = (page: Page) => page.locator('img[src^="/auth/pictures/"]')

/** The colour in the middle of the saved picture. */
async function savedColour(page: Page): Promise<string> {
  const src = await pictures(page).first().getAttribute('src')
  const file = await (await page.request.get(src ?? '')).body()
  const data = await sharp(file).extract({ left: 120, top: 120, width: 4, height: 4 }).removeAlpha().raw().toBuffer()
  return ['red', 'green', 'blue'][[...data.subarray(0, 3)].findIndex((part) => part > 200)] ?? 'none'
}

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('profile: a picture is saved, shown and removed', async ({ page }) => {
    await signedInPerson(page)
    await page.goto('/settings/profile')
    await expect(pictures(page)).toHaveCount(0)
    await field(page).setInputFiles(png(await stripes()))
    await save(page).click()
    await expect(page.getByText('Picture saved.')).toBeVisible()
    // In the header, in its menu and in the card.
    await expect(pictures(page)).toHaveCount(3)
    expect(await savedColour(page)).toBe('green')
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(pictures(page)).toHaveCount(3)

    await page.goto('/settings/profile')
    await page.getByRole('button', { name: 'Remove picture' }).click()
    await expect(page.getByText('Picture removed.')).toBeVisible()
    await expect(pictures(page)).toHaveCount(0)
  })

  test('profile: a file that is too large, no picture or not chosen is refused in words', async ({ page }) => {
    await signedInPerson(page)
    await page.goto('/settings/profile')
    await save(page).click()
    await expect(page.getByRole('alert')).toContainText('Choose a file first.')
    await field(page).setInputFiles(png(Buffer.from('<!doctype html>')))
    await save(page).click()
    await expect(page.getByRole('alert')).toContainText('We can’t read this file.')
    await field(page).setInputFiles(png(Buffer.alloc(3 * 1024 * 1024)))
    await save(page).click()
    await expect(page.getByRole('alert')).toContainText('This picture is too large.')
  })
})

test('profile: the keyboard chooses the part of the picture that shows', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await field(page).setInputFiles(png(await stripes()))
  const across = page.getByRole('slider', { name: 'Left or right' })
  await expect(page.getByRole('slider', { name: 'Up or down' })).toBeDisabled()
  await across.focus()
  await page.keyboard.press('End')
  await expect(across).toHaveValue('100')
  await page.keyboard.press('Tab')
  await byKeyboard(page).press('Save picture')
  await expect(page.getByText('Picture saved.')).toBeVisible()
  expect(await savedColour(page)).toBe('blue')
  await expect(across).toBeHidden()
  await expect(field(page)).toHaveValue('')
  await byKeyboard(page).press('Remove picture')
  await expect(page.getByRole('status').filter({ hasText: 'Picture removed.' })).toBeFocused()
})

test('profile: the mouse drags the picture, and the zoom cuts out less', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await field(page).setInputFiles(png(await stripes()))
  await page.getByRole('slider', { name: 'Zoom' }).fill('200')
  await expect(page.getByRole('slider', { name: 'Up or down' })).toBeEnabled()
  const canvas = page.locator('canvas')
  await canvas.scrollIntoViewIfNeeded()
  const box = await canvas.boundingBox()
  if (!box) throw new Error('no canvas')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  for (let times = 0; times < 3; times += 1) {
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, y, { steps: 5 })
    await page.mouse.up()
  }
  await expect(page.getByRole('slider', { name: 'Left or right' })).not.toHaveValue('0')
  await save(page).click()
  await expect(page.getByText('Picture saved.')).toBeVisible()
  expect(await savedColour(page)).toBe('red')
})

test('profile: a large photo is cut down in the browser, and a file that is no picture is refused there', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await field(page).setInputFiles(png(Buffer.from('<!doctype html>')))
  await expect(page.getByRole('alert')).toContainText('We can’t read this file.')
  await field(page).setInputFiles(png(await photo()))
  await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible()
  await save(page).click()
  await expect(page.getByText('Picture saved.')).toBeVisible()
})

test('profile: a large photo that is saved before the browser has opened it is cut down too', async ({ page }) => {
  await page.addInitScript(() => {
    const open = window.createImageBitmap.bind(window) as (file: Blob) => Promise<ImageBitmap>
    window.createImageBitmap = (async (file: Blob) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return open(file)
    }) as typeof window.createImageBitmap
  })
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await field(page).setInputFiles(png(await photo()))
  await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible()
  await save(page).click()
  await expect(page.getByText('Picture saved.')).toBeVisible()
})

test('profile: a picture that was chosen before the scripts came can be cropped too', async ({ page }) => {
  await signedInPerson(page)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/settings/profile', { waitUntil: 'commit' })
  await field(page).setInputFiles(png(await stripes()))
  await expect(page.getByText('We keep the middle of it')).toBeVisible()
  release()
  await expect(page.getByRole('slider', { name: 'Zoom' })).toBeVisible()
  await expect(page.getByText('We keep the middle of it')).toBeHidden()
})

test('profile: without the part for cropping, a large file is refused in words and a small one sent as it is', async ({
  page,
}) => {
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await scriptsAtWork(page)
  await page.route('**/assets/*.js', (route) => route.abort())
  await field(page).setInputFiles(png(Buffer.alloc(3 * 1024 * 1024)))
  await expect(page.getByRole('alert')).toContainText('Choose one of at most 2 MB.')
  await field(page).setInputFiles(png(await stripes()))
  await save(page).click()
  await expect(page.getByText('Picture saved.')).toBeVisible()
  expect(await savedColour(page)).toBe('green')
})

test('profile: initials stand in for a picture that fails to load', async ({ page }) => {
  await signedInPerson(page)
  await page.route('**/auth/pictures/*', (route) => route.abort())
  await page.goto('/settings/profile')
  await field(page).setInputFiles(png(await stripes()))
  await save(page).click()
  await expect(page.getByText('Picture saved.')).toBeVisible()
  await expect(pictures(page)).toHaveCount(0)
  await expect(page.getByText('AL', { exact: true }).first()).toBeVisible()
})

test('profile: initials stand in for a picture that failed before the scripts came', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await field(page).setInputFiles(png(await stripes()))
  await save(page).click()
  await expect(pictures(page)).not.toHaveCount(0)
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/auth/pictures/'))
  await page.route('**/auth/pictures/*', (route) => route.abort())
  await page.route('**/assets/*.js', async (route) => {
    await failed
    await route.continue()
  })
  await page.goto('/settings/profile')
  await expect(pictures(page)).toHaveCount(0)
  await expect(page.getByText('AL', { exact: true }).first()).toBeVisible()
})
