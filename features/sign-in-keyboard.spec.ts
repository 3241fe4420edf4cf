// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in, accessibility
import { expect, type Locator, type Page, test } from '@playwright/test'
import { signedInPerson } from './support/person.ts'

/** Presses Tab until `target` has the focus; every stop on the way shows where one is. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = page.locator(':focus')
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab')
    await expectVisibleFocus(focused)
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  await expect(target).toBeFocused()
}

async function expectVisibleFocus(focused: Locator): Promise<void> {
  await expect(focused).toBeInViewport()
  await expect(focused).toHaveCSS('outline-style', 'solid')
  await expect(focused).toHaveCSS('outline-width', '3px')
}

test('sign-in: the keyboard alone signs in and out, and an error takes the focus', async ({ page, context }) => {
  test.slow()
  const { email: address, password: secret } = await signedInPerson(page)
  await context.clearCookies()
  await page.goto('/login')
  const email = page.getByLabel('E-mail address')
  const password = page.getByLabel('Password', { exact: true })

  await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()

  await tabTo(page, email)
  await page.keyboard.type('ada@')
  await page.keyboard.press('Enter')
  await expect(email).toHaveAttribute('aria-invalid', 'true')
  await expect(email).toBeFocused()
  await expectVisibleFocus(email)

  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(address)
  await tabTo(page, password)
  await page.keyboard.type('not the password')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('do not match')
  await expect(page.getByRole('alert')).toBeFocused()

  await tabTo(page, password)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(secret)
  await tabTo(page, page.getByRole('checkbox'))
  await page.keyboard.press('Space')
  await expect(page.getByRole('checkbox')).toBeChecked()
  await tabTo(page, page.getByRole('button', { name: 'Sign in' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/dashboard')

  await tabTo(page, page.getByRole('link', { name: 'Change trading settings' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/settings/trading')
  await expect(page.getByRole('main')).toBeFocused()
  await page.reload()
  await tabTo(page, page.getByRole('button', { name: 'Sign out' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/login?notice=signed-out')
})
