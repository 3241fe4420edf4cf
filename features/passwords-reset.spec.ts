// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags passwords, critical
import { expect } from '@playwright/test'
import { test } from './support/open-browser.ts'
import { followMailedLink, newPerson, signedInPerson, submitSignIn } from './support/person.ts'

const newPassword = 'nine lanterns over quiet water 58'

test('passwords: a forgotten password is replaced by a mailed link, which works once and signs every device out', async ({
  page,
  openBrowser,
}) => {
  test.slow()
  const person = await signedInPerson(page)
  const elsewhere = await openBrowser()
  await elsewhere.goto('/login')
  await elsewhere.getByRole('button', { name: 'Forgot your password?' }).click()
  // Both pages have a field of this name: without waiting, the one on the page that is left gets the address.
  await expect(elsewhere).toHaveURL('/forgot-password')
  await elsewhere.getByLabel('Email address').fill(person.email)
  await elsewhere.getByRole('button', { name: 'Send link' }).click()
  await expect(elsewhere.getByRole('heading', { name: 'Check your email' })).toBeVisible()

  const link = await followMailedLink(elsewhere, person, '/reset-password', 2)
  await expect(elsewhere, 'the token is in the address no longer than it must').toHaveURL('/reset-password')
  const password = elsewhere.getByLabel('New password', { exact: true })
  await password.fill('password1')
  await elsewhere.getByRole('button', { name: 'Set new password' }).click()
  await expect(password).toBeFocused()
  await expect(password).not.toHaveAccessibleDescription('')
  expect(elsewhere.url(), 'the token is in no second address').not.toContain('token=')
  await password.fill(newPassword)
  await elsewhere.getByRole('button', { name: 'Set new password' }).click()
  await expect(elsewhere.getByText('Your new password is set')).toBeVisible()

  await page.goto('/dashboard')
  await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
  await submitSignIn(page, person)
  await expect(page.getByRole('alert')).toContainText('Wrong email or password')
  await submitSignIn(page, { ...person, password: newPassword })
  await expect(page).toHaveURL('/dashboard')

  await elsewhere.goto(link)
  await expect(elsewhere.getByRole('alert')).toContainText('This link doesn’t work')
  await elsewhere.getByRole('link', { name: 'Get a new link' }).click()
  await expect(elsewhere).toHaveURL('/forgot-password')
})

test('passwords: an address without an account gets the same answer', async ({ page }) => {
  const { email } = newPerson()
  await page.goto('/forgot-password')
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(`If there’s an account for ${email}, you’ll get an email`)
})
