// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages, reference
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { expectVisibleFocus } from './support/drivers.ts'
import { watch } from './support/scene-test.ts'

const reference = '/auth/reference'
const article = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) })
const visibleArticles = (page: Page) => page.locator('article:visible')

for (const colorScheme of ['light', 'dark'] as const) {
  test(`pages: everyone can read the reference, and it fits (${colorScheme})`, async ({ page, baseURL }) => {
    test.slow()
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const complaints = watch(page, baseURL)
    await page.goto(reference)
    await expectAccessible(page, 'reference')
    await page.getByLabel('Search').fill('passkey')
    await expectAccessible(page, 'reference, searched')
    expect(complaints).toEqual([])
  })
}

test('pages: the search of the reference finds routes by words, with the keyboard', async ({ page, baseURL }) => {
  const complaints = watch(page, baseURL)
  await page.goto(reference)
  const all = await visibleArticles(page).count()
  await page.keyboard.press('/')
  const field = page.getByLabel('Search')
  await expectVisibleFocus(field)
  await page.keyboard.type('member role owner')
  await expect(page.getByRole('status')).toHaveText(new RegExp(`^\\d+ of ${all} routes$`))
  await expect(article(page, 'POST /auth/organization/member/update-role')).toBeVisible()
  await expect(article(page, 'POST /auth/sign-in/email')).toBeHidden()
  const found = await visibleArticles(page).count()
  expect(found).toBeGreaterThan(0)
  await expect(
    page
      .getByRole('navigation')
      .locator('.group a:visible')
      .filter({ hasText: /^(GET|POST)/ }),
  ).toHaveCount(found)

  await field.fill('PASSWORD_TOO_COMMON sign-up')
  await expect(visibleArticles(page)).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#postSignUpEmail$/)
  await expectVisibleFocus(page.getByRole('link', { name: 'POST /auth/sign-up/email', exact: true }).last())

  await field.fill('no such route')
  await expect(page.getByRole('status')).toHaveText(`0 of ${all} routes`)
  await field.press('Escape')
  await expect(field).toHaveValue('')
  await expect(visibleArticles(page)).toHaveCount(all)
  expect(complaints).toEqual([])
})

test('pages: a link into the reference shows its route, also while a search hides it', async ({ page }) => {
  await page.goto(`${reference}#postChangePassword`)
  await expect(article(page, 'POST /auth/change-password')).toBeInViewport()
  await page.getByLabel('Search').fill('passkey')
  await expect(article(page, 'POST /auth/sign-out')).toBeHidden()
  await page.evaluate(() => {
    location.hash = 'postSignOut'
  })
  await expect(article(page, 'POST /auth/sign-out')).toBeInViewport()
})

test('pages: a malformed link into the reference takes nothing from the page', async ({ page, baseURL }) => {
  const complaints = watch(page, baseURL)
  await page.goto(`${reference}#%`)
  await expect(page.getByRole('button', { name: /^Copy: / }).first()).toBeVisible()
  expect(complaints).toEqual([])
})

test('pages: an example of the reference is copied as it is shown', async ({ page, context, baseURL }) => {
  const complaints = watch(page, baseURL)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(reference)
  const copy = page.getByRole('button', { name: 'Copy: curl, POST /auth/sign-in/email', exact: true })
  await copy.focus()
  await page.keyboard.press('Enter')
  await expect(copy).toHaveText('Copied')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^curl -X POST http:\/\/localhost:\d+\/auth\/sign-in\/email \\\n/)
  expect(copied).not.toContain('Copy')
  expect(complaints).toEqual([])
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('pages: the reference is complete, and its contents lead to every route', async ({ page }) => {
    await page.goto(reference)
    await expect(page.getByLabel('Search')).toBeHidden()
    await expect(page.getByRole('button')).toHaveCount(0)
    await page.getByRole('navigation').getByRole('link', { name: 'POST /two-factor/enable', exact: true }).click()
    await expect(page).toHaveURL(/#postTwoFactorEnable$/)
    const route = article(page, 'POST /auth/two-factor/enable')
    await expect(route).toBeInViewport()
    for (const part of [
      'curl -X POST',
      'floorpass.trpc.twoFactor.enable.mutate(',
      'TWO_FACTOR_ALREADY_ENABLED',
      'TOTP_ALREADY_ENABLED',
    ])
      await expect(route).toContainText(part)
  })
})
