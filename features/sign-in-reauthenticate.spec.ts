// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in, critical

import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Clock } from '@floorpass/testing/service-clock'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { byKeyboard, byMouse, press } from './support/drivers.ts'
import { newPerson, type Person, signedInPerson } from './support/person.ts'
import { cookiesOf, createAccount, mailedLink, signIn } from './support/scene.ts'
import { test } from './support/service-with-providers.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const main = (page: Page) => page.getByRole('main')
const confirm = (page: Page) => main(page).getByRole('link', { name: 'Confirm it’s you', exact: true }).first()
const tooLong = 16

/** A user whose sign-in is too old for sensitive acts. */
async function returningPerson(page: Page, clock: Clock): Promise<Person> {
  await clock.setBack(tooLong)
  const person = await signedInPerson(page)
  await clock.setBack(0)
  return person
}

async function confirmWithPassword(page: Page, { password }: Person): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await press(page, 'Confirm with password')
}

async function signUpAtGoogle(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByRole('link', { name: 'Continue with Google' }).click()
  await expect(page).toHaveURL('/dashboard')
}

const signOutAtGoogle = (page: Page) => page.context().clearCookies({ domain: '127.0.0.1' })
const atGoogle = ({ name, email }: Person) => ({ sub: email, email, email_verified: true, name })
const withoutProviders = Object.fromEntries(
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'].map((name) => [name, '']),
)
const day = 24 * 60

