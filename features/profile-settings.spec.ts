// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile
import { expect, test } from '@playwright/test'
import { signedInPerson } from './support/person.ts'

test('profile: a new name is saved and shown everywhere; an empty one is refused', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings')
  await page.getByRole('link', { name: /^Profile/ }).click()
  await expect(page).toHaveURL('/settings/profile')
  const name = page.getByLabel('Name')
  await name.fill('  ')
  await page.getByRole('button', { name: 'Save name' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(name).toBeFocused()

  await name.fill('Ada <b>King</b> 🎩')
  await page.getByRole('button', { name: 'Save name' }).click()
  await expect(page.getByText('Name saved.')).toBeVisible()
  await page.reload()
  await expect(name).toHaveValue('Ada <b>King</b> 🎩')
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Ada <b>King</b> 🎩' })).toBeVisible()
})

test('profile: trading is off until the user turns it on and chooses a risk level', async ({ page }) => {
  await signedInPerson(page)
  await expect(page.getByText('Turned off')).toBeVisible()
  await page.getByRole('link', { name: 'Change trading settings' }).click()
  const allowed = page.getByRole('switch', { name: 'Allow trading' })
  await expect(allowed).not.toBeChecked()
  await expect(page.getByRole('radio', { name: 'Conservative' })).toBeChecked()

  await allowed.check()
  await page.getByRole('radio', { name: 'Moderate' }).check()
  await page.getByRole('button', { name: 'Save trading settings' }).click()
  await expect(page.getByText('Trading settings saved.')).toBeVisible()
  await page.reload()
  await expect(allowed).toBeChecked()
  await expect(page.getByRole('radio', { name: 'Moderate' })).toBeChecked()

  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByText('Turned on')).toBeVisible()
  await expect(page.getByText('Moderate')).toBeVisible()
})
