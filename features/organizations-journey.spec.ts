// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags organizations
import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { confirm } from './support/confirm.ts'
import { scriptsAtWork } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
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

/** Opens a page of the organization by its sub-navigation. */
async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Organization' }).locator('[aria-current]')).toHaveText(name)
}

async function invite(page: Page, email: string): Promise<void> {
  await open(page, 'Invitations')
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page.getByText('Invitation sent.')).toBeVisible()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`organizations: create one, invite a visitor, promote them, and leave it to them (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
      openBrowser,
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
      await stale.goto(`/settings/organizations/${slug}/invitations`)
      await confirm(
        page,
        page.getByRole('button', { name: `Cancel ${unwanted.email}`, exact: true }),
        'Yes, cancel the invitation',
      )
      await expect(page.getByText('Invitation canceled.')).toBeVisible()
      await expect(page.getByText(unwanted.email)).toHaveCount(0)
      // The other tab still has the row. Without JavaScript its button loads the page again, without the row.
      await stale.getByRole('button', { name: `Cancel ${unwanted.email}` }).click()
      if (javaScriptEnabled) {
        await stale.getByRole('button', { name: 'Yes, cancel the invitation' }).click()
        await expect(stale.getByRole('alert')).toContainText('no longer works')
      } else await expect(stale.getByText(unwanted.email)).toHaveCount(0)
      await stale.close()
      await open(page, 'Settings')
      const nameBox = page.getByLabel('Organization name')
      await nameBox.fill('   ')
      await page.getByRole('button', { name: 'Save organization' }).click()
      await expect(nameBox).toHaveAttribute('aria-invalid', 'true')
      await nameBox.fill('Desk of Ada')
      await page.getByRole('button', { name: 'Save organization' }).click()
      await expect(page.getByText('Organization saved.')).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Desk of Ada' })).toBeVisible()

      const guest = await openBrowser()
      await followMailedLink(guest, second, '/accept-invitation')
      await expect(guest.getByText('Sign in or sign up with the email address that got this invitation')).toBeVisible()
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
      const pages = guest.getByRole('navigation', { name: 'Organization' }).getByRole('link')
      await expect(pages).toHaveText(['Overview', 'Members', 'Settings'])
      for (const hidden of ['invitations', 'activity'])
        expect((await guest.goto(`/settings/organizations/${slug}/${hidden}`))?.status()).toBe(403)
      await guest.goto(invitation)
      await expect(guest.getByRole('alert')).toContainText('no longer works')

      await page.goto(`/settings/organizations/${slug}/members`)
      await confirm(page, page.getByRole('button', { name: `Remove ${second.name}`, exact: true }), `Yes, remove ${second.name}`)
      await expect(page.getByText('Member removed.')).toBeVisible()
      await invite(page, second.email)
      await followMailedLink(guest, second, '/accept-invitation', 4)
      await guest.getByRole('button', { name: 'Join' }).click()
      await expect(guest.getByText('You’ve joined the organization.')).toBeVisible()

      await open(page, 'Activity')
      await expect(page.getByRole('main').getByRole('listitem').first()).toContainText(
        'Grace Hopper accepted an invitation and joined (Member)',
      )
      await expect(page.getByText(`Ada Lovelace removed ${second.name}`)).toBeVisible()
      await open(page, 'Settings')
      await confirm(page, page.getByRole('button', { name: 'Leave organization', exact: true }), 'Yes, leave Desk of Ada')
      await expect(page.getByRole('alert')).toContainText('You’re the only owner')
      await page.goto(`/settings/organizations/${slug}/members`)
      await expect(page.getByLabel(`Role of ${second.name}`).getByRole('option')).toHaveText(['Administrator', 'Member'])
      await confirm(
        page,
        page.getByRole('button', { name: `Make owner ${second.name}`, exact: true }),
        `Yes, make ${second.name} an owner`,
      )
      await expect(page.getByText('Role saved.')).toBeVisible()
      await expect(page.getByLabel(`Role of ${second.name}`)).toHaveValue('owner')
      await open(page, 'Settings')
      await confirm(page, page.getByRole('button', { name: 'Leave organization', exact: true }), 'Yes, leave Desk of Ada')
      await expect(page).toHaveURL('/settings/organizations?notice=left')
      await expect(page.getByText('You’re not in any organization yet')).toBeVisible()
      expect((await page.goto(`/settings/organizations/${slug}`))?.status()).toBe(404)

      await guest.goto(`/settings/organizations/${slug}/settings`)
      await guest.getByRole('button', { name: 'Delete organization' }).click()
      await guest.getByLabel('Type the short name to confirm').fill('something else')
      await guest.getByRole('button', { name: 'Delete Desk of Ada for good' }).click()
      await expect(guest.getByRole('alert')).toContainText('not the short name')
      await guest.getByLabel('Type the short name to confirm').fill(slug)
      await guest.getByRole('button', { name: 'Delete Desk of Ada for good' }).click()
      await expect(guest.getByRole('alert')).toContainText('Your role is too new for this.')
    })

    test(`organizations: saving one field keeps another member's change of the other (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
    }) => {
      await signedInPerson(page)
      const slug = await createOrganization(page)
      const stale = await page.context().newPage()
      await stale.goto(`/settings/organizations/${slug}/settings`)
      await open(page, 'Settings')
      await page.getByLabel('Organization name').fill('Renamed meanwhile')
      await page.getByRole('button', { name: 'Save organization' }).click()
      await expect(page.getByText('Organization saved.')).toBeVisible()
      await stale.getByLabel('Short name', { exact: true }).fill(`${slug}-2`)
      await stale.getByRole('button', { name: 'Save organization' }).click()
      await expect(stale).toHaveURL(`/settings/organizations/${slug}-2/settings?notice=update`)
      await expect(stale.getByRole('heading', { name: 'Renamed meanwhile' })).toBeVisible()

      // The former short name is not accepted: it may mean another organization. Without JavaScript the button loads its page.
      await page.getByRole('button', { name: 'Delete organization' }).click()
      if (javaScriptEnabled) {
        await page.getByLabel('Type the short name to confirm').fill(slug)
        await page.getByRole('button', { name: 'Delete Renamed meanwhile for good' }).click()
        await expect(page.getByRole('alert')).toContainText('not the short name')
      } else await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
      await stale.reload()
      await expect(stale.getByRole('heading', { name: 'Renamed meanwhile' })).toBeVisible()
      await stale.getByRole('button', { name: 'Delete organization' }).click()
      await stale.getByLabel('Type the short name to confirm').fill(`${slug}-2`)
      await stale.getByRole('button', { name: 'Delete Renamed meanwhile for good' }).click()
      await expect(stale).toHaveURL('/settings/organizations?notice=deleted')
    })
  })
}

