import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { askToConfirm } from './confirmations.ts'
import type { Hand } from './drivers.ts'
import { newPerson, originOf, type Person, signedInPerson } from './person.ts'
import { createAccount, mailedLink, openTab, signIn } from './scene.ts'

type Tools = { page: Page; hand: Hand; person: Person; url: string }
type Journey = { page: string; fact: string; walk: (tools: Tools) => Promise<void> }

const newPassword = 'nine lanterns over quiet water 58'

/** What each page of the settings is for, from its first press to its last: walked by keyboard, and without JavaScript. */
export const journeys: readonly Journey[] = [
  {
    page: 'profile',
    fact: 'an empty name is refused, a new one is saved',
    async walk({ page, hand }) {
      await page.goto('/settings/profile')
      await hand.fill('Name', ' ')
      await hand.press('Save name')
      await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
      await hand.fill('Name', 'Augusta King')
      await hand.press('Save name')
      await expect(page.getByRole('status').filter({ hasText: 'Name saved.' })).toBeVisible()
    },
  },
  {
    page: 'email',
    fact: 'a new address is asked for, confirmed by its mail and shown',
    async walk({ page, hand, url }) {
      const { email } = newPerson()
      await page.goto('/settings/email')
      await hand.fill('New email', 'ada@')
      await hand.press('Send link')
      await expect(page.getByLabel('New email')).toHaveAttribute('aria-invalid', 'true')
      await hand.fill('New email', email)
      await hand.press('Send link')
      await expect(page.getByRole('status').filter({ hasText: 'If no other account uses' })).toContainText(email)
      await page.goto(await mailedLink(url, email, '/verify-email'))
      await hand.press('Confirm email')
      await expect(page).toHaveURL('/settings/email?notice=changed')
      await expect(page.getByRole('definition').filter({ hasText: email })).toBeVisible()
    },
  },
  {
    page: 'password',
    fact: 'a wrong one is refused, the right one changes it',
    async walk({ page, hand, person, url }) {
      await page.goto('/settings/password')
      await hand.fill('Current password', 'not the password')
      await hand.fill('New password', newPassword)
      await hand.press('Change password')
      await expect(page.getByRole('alert')).toContainText('That password is wrong')
      await hand.fill('Current password', person.password)
      await hand.fill('New password', newPassword)
      await hand.press('Change password')
      await expect(page.getByRole('status').filter({ hasText: 'Password changed.' })).toBeVisible()
      await signIn(url, { email: person.email, password: newPassword })
    },
  },
  {
    page: 'security',
    fact: 'a set-up begins with the password, and asks for its first code',
    async walk({ page, hand, person }) {
      await page.goto('/settings/security')
      await hand.fill('Password', 'not the password')
      await hand.press('Set up')
      await expect(page.getByRole('alert')).toContainText('That password is wrong')
      await hand.fill('Password', person.password)
      await hand.press('Set up')
      await expect(page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')).toHaveCount(10)
      await hand.fill('Code from your authenticator app', '000000')
      await hand.press('Turn on')
      await expect(page.getByRole('alert')).toContainText('is wrong')
    },
  },
  {
    page: 'sessions',
    fact: 'another device is signed out',
    async walk({ page, hand, person, url }) {
      const elsewhere = await signIn(url, person)
      await page.goto('/settings/sessions')
      await hand.press('Sign out all other devices')
      await hand.press('Yes, sign out all other devices')
      await expect(page.getByText('All other devices signed out.')).toBeVisible()
      expect((await elsewhere.get('/auth/list-sessions')).status).toBe(401)
    },
  },
  {
    page: 'api-keys',
    fact: 'a key is created, disabled, enabled and deleted',
    async walk({ page, hand }) {
      await page.goto('/settings/api-keys')
      await hand.follow('Create an API key')
      await hand.press('Create key')
      await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
      await hand.fill('Name', 'Market maker')
      await hand.fill('Allowed IP addresses (recommended)', '203.0.113.7')
      await hand.press('Create key')
      await expect(page.getByText(/^fp_user_\w{49}$/)).toBeVisible()
      await hand.follow('I’ve saved it')
      await hand.press('Disable Market maker')
      await expect(page.getByText('Key disabled.')).toBeVisible()
      await hand.press('Enable Market maker')
      await expect(page.getByText('Key enabled.')).toBeVisible()
      await hand.press('Delete Market maker')
      await hand.press('Yes, delete Market maker')
      await expect(page.getByText('Key deleted.')).toBeVisible()
      await expect(page.getByText('No API keys yet')).toBeVisible()
    },
  },
  {
    page: 'allow-list',
    fact: 'an address is added and removed, and the list is switched on',
    async walk({ page, hand }) {
      await page.goto('/settings/allow-list')
      await hand.press('Add address')
      await expect(page.getByLabel('Kind')).toHaveAttribute('aria-invalid', 'true')
      await hand.fill('Kind', 'bitcoin')
      await hand.fill('Address', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq')
      await hand.fill('Name (optional)', 'Cold wallet')
      await hand.press('Add address')
      await expect(page.getByText('Address added.')).toBeVisible()
      await hand.press('Turn on')
      await expect(page.getByText('Your money can now only go to your addresses.')).toBeVisible()
      await hand.press('Remove Cold wallet')
      await hand.press('Yes, remove Cold wallet')
      await expect(page.getByText('Address removed.')).toBeVisible()
      await expect(page.getByText('No addresses yet')).toBeVisible()
    },
  },
  {
    page: 'protection',
    fact: 'a phrase is saved, changed and removed',
    async walk({ page, hand }) {
      await page.goto('/settings/protection')
      await hand.fill('Phrase', 'blue heron at dawn')
      await hand.press('Save phrase')
      await expect(
        page.getByText('Phrase saved. If you had one before, our email about this change still shows it.'),
      ).toBeVisible()
      await hand.fill('Phrase', 'grey heron at dusk')
      await hand.press('Change phrase')
      await expect(page.getByText('grey heron at dusk')).toBeVisible()
      await hand.press('Remove phrase')
      await expect(page.getByText('Phrase removed.')).toBeVisible()
      await expect(page.getByText('grey heron at dusk')).toHaveCount(0)
    },
  },
  {
    page: 'confirm',
    fact: 'a transaction is confirmed, another is rejected',
    async walk({ page, hand }) {
      const view = { type: 'view', account: 'Trading' }
      await page.goto((await askToConfirm(page, view)).path)
      await hand.press('Confirm')
      await expect(page.getByRole('heading', { name: 'Confirmed' })).toBeVisible()
      await page.goto((await askToConfirm(page, view)).path)
      await hand.press('Reject')
      await expect(page.getByRole('heading', { name: 'Rejected' })).toBeVisible()
    },
  },
  {
    page: 'trading',
    fact: 'trading is switched on at another level',
    async walk({ page, hand }) {
      await page.goto('/settings/trading')
      await hand.tick('Allow trading')
      await hand.chooseNext('Conservative', 'Moderate')
      await hand.press('Save trading settings')
      await expect(page.getByRole('status').filter({ hasText: 'Trading settings saved.' })).toBeVisible()
      await page.reload()
      await expect(page.getByRole('switch', { name: 'Allow trading' })).toBeChecked()
      await expect(page.getByRole('radio', { name: 'Moderate' })).toBeChecked()
    },
  },
  {
    page: 'organizations',
    fact: 'one is created, a person invited, and it is deleted',
    async walk({ page, hand }) {
      const slug = `desk-${randomUUID().slice(0, 8)}`
      await page.goto('/settings/organizations')
      await hand.fill('Organization name', 'Desk')
      await hand.fill('Short name', slug)
      await hand.press('Create organization')
      await expect(page).toHaveURL(`/settings/organizations/${slug}?notice=created`)
      await hand.follow('Invite someone')
      const { email } = newPerson()
      await hand.fill('Email address', email)
      await hand.press('Send invitation')
      await expect(page.getByText('Invitation sent.')).toBeVisible()
      await hand.press(`Cancel ${email}`)
      await hand.press('Go back')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await hand.press(`Cancel ${email}`)
      await hand.press('Yes, cancel the invitation')
      await expect(page.getByText('Invitation canceled.')).toBeVisible()
      await expect(page.getByText('No pending invitations')).toBeVisible()
      await page.goto(`/settings/organizations/${slug}/settings`)
      await hand.press('Delete organization')
      await hand.fill('Type the short name to confirm', 'something else')
      await hand.press('Delete Desk for good')
      await expect(page.getByRole('alert')).toContainText('Some fields need your attention.')
      await hand.fill('Type the short name to confirm', slug)
      await hand.press('Delete Desk for good')
      await expect(page).toHaveURL('/settings/organizations?notice=deleted')
    },
  },
  {
    page: 'accept-invitation',
    fact: 'an invitation is accepted',
    async walk({ page, hand, person, url }) {
      const inviter = newPerson()
      await createAccount(url, inviter)
      const tab = await signIn(url, inviter)
      const slug = `desk-${randomUUID().slice(0, 8)}`
      const founded = await tab.post('/auth/organization/create', { name: 'Desk', slug })
      const { id } = founded.body as { id: string }
      const invited = await tab.post('/auth/organization/invite-member', {
        organizationId: id,
        email: person.email,
        role: 'member',
      })
      await page.goto(`/accept-invitation?token=${(invited.body as { id: string }).id}`)
      await hand.press('Join')
      await expect(page).toHaveURL(`/settings/organizations/${slug}?notice=joined`)
    },
  },
  {
    page: 'forgot-password and reset-password',
    fact: 'a new password by mail',
    async walk({ page, hand, person, url }) {
      await page.context().clearCookies()
      await page.goto('/forgot-password')
      await hand.fill('Email address', person.email)
      await hand.press('Send link')
      await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
      await page.goto(await mailedLink(url, person.email, '/reset-password'))
      await hand.fill('New password', 'short')
      await hand.press('Set new password')
      await expect(page.getByLabel('New password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
      await hand.fill('New password', newPassword)
      await hand.press('Set new password')
      await expect(page).toHaveURL('/login?notice=password-reset')
      await hand.fill('Email address', person.email)
      await hand.fill('Password', newPassword)
      await hand.press('Sign in')
      await expect(page).toHaveURL('/dashboard')
    },
  },
  {
    page: 'danger',
    fact: 'a wrong password deletes nothing, the right one everything',
    async walk({ page, hand, person, url }) {
      await page.goto('/settings/danger')
      await hand.fill('Password', 'not the password')
      await hand.press('Delete my account')
      await expect(page.getByRole('alert')).toContainText('That password is wrong')
      await hand.fill('Password', person.password)
      await hand.press('Delete my account')
      await expect(page).toHaveURL('/?notice=account-deleted')
      expect((await openTab(url).post('/auth/sign-in/email', person)).status).toBe(401)
    },
  },
  {
    page: 'delete-account',
    fact: 'a mailed link deletes the account when its button is pressed',
    async walk({ page, hand, person, url }) {
      await page.goto('/settings/danger')
      await hand.press('Email me a link instead')
      await expect(page.getByText('Nothing is deleted until you open the link in it')).toBeVisible()
      await page.goto(await mailedLink(url, person.email, '/delete-account'))
      await hand.press('Delete my account')
      await expect(page).toHaveURL('/?notice=account-deleted')
      // What remembers the device opens nothing, is sealed, and speaks for other accounts of this browser too.
      expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['floorpass_known_device'])
    },
  },
]

/** Walks one journey as a new person. */
export async function walk({ walk: go }: Journey, page: Page, hand: Hand): Promise<void> {
  const person = await signedInPerson(page)
  await go({ page, hand, person, url: await originOf(page) })
}
