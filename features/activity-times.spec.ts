// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { tabTo } from './support/drivers.ts'
import { originOf, signedInPerson } from './support/person.ts'
import { watch } from './support/scene-test.ts'

test.use({ timezoneId: 'Asia/Tokyo' })

test('profile: a time says how long ago it was, and shows the exact time of the person’s zone', async ({ page }) => {
  await signedInPerson(page)
  const complaints = watch(page, await originOf(page))
  await page.clock.install()
  await page.goto('/settings/activity')
  const time = page.getByRole('main').getByRole('listitem').first().locator('time').first()
  const button = time.getByRole('button')
  const [relative, exact] = [button.locator('span').first(), button.locator('span').last()]

  await expect(button).toHaveAccessibleName(/^now, \d+ \w+ \d{4}, \d\d:\d\d GMT\+9$/)
  await page.clock.fastForward('03:00')
  await expect(button).toHaveAccessibleName(/^3 minutes ago, /)
  await expect(relative).toBeVisible()
  await expect(exact).toBeHidden()

  await button.hover()
  await expect(exact).toHaveText(/GMT\+9$/)
  await expect(exact).toBeVisible()
  await expect(relative).toBeHidden()
  await page.mouse.move(0, 0)
  await expect(relative).toBeVisible()
  await button.dispatchEvent('click')
  await expect(exact).toBeVisible()
  await button.dispatchEvent('click')
  await expect(exact).toBeHidden()
  await tabTo(page, button)
  await expect(exact).toBeVisible()

  const moment = await time.getAttribute('datetime')
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit' })
  await expect(exact).toContainText(hour.format(new Date(String(moment))))
  await expectAccessible(page, 'times')
  expect(complaints).toEqual([])
})

test('profile: times are in the language of the page', async ({ page }) => {
  await signedInPerson(page)
  const headers = { origin: await originOf(page) }
  expect((await page.request.post('/auth/update-user', { data: { locale: 'fr' }, headers })).status()).toBe(200)
  await page.clock.install({ time: Date.now() + 26 * 3600_000 })
  await page.goto('/settings/activity')
  const button = page.getByRole('main').getByRole('listitem').first().locator('time').getByRole('button')
  await expect(button).toHaveAccessibleName(/^il y a 1 jour, \d+ .+ \d{4},? (à )?\d\d:\d\d UTC\+9$/)
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('profile: times are in UTC without JavaScript', async ({ page }) => {
    await signedInPerson(page)
    await page.goto('/settings/activity')
    await expect(page.getByRole('main').locator('time').first()).toHaveText(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/)
  })
})
