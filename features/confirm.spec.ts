// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags confirmations, critical
import { scan, setUpTwoFactor } from '@floorpass/testing/authenticator'
import { expect, type Page } from '@playwright/test'
import { decodeJwt } from 'jose'
import { expectAccessible } from './support/accessible.ts'
import { askToConfirm, confirmationState, withdrawal } from './support/confirmations.ts'
import { press, scriptsAtWork } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { originOf, signedInPerson, submitSignIn } from './support/person.ts'
import { openTab } from './support/scene.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const small = { ...withdrawal, amount: '20.00' }
const large = { ...withdrawal, amount: '90000.00' }
const view = { type: 'view', account: 'Trading' }
const confirmButton = 'Confirm with a passkey'

async function addPasskey(page: Page) {
  const authenticator = await addVirtualAuthenticator(page)
  const person = await signedInPerson(page)
  await page.goto('/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  return { authenticator, person }
}

/** Another tab of the same person, over HTTP. */
async function tabOf(page: Page) {
  const tab = openTab(await originOf(page))
  for (const { name, value } of await page.context().cookies()) tab.cookies.set(name, value)
  return tab
}

test('confirm: a passkey signs the transaction that the page shows, and the receipt carries it', async ({ page }) => {
  test.slow()
  const { authenticator } = await addPasskey(page)
  const { id, path } = await askToConfirm(page, withdrawal, { callbackURL: '/dashboard?from=shop' })
  await page.goto(path)
  for (const [name, value] of [
    ['Action', 'withdrawal'],
    ['Amount', '2500.00 EUR'],
    ['Payee', 'Grace Hopper'],
    ['Payee IBAN', 'DE89370400440532013000'],
    ['Reference', 'Invoice 2026-114'],
    ['Requested by', 'A page in this browser'],
  ] as const)
    await expect(page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })).toContainText(value)
  const names = await page.locator('dl').first().getByRole('term').allTextContents()
  expect(names).toEqual(['Action', 'Amount', 'Payee', 'Payee IBAN', 'Reference'])
  await expect(page.getByText('If anything differs, reject it.')).toBeVisible()
  await expect(page.getByRole('timer')).toHaveText(/^in 4 min \d+ s$/)
  await expectAccessible(page, 'a transaction to confirm')

  await authenticator.setVerified(false)
  await press(page, confirmButton)
  await expect(page.getByRole('alert')).toBeVisible()
  expect((await confirmationState(page, id)).status).toBe('pending')
  await authenticator.setVerified(true)
  await press(page, confirmButton)
  await expect(page).toHaveURL(`/dashboard?from=shop&confirmation=${id}&status=approved`)
  const { status, receipt } = await confirmationState(page, id)
  expect(status).toBe('approved')
  expect(decodeJwt(receipt ?? '')).toMatchObject({
    jti: id,
    acr: 'aal2',
    authorization_details: [withdrawal],
    assertion: { type: 'public-key' },
  })
  await page.goto(path)
  await expect(page.getByRole('heading', { name: 'Confirmed' })).toBeVisible()
  await expect(page.getByRole('button', { name: confirmButton })).toHaveCount(0)
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect(page).toHaveURL(`/dashboard?from=shop&confirmation=${id}&status=approved`)
})

test('confirm: another browser and another person see nothing of the transaction', async ({ page, openBrowser }) => {
  const person = await signedInPerson(page)
  const { path } = await askToConfirm(page)
  const elsewhere = await openBrowser()
  await elsewhere.goto(path)
  await expect(elsewhere).toHaveURL(/\/login\?redirectTo=%2Fconfirm/)
  await submitSignIn(elsewhere, person)
  await expect(elsewhere).toHaveURL(path)
  await expect(elsewhere.getByRole('heading', { name: 'Nothing to confirm' })).toBeVisible()
  const other = await openBrowser()
  await signedInPerson(other)
  for (const address of [path, '/confirm', '/confirm?id=any']) {
    await other.goto(address)
    await expect(other.getByRole('heading', { name: 'Nothing to confirm' })).toBeVisible()
    await expect(other.getByText('Grace Hopper')).toHaveCount(0)
  }
})

