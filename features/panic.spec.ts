// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags protection, critical
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { press } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { originOf, signedInPerson, submitSignIn } from './support/person.ts'
import { choosePassword, mailedLink, openTab } from './support/scene.ts'

/** A signed-in person with an API key, and the link of a mail about a change. */
async function personWithPanicLink(page: Page) {
  const person = await signedInPerson(page)
  const url = await originOf(page)
  const tab = openTab(url)
  for (const { name, value } of await page.context().cookies()) tab.cookies.set(name, value)
  expect((await tab.post('/auth/api-key/create', { name: 'Bot', permissions: { account: ['read'] } })).status).toBe(200)
  expect((await tab.post('/auth/allow-list/add', { kind: 'bitcoin', value: 'bc1qthief' })).status).toBe(200)
  return { person, tab, link: await mailedLink(url, person.email, '/panic') }
}

for (const javaScriptEnabled of [true, false]) {
  const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`
  test.describe(script, () => {
    test.use({ javaScriptEnabled })

    test(`panic: opening the link changes nothing, one press stops everything, and another does no harm (${script})`, async ({
      page,
      openBrowser,
    }) => {
      test.slow()
      const { person, tab, link } = await personWithPanicLink(page)
      const phone = await openBrowser({ javaScriptEnabled })
      await phone.goto(link)
      await expect(phone.getByRole('heading', { name: 'Stop everything' })).toBeVisible()
      await expect(phone.getByText('Every device is signed out, and your password stops working.')).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(phone, 'a panic link')
      expect((await tab.get('/auth/protection/get')).body).toMatchObject({ lock: { locked: false }, hold: { until: null } })

      const second = await openBrowser({ javaScriptEnabled })
      await second.goto(link)
      await press(phone, 'Stop everything')
      await expect(phone.getByRole('heading', { name: 'Everything is stopped' })).toBeVisible()
      await expect(phone.getByText('Every device is signed out, and no money can leave your account.')).toBeVisible()
      expect((await tab.get('/auth/protection/get')).status).toBe(401)

      await press(second, 'Stop everything')
      await expect(second.getByRole('heading', { name: 'Everything is stopped' })).toBeVisible()
      await second.goto(link)
      await expect(second.getByText('This link was already used, so nothing changed this time.')).toBeVisible()

      await page.goto('/dashboard')
      await expect(page).toHaveURL(/\/login/)
      await submitSignIn(page, person)
      await expect(page.getByRole('alert')).toBeVisible()
      const password = 'nine lanterns over quiet water 58'
      await choosePassword(await originOf(page), { ...person, password })
      await submitSignIn(page, { ...person, password })
      await expect(page.getByText('Your account is locked.')).toBeVisible()
      await page.goto('/settings/api-keys')
      await expect(page.getByRole('listitem').filter({ hasText: 'Bot' })).toContainText('Disabled')
      await page.goto('/settings/protection')
      await expect(page.getByText('Locked', { exact: true })).toBeVisible()
      await expect(page.getByText('“Stop everything” link used', { exact: true })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Undo with a passkey' })).toHaveCount(0)
    })
  })
}

test('panic: a link that does not work leads to a new password', async ({ page }) => {
  await page.goto('/panic?token=any')
  await expect(page.getByRole('button', { name: 'Stop everything' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Choose a new password' }).click()
  await expect(page).toHaveURL('/forgot-password')
})
