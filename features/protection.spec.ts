// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags protection, critical
import { expect } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { confirm } from './support/confirm.ts'
import { press } from './support/drivers.ts'
import { newPerson, signedInPerson, submitSignIn } from './support/person.ts'
import { createAccount, mailedLink, openTab } from './support/scene.ts'
import { test } from './support/service-with-providers.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const days = (count: number) => count * 24 * 60
const newPassword = 'nine lanterns over quiet water 58'

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('protection: a phrase is saved and is in the next mail, and a password change holds withdrawals', async ({
    page,
    service,
  }) => {
    test.slow()
    const person = await signedInPerson(page)
    await page.goto('/settings')
    await expect(page.getByRole('link', { name: /^Protection/ })).toBeVisible()
    await page.goto('/settings/protection')
    await expect(page.getByText('No hold', { exact: true })).toBeVisible()
    await expect(page.getByText('Not locked', { exact: true })).toBeVisible()
    await page.getByLabel('Phrase').fill('blue heron at dawn')
    await press(page, 'Save phrase')
    await expect(page.getByText('Phrase saved. If you had one before, our email about this change still shows it.')).toBeVisible()
    await expect(page.getByText('blue heron at dawn', { exact: true })).toBeVisible()

    await page.goto('/settings/password')
    await page.getByLabel('Current password').fill(person.password)
    await page.getByLabel('New password', { exact: true }).fill(newPassword)
    await press(page, 'Change password')
    await expect(page.getByText('Password changed.')).toBeVisible()
    await page.goto('/settings/protection')
    await expect(page.getByText('On hold', { exact: true })).toBeVisible()
    await expect(page.getByText('On hold until', { exact: true })).toBeVisible()
    await expect(page.getByText('Password changed', { exact: true })).toBeVisible()
    await page.goto('/dashboard')
    await page.getByRole('main').getByRole('link', { name: 'See why' }).click()
    await expect(page).toHaveURL('/settings/protection')
    await mailedLink(service.url, person.email, '/panic')
    await page.goto('/dev/mailbox')
    await page.getByRole('row').filter({ hasText: person.email }).first().getByRole('link').click()
    await expect(page.frameLocator('iframe').first().locator('body')).toContainText('blue heron at dawn')
  })

  test('protection: a refusal is shown once, at the form that was sent', async ({ page, service, clock }) => {
    const person = newPerson()
    await clock.setBack(60)
    await createAccount(service.url, person)
    await page.goto('/login?redirectTo=/settings/protection')
    await submitSignIn(page, person)
    await page.getByLabel('Phrase').fill('blue heron at dawn')
    await press(page, 'Save phrase')
    await expect(page.getByText('Phrase saved.')).toBeVisible()
    await clock.setBack(0)
    await press(page, 'Remove phrase')
    await expect(page.getByRole('alert')).toHaveCount(1)
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Remove phrase' }) })
    await expect(form.getByRole('alert')).toBeVisible()
    await expect(form.getByRole('link')).toHaveAttribute('href', /^\/reauthenticate/)
  })
})

test('protection: an older passkey locks the account, and the lock key shows once', async ({ page, service, clock }) => {
  test.slow()
  const person = newPerson()
  await clock.setBack(days(8))
  await createAccount(service.url, person)
  await addVirtualAuthenticator(page)
  await page.goto('/login?redirectTo=/settings/passkeys')
  await submitSignIn(page, person)
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  await page.goto('/settings/protection')
  await expect(page.getByText('You can turn on the lock once your passkey is a week old.')).toBeVisible()
  await expect(page.getByText('Passkey added', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'End the hold with a passkey' })).toHaveCount(0)
  await clock.setBack(0)

  await page.goto('/login?redirectTo=/settings/protection')
  await submitSignIn(page, person)
  await expect(page.getByText('No hold', { exact: true })).toBeVisible()
  await expectAccessible(page, 'protection that can be locked')
  await page.getByLabel('How long unlocking takes').selectOption('3 days')
  await press(page, 'Lock with a passkey')
  await expect(page.getByRole('heading', { name: 'Your account is locked' })).toBeVisible()
  const key = (await page.getByRole('definition').first().textContent()) ?? ''
  expect(key).toMatch(/^[0-9A-Z-]{25,40}$/i)
  await expectAccessible(page, 'a lock key')
  await page.getByRole('link', { name: 'I’ve saved my lock key' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is locked' })).toHaveCount(0)
  expect(await page.content()).not.toContain(key)
  await expect(page.getByRole('link', { name: 'Limit withdrawals' })).toBeVisible()
  await expect(page.getByText('Your phrase can’t be changed while your account is locked.')).toBeVisible()

  await page.goto('/dashboard')
  await expect(page.getByText('Your account is locked.')).toBeVisible()
  await page.goto('/settings/password')
  await page.getByLabel('Current password').fill(person.password)
  await page.getByLabel('New password', { exact: true }).fill(newPassword)
  await press(page, 'Change password')
  await expect(page.getByRole('alert')).toContainText('Your account is locked.')

  await page.goto('/settings/protection')
  const ask = page.getByRole('button', { name: 'Unlock in 3 days' })
  await confirm(page, ask, 'Yes, ask to unlock')
  await expect(page.getByText('You’ve asked to unlock.')).toBeVisible()
  await expect(page.getByText('Your account unlocks on')).toBeVisible()
  await expectAccessible(page, 'a lock that ends')
  await press(page, 'Keep locked')
  await expect(page.getByText('Your account stays locked.')).toBeVisible()
  await expect(page.getByText('Your account unlocks on')).toHaveCount(0)

  await page.getByLabel('Lock key').fill('AAAAA-AAAAA-AAAAA-AAAAA-AAAAA')
  await press(page, 'Unlock now with a passkey')
  await expect(page.getByRole('alert')).toContainText('lock key')
  await page.getByLabel('Lock key').fill(key.toLowerCase())
  await press(page, 'Unlock now with a passkey')
  await expect(page.getByText('Your account is unlocked.')).toBeVisible()
  await expect(page.getByText('Not locked', { exact: true })).toBeVisible()
})

test('protection: an older passkey undoes a press of the panic link', async ({ page, service, clock }) => {
  test.slow()
  const person = newPerson()
  await clock.setBack(days(9))
  await createAccount(service.url, person)
  await addVirtualAuthenticator(page)
  await page.goto('/login?redirectTo=/settings/passkeys')
  await submitSignIn(page, person)
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  await clock.setBack(0)
  await page.goto('/login?redirectTo=/settings/protection')
  await submitSignIn(page, person)
  await page.getByLabel('Phrase').fill('blue heron at dawn')
  await press(page, 'Save phrase')
  await expect(page.getByText('Phrase saved.')).toBeVisible()
  // Until the mail about the phrase arrives, the newest link is nine days old.
  const stopEverything = async () => {
    const token = new URL(await mailedLink(service.url, person.email, '/panic')).searchParams.get('token')
    return (await openTab(service.url).post('/auth/panic', { token })).status
  }
  await expect.poll(stopEverything).toBe(200)

  await page.goto('/login?redirectTo=/settings/protection')
  await press(page, 'Sign in with a passkey')
  await expect(page.getByText('Locked', { exact: true })).toBeVisible()
  await expectAccessible(page, 'a lock of a panic link')
  await press(page, 'Undo with a passkey')
  await expect(page.getByText('Your account is unlocked.')).toBeVisible()
  await expect(page.getByText('Not locked', { exact: true })).toBeVisible()
  await expect(page.getByText('No hold', { exact: true })).toBeVisible()
})
