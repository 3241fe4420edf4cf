// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in, accessibility
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { signedInPerson } from './support/person.ts'

const publicPages = [
  '/',
  '/login',
  '/login?error=provider_unavailable',
  '/login?ended=code',
  '/signup',
  '/verify-email',
  '/verify-email?token=any',
  '/forgot-password',
  '/reset-password?token=any',
  '/undo-email-change?token=any',
  '/nowhere',
]
const privatePages = [
  '/',
  '/dashboard',
  '/settings/profile',
  '/settings/email',
  '/settings/password',
  '/settings/security',
  '/settings/security/codes',
  '/settings/security/off',
  '/settings/accounts',
  '/settings/sessions',
  '/settings/trading',
  '/settings/danger',
  '/settings/nowhere',
  '/delete-account?token=any',
]

// Colours on their way from one to the other have no contrast worth measuring.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Collects what the browser complains about and whom it talks to, from now on. */
function watch(page: Page, origin: string | undefined): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A document may be a 404 or a refused form; its parts may not, and are seen below. Broken CSP is a console error too.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded')
    if (message.type() === 'error' && !isStatus) complaints.push(message.text())
  })
  page.on('response', (response) => {
    const isPart = !['document', 'fetch'].includes(response.request().resourceType())
    if (isPart && response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`third party: ${request.url()}`)
  })
  return complaints
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme })

    test(`sign-in: everyone can read every public page (${colorScheme})`, async ({ page, baseURL }) => {
      test.slow()
      const complaints = watch(page, baseURL)
      for (const path of publicPages) {
        await page.goto(path)
        await expectAccessible(page, path)
      }
      for (const [path, button] of [
        ['/login', 'Sign in'],
        ['/signup', 'Create account'],
        ['/verify-email?token=any', 'Confirm address'],
      ] as const) {
        await page.goto(path)
        await page.getByRole('button', { name: button }).click()
        await expect(page.getByRole('alert')).toBeVisible()
        await expectAccessible(page, `${path} refused`)
      }
      expect(complaints).toEqual([])
    })

    test(`sign-in: everyone can read every page of a signed-in person (${colorScheme})`, async ({ page, baseURL }) => {
      test.slow()
      await signedInPerson(page)
      const complaints = watch(page, baseURL)
      for (const path of privatePages) {
        await page.goto(path)
        await expectAccessible(page, path)
      }
      expect(complaints).toEqual([])
    })
  })
}
