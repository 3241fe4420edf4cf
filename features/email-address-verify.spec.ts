// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags email-address
import { expect, test } from '@playwright/test'
import { confirmAddress, followMailedLink, newPerson, signUp, submitSignIn } from './support/person.ts'

test('email-address: a link that does not work offers a new one, which does', async ({ page }) => {
  const person = newPerson()
  await signUp(page, person)
  await page.goto('/verify-email?token=not-a-token')
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await expect(page.getByRole('alert')).toContainText('This link doesn’t work')
  expect(page.url()).not.toContain('token=')

  await page.getByLabel('Email address').fill(person.email)
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await followMailedLink(page, person, '/verify-email', 2)
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/dashboard')
})

test('email-address: opening the link changes nothing, pressing its button twice does no harm', async ({ page }) => {
  const person = newPerson()
  await signUp(page, person)
  const link = await followMailedLink(page, person, '/verify-email')
  await page.goto('/login')
  await submitSignIn(page, person)
  await expect(page.getByRole('alert')).toContainText('isn’t confirmed yet')

  await confirmAddress(page, person)
  await page.goto(link)
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await expect(page.getByText('Your email is confirmed.')).toBeVisible()
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/dashboard')
})

test('email-address: an undo link that does not work says why, and leads to a new password', async ({ page }) => {
  await page.goto('/undo-email-change')
  await expect(page.getByRole('link', { name: 'Choose a new password' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.goto('/undo-email-change?token=any')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Undo the change' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Choose a new password' }).click()
  await expect(page).toHaveURL('/forgot-password')
})
