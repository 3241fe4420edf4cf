// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags passwords
import { expect } from '@playwright/test'
import { test } from './support/open-browser.ts'
import { signedInPerson, signInOnNewDevice, submitSignIn } from './support/person.ts'

const newPassword = 'nine lanterns over quiet water 58'

test('passwords: a changed password keeps this device signed in and ends the others', async ({ page, openBrowser }) => {
  test.slow()
  const person = await signedInPerson(page)
  const elsewhere = await signInOnNewDevice(openBrowser, person)

  await page.goto('/settings/password')
  const present = page.getByLabel('Current password')
  const next = page.getByLabel('New password', { exact: true })
  await present.fill('not the password')
  await next.fill(newPassword)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(present).toHaveAttribute('aria-invalid', 'true')
  await expect(present).toBeFocused()

  await present.fill(person.password)
  await next.fill(newPassword)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password changed.')).toBeVisible()
  await page.goto('/dashboard')
  await expect(page).toHaveURL('/dashboard')

  await elsewhere.goto('/dashboard')
  await expect(elsewhere).toHaveURL('/login?redirectTo=%2Fdashboard')
  await submitSignIn(elsewhere, { ...person, password: newPassword })
  await expect(elsewhere).toHaveURL('/dashboard')
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('passwords: a changed password keeps this device signed in with JavaScript off', async ({ page }) => {
    const person = await signedInPerson(page)
    await page.goto('/settings/password')
    await page.getByLabel('Current password').fill(person.password)
    await page.getByLabel('New password', { exact: true }).fill(newPassword)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Password changed.')).toBeVisible()
    await page.goto('/dashboard')
    await expect(page).toHaveURL('/dashboard')
  })
})
