// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags allow-list, critical
import { expect } from '@playwright/test'
import { press } from './support/drivers.ts'
import { signInTwoDaysAgo } from './support/person-of-two-days.ts'
import { test } from './support/service-with-providers.ts'

test('allow-list: a passkey that is a day old confirms an address and a switch-off', async ({ page, service, clock }) => {
  test.slow()
  const { person } = await signInTwoDaysAgo(page, service, '/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  await clock.setBack(0)

  await page.goto('/settings/allow-list')
  await expect(page.getByLabel('Kind')).toHaveCount(0)
  await page.getByRole('link', { name: 'Confirm it’s you' }).click()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await press(page, 'Confirm with password')
  await expect(page).toHaveURL('/settings/allow-list')
  await page.getByLabel('Kind').fill('bitcoin')
  await page.getByLabel('Address', { exact: true }).fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq')
  await press(page, 'Add address with my passkey')
  await expect(page.getByText('Address added. We’ve emailed you.')).toBeVisible()
  await press(page, 'Turn on')
  await press(page, 'Turn off with my passkey')
  await expect(page.getByText('This will turn off after the wait.')).toBeVisible()
  await expect(page.getByText('This turns off on')).toBeVisible()
})
