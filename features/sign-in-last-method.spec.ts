// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect, test } from '@playwright/test'
import { signedInPerson, signOut, submitSignIn } from './support/person.ts'

const cookie = 'floorpass_sign_in_method'

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`sign-in: the page marks the way used last, also after a sign-out (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      await page.goto('/login')
      const button = page.getByRole('button', { name: 'Sign in', exact: true })
      await expect(button).toHaveAccessibleDescription('')
      const person = await signedInPerson(page)
      await page.context().clearCookies({ name: /session$/ })
      await page.goto('/login')
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/dashboard')
      await signOut(page)
      await expect(button).toHaveAccessibleDescription('Last used')
      await expect(page.getByText('Last used')).toHaveCount(1)
    })
  })
}

test('sign-in: a value that is no way to sign in marks nothing', async ({ page, baseURL }) => {
  for (const value of ['<script>', 'constructor', 'google', 'ada@example.test']) {
    await page.context().addCookies([{ name: cookie, value: encodeURIComponent(value), url: String(baseURL) }])
    await page.goto('/login')
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
    await expect(page.getByText('Last used')).toHaveCount(0)
  }
  await page.context().addCookies([{ name: cookie, value: 'passkey', url: String(baseURL) }])
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toHaveAccessibleDescription('Last used')
})
