// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags two-factor, critical
import { readFile } from 'node:fs/promises'
import { type Authenticator, scan, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { expect, type Page, test } from '@playwright/test'
import { confirm } from './support/confirm.ts'
import { scriptsAtWork } from './support/drivers.ts'
import { newPerson, type Person, signedInPerson, signOut, submitSignIn } from './support/person.ts'
import { createAccount, signIn } from './support/scene.ts'

/** Prepares a second factor: the page shows its key and its backup codes. */
async function prepare(page: Page, person: Person): Promise<{ authenticator: Authenticator; backupCodes: string[] }> {
  await page.goto('/settings/security')
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Set up' }).click()
  await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible()
  const key = await page.getByRole('definition').first().textContent()
  const backupCodes = await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').allInnerTexts()
  return { authenticator: scan(`otpauth://totp/any?secret=${key?.replaceAll(' ', '')}`), backupCodes }
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code from your authenticator app').fill(code)
  await page.getByRole('button', { name: 'Turn on' }).click()
}

/** Pastes a code at sign-in. With JavaScript, its sixth digit sends it. */
async function sendCode(page: Page, code: string, javaScriptEnabled: boolean): Promise<void> {
  const box = page.getByLabel('Code from your authenticator app')
  if (javaScriptEnabled) await scriptsAtWork(page)
  await box.fill(code)
  if (!javaScriptEnabled) await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('two-factor: a set-up survives a reload, with the same key', async ({ page }) => {
  const person = await signedInPerson(page)
  const { authenticator } = await prepare(page, person)
  const key = page.getByRole('definition').first()
  const shown = String(await key.textContent())
  await expect(page.getByRole('link', { name: 'Open in an app on this device' })).toHaveAttribute('href', /^otpauth:\/\/totp\//)
  await page.goto('/settings/security')
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Continue set-up' }).click()
  await expect(key).toHaveText(shown)
  await enterCode(page, authenticator.code())
  await expect(page.getByText('Two-factor authentication is on.')).toBeVisible()
})

test('two-factor: one press copies the key, and one the codes', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const person = await signedInPerson(page)
  const { backupCodes } = await prepare(page, person)
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Copy key' }).click()
  await expect(page.getByText('Copied')).toBeVisible()
  const shown = await page.getByRole('definition').first().textContent()
  expect(await clipboard()).toBe(shown?.replaceAll(' ', ''))
  await page.getByRole('button', { name: 'Copy codes' }).click()
  await expect.poll(clipboard).toBe(backupCodes.join('\n'))
})

test('two-factor: the right code is taken while the page still reads its data after a wrong one', async ({ page, baseURL }) => {
  const url = String(baseURL)
  const person = newPerson()
  await createAccount(url, person)
  const { authenticator } = await switchOnTwoFactor(await signIn(url, person), person.password)
  await page.goto('/login')
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/two-factor')
  const held = Promise.withResolvers<void>()
  await page.route(/\/two-factor\.data/, async (route) => {
    if (route.request().method() === 'GET') await held.promise
    await route.continue()
  })
  await sendCode(page, '000000', true)
  await expect(page.getByRole('alert')).toContainText('is wrong')
  await sendCode(page, authenticator.code(1), true)
  await expect(page).toHaveURL('/dashboard')
  held.resolve()
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`two-factor: from set-up to sign-in with a code, on a trusted device, and with a backup code (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      test.slow()
      const person = await signedInPerson(page)
      const { authenticator, backupCodes } = await prepare(page, person)
      expect(backupCodes).toHaveLength(10)
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download as text' }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe('floorpass-backup-codes.txt')
      const saved = await readFile(await file.path(), 'utf8')
      for (const code of backupCodes) expect(saved).toContain(code)
      await expect(page.getByRole('button', { name: 'Print' })).toBeVisible({ visible: javaScriptEnabled })

      await enterCode(page, '000000')
      await expect(page.getByRole('alert')).toContainText('is wrong')
      await expect(page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')).toHaveText(backupCodes)
      await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible()
      await enterCode(page, authenticator.code())
      await expect(page.getByText('Two-factor authentication is on.')).toBeVisible()
      await expect(page.getByText('Backup codes left')).toBeVisible()

      await signOut(page)
      await page.goto('/settings/trading')
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/two-factor?redirectTo=%2Fsettings%2Ftrading')
      const box = page.getByLabel('Code from your authenticator app')
      await expect(box).toHaveAttribute('autocomplete', 'one-time-code')
      await page.goto('/dashboard')
      await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
      await page.goto('/two-factor')
      await page.getByLabel('Don’t ask for a second factor on this device').check()
      await sendCode(page, '000 000', javaScriptEnabled)
      await expect(page.getByRole('alert')).toContainText('is wrong')
      await expect(page.getByLabel('Don’t ask for a second factor on this device')).toBeChecked()
      await sendCode(page, authenticator.code(1), javaScriptEnabled)
      await expect(page).toHaveURL('/settings/trading')

      await signOut(page)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/dashboard')
      await page.goto('/settings/sessions')
      await expect(page.getByText('Signs in without a code')).toBeVisible()
      await page.goto('/settings/security')
      await expect(page.getByText('This device')).toBeVisible()
      await confirm(page, page.getByRole('button', { name: /^Remove Chrome/ }), /^Yes, remove Chrome/)
      await expect(page.getByText('It now needs a second factor to sign in.')).toBeVisible()

      await signOut(page)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/two-factor')
      await page.getByRole('link', { name: 'Use a backup code instead' }).click()
      await page.getByLabel('Backup code').fill(backupCodes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page).toHaveURL('/dashboard')

      await page.goto('/settings/security')
      await page.getByRole('link', { name: 'Create new backup codes' }).click()
      await page.getByLabel('Password', { exact: true }).fill(person.password)
      await page.getByRole('button', { name: 'Create new codes' }).click()
      await expect(page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')).toHaveCount(10)
      await expect(page.getByText(backupCodes[1] ?? '')).toHaveCount(0)
      await page.getByRole('link', { name: 'I’ve saved them' }).click()

      await page.getByRole('link', { name: 'Turn off' }).click()
      await page.getByLabel('Password', { exact: true }).fill('something else')
      await page.getByRole('button', { name: 'Turn off' }).click()
      await expect(page.getByRole('alert')).toContainText('That password is wrong')
      await page.getByLabel('Password', { exact: true }).fill(person.password)
      await page.getByRole('button', { name: 'Turn off' }).click()
      await expect(page.getByRole('button', { name: 'Set up' })).toBeVisible()
      await signOut(page)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/dashboard')
    })

    test(`two-factor: after five wrong codes the form stays and offers "Start over" (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      test.slow()
      const person = await signedInPerson(page)
      const { authenticator } = await prepare(page, person)
      await enterCode(page, authenticator.code())
      await expect(page.getByText('Two-factor authentication is on.')).toBeVisible()
      await signOut(page)
      await submitSignIn(page, person)
      const button = page.getByRole('button', { name: 'Sign in', exact: true })
      for (let count = 0; count < 5; count += 1) {
        const answer = page.waitForResponse((response) => response.request().method() === 'POST')
        await sendCode(page, `00000${count}`, javaScriptEnabled)
        await answer
        // The alert may still be that of the try before.
        await expect(button).not.toHaveAttribute('aria-disabled', 'true')
        await expect(page.getByRole('alert')).toContainText('is wrong')
      }
      const ended = page.getByRole('status').filter({ hasText: 'too many codes were wrong' })
      await expect(ended.getByRole('link', { name: 'Start over' })).toBeVisible()
      await sendCode(page, authenticator.code(), javaScriptEnabled)
      await expect(page).toHaveURL('/login?ended=code')
      await expect(ended).toBeVisible()
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/two-factor')
      await expect(ended).toHaveCount(0)
    })
  })
}
