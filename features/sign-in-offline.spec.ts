// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect, test } from '@playwright/test'
import { scriptsAtWork } from './support/drivers.ts'
import { newPerson, openAccountMenu, signedInPerson } from './support/person.ts'

test('sign-in: without a network nothing is sent and nothing typed is lost; "Try again" sends it', async ({ page, context }) => {
  const { email, name, password } = newPerson()
  await page.goto('/signup')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await scriptsAtWork(page)
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Create account' }).click()
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('No connection')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page.getByLabel('Email address')).toHaveValue(email)
  await notice.getByRole('button', { name: 'Stay here' }).click()
  await expect(notice).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeFocused()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(password)

  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(notice).toBeVisible()
  await context.setOffline(false)
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
})

test('sign-in: what was held for want of a network is forgotten when something else is sent', async ({ page, context }) => {
  await page.goto('/forgot-password')
  await page.getByLabel('Email address').fill(newPerson().email)
  await scriptsAtWork(page)
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('alert')).toContainText('No connection')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('sign-in: a form that a proxy answers in place of the service keeps what was typed', async ({ page }) => {
  await page.goto('/forgot-password')
  const box = page.getByLabel('Email address')
  await box.fill('ada@example.test')
  await scriptsAtWork(page)
  await page.route('**/forgot-password.data*', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
  )
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('alert')).toContainText('didn’t answer')
  await expect(box).toHaveValue('ada@example.test')
})

test('sign-in: a form that does not reach the service keeps what was typed, and goes through when pressed again', async ({
  page,
}) => {
  const { email, name, password } = newPerson()
  await page.goto('/signup')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await scriptsAtWork(page)
  await page.route('**/signup.data*', (route) => route.abort('connectionfailed'))
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('alert')).toContainText('didn’t answer')
  await expect(page.getByRole('alert')).toBeFocused()
  await expect(page.getByLabel('Email address')).toHaveValue(email)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(password)
  await page.unroute('**/signup.data*')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
})

test('sign-in: a page that could not be fetched says so and is asked for again on the spot', async ({ page }) => {
  await signedInPerson(page)
  await scriptsAtWork(page)
  await page.route('**/*.data*', (route) => route.abort('connectionfailed'))
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'No connection' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
  await page.unroute('**/*.data*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
})

test('sign-in: a form whose answer is a new document waits for the network too', async ({ page, context }) => {
  await signedInPerson(page)
  await scriptsAtWork(page)
  await context.setOffline(true)
  await openAccountMenu(page)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('No connection')
  await expect(page).toHaveURL('/dashboard')
  await notice.getByRole('button', { name: 'Stay here' }).click()
  await expect(notice).toHaveCount(0)
  await openAccountMenu(page)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await context.setOffline(false)
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expect(page).toHaveURL('/login?notice=signed-out')
})