for (const javaScriptEnabled of [true, false]) {
  const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`
  test.describe(script, () => {
    test.use({ javaScriptEnabled })

    test(`confirm: a rejected transaction stays rejected (${script})`, async ({ page }) => {
      await signedInPerson(page)
      const { id, path } = await askToConfirm(page)
      await page.goto(path)
      await press(page, 'Reject')
      await expect(page.getByRole('heading', { name: 'Rejected' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Check your devices' })).toBeVisible()
      expect((await confirmationState(page, id)).status).toBe('rejected')

      const other = await askToConfirm(page, withdrawal, { callbackURL: '/settings' })
      await page.goto(other.path)
      await press(page, 'Reject')
      await expect(page).toHaveURL(`/settings?confirmation=${other.id}&status=rejected`)
    })

    test(`confirm: one press confirms what needs no proof, and no other site is a target (${script})`, async ({ page }) => {
      await signedInPerson(page)
      for (const callbackURL of ['https://evil.example', '//evil.example', '/\\evil.example']) {
        const { id, path } = await askToConfirm(page, view, { callbackURL })
        await page.goto(path)
        await press(page, 'Confirm')
        await expect(page.getByRole('heading', { name: 'Confirmed' })).toBeVisible()
        await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toBeVisible()
        expect((await confirmationState(page, id)).status).toBe('approved')
      }
    })

    test(`confirm: a code of the app confirms a small amount (${script})`, async ({ page }) => {
      test.slow()
      const { password } = await signedInPerson(page)
      const tab = await tabOf(page)
      const { totpURI, authenticator } = await setUpTwoFactor(tab, password)
      expect((await tab.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
      const origin = await originOf(page)
      await page.context().addCookies([...tab.cookies].map(([name, value]) => ({ name, value, url: origin })))
      const { id, path } = await askToConfirm(page, small)
      await page.goto(path)
      await expect(page.getByRole('button', { name: confirmButton })).toHaveCount(0)
      await page.getByLabel('Code from your authenticator app').fill('000000')
      await press(page, 'Confirm with code')
      await expect(page.getByRole('alert')).toContainText('is wrong')
      // The first code is used up.
      await page.getByLabel('Code from your authenticator app').fill(scan(totpURI).code(1))
      await press(page, 'Confirm with code')
      await expect(page.getByRole('heading', { name: 'Confirmed' })).toBeVisible()
      const { receipt } = await confirmationState(page, id)
      expect(decodeJwt(receipt ?? '')).toMatchObject({ acr: 'aal1', amr: ['otp'] })
    })
  })
}

test('confirm: the page counts down and ends with the request', async ({ page }) => {
  await signedInPerson(page)
  const { path } = await askToConfirm(page, withdrawal, { ttl: 6, callbackURL: '/settings' })
  await page.goto(path)
  await expect(page.getByRole('timer')).toHaveText(/^in [1-6] s$/)
  await expect(page.getByRole('heading', { name: 'Expired' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reject' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Continue' })).toHaveAttribute(
    'href',
    /^\/settings\?confirmation=.*&status=expired$/,
  )
})

test('confirm: without a passkey the page leads to one, and during a hold to its settings', async ({ page }) => {
  test.slow()
  await signedInPerson(page)
  await page.goto((await askToConfirm(page)).path)
  await expect(page.getByRole('link', { name: 'Add a passkey' })).toHaveAttribute('href', '/settings/passkeys')
  await expectAccessible(page, 'no passkey to confirm with')

  await addVirtualAuthenticator(page)
  await page.goto('/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  await page.goto((await askToConfirm(page, large)).path)
  await expect(page.getByText('Withdrawals are on hold until')).toBeVisible()
  await expect(page.getByRole('button', { name: confirmButton })).toHaveCount(0)
  await expectAccessible(page, 'a transaction during a hold')
  await page.getByRole('link', { name: 'Open protection settings' }).click()
  await expect(page).toHaveURL('/settings/protection')
})

test('confirm: without JavaScript the page says what a passkey needs, and until when the request lasts', async ({
  page,
  openBrowser,
}) => {
  await addPasskey(page)
  const { path } = await askToConfirm(page)
  const plain = await openBrowser({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  await plain.goto(path)
  await expect(plain.getByText('Turn on JavaScript, then reload this page.')).toBeVisible()
  await expect(plain.getByText('2500.00 EUR')).toBeVisible()
  await expect(plain.locator('time')).toHaveText(/UTC$/)
  await expect(plain.getByRole('timer')).toHaveCount(0)
})

test('confirm: every member shows in full, in the language of the reader', async ({ page }) => {
  await signedInPerson(page)
  await page.setViewportSize({ width: 360, height: 740 })
  const long = 'bc1q'.padEnd(400, '0123456789')
  const details = [
    { ...withdrawal, address: long, note: 'two  spaces\u202eevil', Amount: '1.00', nested: { a: [true, null] } },
    { ...withdrawal, amount: 'about 5', currency: 'EUR 1' },
  ]
  const { path } = await askToConfirm(page, details)
  await page.goto(path)
  await scriptsAtWork(page)
  for (const words of [long, 'two  spaces\\u{202e}evil', '1.00', 'true', 'null', 'about 5', 'EUR 1'])
    await expect(page.getByText(words, { exact: true }).first()).toBeVisible()
  await expect(page.getByText('"Amount"', { exact: true })).toBeVisible()
  await expectAccessible(page, 'a long transaction')
  expect((await (await tabOf(page)).post('/auth/update-user', { locale: 'fr' })).status).toBe(200)
  await page.goto(path)
  await expect(page.getByRole('heading', { name: 'Confirmer cette opération' })).toBeVisible()
  await expect(page.getByText('Bénéficiaire', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('2500.00 EUR', { exact: true })).toHaveCSS('font-weight', '600')
})
