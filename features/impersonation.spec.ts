// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags administration, critical
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible, expectContrastInTheDark } from './support/accessible.ts'
import { administrator } from './support/administrator.ts'
import { press } from './support/drivers.ts'
import { newPerson } from './support/person.ts'
import { cookiesOf, createAccount, signIn } from './support/scene.ts'

const reason = 'asked in ticket 4711 why a withdrawal waits'

async function expectReadable(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expectAccessible(page, name)
  await expectContrastInTheDark(page, name)
}

/** The page of a new user, as an administrator sees it. */
async function openUser(page: Page, url: string) {
  const user = { ...newPerson(), name: 'Zora Neale Hurston' }
  await createAccount(url, user)
  const tab = await signIn(url, user)
  await administrator(page, url, 'admin')
  const { body } = await tab.get('/auth/get-session')
  const path = `/admin/users/${(body as { user: { id: string } }).user.id}`
  await page.goto(path)
  return { user, tab, path }
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'View this account' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await press(page, 'Yes, view it')
  await expect(page).toHaveURL('/dashboard')
}

for (const javaScriptEnabled of [true, false]) {
  const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`
  test.describe(script, () => {
    test.use({ javaScriptEnabled })

    test(`administration: view an account, change nothing, and stop viewing (${script})`, async ({ page, browser, baseURL }) => {
      test.slow()
      const url = String(baseURL)
      const { user, tab, path } = await openUser(page, url)
      await page.getByRole('button', { name: 'View this account' }).click()
      await page.getByRole('textbox', { name: 'Reason' }).fill('because')
      await press(page, 'Yes, view it')
      await expect(page.getByRole('textbox', { name: 'Reason' })).toHaveAttribute('aria-invalid', 'true')
      await page.getByRole('textbox', { name: 'Reason' }).fill(reason)
      if (javaScriptEnabled) await expectReadable(page, 'the question')
      await press(page, 'Yes, view it')

      await expect(page).toHaveURL('/dashboard')
      const banner = page.getByRole('region', { name: 'Account of a user' })
      await expect(banner).toContainText(`You’re looking at the account of ${user.email}.`)
      if (javaScriptEnabled) await expectReadable(page, 'an opened account')
      await page.goto('/settings/profile')
      await page.getByRole('textbox', { name: 'Name' }).fill('Another Name')
      await press(page, 'Save name')
      await expect(page.getByRole('alert')).toContainText('Nothing was changed: you are only viewing this account.')

      // The user sees it, with the reason.
      const context = await browser.newContext({ baseURL: url, javaScriptEnabled })
      const own = await context.newPage()
      await context.addCookies(cookiesOf(tab).map((cookie) => ({ ...cookie, url })))
      await own.goto('/settings/sessions')
      await expect(own.getByText('Opened by an administrator of Floorpass', { exact: true })).toBeVisible()
      await expect(own.getByRole('button', { name: 'Sign out the administrator of Floorpass' })).toBeVisible()
      if (javaScriptEnabled) await expectReadable(own, 'the sessions of the user')
      await own.goto('/settings/activity')
      await expect(own.getByText(`Reason: ${reason}`)).toBeVisible()
      await context.close()

      await press(page, 'Stop viewing')
      await expect(page).toHaveURL(path)
      await expect(banner).toHaveCount(0)
      await expect(page.getByText('Our team stopped viewing your account')).toBeVisible()
    })
  })
}

test('administration: every page of an opened account has the banner, and none breaks', async ({ page, baseURL }) => {
  test.slow()
  await openUser(page, String(baseURL))
  await openAccount(page)
  const settings = await page.goto('/settings')
  expect(settings?.status()).toBe(200)
  const links = await page
    .locator('a[href^="/settings/"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  expect(links.length).toBeGreaterThan(10)
  for (const path of new Set(['/dashboard', '/reauthenticate', ...links])) {
    const answer = await page.goto(path)
    expect([path, answer?.status()]).toEqual([path, 200])
    await expect(page.getByRole('button', { name: 'Stop viewing' }), path).toBeVisible()
  }
  // The switch of another tab, from before.
  const form = { locale: 'fr', redirectTo: '/dashboard' }
  const language = await page.request.post('/language', { form, headers: { origin: String(baseURL) } })
  expect([language.status(), new URL(language.url()).pathname]).toEqual([200, '/dashboard'])
  await page.goto('/dashboard')
  await expect(page.getByRole('button', { name: 'Stop viewing' })).toBeVisible()
  // The way into the administration is closed meanwhile.
  expect((await page.goto('/admin'))?.status()).toBe(403)
})

test('administration: the user ends the session of the administrator, who must sign in again', async ({ page, baseURL }) => {
  const { tab } = await openUser(page, String(baseURL))
  await openAccount(page)
  const sessions = (await tab.get('/auth/list-sessions')).body as { token: string; impersonatedBy: string | null }[]
  const opened = sessions.find(({ impersonatedBy }) => impersonatedBy !== null)
  await tab.post('/auth/revoke-session', { token: opened?.token })
  await page.goto('/settings')
  await expect(page).toHaveURL('/login?redirectTo=%2Fsettings')
})

test('administration: a sign-out from an opened account leaves no session in the browser', async ({ page, baseURL }) => {
  await openUser(page, String(baseURL))
  await openAccount(page)
  await page.getByRole('button', { name: /^Account menu of/ }).click()
  await press(page, 'Sign out')
  await expect(page).toHaveURL('/login?notice=signed-out')
  await page.goto('/admin')
  await expect(page).toHaveURL('/login?redirectTo=%2Fadmin')
})
