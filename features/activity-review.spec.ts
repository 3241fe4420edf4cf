// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile, sessions
import { expect } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { confirm } from './support/confirm.ts'
import { test } from './support/open-browser.ts'
import { signedInPerson, submitSignIn } from './support/person.ts'

test('profile: the activity is readable, and "this was not me" leads to the next steps', async ({ page, openBrowser }) => {
  const person = await signedInPerson(page)
  const visitor = await openBrowser()
  await visitor.goto('/login')
  await submitSignIn(visitor, { email: person.email, password: 'a guess that is wrong' })
  await expect(visitor.getByRole('alert')).toBeVisible()
  await submitSignIn(visitor, person)
  await expect(visitor).toHaveURL('/dashboard')

  await page.goto('/settings/activity')
  const events = page.getByRole('main').getByRole('listitem')
  await expect(events.nth(0)).toContainText('Signed in')
  await expect(events.nth(0)).toContainText(/Chrome \d+ on Linux.* · 127\.0\.0\.1/)
  await expect(events.nth(1)).toContainText('Failed sign-in attempt')
  await expect(page.getByText('Account created', { exact: true })).toBeVisible()
  await expectAccessible(page, 'activity')

  await events.nth(0).getByRole('link', { name: 'This wasn’t me' }).click()
  await expect(page.getByRole('heading', { name: 'Wasn’t you?' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Change password' })).toHaveAttribute('href', '/settings/password')
  await expect(page.getByText('The old password stops working')).toBeVisible()
  await expectAccessible(page, 'not me')
  const others = page.getByRole('button', { name: 'Sign out all other devices' })
  await confirm(page, others, 'Yes, sign out all other devices')
  await expect(page.getByText('All other devices signed out.')).toBeVisible()
  await visitor.goto('/dashboard')
  await expect(visitor).toHaveURL(/\/login/)
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('profile: a long history is paged without JavaScript', async ({ page }) => {
    test.slow()
    await signedInPerson(page)
    for (let change = 0; change < 19; change++) {
      const answer = await page.request.post('/auth/update-user', {
        data: { name: `Ada ${change}` },
        headers: { origin: new URL(page.url()).origin },
      })
      expect(answer.status()).toBe(200)
    }
    await page.goto('/settings/activity')
    const events = page.getByRole('main').getByRole('listitem')
    await expect(events).toHaveCount(20)
    await expect(page.getByText('Account created', { exact: true })).toHaveCount(0)
    await page.getByRole('link', { name: 'Older' }).click()
    await expect(page.getByText('Account created', { exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0)
    await page.getByRole('link', { name: 'Back to newest' }).click()
    await expect(events).toHaveCount(20)
  })
})
