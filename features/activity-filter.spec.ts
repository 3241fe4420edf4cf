// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile
import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { scriptsAtWork } from './support/drivers.ts'
import { originOf, signedInPerson } from './support/person.ts'
import { signIn } from './support/scene.ts'

const update = async (page: Page, data: object) => {
  const answer = await page.request.post('/auth/update-user', { data, headers: { origin: await originOf(page) } })
  expect(answer.status()).toBe(200)
}
const events = (page: Page) => page.getByRole('main').getByRole('listitem')

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'with JavaScript off', () => {
    test.use({ javaScriptEnabled })

    test('profile: the activity is filtered by kind and by day, and names the fields that changed', async ({ page }) => {
      await signedInPerson(page)
      await update(page, { name: 'Augusta', riskLevel: 'moderate' })
      await page.goto('/settings/activity')
      if (javaScriptEnabled) await scriptsAtWork(page)
      await page.getByLabel('Show').selectOption('Profile and settings')
      await page.getByRole('button', { name: 'Filter' }).click()
      await expect(page).toHaveURL(/kind=profile/)
      await expect(events(page)).toHaveCount(2)
      await expect(events(page).first()).toContainText('Settings changed: name, risk level')
      await expect(page.getByLabel('Show')).toHaveValue('profile')
      if (javaScriptEnabled) await expectAccessible(page, 'filtered activity')

      await page.getByLabel('To').fill('2026-01-01')
      await page.getByRole('button', { name: 'Filter' }).click()
      await expect(page.getByText('Nothing matches this filter.')).toBeVisible()
      await page.getByRole('link', { name: 'Show everything' }).click()
      await expect(page).toHaveURL('/settings/activity')
      await expect(page.getByLabel('Show')).toHaveValue('')
      await expect(events(page).nth(1)).toContainText('Signed in')
    })
  })
}

test.describe('in a zone far from UTC', () => {
  test.use({ timezoneId: 'Pacific/Kiritimati' })

  test('profile: the days of the filter are those of the person', async ({ page }) => {
    await signedInPerson(page)
    await page.goto('/settings/activity')
    await scriptsAtWork(page)
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(new Date())
    const before = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(Date.now() - 24 * 3600_000)
    await page.getByLabel('From').fill(today)
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect(page).toHaveURL(/zone=Pacific%2FKiritimati/)
    await expect(events(page).first()).toContainText('Signed in')
    await page.getByLabel('From').fill('')
    await page.getByLabel('To').fill(before)
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect(page.getByText('Nothing matches this filter.')).toBeVisible()
  })
})

test('profile: an address with a wrong day says which one, and with a wrong kind is refused', async ({ page }) => {
  await signedInPerson(page)
  const wrong = await page.goto('/settings/activity?from=2026-02-30')
  expect(wrong?.status()).toBe(400)
  await expect(page.getByRole('alert')).toContainText('Enter a date like 2026-11-24.')
  await expect(page.getByLabel('From')).toHaveAttribute('aria-invalid', 'true')
  expect((await page.goto('/settings/activity?kind=everything'))?.status()).toBe(400)
  expect((await page.request.get('/settings/activity/download?to=never', { maxRedirects: 0 })).status()).toBe(302)
})

test('profile: the filtered activity is downloaded as a file that no spreadsheet runs', async ({ page }) => {
  const person = await signedInPerson(page)
  await signIn(await originOf(page), person, '=1+2/5 x')
  await update(page, { name: 'Augusta' })
  await page.goto('/settings/activity?kind=sign-ins')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download as CSV' }).click()])
  expect(file.suggestedFilename()).toMatch(/^floorpass-activity-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
  expect(lines[0]).toBe('Time (UTC),Event,Device,IP address,Place')
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,Signed in,"?'=1\+2[^,]*,127\.0\.0\.1,$/)
  expect(lines.join()).not.toContain('Settings changed')
  expect(lines.at(-1)).toBe('')

  const answer = await page.request.get('/settings/activity/download?kind=profile')
  expect(answer.headers()['content-type']).toBe('text/csv; charset=utf-8; header=present')
  expect(await answer.text()).toContain('Settings changed: name')
})
