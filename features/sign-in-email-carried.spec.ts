// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect, test } from '@playwright/test'
import { newPerson, signUp } from './support/person.ts'

test('sign-in: the first field has the focus, and the email goes along to the forgotten password', async ({ page }) => {
  const { email } = newPerson()
  await page.goto('/login')
  await expect(page.getByLabel('Email address')).toBeFocused()
  await page.keyboard.type(email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page).toHaveURL('/forgot-password')
  await expect(page.getByLabel('Email address')).toHaveValue(email)
  await expect(page.getByLabel('Email address')).toBeFocused()
})

test('sign-in: after a sign-up the email stands in the form, and the password has the focus', async ({ page }) => {
  const person = newPerson()
  await signUp(page, person)
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByLabel('Email address')).toHaveValue(person.email)
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
})

test('sign-in: an error about a field goes when the person types something else', async ({ page }) => {
  const person = newPerson()
  await page.goto('/signup')
  await page.getByLabel('Name').fill(person.name)
  await page.getByLabel('Email address').fill(person.email)
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('password1234')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(password).toHaveAttribute('aria-invalid', 'true')
  await password.fill(person.password)
  await expect(page.getByText('this password is hard to guess')).toBeVisible()
  await expect(password).not.toHaveAttribute('aria-invalid')
  await expect(page.locator('#password-error')).toHaveCount(0)
})

test('sign-in: a mistyped well-known domain is noticed after the sign-up', async ({ page }) => {
  const person = newPerson()
  const account = person.email.split('@')[0]
  await signUp(page, { ...person, email: `${account}@gmial.com` })
  await expect(page.getByText('Did you mean')).toContainText(`${account}@gmail.com`)
  await page.getByRole('link', { name: 'Sign up with the right email' }).click()
  await expect(page).toHaveURL('/signup')
  await expect(page.getByLabel('Email address')).toHaveValue(`${account}@gmail.com`)
  await signUp(page, { ...person, email: `${account}@gmx.net` })
  await expect(page.getByText('Did you mean')).toHaveCount(0)
})