for (const javaScriptEnabled of [true, false]) {
  const javaScript = `(JavaScript ${javaScriptEnabled ? 'on' : 'off'})`
  test.describe(javaScript, () => {
    test.use({ javaScriptEnabled })

    test(`sign-in: asks for a code when an application requires a second factor ${javaScript}`, async ({ page, baseURL }) => {
      const url = baseURL as string
      const person = newPerson()
      await createAccount(url, person)
      const tab = await signIn(url, person)
      const showTab = () => page.context().addCookies(cookiesOf(tab).map((cookie) => ({ ...cookie, url })))
      await showTab()
      const target = '/reauthenticate?acr=aal2&max_age=300&redirectTo=%2Fsettings%2Fprofile'
      await page.goto(target)
      await expect(main(page).getByText('You need a passkey or an authenticator app for this.')).toBeVisible()
      await expect(main(page).getByRole('textbox')).toHaveCount(0)
      await expect(main(page).getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', '/dashboard')
      if (javaScriptEnabled) await expectAccessible(page, 'a second factor is required')
      await expect(main(page).getByRole('link', { name: 'Add a passkey' })).toHaveAttribute('href', '/settings/passkeys')

      const { authenticator } = await switchOnTwoFactor(tab, person.password)
      await showTab()
      await page.goto(target)
      await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0)
      await page.getByLabel('Code from your authenticator app').fill(authenticator.code(1))
      await press(page, 'Confirm with code')
      await expect(page).toHaveURL('/settings/profile')
      await page.goto(target)
      await expect(page).toHaveURL('/settings/profile')
    })

    test(`sign-in: asks who I am before it changes my email ${javaScript}`, async ({ page, clock }) => {
      const hand = javaScriptEnabled ? byKeyboard(page) : byMouse(page)
      const person = await returningPerson(page, clock)
      await page.goto('/settings/email')
      await expect(page.getByText('Confirm it’s you before you change your email.')).toBeVisible()
      await expect(page.getByLabel('New email')).toHaveCount(0)
      await hand.follow('Confirm it’s you')
      await expect(page).toHaveURL('/reauthenticate?redirectTo=%2Fsettings%2Femail')

      await hand.fill('Password', 'not the password')
      await hand.press('Confirm with password')
      await expect(page.getByRole('alert')).toContainText('That password is wrong')
      await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
      await hand.fill('Password', person.password)
      await hand.press('Confirm with password')
      await expect(page).toHaveURL('/settings/email')
      await hand.fill('New email', newPerson().email)
      await hand.press('Send link')
      await expect(page.getByText('If no other account uses')).toBeVisible()
      await page.goto('/reauthenticate?redirectTo=%2Fsettings%2Ftrading')
      await expect(page, 'a recent proof is not asked for again').toHaveURL('/settings/trading')
    })

    test(`sign-in: a code of my authenticator confirms who I am ${javaScript}`, async ({ page, clock, baseURL }) => {
      const person = newPerson()
      const url = String(baseURL)
      await createAccount(url, person)
      await clock.setBack(tooLong)
      const tab = await signIn(url, person)
      await clock.setBack(0)
      const { authenticator } = await switchOnTwoFactor(tab, person.password)
      await page.context().addCookies(cookiesOf(tab).map((cookie) => ({ ...cookie, url })))
      await page.goto('/settings/accounts')
      await confirm(page).click()
      await page.getByLabel('Code from your authenticator app').fill('000000')
      await press(page, 'Confirm with code')
      await expect(page.getByRole('alert')).toContainText('is wrong')
      await page.getByLabel('Code from your authenticator app').fill(authenticator.code(1))
      await press(page, 'Confirm with code')
      await expect(page).toHaveURL('/settings/accounts')
      await expect(page.getByText('This is your only way to sign in')).toBeVisible()
    })

    test(`sign-in: an account without a password confirms through its provider ${javaScript}`, async ({
      page,
      clock,
      google,
    }) => {
      const person = newPerson()
      google.person = atGoogle(person)
      await clock.setBack(tooLong)
      await signUpAtGoogle(page)
      await clock.setBack(0)

      await page.goto('/settings/password')
      await expect(page.getByLabel('New password', { exact: true })).toHaveCount(0)
      await confirm(page).click()
      await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0)
      await signOutAtGoogle(page)
      google.person = atGoogle(newPerson())
      await press(page, 'Confirm with Google')
      await expect(page).toHaveURL('/reauthenticate?redirectTo=%2Fsettings%2Fpassword&error=different_account')
      await expect(page.getByRole('alert')).toContainText('isn’t linked to your account here')
      await signOutAtGoogle(page)
      google.person = atGoogle(person)
      await press(page, 'Confirm with Google')
      await expect(page).toHaveURL('/settings/password')
      await page.getByLabel('New password', { exact: true }).fill('nine lanterns over quiet water 58')
      await press(page, 'Set password')
      await expect(page.getByText('Password set.')).toBeVisible()
    })

    test(`sign-in: an account without any other way confirms by a mailed link ${javaScript}`, async ({
      page,
      clock,
      google,
      restart,
      baseURL,
    }) => {
      test.slow()
      const person = newPerson()
      google.person = atGoogle(person)
      await clock.setBack(8 * day)
      await signUpAtGoogle(page)
      await clock.setBack(4 * day)
      await page.goto('/dashboard')
      await clock.setBack(0)
      await restart(withoutProviders)

      await page.goto('/settings/security')
      await confirm(page).click()
      await expect(main(page)).toContainText(`We’ll email a link to ${person.email}`)
      await press(page, 'Email me a link')
      await expect(page.getByRole('status').filter({ hasText: 'We’ve sent a link to' })).toContainText(person.email)
      const newestLink = () => mailedLink(String(baseURL), person.email, '/reauthenticate')
      const former = await newestLink()
      await press(page, 'Resend link')
      await expect.poll(newestLink).not.toBe(former)
      const link = await newestLink()

      await page.goto(former)
      await press(page, 'Confirm it’s me')
      await expect(page.getByRole('alert')).toContainText('This link doesn’t work')
      await expect(page.getByRole('button', { name: 'Email me a link' })).toBeVisible()
      await page.goto(link)
      await press(page, 'Confirm it’s me')
      await expect(page).toHaveURL('/settings/security')
      await press(page, 'Set up')
      await expect(page.getByRole('list', { name: 'Backup codes' })).toBeVisible()
    })

    test(`sign-in: a form that was open for too long says so and keeps what was typed ${javaScript}`, async ({ page, clock }) => {
      await clock.setBack(tooLong)
      await signedInPerson(page)
      await page.goto('/settings/email')
      await page.getByLabel('New email').fill('ada@meridian.example')
      await clock.setBack(0)
      await press(page, 'Send link')
      await expect(page.getByRole('alert')).toContainText('Confirm it’s you before you do this.')
      await expect(page.getByLabel('New email')).toHaveValue('ada@meridian.example')
      await page.getByRole('alert').getByRole('link', { name: 'Confirm it’s you' }).click()
      await expect(page).toHaveURL('/reauthenticate?redirectTo=%2Fsettings%2Femail')
    })

    test(`sign-in: deleting by a mailed link asks who I am first, and the link still works ${javaScript}`, async ({
      page,
      clock,
      baseURL,
    }) => {
      await clock.setBack(tooLong)
      const person = await signedInPerson(page)
      await page.goto('/settings/danger')
      await press(page, 'Email me a link instead')
      await expect(page.getByText('Nothing is deleted until you open the link in it')).toBeVisible()
      const link = await mailedLink(String(baseURL), person.email, '/delete-account')
      await clock.setBack(0)
      await page.goto(link)
      await expect(page.getByRole('button', { name: 'Delete my account' })).toHaveCount(0)
      await confirm(page).click()
      await expect(page, 'no address but the first has the token').not.toHaveURL(/token/)
      await confirmWithPassword(page, person)
      await expect(page.getByText('You’ve confirmed it’s you. Now open the link in the email again.')).toBeVisible()
      await page.goto(link)
      await press(page, 'Delete my account')
      await expect(page).toHaveURL('/?notice=account-deleted')
    })

    test(`sign-in: my data is downloaded once I confirm who I am ${javaScript}`, async ({ page, clock }) => {
      const person = await returningPerson(page, clock)
      await page.goto('/settings/danger')
      await expect(page.getByRole('link', { name: 'Download my data' })).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Email me a link instead' })).toHaveCount(0)
      await page.goto('/settings/data')
      await expect(page).toHaveURL('/reauthenticate?redirectTo=%2Fsettings%2Fdanger')
      await confirmWithPassword(page, person)
      await expect(page).toHaveURL('/settings/danger')
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download my data' }).click()
      expect((await download).suggestedFilename()).toMatch(/^floorpass-data-.*\.json$/)
    })

    test(`sign-in: trading asks who I am before more risk, never before less ${javaScript}`, async ({ page, clock, baseURL }) => {
      const person = newPerson()
      const url = String(baseURL)
      await createAccount(url, person)
      await clock.setBack(tooLong)
      const tab = await signIn(url, person)
      expect((await tab.post('/auth/update-user', { tradingEnabled: true, riskLevel: 'moderate' })).status).toBe(200)
      await clock.setBack(0)
      await page.context().addCookies(cookiesOf(tab).map((cookie) => ({ ...cookie, url })))
      await page.goto('/settings/trading')
      await expect(page.getByRole('radio', { name: 'Aggressive' })).toBeDisabled()
      await page.getByRole('radio', { name: 'Conservative' }).check()
      await page.getByRole('switch', { name: 'Allow trading' }).uncheck()
      await press(page, 'Save trading settings')
      await expect(page.getByText('Trading settings saved.')).toBeVisible()
      await expect(page.getByRole('switch', { name: 'Allow trading' })).toBeDisabled()
      await confirm(page).click()
      await confirmWithPassword(page, person)
      await expect(page).toHaveURL('/settings/trading')
      await page.getByRole('switch', { name: 'Allow trading' }).check()
      await page.getByRole('radio', { name: 'Aggressive' }).check()
      await press(page, 'Save trading settings')
      await expect(page.getByText('Trading settings saved.')).toBeVisible()
      await page.reload()
      await expect(page.getByRole('radio', { name: 'Aggressive' })).toBeChecked()
    })
  })
}