test.describe('JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('organizations: a refused Join keeps the invitation, and works once there is room (JavaScript off)', async ({
    page,
    openBrowser,
  }) => {
    test.slow()
    await signedInPerson(page)
    const slug = await createOrganization(page)
    const guest = await openBrowser()
    const { email } = await signedInPerson(guest)
    for (let count = 0; count < 5; count += 1) await createOrganization(guest)
    await invite(page, email)
    await followMailedLink(guest, { email }, '/accept-invitation', 2)
    await guest.getByRole('button', { name: 'Join' }).click()
    await expect(guest.getByRole('alert')).toContainText('You’ve reached the limit of 5 organizations.')
    await expect(guest.getByRole('heading', { name: 'Desk & Söhne' })).toBeVisible()

    const other = await guest.context().newPage()
    await other.goto('/settings/organizations')
    await expect(other.getByText('You’re in 5 organizations')).toBeVisible()
    await expect(other.getByRole('button', { name: 'Create organization' })).toHaveCount(0)
    await other.getByRole('link', { name: 'Desk & Söhne' }).first().click()
    const last = new URL(other.url()).pathname.split('/').at(-1) ?? ''
    await open(other, 'Settings')
    await other.getByRole('button', { name: 'Delete organization' }).click()
    await other.getByLabel('Type the short name to confirm').fill(last)
    await other.getByRole('button', { name: 'Delete Desk & Söhne for good' }).click()
    await expect(other).toHaveURL('/settings/organizations?notice=deleted')
    await guest.getByRole('button', { name: 'Join' }).click()
    await expect(guest).toHaveURL(`/settings/organizations/${slug}?notice=joined`)
  })
})

