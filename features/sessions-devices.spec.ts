// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sessions
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { confirm } from './support/confirm.ts'
import { scriptsAtWork } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { originOf, signedInPerson, signInOnNewDevice } from './support/person.ts'
import { desk, signIn } from './support/scene.ts'

async function expectSignedOut(page: Page): Promise<void> {
  await page.goto('/dashboard')
  await expect(page).toHaveURL('/login?redirectTo=%2Fdashboard')
}

test('sessions: one device, all others, or every device is signed out at once', async ({ page, openBrowser }) => {
  test.slow()
  const person = await signedInPerson(page)
  const second = await signInOnNewDevice(openBrowser, person)
  const devices = page.getByRole('main').getByRole('list').getByRole('listitem')

  await page.goto('/settings/sessions')
  await expect(devices).toHaveCount(2)
  await expect(devices.first()).toContainText('This device')
  await expect(devices.first().getByRole('button', { name: 'Sign out' })).toHaveCount(0)
  await confirm(page, devices.last().getByRole('button', { name: /^Sign out Chrome/ }), /^Yes, sign out Chrome \d+ on Linux/)
  await expect(page.getByText('Device signed out.')).toBeVisible()
  await expect(devices).toHaveCount(1)
  await expectSignedOut(second)

  const third = await signInOnNewDevice(openBrowser, person)
  await page.reload()
  const others = page.getByRole('button', { name: 'Sign out all other devices' })
  await confirm(page, others, 'Yes, sign out all other devices')
  await expect(page.getByText('All other devices signed out.')).toBeVisible()
  await expectSignedOut(third)

  const fourth = await signInOnNewDevice(openBrowser, person)
  await confirm(page, page.getByRole('button', { name: 'Sign out everywhere, including here' }), 'Yes, sign me out everywhere')
  await expect(page).toHaveURL('/login?notice=signed-out-everywhere')
  await expectSignedOut(page)
  await expectSignedOut(fourth)
})

test('sessions: what could not be ended says so where it was pressed, and ends when pressed again', async ({
  page,
  openBrowser,
}) => {
  const person = await signedInPerson(page)
  const second = await signInOnNewDevice(openBrowser, person)
  await page.goto('/settings/sessions')
  await scriptsAtWork(page)
  const others = page.getByRole('main').getByRole('list').getByRole('listitem').last().getByRole('button', { name: 'Sign out' })
  for (const [button, yes] of [
    [others, /^Yes, sign out Chrome/],
    [page.getByRole('button', { name: 'Sign out all other devices' }), 'Yes, sign out all other devices'],
  ] as const) {
    await page.route('**/settings/sessions.data*', (route) => route.abort('connectionfailed'))
    await confirm(page, button, yes)
    await expect(page.getByRole('alert')).toContainText('didn’t answer')
    await expect(page.getByRole('alert')).toBeFocused()
    await page.unroute('**/settings/sessions.data*')
    await page.getByRole('button', { name: 'Go back' }).click()
    await expect(page.getByRole('dialog')).toBeHidden()
  }
  await confirm(page, others, /^Yes, sign out Chrome/)
  await expect(page.getByText('Device signed out.')).toBeVisible()
  await expectSignedOut(second)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'with JavaScript off', () => {
    test.use({ javaScriptEnabled })

    test(`sessions: signing out a device asks first, by keyboard, and going back keeps it (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      const person = await signedInPerson(page)
      const phone = await signIn(await originOf(page), person, desk.phone)
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto('/settings/sessions')
      if (javaScriptEnabled) await scriptsAtWork(page)
      const button = page.getByRole('button', { name: /^Sign out Safari/ })
      const question = page.getByRole('dialog', { name: /^Sign out Safari .*\?$/ })
      const back = question.getByRole('button', { name: 'Go back' })

      await button.press('Enter')
      await expect(question).toContainText('You’ll need to sign in there again')
      await expect(javaScriptEnabled ? back : question.getByRole('heading')).toBeFocused()
      expect(await question.evaluate((dialog) => dialog.matches(':modal'))).toBe(javaScriptEnabled)
      const { left, right } = await question.evaluate((dialog) => dialog.getBoundingClientRect())
      expect(left).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(360)
      if (javaScriptEnabled) await expectAccessible(page, 'sign out a device')
      await back.press('Enter')
      await expect(question).toBeHidden()
      if (javaScriptEnabled) {
        await expect(button).toBeFocused()
        await page.keyboard.press('Enter')
        await expect(back).toBeFocused()
        await page.keyboard.press('Escape')
        await expect(question).toBeHidden()
        await expect(button).toBeFocused()
      }
      expect((await phone.get('/auth/list-sessions')).status).toBe(200)

      await confirm(page, button, /^Yes, sign out Safari/)
      await expect(page.getByText('Device signed out.')).toBeVisible()
      expect((await phone.get('/auth/list-sessions')).status).toBe(401)
    })

    test(`sessions: each device has its icon, and a name that its owner gives it (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      const person = await signedInPerson(page)
      await signIn(await originOf(page), person, desk.phone)
      await page.goto('/settings/sessions')
      const devices = page.getByRole('main').getByRole('list').getByRole('listitem')
      await expect(devices.first().locator('svg[data-device="desktop"]')).toBeVisible()
      await expect(devices.last().locator('svg[data-device="mobile"]')).toBeVisible()
      await expect(devices.last()).toContainText('127.0.0.1')

      const phone = devices.filter({ has: page.locator('svg[data-device="mobile"]') })
      await phone.getByText('Name this device').click()
      await phone.getByLabel('Name', { exact: true }).fill('\u3164')
      await phone.getByRole('button', { name: 'Save name' }).click()
      await expect(phone.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true')
      await phone.getByLabel('Name', { exact: true }).fill('Ada’s phone')
      await phone.getByRole('button', { name: 'Save name' }).click()
      await expect(page.getByText('Name saved.')).toBeVisible()
      await expect(phone).toContainText('Ada’s phone')
      await expect(phone.getByRole('button', { name: 'Sign out Ada’s phone' })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page, 'named devices')
      await page.reload()
      await phone.getByText('Name this device').click()
      await phone.getByLabel('Name', { exact: true }).fill('')
      await phone.getByRole('button', { name: 'Save name' }).click()
      await expect(phone).not.toContainText('Ada’s phone')
    })
  })
}
