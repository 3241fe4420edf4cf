// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags two-factor, critical
import { readFile } from 'node:fs/promises'
import { type Authenticator, scan } from '@floorpass/testing/authenticator'
import { expect, type Page, test } from '@playwright/test'
import { type Person, signedInPerson, submitSignIn } from './support/person.ts'

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

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await expect(page).toHaveURL('/login?notice=signed-out')
}

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
      await box.fill('000000')
      await page.getByLabel('Don’t ask for a code on this device').check()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect(page.getByRole('alert')).toContainText('is wrong')
      await expect(page.getByLabel('Don’t ask for a code on this device')).toBeChecked()
      await box.fill(authenticator.code(1))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect(page).toHaveURL('/settings/trading')

      await signOut(page)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/dashboard')
      await page.goto('/settings/sessions')
      await expect(page.getByText('Signs in without a code')).toBeVisible()
      await page.goto('/settings/security')
      await expect(page.getByText('This device')).toBeVisible()
      await page.getByRole('button', { name: 'Remove' }).click()
      await expect(page.getByText('It now needs a code to sign in.')).toBeVisible()

      await signOut(page)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/two-factor')
      await page.getByRole('link', { name: 'Use a backup code instead' }).click()
      await page.getByLabel('Backup code').fill(backupCodes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in' }).click()
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
      await expect(page.getByRole('alert')).toContainText('that password is wrong')
      await page.getByLabel('Password', { exact: true }).fill(person.password)
      await page.getByRole('button', { name: 'Turn off' }).click()
      await expect(page.getByRole('button', { name: 'Set up' })).toBeVisible()
      await signOut(page)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/dashboard')
    })

    test(`two-factor: five wrong codes lead back to the first step (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      test.slow()
      const person = await signedInPerson(page)
      const { authenticator } = await prepare(page, person)
      await enterCode(page, authenticator.code())
      await expect(page.getByText('Two-factor authentication is on.')).toBeVisible()
      await signOut(page)
      await submitSignIn(page, person)
      const button = page.getByRole('button', { name: 'Sign in' })
      for (let count = 0; count < 5; count += 1) {
        await page.getByLabel('Code from your authenticator app').fill(`00000${count}`)
        const answer = page.waitForResponse((response) => response.request().method() === 'POST')
        await button.click()
        await answer
        if (count === 4) break
        // The alert may still be that of the try before.
        await expect(button).not.toHaveAttribute('aria-disabled', 'true')
        await expect(page.getByRole('alert')).toContainText('is wrong')
      }
      await expect(page).toHaveURL('/login?ended=code')
      await expect(page.getByText('This sign-in expired')).toBeVisible()
      await page.goto('/two-factor')
      await expect(page).toHaveURL('/login?ended=code')
    })
  })
}
