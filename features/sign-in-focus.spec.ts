// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect } from '@playwright/test'
import type { Scene, Visitor } from './support/scene.ts'
import { test } from './support/scene-test.ts'

type Row = { path: string | ((scene: Scene) => string); as?: Visitor; field: string; button: string }

/** Every page before or during a sign-in that has a field, and a button that refuses the empty form. */
const rows: readonly Row[] = [
  { path: '/login', field: 'Email address', button: 'Sign in' },
  { path: '/signup', field: 'Name', button: 'Create account' },
  { path: '/signup?with=passkey', field: 'Name', button: 'Email me the link' },
  { path: '/forgot-password', field: 'Email address', button: 'Send link' },
  { path: '/verify-email', field: 'Email address', button: 'Send a new link' },
  { path: ({ links }) => links.reset, field: 'New password', button: 'Set new password' },
  { path: '/two-factor', as: 'challenged', field: 'Code from your authenticator app', button: 'Sign in' },
  { path: '/two-factor?with=backup-code', as: 'challenged', field: 'Backup code', button: 'Sign in' },
  { path: '/reauthenticate', as: 'returning', field: 'Password', button: 'Confirm with password' },
]

for (const javaScriptEnabled of [true, false]) {
  test(`sign-in: the first field of every page has the focus, and an error takes it (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
    visit,
    scene,
  }) => {
    test.slow()
    for (const { path, as = 'visitor', field, button } of rows) {
      const address = typeof path === 'string' ? path : path(scene)
      await test.step(address, async () => {
        const page = await visit({ as, javaScriptEnabled })
        await page.goto(address)
        const box = page.getByRole('main').getByLabel(field, { exact: true })
        await expect(box).toBeFocused()
        await page.getByRole('main').getByRole('button', { name: button, exact: true }).click()
        const alert = page.getByRole('alert')
        await expect(alert).toBeVisible()
        // Without JavaScript the summary, which links to the field. With JavaScript the field itself.
        const isField = javaScriptEnabled && (await box.getAttribute('aria-invalid')) === 'true'
        await expect(isField ? box : alert).toBeFocused()
      })
    }
  })
}
