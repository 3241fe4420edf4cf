// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags api-keys, critical
import { expect } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { press } from './support/drivers.ts'
import { signInTwoDaysAgo } from './support/person-of-two-days.ts'
import { test } from './support/service-with-providers.ts'

test('api-keys: a passkey that is a day old confirms a key that withdraws', async ({ page, service, clock }) => {
  test.slow()
  const { person, authenticator } = await signInTwoDaysAgo(page, service, '/settings/api-keys/new')
  await expect(page.getByLabel('Name')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: /^Withdraw/ })).toHaveCount(0)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()

  await page.goto('/settings/api-keys/new')
  await page.getByLabel('Name').fill('Treasury')
  await page.getByLabel(/^Withdraw/).check()
  await press(page, 'Create key with my passkey')
  await expect(page.getByRole('alert')).toContainText('This passkey is too new to confirm this.')
  await clock.setBack(0)

  await page.goto('/reauthenticate?redirectTo=/settings/api-keys/new')
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await press(page, 'Confirm with password')
  await expect(page).toHaveURL('/settings/api-keys/new')
  await expect(page.getByLabel(/^Withdraw/)).not.toBeChecked()
  await page.getByLabel('Name').fill('Treasury')
  await page.getByLabel(/^Withdraw/).check()
  await expect(page.getByRole('button', { name: 'Create key', exact: true })).toHaveCount(0)
  await expectAccessible(page, 'a key that withdraws')
  await page.getByLabel('Name').press('Enter')
  await expect(page.getByRole('alert')).toContainText('Confirm this with your passkey.')
  await authenticator.setVerified(false)
  await press(page, 'Create key with my passkey')
  await expect(page.getByRole('alert')).not.toContainText('Confirm this with your passkey.')
  await authenticator.setVerified(true)
  await press(page, 'Create key with my passkey')
  await expect(page.getByRole('definition')).toHaveText(/^fp_user_[0-9A-Za-z]{49}$/)
  await page.getByRole('link', { name: 'I’ve saved it' }).click()
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Treasury' })
  await expect(row).toContainText('Read, Withdraw')
  await press(page, 'Disable Treasury')
  await expect(row).toContainText('can’t be enabled here')
  await expect(page.getByRole('button', { name: /^Enable/ })).toHaveCount(0)
})
