// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in, accessibility
import { expect, test } from '@playwright/test'
import { expectVisibleFocus, tabTo } from './support/drivers.ts'
import { signedInPerson } from './support/person.ts'

test('sign-in: the keyboard alone signs in and out, and an error takes the focus', async ({ page, context }) => {
  test.slow()
  const { email: address, password: secret } = await signedInPerson(page)
  await context.clearCookies()
  await page.goto('/login')
  const email = page.getByLabel('Email address')
  const password = page.getByLabel('Password', { exact: true })

  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
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
  await expect(page.getByRole('alert')).toContainText('Wrong email or password')
  await expect(page.getByRole('alert')).toBeFocused()

  await tabTo(page, password)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(secret)
  await tabTo(page, page.getByRole('checkbox'))
  await page.keyboard.press('Space')
  await expect(page.getByRole('checkbox')).toBeChecked()
  await tabTo(page, page.getByRole('button', { name: 'Sign in', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/dashboard')

  await tabTo(page, page.getByRole('link', { name: 'Change trading settings' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/settings/trading')
  await expect(page.getByRole('main')).toBeFocused()
  await page.reload()
  await tabTo(page, page.getByRole('button', { name: /^Account menu of/ }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Sign out', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/login?notice=signed-out')
})
