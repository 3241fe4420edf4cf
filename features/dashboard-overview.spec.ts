// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile, dashboard
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { signedInPerson } from './support/person.ts'

test('profile: the dashboard shows the account, its trading status and the next security step', async ({ page }) => {
  const { name, email } = await signedInPerson(page)
  await expect(page.getByRole('heading', { name: `Hello, ${name}` })).toBeVisible()
  await expect(page.getByText(email, { exact: true }).last()).toBeVisible()
  await expect(page.getByText('Turned off')).toBeVisible()
  await expect(page.getByText('Conservative')).toBeVisible()
  await expect(page.getByText('45 out of 100')).toBeVisible()
  const activity = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Recent activity' }) })
  await expect(activity.getByRole('listitem').first()).toContainText('Signed in')
  await expectAccessible(page, 'dashboard')

  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await expect(page).toHaveURL('/settings/passkeys')
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('profile: the dashboard shows the score and its step without JavaScript', async ({ page }) => {
    await signedInPerson(page)
    await expect(page.getByText('45 out of 100')).toBeVisible()
    await page.getByRole('link', { name: 'See all activity' }).click()
    await expect(page).toHaveURL('/settings/activity')
  })
})
