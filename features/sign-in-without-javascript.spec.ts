// @frequency 10m
// @locations eu-west-1, us-east-1
// @alerts oncall
// @tags sign-in, critical
import { expect, test } from '@playwright/test'
import { confirmAddress, newPerson, signedInPerson, signOut, signUp, submitSignIn } from './support/person.ts'

test.use({ javaScriptEnabled: false })

test('sign-in: the whole journey works with JavaScript off', async ({ page }) => {
  const person = newPerson()
  await signUp(page, person)
  await confirmAddress(page, person)
  await page.goto('/settings/trading')
  await expect(page).toHaveURL('/login?redirectTo=%2Fsettings%2Ftrading')
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/settings/trading')
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByRole('heading', { name: `Hello, ${person.name}` })).toBeVisible()

  await signOut(page)
  await page.goBack()
  await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
  await expect(page.getByText(person.name)).toHaveCount(0)
})

test('sign-in: with JavaScript off, sign-up comes back with its errors and what was typed, never the password', async ({
  page,
}) => {
  const { email } = newPerson()
  await page.goto('/signup')
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()

  const name = page.getByLabel('Name')
  await expect(page.getByRole('alert')).toBeFocused()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(name).not.toHaveAccessibleDescription('')
  await page.getByRole('alert').getByRole('link').first().click()
  await expect(name).toBeFocused()
  await expect(page.getByLabel('Email address')).toHaveValue(email)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  expect(await page.content()).not.toContain('value="short"')
})

test('sign-in: with JavaScript off, a refused sign-in keeps the address and never the password', async ({ page, context }) => {
  const { email } = await signedInPerson(page)
  await context.clearCookies()
  await page.goto('/login')
  await page.getByLabel('Keep me signed in').check()
  await submitSignIn(page, { email, password: 'not the password' })
  await expect(page.getByRole('alert')).toContainText('Wrong email or password')
  await expect(page.getByLabel('Email address')).toHaveValue(email)
  await expect(page.getByLabel('Keep me signed in')).toBeChecked()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  expect(await page.content()).not.toContain('not the password')
})
