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
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

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
      await page.getByRole('textbox', { name: 'Reason' }).fill('too short')
      await press(page, 'Yes, suspend this account')
      await expect(page.getByRole('textbox', { name: 'Reason' })).toHaveAttribute('aria-invalid', 'true')
      await page.getByRole('textbox', { name: 'Reason' }).fill('the owner called about a stolen laptop')
      await press(page, 'Yes, suspend this account')
      await expect(page.getByText('The account is suspended.')).toBeVisible()
      await expect(page.getByText('Account suspended by support')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Suspend account' })).toHaveCount(0)
    })

    test(`administration: create a user, change the profile, and delete it with a second administrator (${script})`, async ({
      page,
      browser,
      baseURL,
    }) => {
      test.slow()
      const url = String(baseURL)
      const user = newPerson()
      await administrator(page, url, 'admin')
      await page.goto('/admin')
      await page.getByRole('link', { name: 'Create a user' }).click()
      await expect(page.getByRole('heading', { name: 'New user' })).toBeVisible()
      if (javaScriptEnabled) await expectReadable(page, 'a new user')
      await page.getByRole('textbox', { name: 'Name' }).fill('Grace Hopper')
      await page.getByRole('textbox', { name: 'Email' }).fill(user.email)
      await press(page, 'Create user')
      await expect(page.getByRole('textbox', { name: 'Reason' })).toHaveAttribute('aria-invalid', 'true')
      await page.getByRole('textbox', { name: 'Reason' }).fill('asked for by phone')
      await press(page, 'Create user')
      await expect(page.getByRole('heading', { name: 'Grace Hopper' })).toBeVisible()

      await page.getByRole('button', { name: 'Change profile' }).click()
      if (javaScriptEnabled) await expectReadable(page, 'the question about a profile')
      await page.getByRole('textbox', { name: 'Name' }).fill('Grace Brewster Hopper')
      await page.getByRole('textbox', { name: 'Reason' }).fill('her full name')
      await press(page, 'Save this profile')
      await expect(page.getByText('The profile was changed.')).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Grace Brewster Hopper' })).toBeVisible()

      await page.getByRole('button', { name: 'Delete account' }).click()
      await page.getByRole('textbox', { name: 'Reason' }).fill('asked in writing')
      await press(page, 'Yes, delete this account')
      await expect(page.getByText('This needs a second administrator.')).toBeVisible()
      await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
      await expect(page.getByRole('button', { name: /^Withdraw/ })).toBeVisible()

      const colleague = await (await browser.newContext({ javaScriptEnabled, baseURL: url })).newPage()
      await administrator(colleague, url, 'admin')
      await colleague.goto('/admin')
      await colleague.getByRole('link', { name: user.email }).first().click()
      await expect(colleague.getByText('Reason: asked in writing').first()).toBeVisible()
      if (javaScriptEnabled) await expectReadable(colleague, 'a request for a second administrator')
      await confirm(colleague, colleague.getByRole('button', { name: /^Approve/ }), 'Yes, approve')
      await expect(colleague).toHaveURL('/admin')
      await page.reload()
      await expect(page.getByText('404')).toBeVisible()
      await colleague.context().close()
    })

    test(`administration: suspend for a day, and reject the request to end it (${script})`, async ({
      page,
      browser,
      baseURL,
    }) => {
      test.slow()
      const url = String(baseURL)
      const user = newPerson()
      await createAccount(url, user)
      await administrator(page, url, 'admin')
      await page.goto(`/admin?search=${encodeURIComponent(user.email)}`)
      await page.getByRole('link', { name: user.email }).click()
      await page.getByRole('button', { name: 'Suspend account' }).click()
      await page.getByLabel('How long').selectOption('1 day')
      await page.getByRole('textbox', { name: 'Reason' }).fill('a stolen card was used')
      await press(page, 'Yes, suspend this account')
      await expect(page.locator('dl > div', { hasText: 'Suspended until' })).toContainText(String(new Date().getUTCFullYear()))
      await page.getByRole('button', { name: 'End suspension' }).click()
      await page.getByRole('textbox', { name: 'Reason' }).fill('the card was his own')
      await press(page, 'Yes, end the suspension')
      await expect(page.getByText('This needs a second administrator.')).toBeVisible()

      await confirm(page, page.getByRole('button', { name: /^Withdraw/ }), 'Yes, withdraw it')
      await expect(page.getByText('You withdrew the request.')).toBeVisible()
      await page.getByRole('button', { name: 'End suspension' }).click()
      await page.getByRole('textbox', { name: 'Reason' }).fill('the card was his own')
      await press(page, 'Yes, end the suspension')
      await expect(page.getByRole('button', { name: /^Withdraw/ })).toBeVisible()

      const colleague = await (await browser.newContext({ javaScriptEnabled, baseURL: url })).newPage()
      await administrator(colleague, url, 'admin')
      await colleague.goto(new URL(page.url()).pathname)
      await confirm(colleague, colleague.getByRole('button', { name: /^Reject/ }), 'Yes, reject it')
      await expect(colleague.getByText('The request was rejected.')).toBeVisible()
      await expect(colleague.getByRole('button', { name: 'End suspension' })).toBeVisible()
      await colleague.context().close()
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

test('administration: an administrator with a passkey confirms with it, and no code is asked for', async ({ page }) => {
  await addVirtualAuthenticator(page)
  const person = await signedInPerson(page)
  await page.goto('/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  await grantRole(person.email, 'support')
  await page.goto('/admin')
  await expect(page).toHaveURL('/admin/confirm?redirectTo=%2Fadmin')
  await expect(page.getByRole('textbox')).toHaveCount(0)
  await expectReadable(page, 'the proof with a passkey')
  await press(page, 'Confirm with passkey')
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create a user' })).toHaveCount(0)
})