test('sign-in: a passkey confirms who I am', async ({ page, clock }) => {
  await addVirtualAuthenticator(page)
  await returningPerson(page, clock)
  await page.goto('/settings/passkeys')
  await confirm(page).click()
  await expect(page.getByRole('button', { name: 'Confirm with a passkey' })).toHaveCount(0)
  await page.getByLabel('Password', { exact: true }).fill(newPerson().password)
  await press(page, 'Confirm with password')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()

  await clock.setBack(-tooLong)
  await page.goto('/settings/accounts')
  await confirm(page).click()
  await press(page, 'Confirm with a passkey')
  await expect(page).toHaveURL('/settings/accounts')
  await expect(confirm(page)).toHaveCount(0)
  await clock.setBack(0)
})

test('sign-in: after I confirm who I am, no address leads me off the service', async ({ page, clock }) => {
  const person = await returningPerson(page, clock)
  await page.goto('/reauthenticate?redirectTo=%2F%2Fevil.example')
  await expect(page.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', '/dashboard')
  await confirmWithPassword(page, person)
  await expect(page).toHaveURL('/dashboard')
})

for (const [colorScheme, locale] of [
  ['light', 'en-US'],
  ['dark', 'fr-FR'],
] as const) {
  test.describe(locale, () => {
    test.use({ colorScheme, locale, reducedMotion: 'reduce' })

    test(`sign-in: everyone can read the pages that ask who they are (${colorScheme}, ${locale})`, async ({
      page,
      clock,
      google,
      restart,
    }) => {
      test.slow()
      google.person = atGoogle(newPerson())
      await clock.setBack(tooLong)
      await page.goto('/login')
      await page.locator('a[href^="/auth/sign-in/social"]').first().click()
      await expect(page).toHaveURL('/dashboard')
      await clock.setBack(0)
      for (const path of [
        '/reauthenticate',
        '/reauthenticate?error=different_account',
        '/settings/password',
        '/settings/security',
      ]) {
        await page.goto(path)
        await expectAccessible(page, path)
      }
      await restart(withoutProviders)
      await page.goto('/reauthenticate')
      await expect(main(page).locator('a[href="/forgot-password"]')).toBeVisible()
      await expectAccessible(page, 'no method')
    })
  })
}
