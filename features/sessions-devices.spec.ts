// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sessions
import { type Browser, expect, type Page, test } from '@playwright/test'
import { scriptsAtWork } from './support/drivers.ts'
import { type Person, signedInPerson, submitSignIn } from './support/person.ts'

async function signInElsewhere(browser: Browser, person: Person): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto('/login')
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/dashboard')
  return page
}

async function expectSignedOut(page: Page): Promise<void> {
  await page.goto('/dashboard')
  await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
}

test('sessions: one device, all others, or every device is signed out at once', async ({ page, browser }) => {
  test.slow()
  const person = await signedInPerson(page)
  const second = await signInElsewhere(browser, person)
  const devices = page.getByRole('main').getByRole('list').getByRole('listitem')

  await page.goto('/settings/sessions')
  await expect(devices).toHaveCount(2)
  await expect(devices.first()).toContainText('This device')
  await expect(devices.first().getByRole('button')).toHaveCount(0)
  await devices.last().getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('Device signed out.')).toBeVisible()
  await expect(devices).toHaveCount(1)
  await expectSignedOut(second)

  const third = await signInElsewhere(browser, person)
  await page.reload()
  await page.getByRole('button', { name: 'Sign out all other devices' }).click()
  await expect(page.getByText('All other devices signed out.')).toBeVisible()
  await expectSignedOut(third)

  const fourth = await signInElsewhere(browser, person)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page).toHaveURL('/login?notice=signed-out-everywhere')
  await expectSignedOut(page)
  await expectSignedOut(fourth)
})

test('sessions: what could not be ended says so where it was pressed, and ends when pressed again', async ({ page, browser }) => {
  const person = await signedInPerson(page)
  const second = await signInElsewhere(browser, person)
  await page.goto('/settings/sessions')
  await scriptsAtWork(page)
  const others = page.getByRole('main').getByRole('list').getByRole('listitem').last().getByRole('button', { name: 'Sign out' })
  for (const button of [others, page.getByRole('button', { name: 'Sign out all other devices' })]) {
    await page.route('**/settings/sessions.data*', (route) => route.abort('connectionfailed'))
    await button.click()
    await expect(page.getByRole('alert')).toContainText('didn’t answer')
    await expect(page.getByRole('alert')).toBeFocused()
    await page.unroute('**/settings/sessions.data*')
  }
  await others.click()
  await expect(page.getByText('Device signed out.')).toBeVisible()
  await expectSignedOut(second)
})
