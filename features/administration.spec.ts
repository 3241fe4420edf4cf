// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags administration, critical
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { expect, test } from '@playwright/test'
import { administrator, expectReadable } from './support/administrator.ts'
import { confirm } from './support/confirm.ts'
import { press } from './support/drivers.ts'
import { grantRole } from './support/grant-role.ts'
import { newPerson, signedInPerson } from './support/person.ts'
import { cookiesOf, createAccount, signIn } from './support/scene.ts'

for (const javaScriptEnabled of [true, false]) {
  const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`
  test.describe(script, () => {
    test.use({ javaScriptEnabled })

    test(`administration: find a user, end a session, and suspend the account (${script})`, async ({ page, baseURL }) => {
      test.slow()
      const url = String(baseURL)
      const user = { ...newPerson(), name: 'Zora Neale Hurston' }
      await createAccount(url, user)
      await signIn(url, user)
      await administrator(page, url, 'admin')
      await page.goto('/dashboard')
      await page.getByRole('link', { name: 'Administration' }).click()
      await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
      if (javaScriptEnabled) await expectReadable(page, 'users')

      await page.getByLabel('Search').fill(user.email)
      await press(page, 'Find')
      await expect(page.getByRole('status').filter({ hasText: '1 user' })).toBeVisible()
      await page.getByRole('link', { name: user.email }).click()
      await expect(page.getByRole('heading', { name: user.name })).toBeVisible()
      if (javaScriptEnabled) await expectReadable(page, 'a user')
      await confirm(page, page.getByRole('button', { name: /^End session/ }), 'Yes, end it')
      await expect(page.getByText('The session has ended.')).toBeVisible()
      await expect(page.getByText('No live session.')).toBeVisible()

      await page.getByRole('button', { name: 'Suspend account' }).click()
      await page.getByLabel('Reason').fill('too short')
      await press(page, 'Yes, suspend this account')
      await expect(page.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
      await page.getByLabel('Reason').fill('the owner called about a stolen laptop')
      await press(page, 'Yes, suspend this account')
      await expect(page.getByText('The account is suspended.')).toBeVisible()
      await expect(page.getByText('Account suspended by support')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Suspend account' })).toHaveCount(0)
    })

    test(`administration: a person without a role finds no pages (${script})`, async ({ page }) => {
      await signedInPerson(page)
      await expect(page.getByRole('link', { name: 'Administration' })).toHaveCount(0)
      expect((await page.goto('/admin'))?.status()).toBe(403)
      await expect(page.getByText('You don’t have the role that this needs.')).toBeVisible()
    })
  })
}

test('administration: the pages ask for a code first, and lead back', async ({ page, baseURL }) => {
  const url = String(baseURL)
  const person = newPerson()
  await createAccount(url, person)
  const tab = await signIn(url, person)
  const { authenticator } = await switchOnTwoFactor(tab, person.password)
  await grantRole(person.email, 'auditor')
  await page.context().addCookies(cookiesOf(tab).map((cookie) => ({ ...cookie, url })))
  await page.goto('/admin?search=ada')
  await expect(page).toHaveURL('/admin/confirm?redirectTo=%2Fadmin%3Fsearch%3Dada')
  await expectReadable(page, 'the proof')
  await page.getByLabel('Code from your authenticator app').fill('000000')
  await press(page, 'Confirm with code')
  await expect(page.getByRole('alert')).toContainText('is wrong')
  await page.getByLabel('Code from your authenticator app').fill(authenticator.code(1))
  await press(page, 'Confirm with code')
  await expect(page).toHaveURL('/admin?search=ada')
})