test('organizations: a form that another one cuts short keeps what was typed', async ({ page }) => {
  await signedInPerson(page)
  await createOrganization(page)
  await open(page, 'Settings')
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
  await confirm(page, page.getByRole('button', { name: 'Leave organization', exact: true }), 'Yes, leave Desk & Söhne')
  await expect.poll(() => posts.length).toBe(2)
  await expect(page.getByRole('button', { name: 'Save organization' })).not.toHaveAttribute('aria-disabled', 'true')
  await expect(name).toHaveValue('Renamed')
})

test('organizations: an invitation in the wrong hands is explained, and its owner can decline it', async ({
  page,
  openBrowser,
}) => {
  test.slow()
  await signedInPerson(page)
  const slug = await createOrganization(page)
  const invited = newPerson()
  await invite(page, invited.email)
  await followMailedLink(page, invited, '/accept-invitation')
  await expect(page.getByRole('alert')).toContainText('for a different email')

  const guest = await openBrowser()
  await signUp(guest, invited)
  await followMailedLink(guest, invited, '/verify-email', 2)
  await guest.getByRole('button', { name: 'Confirm email' }).click()
  await submitSignIn(guest, invited)
  await expect(guest).toHaveURL('/dashboard')
  await guest.goto('/settings/organizations')
  await guest.getByRole('link', { name: 'See invitation Desk & Söhne' }).click()
  await guest.getByRole('button', { name: 'Decline', exact: true }).click()
  await guest.getByRole('button', { name: 'Go back' }).click()
  await expect(guest.getByRole('button', { name: 'Join' })).toBeVisible()
  await confirm(guest, guest.getByRole('button', { name: 'Decline', exact: true }), 'Yes, decline the invitation')
  await expect(guest.getByText('You declined the invitation.')).toBeVisible()
  await page.goto(`/settings/organizations/${slug}/invitations`)
  await expect(page.getByText('No pending invitations')).toBeVisible()
  await page.goto(`/settings/organizations/${slug}/activity`)
  await expect(page.getByText(`The invitation to ${invited.email} was declined`)).toBeVisible()
})

test('organizations: the short name follows the name until another one is typed', async ({ page }) => {
  await signedInPerson(page)
  await page.goto('/settings/organizations')
  await scriptsAtWork(page)
  const [name, slug] = [page.getByLabel('Organization name'), page.getByLabel('Short name')]
  await name.pressSequentially('Éloïse & Søn')
  await expect(slug).toHaveValue('eloise-son')
  await name.pressSequentially(' Ltd.')
  await expect(slug).toHaveValue('eloise-son-ltd')
  await slug.fill('mine')
  await name.pressSequentially(' again')
  await expect(slug).toHaveValue('mine')
  await slug.fill('')
  await name.fill('Desk')
  await expect(slug).toHaveValue('desk')
})

test('organizations: a question takes the focus, and gives it back when it is dismissed', async ({ page }) => {
  await signedInPerson(page)
  const slug = await createOrganization(page)
  await page.goto(`/settings/organizations/${slug}/settings`)
  await scriptsAtWork(page)
  const leave = page.getByRole('button', { name: 'Leave organization' })
  await leave.press('Enter')
  const question = page.getByRole('dialog', { name: 'Leave Desk & Söhne?' })
  await expect(question.getByRole('button', { name: 'Go back' })).toBeFocused()
  expect(await question.evaluate((dialog) => dialog.matches(':modal'))).toBe(true)
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(leave).toBeFocused()
  await leave.press('Enter')
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(leave).toBeFocused()
  await page.getByRole('button', { name: 'Delete organization' }).press('Enter')
  await expect(page.getByLabel('Type the short name to confirm')).toBeFocused()
  await expect(page).toHaveURL(`/settings/organizations/${slug}/settings`)
})
