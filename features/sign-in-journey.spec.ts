// @frequency 10m
// @locations eu-west-1, us-east-1
// @alerts oncall
// @tags sign-in, critical
import { expect, test } from '@playwright/test'
import { confirmAddress, followMailedLink, newPerson, signedInPerson, signOut, signUp, submitSignIn } from './support/person.ts'

test('sign-in: a new person signs up, confirms the address, signs in and out, and leaves nothing behind (T151)', async ({
  page,
}) => {
  const person = newPerson()
  await signUp(page, person)
  await expect(page.getByRole('main')).toContainText(person.email)
  await confirmAddress(page, person)

  await submitSignIn(page, person)
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByRole('heading', { name: `Hello, ${person.name}` })).toBeVisible()

  await signOut(page)
  await page.goBack()
  await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText(person.name)).toHaveCount(0)
  await page.goto('/dashboard')
  await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
})

test('sign-in: a deep link is where the person lands, also by way of sign-up and its mail', async ({ page, context }) => {
  const person = newPerson()
  await page.goto('/settings/trading')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expect(page).toHaveURL('/signup?redirectTo=%2Fsettings%2Ftrading')
  await page.getByLabel('Name').fill(person.name)
  await page.getByLabel('Email address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('main')).toContainText(person.email)
  await confirmAddress(page, person)
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/settings/trading')

  await context.clearCookies()
  await page.goto('/settings/trading')
  await expect(page).toHaveURL('/login?redirectTo=%2Fsettings%2Ftrading')
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/settings/trading')
  await expect(page.getByRole('heading', { name: 'Trading' })).toBeVisible()
})

const elsewhere = [
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  'javascript:alert(1)',
  'https://localhost@evil.example/',
  '\\\\evil.example/',
  'data:text/html,evil',
  'https:evil.example',
  '/%2f/evil.example',
  '/%09/evil.example',
  'https://user:word@evil.example/',
]

test('sign-in: no redirectTo leads off the service (T65)', async ({ page, context }) => {
  test.slow()
  const person = await signedInPerson(page)
  for (const target of elsewhere) {
    const address = `/login?redirectTo=${encodeURIComponent(target)}`
    await page.goto(address)
    await expect(page, `already signed in, ${target}`).toHaveURL('/dashboard')
    await context.clearCookies()
    await page.goto(address)
    await submitSignIn(page, person)
    await expect(page, `after the form, ${target}`).toHaveURL('/dashboard')
  }
})

test('sign-in: a wrong password says what to check, and says the same of an unknown address', async ({ page, context }) => {
  const person = await signedInPerson(page)
  await context.clearCookies()
  for (const email of [person.email, newPerson().email]) {
    await page.goto('/login')
    await submitSignIn(page, { email, password: 'not the password' })
    await expect(page.getByRole('alert')).toHaveText('Wrong email or password. Check both and try again.')
    await expect(page.getByLabel('Email address')).toHaveValue(email)
  }
  // The form may have begun to offer passkeys by now, which names the browser.
  expect((await context.cookies()).filter(({ name }) => name !== 'floorpass_passkey')).toEqual([])
})

test('sign-in: before the address is confirmed, the right password offers a new mail', async ({ page }) => {
  const person = newPerson()
  await signUp(page, person)
  await page.goto('/login')
  await submitSignIn(page, person)
  await expect(page.getByRole('alert')).toContainText('your email isn’t confirmed yet')
  await page.getByRole('button', { name: 'Resend email' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()

  await followMailedLink(page, person, '/verify-email', 2)
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/dashboard')
})
