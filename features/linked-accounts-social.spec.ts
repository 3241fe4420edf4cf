// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags linked-accounts, sign-in
import type { GitHubStandIn } from '@floorpass/testing/github-stand-in'
import type { OpenIdProvider } from '@floorpass/testing/openid-provider'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { confirm } from './support/confirm.ts'
import { newPerson, type Person, signedInPerson, signOut } from './support/person.ts'
import { test } from './support/service-with-providers.ts'

const linked = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText('Last used') })

/** One person sits at both providers, with the same proved address. */
async function sitAtBoth({ name, email }: Person, google: OpenIdProvider, github: GitHubStandIn): Promise<void> {
  google.person = { sub: email, email, email_verified: true, name }
  await github.set({ person: { id: Date.now(), login: 'ada', name, emails: [{ email, primary: true, verified: true }] } })
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`linked accounts: one account through two providers, and the last sign-in method cannot be unlinked (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
      google,
      github,
    }) => {
      test.slow()
      const person = newPerson()
      await sitAtBoth(person, google, github)

      await page.goto('/signup')
      await page.getByRole('link', { name: 'Continue with Google', exact: true }).click()
      await expect(page).toHaveURL('/dashboard')
      await expect(page.getByRole('heading', { name: `Hello, ${person.name}` })).toBeVisible()
      await signOut(page)

      await page.goto('/login?redirectTo=%2Fsettings%2Faccounts')
      await page.getByRole('link', { name: 'Continue with GitHub', exact: true }).click()
      await expect(page).toHaveURL('/settings/accounts')
      await expect(linked(page)).toHaveCount(2)
      await expect(linked(page).first()).toContainText('Google')
      await expect(linked(page).last()).toContainText('GitHub')

      await confirm(page, page.getByRole('button', { name: 'Unlink Google' }), 'Yes, unlink Google')
      await expect(page.getByText('You can no longer sign in that way.')).toBeVisible()
      await expect(linked(page)).toHaveCount(1)
      await expect(page.getByRole('button', { name: 'Unlink GitHub' })).toHaveCount(0)
      await expect(linked(page)).toContainText('This is your only way to sign in')
      await page.goto('/settings/activity/not-me')
      await expect(page.getByText('Your account has no password.')).toBeVisible()
      await expect(page.getByText(/old password|change your password right now/)).toHaveCount(0)
      await page.goto('/settings/danger')
      await expect(page.getByLabel('Password')).toHaveCount(0)
      await expect(page.getByText('Forgot your password?')).toHaveCount(0)
      await page.getByRole('button', { name: 'Email me the link' }).click()
      await expect(page.getByText('Nothing is deleted until you open the link')).toBeVisible()

      await page.goto('/settings/accounts')
      await page.getByRole('button', { name: 'Link Google' }).click()
      await expect(page).toHaveURL('/settings/accounts?notice=linked')
      await expect(page.getByText('Account linked.')).toBeVisible()
      await expect(linked(page)).toHaveCount(2)
    })

    test(`linked accounts: a password that is the only sign-in method cannot be removed (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      await signedInPerson(page)
      await page.goto('/settings/accounts')
      await expect(page.getByText('This is your only way to sign in')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Remove Password', exact: true })).toHaveCount(0)
    })
  })
}

test('linked accounts: a refusal at the provider is explained, and the person still gets where they were going', async ({
  page,
  github,
}) => {
  const { name, email } = newPerson()
  await github.set({ person: null })
  await page.goto('/login?redirectTo=%2Fsettings%2Ftrading')
  await page.getByRole('link', { name: 'Continue with GitHub' }).click()
  await expect(page).toHaveURL('/login?redirectTo=%2Fsettings%2Ftrading&error=access_denied')
  await expect(page.getByRole('alert')).toContainText('The sign-in wasn’t allowed at the provider')

  await github.set({ person: { id: Date.now(), login: 'ada', name, emails: [{ email, primary: true, verified: true }] } })
  await page.getByRole('link', { name: 'Continue with GitHub' }).click()
  await expect(page).toHaveURL('/settings/trading')
})

test('linked accounts: an error that we do not know is not repeated on the page', async ({ page }) => {
  await page.goto('/login?error=call+0900-EVIL')
  await expect(page.getByRole('alert')).toContainText('We couldn’t complete this with the provider')
  await expect(page.getByRole('alert')).not.toContainText('EVIL')
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`linked accounts: everyone can read the pages with providers (${colorScheme})`, async ({ page, google, github }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await sitAtBoth(newPerson(), google, github)
    const open = async (path: string) => {
      await page.goto(path)
      await expectAccessible(page, path)
    }
    await open('/signup')
    await open('/login?error=account_not_linked')
    await page.getByRole('link', { name: 'Continue with Google' }).click()
    await expect(page).toHaveURL('/dashboard')
    await open('/settings/accounts')
    await open('/settings/accounts?error=account_already_linked_to_different_user')
  })
}

test('linked accounts: a user without a password sets one, then changes it', async ({ page, google, github }) => {
  await sitAtBoth(newPerson(), google, github)
  await page.goto('/login')
  await page.getByRole('link', { name: 'Continue with Google' }).click()
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/settings/password')
  await expect(page.getByLabel('Current password')).toHaveCount(0)
  await page.getByLabel('New password', { exact: true }).fill('nine lanterns over quiet water 58')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('Password set.')).toBeVisible()
  await expect(page.getByLabel('Current password')).toBeVisible()
  await page.goto('/settings/accounts')
  await expect(page.getByRole('button', { name: 'Unlink Google', exact: true })).toBeVisible()
  await confirm(page, page.getByRole('button', { name: 'Remove Password', exact: true }), 'Yes, remove my password')
  await expect(page.getByText('You can no longer sign in that way.')).toBeVisible()
  await expect(linked(page)).toHaveCount(1)
})
