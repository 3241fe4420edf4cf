// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags organizations
import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { scriptsAtWork } from './support/drivers.ts'
import { followMailedLink, newPerson, signedInPerson, signUp, submitSignIn } from './support/person.ts'

/** Creates an organization from the settings and answers its short name. */
async function createOrganization(page: Page): Promise<string> {
  const slug = `desk-${randomUUID().slice(0, 8)}`
  await page.goto('/settings/organizations')
  await page.getByLabel('Organization name').fill('Desk & Söhne')
  await page.getByLabel('Short name').fill(slug)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await expect(page).toHaveURL(`/settings/organizations/${slug}?notice=created`)
  await expect(page.getByText('Organization created')).toBeVisible()
  return slug
}

async function invite(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page.getByText('Invitation sent.')).toBeVisible()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`organizations: create one, invite a visitor, promote them, and leave it to them (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
      browser,
    }) => {
      test.slow()
      await signedInPerson(page)
      const slug = await createOrganization(page)
      const second = { ...newPerson(), name: 'Grace Hopper' }
      await invite(page, second.email)
      await expect(page.getByRole('button', { name: `Cancel ${second.email}` })).toBeVisible()
      await page.getByLabel('Email address').fill(second.email)
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await expect(page.getByRole('alert')).toContainText('already has a pending invitation')

      const unwanted = newPerson()
      await invite(page, unwanted.email)
      await page.getByRole('button', { name: `Resend ${unwanted.email}` }).click()
      await expect(page.getByText('Invitation sent again.')).toBeVisible()
      const stale = await page.context().newPage()
      await stale.goto(`/settings/organizations/${slug}`)
      await page.getByRole('button', { name: `Cancel ${unwanted.email}` }).click()
      await expect(page.getByText('Invitation canceled.')).toBeVisible()
      await expect(page.getByText(unwanted.email)).toHaveCount(0)
      // The other tab still has the row; the answer to it has not.
      await stale.getByRole('button', { name: `Cancel ${unwanted.email}` }).click()
      await expect(stale.getByRole('alert')).toContainText('no longer works')
      await stale.close()
      const nameBox = page.getByLabel('Organization name')
      await nameBox.fill('   ')
      await page.getByRole('button', { name: 'Save organization' }).click()
      await expect(nameBox).toHaveAttribute('aria-invalid', 'true')
      await nameBox.fill('Desk of Ada')
      await page.getByRole('button', { name: 'Save organization' }).click()
      await expect(page.getByText('Organization saved.')).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Desk of Ada' })).toBeVisible()

      const context = await browser.newContext({ javaScriptEnabled })
      const guest = await context.newPage()
      await followMailedLink(guest, second, '/accept-invitation')
      await expect(guest.getByText('Sign in with the email address that got this invitation')).toBeVisible()
      const invitation = guest.url()
      await guest.getByRole('link', { name: 'Create an account' }).click()
      await guest.getByLabel('Name').fill(second.name)
      await guest.getByLabel('Email address').fill(second.email)
      await guest.getByLabel('Password', { exact: true }).fill(second.password)
      await guest.getByRole('button', { name: 'Create account' }).click()
      await expect(guest.getByRole('heading', { name: 'Check your email' })).toBeVisible()
      await followMailedLink(guest, second, '/verify-email', 2)
      await guest.getByRole('button', { name: 'Confirm email' }).click()
      await submitSignIn(guest, second)
      await expect(guest).toHaveURL(invitation)
      await guest.getByRole('button', { name: 'Join' }).click()
      await expect(guest).toHaveURL(`/settings/organizations/${slug}?notice=joined`)
      await expect(guest.getByText('You’ve joined the organization.')).toBeVisible()
      await expect(guest.getByRole('button', { name: 'Send invitation' })).toHaveCount(0)
      await guest.goto(invitation)
      await expect(guest.getByRole('alert')).toContainText('no longer works')

      await page.goto(`/settings/organizations/${slug}`)
      await page.getByRole('button', { name: `Remove ${second.name}` }).click()
      await expect(page.getByText('Member removed.')).toBeVisible()
      await invite(page, second.email)
      await followMailedLink(guest, second, '/accept-invitation', 4)
      await guest.getByRole('button', { name: 'Join' }).click()
      await expect(guest.getByText('You’ve joined the organization.')).toBeVisible()

      await page.goto(`/settings/organizations/${slug}`)
      await page.getByRole('button', { name: 'Leave organization' }).click()
      await expect(page.getByRole('alert')).toContainText('you’re the only owner')
      await page.getByLabel(`Role of ${second.name}`).selectOption('Owner')
      await page.getByRole('button', { name: `Save role ${second.name}` }).click()
      await expect(page.getByText('Role saved.')).toBeVisible()
      await expect(page.getByLabel(`Role of ${second.name}`)).toHaveValue('owner')
      await page.getByRole('button', { name: 'Leave organization' }).click()
      await expect(page).toHaveURL('/settings/organizations?notice=left')
      await expect(page.getByText('You’re not in any organization yet.')).toBeVisible()
      expect((await page.goto(`/settings/organizations/${slug}`))?.status()).toBe(404)

      await guest.goto(`/settings/organizations/${slug}`)
      await guest.getByLabel('Type the short name to confirm').fill('something else')
      await guest.getByRole('button', { name: 'Delete organization' }).click()
      await expect(guest.getByRole('alert')).toContainText('not the short name')
      await guest.getByLabel('Type the short name to confirm').fill(slug)
      await guest.getByRole('button', { name: 'Delete organization' }).click()
      await expect(guest).toHaveURL('/settings/organizations?notice=deleted')
      await context.close()
    })
  })
}

test.describe('JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('organizations: a refused Join keeps the invitation, and works once there is room (JavaScript off)', async ({
    page,
    browser,
  }) => {
    test.slow()
    await signedInPerson(page)
    const slug = await createOrganization(page)
    const context = await browser.newContext({ javaScriptEnabled: false })
    const guest = await context.newPage()
    const { email } = await signedInPerson(guest)
    for (let count = 0; count < 5; count += 1) await createOrganization(guest)
    await invite(page, email)
    await followMailedLink(guest, { email }, '/accept-invitation', 2)
    await guest.getByRole('button', { name: 'Join' }).click()
    await expect(guest.getByRole('alert')).toContainText('You’ve reached the limit of 5 organizations.')
    await expect(guest.getByRole('heading', { name: 'Desk & Söhne' })).toBeVisible()

    const other = await context.newPage()
    await other.goto('/settings/organizations')
    await other.getByRole('link', { name: 'Desk & Söhne' }).first().click()
    await other.getByLabel('Type the short name to confirm').fill(new URL(other.url()).pathname.split('/').at(-1) ?? '')
    await other.getByRole('button', { name: 'Delete organization' }).click()
    await expect(other).toHaveURL('/settings/organizations?notice=deleted')
    await guest.getByRole('button', { name: 'Join' }).click()
    await expect(guest).toHaveURL(`/settings/organizations/${slug}?notice=joined`)
    await context.close()
  })
})

test('organizations: what was not touched is not sent, so a fellow’s change of it stays', async ({ page }) => {
  await signedInPerson(page)
  const slug = await createOrganization(page)
  const stale = await page.context().newPage()
  await stale.goto(`/settings/organizations/${slug}`)
  // Only the scripts leave out what was not touched.
  await scriptsAtWork(stale)
  await page.getByLabel('Organization name').fill('Renamed meanwhile')
  await page.getByRole('button', { name: 'Save organization' }).click()
  await expect(page.getByText('Organization saved.')).toBeVisible()
  await stale.getByLabel('Short name', { exact: true }).fill(`${slug}-2`)
  await stale.getByRole('button', { name: 'Save organization' }).click()
  await expect(stale).toHaveURL(`/settings/organizations/${slug}-2?notice=update`)
  await expect(stale.getByRole('heading', { name: 'Renamed meanwhile' })).toBeVisible()

  // The former short name is not accepted: it may mean another organization.
  await page.getByLabel('Type the short name to confirm').fill(slug)
  await page.getByRole('button', { name: 'Delete organization' }).click()
  await expect(page.getByRole('alert')).toContainText('not the short name')
  await stale.reload()
  await expect(stale.getByRole('heading', { name: 'Renamed meanwhile' })).toBeVisible()
})

test('organizations: a form that another one cuts short keeps what was typed', async ({ page }) => {
  await signedInPerson(page)
  await createOrganization(page)
  await scriptsAtWork(page)
  const posts: string[] = []
  await page.route('**/*.data*', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    posts.push(route.request().url())
    // Never answered.
    return undefined
  })
  const name = page.getByLabel('Organization name')
  await name.fill('Renamed')
  await page.getByRole('button', { name: 'Save organization' }).click()
  await expect.poll(() => posts.length).toBe(1)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect.poll(() => posts.length).toBe(2)
  await expect(page.getByRole('button', { name: 'Save organization' })).not.toHaveAttribute('aria-disabled', 'true')
  await expect(name).toHaveValue('Renamed')
})

test('organizations: an invitation in the wrong hands is explained, and its owner can decline it', async ({ page, browser }) => {
  test.slow()
  await signedInPerson(page)
  const slug = await createOrganization(page)
  const invited = newPerson()
  await invite(page, invited.email)
  await followMailedLink(page, invited, '/accept-invitation')
  await expect(page.getByRole('alert')).toContainText('for a different email')

  const context = await browser.newContext()
  const guest = await context.newPage()
  await signUp(guest, invited)
  await followMailedLink(guest, invited, '/verify-email', 2)
  await guest.getByRole('button', { name: 'Confirm email' }).click()
  await submitSignIn(guest, invited)
  await expect(guest).toHaveURL('/dashboard')
  await guest.goto('/settings/organizations')
  await guest.getByRole('link', { name: 'See invitation Desk & Söhne' }).click()
  await guest.getByRole('button', { name: 'Decline' }).click()
  await expect(guest.getByText('You declined the invitation.')).toBeVisible()
  await context.close()
  await page.goto(`/settings/organizations/${slug}`)
  await expect(page.getByRole('button', { name: 'Cancel' })).toHaveCount(0)
})
