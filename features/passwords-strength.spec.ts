// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags passwords
import { expect, test } from '@playwright/test'
import { holdScripts } from './support/drivers.ts'

test('passwords: while it is typed, the rule of the service says whether a password will do, in a body and no address', async ({
  page,
}) => {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto('/signup')
  await page.getByLabel('Name').fill('Wilhelmina Oosterdijk')
  const box = page.getByLabel('Password', { exact: true })
  await box.pressSequentially('short')
  await expect(page.getByRole('status').filter({ hasText: 'Use at least 8 characters' })).toBeVisible()
  await box.fill('oosterdijk')
  await expect(page.getByRole('status').filter({ hasText: 'Leave out anything about you' })).toBeVisible()
  await box.fill('violet tram 74 under')
  await expect(page.getByRole('status').filter({ hasText: 'this password is hard to guess' })).toBeVisible()
  expect(urls.filter((url) => /oosterdijk|violet|short/.test(url))).toEqual([])
  expect(urls.filter((url) => url.endsWith('/password-strength')).length).toBeLessThanOrEqual(4)
})

test('passwords: the strength result clears when the password changes', async ({ page }) => {
  await page.goto('/signup')
  const box = page.getByLabel('Password', { exact: true })
  const result = page.getByRole('status').filter({ hasText: 'this password is hard to guess' })
  await box.fill('violet tram 74 under')
  await expect(result).toBeVisible()
  // The next answer never comes.
  await page.route('**/password-strength', () => {})
  await box.press('Backspace')
  await expect(result).toHaveCount(0)
})

test('passwords: checks a password typed before hydration', async ({ page }) => {
  const release = await holdScripts(page)
  await page.goto('/signup', { waitUntil: 'commit' })
  await page.getByLabel('Password', { exact: true }).fill('violet tram 74 under')
  release()
  await expect(page.getByRole('status').filter({ hasText: 'this password is hard to guess' })).toBeVisible()
})

test('passwords: what is typed can be shown and hidden by keyboard, and that is announced', async ({ page }) => {
  await page.goto('/login')
  const box = page.getByLabel('Password', { exact: true })
  const toggle = page.getByRole('button', { name: 'Show password' })
  await expect(toggle).toBeVisible()
  await box.fill('violet tram')
  await page.keyboard.press('Tab')
  await expect(toggle).toBeFocused()
  await page.keyboard.press('Space')
  await expect(box).toHaveAttribute('type', 'text')
  await expect(page.getByRole('status').filter({ hasText: 'The password is shown.' })).toHaveCount(1)
  await page.keyboard.press('Space')
  await expect(box).toHaveAttribute('type', 'password')
  await expect(page.getByLabel('Email address')).toHaveAttribute('autocomplete', 'username webauthn')
  await expect(box).toHaveAttribute('autocomplete', 'current-password')
})

test('passwords: the button that shows one comes with the scripts that do it', async ({ page }) => {
  const release = await holdScripts(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show password' })).toHaveCount(0)
  release()
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
})

test('passwords: keys that are pressed while the scripts begin their work do not keep them from it', async ({ page }) => {
  // React puts its work off by this where it is there. A browser that is busy does the same, since keys come first.
  await page.addInitScript(() => {
    Object.assign(window, { setImmediate: (work: () => void) => setTimeout(work, 500) })
  })
  await page.goto('/signup')
  await page.getByLabel('Password', { exact: true }).pressSequentially('violet tram 74 under')
  await expect(page.getByRole('status').filter({ hasText: 'this password is hard to guess' })).toBeVisible()
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('passwords: without JavaScript there is no button to show it', async ({ page }) => {
    await page.goto('/login')
    await expect(page.getByRole('button', { name: 'Show password' })).toHaveCount(0)
  })
})
