// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags settings, pages
import { expect, test } from '@playwright/test'
import { holdScripts, scriptsAtWork, tabTo } from './support/drivers.ts'
import { newPerson, openAccountMenu, signedInPerson } from './support/person.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`settings: the overview shows each state and leads to its page (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      const { email } = await signedInPerson(page)
      await page.getByRole('link', { name: 'Settings', exact: true }).click()
      const security = page.getByRole('region', { name: 'Security' })
      await expect(page.getByRole('region', { name: 'Account' })).toContainText(email)
      await expect(security.getByRole('link', { name: /^Two-factor/ })).toContainText('Off')
      await expect(security.getByRole('link', { name: /^Passkeys/ })).toContainText('Add a passkey')
      await security.getByRole('link', { name: /^Two-factor/ }).click()
      await expect(page).toHaveURL('/settings/security')
      await page.getByRole('link', { name: 'All settings', exact: true }).first().click()
      await expect(page).toHaveURL('/settings')
    })

    test(`settings: the theme is chosen in the account menu and stays (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      await signedInPerson(page)
      await page.goto('/settings/trading?from=menu')
      const background = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
      const light = await background()
      await openAccountMenu(page)
      await page.getByRole('button', { name: 'Dark', exact: true }).click()
      // The address stays the same, so only the new document shows that the answer has come.
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
      await expect(page).toHaveURL('/settings/trading?from=menu')
      const dark = await background()
      expect(dark).not.toBe(light)
      await page.goto('/dashboard')
      expect(await background()).toBe(dark)
      await openAccountMenu(page)
      await expect(page.getByRole('button', { name: 'Dark', exact: true })).toHaveAttribute('aria-current', 'true')
      await page.getByRole('button', { name: 'System', exact: true }).click()
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'system')
      expect(await background()).toBe(light)
    })

    test(`settings: the account menu chooses the organization to act for (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      await signedInPerson(page)
      await page.goto('/settings/organizations')
      await page.getByLabel('Organization name').fill('Meridian Desk')
      await page.getByLabel('Short name').fill(`m-${newPerson().email.slice(4, 20)}`)
      await page.getByRole('button', { name: 'Create organization' }).click()
      await expect(page).toHaveURL(/\/settings\/organizations\/m-/)
      await page.goto('/dashboard')
      await openAccountMenu(page)
      const own = page.getByRole('button', { name: 'Personal account', exact: true, includeHidden: true })
      await own.click()
      await expect(own).toHaveAttribute('aria-current', 'true')
      await openAccountMenu(page)
      const desk = page.getByRole('button', { name: 'Meridian Desk', exact: true, includeHidden: true })
      await desk.click()
      await expect(desk).toHaveAttribute('aria-current', 'true')
      await expect(page).toHaveURL('/dashboard')
    })
  })
}

test('settings: the account menu closes with Escape and after a navigation', async ({ page }) => {
  await signedInPerson(page)
  await openAccountMenu(page)
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeHidden()
  await openAccountMenu(page)
  await page.getByRole('link', { name: 'Your profile', exact: true }).click()
  await expect(page).toHaveURL('/settings/profile')
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeHidden()
})

test('settings: a menu opened before the scripts have come stays open when they come', async ({ page }) => {
  await signedInPerson(page)
  const release = await holdScripts(page)
  await page.goto('/settings/profile', { waitUntil: 'commit' })
  await openAccountMenu(page)
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible()
  release()
  await scriptsAtWork(page)
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible()
})

test('settings: the skip link leads past the navigation to the content', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/profile')
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Name')).toBeFocused()
})

test('settings: a phone shows one list, then one page', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await signedInPerson(page)
  await page.goto('/settings')
  await expect(page.getByRole('link', { name: /^Passkeys/ })).toHaveCount(1)
  await page.getByRole('link', { name: /^Trading/ }).click()
  await expect(page).toHaveURL('/settings/trading')
  await expect(page.getByRole('link', { name: 'Passkeys', exact: true })).toBeHidden()
  await page.getByRole('link', { name: 'All settings', exact: true }).first().click()
  await expect(page).toHaveURL('/settings')
})

test('settings: forced colors keep the borders of buttons, the current section and the chosen card', async ({ page }) => {
  await signedInPerson(page)
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/settings/trading')
  const lineOf = (name: string, side: 'borderTopColor' | 'borderLeftColor') =>
    page
      .getByRole('link', { name, exact: true })
      .last()
      .evaluate((link, property) => getComputedStyle(link)[property], side)
  expect(await lineOf('Trading', 'borderLeftColor')).not.toBe(await lineOf('Profile', 'borderLeftColor'))
  const save = page.getByRole('button', { name: 'Save trading settings' })
  expect(await save.evaluate((button) => getComputedStyle(button).borderTopWidth)).toBe('1px')
  const outlines = await page
    .getByRole('radio')
    .evaluateAll((radios) =>
      radios.map((radio) => [
        (radio as HTMLInputElement).checked,
        getComputedStyle(radio.closest('label') as Element).outlineStyle,
      ]),
    )
  expect(outlines).toEqual([
    [true, 'solid'],
    [false, 'none'],
    [false, 'none'],
  ])
})
