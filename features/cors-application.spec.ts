// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags cors, critical
import { randomUUID } from 'node:crypto'
import { scan } from '@floorpass/testing/authenticator'
import { expect, type Locator, type Page } from '@playwright/test'
import { act, form, refusal, test } from './support/application.ts'
import { press } from './support/drivers.ts'
import { newPerson, submitSignIn } from './support/person.ts'
import { createAccount, mailedLink, openTab } from './support/scene.ts'

type Fields = Record<string, string>

const heading = (page: Page, name: string) => page.getByRole('heading', { name })
const message = (place: Page | Locator, name: string) => form(place, name).getByRole('status')

async function actDone(place: Page | Locator, name: string, fields?: Fields): Promise<void> {
  await act(place, name, fields)
  await expect(message(place, name).first()).toBeVisible()
}

async function expectRefused(page: Page, name: string, fields: Fields, code: string): Promise<void> {
  await act(page, name, fields)
  await expect(refusal(page, name)).toContainText(code)
}

test('cors: a person uses an application on another origin, from sign-up to deletion', async ({
  page,
  openBrowser,
  application,
  service,
  clock,
  google,
}) => {
  test.slow()
  const openApplication = async (userAgent: string, path = '/') => {
    const tab = await openBrowser({ userAgent })
    await tab.goto(application.url + path)
    return tab
  }
  /** What the service answers to the cookies of this page. */
  const getAnswer = async (tab: Page, path: string) => (await tab.request.get(`${service.url}/auth${path}`)).json()
  const session = (tab: Page) => getAnswer(tab, '/get-session')
  const opens = async (email: string, password: string): Promise<string> => {
    const { status, body } = await openTab(service.url).post('/auth/sign-in/email', { email, password })
    return status === 200 ? 'opens' : (body as { code: string }).code
  }
  const linkTo = (email: string, path: string) => mailedLink(service.url, email, path)
  /** Signs in, at a time that is too long ago for sensitive acts. */
  const signInEarlier = async (fields: Fields) => {
    await clock.setBack(16)
    const loaded = page.waitForEvent('load')
    await act(page, 'Sign in', fields)
    await loaded
    await clock.setBack(0)
  }

  const { name, email, password } = newPerson()
  const newEmail = newPerson().email
  const newPassword = 'nine lanterns over quiet water 58'
  const lastPassword = 'amber kettle beneath the orchard 31'
  const signUp = { name, email, password, riskLevel: 'moderate' }
  const here = (path: string) => application.url + path

  await test.step('an application on an untrusted origin reaches nothing', async () => {
    const untrusted = application.url.replace('localhost', '127.0.0.1')
    await page.goto(untrusted)
    await expectRefused(page, 'Sign up', signUp, 'UNREACHABLE')
    const preflight = await page.request.fetch(`${service.url}/auth/sign-up/email`, {
      method: 'OPTIONS',
      headers: { origin: untrusted, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status(), await preflight.json()]).toMatchObject([403, { code: 'INVALID_ORIGIN' }])
  })
  await test.step('the session hook shows that no user is signed in', async () => {
    await page.goto(application.url)
    await expect(heading(page, 'Signed out')).toBeVisible()
    expect(await session(page)).toBeNull()
  })
  await test.step('a sign-up with a weak password is refused', async () => {
    await expectRefused(page, 'Sign up', { ...signUp, password: 'short' }, 'PASSWORD_TOO_SHORT')
    expect(await session(page)).toBeNull()
  })
  await test.step('signs up', async () => {
    await act(page, 'Sign up', signUp)
    await expect(message(page, 'Sign up')).toHaveText(`Check the mailbox of ${email}.`)
    expect(new URL(await linkTo(email, '/verify-email')).searchParams.get('callbackURL')).toBe(here('/welcome'))
  })
  await test.step('cannot sign in before the email is confirmed', async () => {
    await expectRefused(page, 'Sign in', { email, password }, 'EMAIL_NOT_VERIFIED')
    expect(await session(page)).toBeNull()
  })
  await test.step('asks for the link again', async () => {
    const first = await linkTo(email, '/verify-email')
    await actDone(page, 'Send the link again', { email })
    await expect.poll(() => linkTo(email, '/verify-email')).not.toBe(first)
  })
  await test.step('confirms the email, signs in at the service and comes back', async () => {
    await page.goto(await linkTo(email, '/verify-email'))
    await press(page, 'Confirm email')
    await submitSignIn(page, { email, password })
    await expect(page).toHaveURL(here('/welcome'))
    await expect(heading(page, `Hello, ${name}`)).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { email, emailVerified: true, riskLevel: 'moderate' } })
  })
  await test.step('signs out', async () => {
    await act(page, 'Sign out')
    await expect(heading(page, 'Signed out')).toBeVisible()
    expect(await session(page)).toBeNull()
  })
  await test.step('a wrong password is refused', async () => {
    await expectRefused(page, 'Sign in', { email, password: newPassword }, 'INVALID_EMAIL_OR_PASSWORD')
    expect(await session(page)).toBeNull()
  })
  await test.step('signs in, and the client goes to the callback URL', async () => {
    await act(page, 'Sign in', { email, password })
    await expect(page).toHaveURL(here('/home'))
    await expect(page.getByText(`${email}, moderate, trading off, two-factor off`)).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { email } })
  })
  await test.step('changes the name, and another tab shows it', async () => {
    const other = await page.context().newPage()
    await other.goto(application.url)
    await expect(heading(other, `Hello, ${name}`)).toBeVisible()
    await actDone(page, 'Change name', { name: 'Countess Lovelace' })
    for (const tab of [page, other]) await expect(heading(tab, 'Hello, Countess Lovelace')).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { name: 'Countess Lovelace' } })
    await other.close()
  })
  await test.step('allows trading', async () => {
    await actDone(page, 'Allow trading', { riskLevel: 'moderate' })
    await expect(page.getByText('moderate, trading on')).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { tradingEnabled: true, riskLevel: 'moderate' } })
  })
  await test.step('an earlier sign-in is not enough to raise the risk', async () => {
    await act(page, 'Sign out')
    await signInEarlier({ email, password })
    await expectRefused(page, 'Allow trading', { riskLevel: 'aggressive' }, 'SESSION_NOT_FRESH')
    expect(await session(page)).toMatchObject({ user: { riskLevel: 'moderate' } })
  })
  await test.step('confirms the password at the service, comes back and raises the risk', async () => {
    await page.getByRole('link', { name: 'Confirm it’s you' }).click()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await press(page, 'Confirm with password')
    await expect(page).toHaveURL(here('/confirmed'))
    await actDone(page, 'Allow trading', { riskLevel: 'aggressive' })
    await expect(page.getByText('aggressive, trading on')).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { riskLevel: 'aggressive' } })
  })
  await test.step('cannot change the password with a wrong one', async () => {
    await expectRefused(page, 'Change password', { currentPassword: 'not mine', newPassword }, 'INVALID_PASSWORD')
    expect(await opens(email, password)).toBe('opens')
  })
  await test.step('changes the password', async () => {
    await actDone(page, 'Change password', { currentPassword: password, newPassword })
    expect(await opens(email, password)).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await opens(email, newPassword)).toBe('opens')
  })
  await test.step('changes the email, and the link in the new mailbox leads back', async () => {
    await actDone(page, 'Change email', { newEmail })
    await page.goto(await linkTo(newEmail, '/verify-email'))
    await press(page, 'Confirm email')
    await expect(page).toHaveURL(here('/new-email'))
    await expect(page.getByText(newEmail)).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { email: newEmail } })
  })
  await test.step('the former mailbox undoes the change, at the service', async () => {
    await page.goto(await linkTo(email, '/undo-email-change'))
    await press(page, 'Undo the change')
    await expect(heading(page, 'Your account is back')).toBeVisible()
    await page.goto(here('/'))
    await expect(heading(page, 'Signed out')).toBeVisible()
    expect(await opens(email, newPassword)).toBe('INVALID_EMAIL_OR_PASSWORD')
  })
  let resetLink = ''
  await test.step('forgot the password, and the mailed link leads back', async () => {
    await actDone(page, 'Forgot password', { email })
    resetLink = await linkTo(email, '/auth/reset-password')
    await page.goto(resetLink)
    await expect(page).toHaveURL(/\/new-password\?token=/)
    await expect(form(page, 'Set new password')).toBeVisible()
    expect(new URL(page.url()).origin).toBe(application.url)
  })
  await test.step('chooses a new password in the application', async () => {
    await actDone(page, 'Set new password', { newPassword: lastPassword })
    expect(await opens(email, lastPassword)).toBe('opens')
  })
  await test.step('the used link leads back with an error', async () => {
    await page.goto(resetLink)
    await expect(page).toHaveURL(here('/new-password?error=INVALID_TOKEN'))
    await expect(page.getByText('Error: INVALID_TOKEN')).toBeVisible()
  })
  const atGoogle = { sub: randomUUID(), email, email_verified: true, name }
  await test.step('links Google once the password is confirmed in the application', async () => {
    await signInEarlier({ email, password: lastPassword })
    await expectRefused(page, 'Link Google', {}, 'SESSION_NOT_FRESH')
    await actDone(page, 'Confirm password', { password: lastPassword })
    google.person = atGoogle
    await act(page, 'Link Google')
    await expect(page).toHaveURL(here('/linked'))
    const accounts = await getAnswer(page, '/list-accounts')
    expect(accounts).toMatchObject([{ providerId: 'credential' }, { providerId: 'google', accountId: atGoogle.sub }])
  })
  await test.step('lists the accounts and unlinks Google', async () => {
    await act(page, 'Show accounts')
    const accounts = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem')
    await expect(accounts).toContainText(['credential', 'google'])
    await actDone(accounts.filter({ hasText: 'google' }), 'Unlink')
    expect(await getAnswer(page, '/list-accounts')).toHaveLength(1)
  })
  let backupCodes: string[] = []
  let authenticator = scan('otpauth://totp/none')
  await test.step('sets up a second factor', async () => {
    await act(page, 'Set up two-factor', { password: lastPassword })
    authenticator = scan(String(await page.getByLabel('Key', { exact: true }).textContent()))
    backupCodes = await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').allInnerTexts()
    expect(backupCodes).toHaveLength(10)
    expect(await session(page)).toMatchObject({ user: { twoFactorEnabled: false } })
  })
  await test.step('turns it on with a code', async () => {
    await act(page, 'Turn on', { code: authenticator.code() })
    await expect(page.getByText('two-factor on')).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { twoFactorEnabled: true } })
  })
  await test.step('a sign-in asks for a code and refuses a wrong one', async () => {
    await act(page, 'Sign out')
    await act(page, 'Sign in', { email, password: lastPassword })
    await expect(page).toHaveURL(here('/code'))
    await expectRefused(page, 'Enter code', { code: '000000' }, 'INVALID_CODE')
    expect(await session(page)).toBeNull()
  })
  await test.step('the right code signs in', async () => {
    await act(page, 'Enter code', { code: authenticator.code(1) })
    await expect(heading(page, 'Hello, ')).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { email } })
  })
  await test.step('the trusted device needs no code', async () => {
    await act(page, 'Sign out')
    await act(page, 'Sign in', { email, password: lastPassword })
    await expect(page).toHaveURL(here('/home'))
    await expect(heading(page, 'Hello, ')).toBeVisible()
    expect(await getAnswer(page, '/two-factor/list-trusted-devices')).toHaveLength(1)
  })
  const phone = await openApplication('a phone')
  await test.step('a phone signs in with a backup code', async () => {
    await act(phone, 'Sign in', { email, password: lastPassword })
    await expect(phone).toHaveURL(here('/code'))
    await act(phone, 'Enter backup code', { code: String(backupCodes[0]) })
    await expect(heading(phone, 'Hello, ')).toBeVisible()
    expect(await session(phone)).toMatchObject({ user: { email } })
  })
  const tablet = await openApplication('a tablet')
  await test.step('a tablet signs in on the pages of the service and comes back', async () => {
    await tablet.goto(`${service.url}/login?redirectTo=${encodeURIComponent(here('/home'))}`)
    await submitSignIn(tablet, { email, password: lastPassword })
    await tablet.getByRole('link', { name: 'Use a backup code instead' }).click()
    await tablet.getByLabel('Backup code').fill(String(backupCodes[1]))
    await press(tablet, 'Sign in')
    await expect(tablet).toHaveURL(here('/home'))
    expect(await session(tablet)).toMatchObject({ user: { email } })
  })
  await test.step('replaces the backup codes', async () => {
    await act(page, 'Replace backup codes', { password: lastPassword })
    const codes = page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')
    await expect(codes).toHaveCount(10)
    expect(await codes.allInnerTexts()).not.toContain(backupCodes[2])
  })
  await test.step('turns the second factor off', async () => {
    await act(page, 'Turn off two-factor', { password: lastPassword })
    await expect(page.getByText('two-factor off')).toBeVisible()
    expect(await session(page)).toMatchObject({ user: { twoFactorEnabled: false } })
  })
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await test.step('lists the sessions', async () => {
    await act(page, 'Show sessions')
    for (const device of ['a phone', 'a tablet']) await expect(sessions.filter({ hasText: device })).toHaveCount(1)
    expect(await getAnswer(page, '/list-sessions')).toHaveLength(await sessions.count())
  })
  await test.step('revokes the tablet', async () => {
    await actDone(sessions.filter({ hasText: 'a tablet' }), 'Revoke')
    await tablet.reload()
    await expect(heading(tablet, 'Signed out')).toBeVisible()
    expect([await session(tablet), await session(phone)]).toMatchObject([null, { user: { email } }])
  })
  await test.step('revokes all others', async () => {
    await actDone(page, 'Revoke others')
    await phone.reload()
    await expect(heading(phone, 'Signed out')).toBeVisible()
    expect(await getAnswer(page, '/list-sessions')).toHaveLength(1)
  })
  const desks = (tab: Page) => tab.getByRole('list', { name: 'Desks' }).getByRole('listitem')
  await test.step('creates an organization', async () => {
    await act(page, 'Create desk', { name: 'Rates', slug: `rates-${randomUUID()}` })
    await expect(heading(page, 'Desk: Rates')).toBeVisible()
    expect(await getAnswer(page, '/organization/get-active-member-role')).toEqual({ role: 'owner' })
  })
  const grace = { ...newPerson(), name: 'Grace Hopper' }
  const guest = await openApplication('a guest')
  await test.step('invites a second person, who accepts', async () => {
    await createAccount(service.url, grace)
    await act(page, 'Invite', { email: grace.email })
    await expect(message(page, 'Invite')).toHaveText(`${grace.email} is invited.`)
    expect(await linkTo(grace.email, '/accept-invitation')).toContain(service.url)
    await act(guest, 'Sign in', { email: grace.email, password: grace.password })
    await act(guest, 'Show invitations')
    await act(guest, 'Accept')
    await expect(heading(guest, 'Desk: Rates')).toBeVisible()
    expect(await getAnswer(guest, '/organization/get-active-member-role')).toEqual({ role: 'member' })
  })
  await test.step('lists the members and makes the second person an administrator', async () => {
    await act(page, 'Show members')
    const members = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
    await expect(members).toContainText([`${email}: owner`, `${grace.email}: member`])
    await actDone(members.filter({ hasText: grace.email }), 'Make admin')
    expect(await getAnswer(guest, '/organization/get-active-member-role')).toEqual({ role: 'admin' })
  })
  await test.step('creates a second organization and switches back', async () => {
    await act(page, 'Create desk', { name: 'Research', slug: `research-${randomUUID()}` })
    await expect(heading(page, 'Desk: Research')).toBeVisible()
    await actDone(desks(page).filter({ hasText: 'Rates' }), 'Switch')
    await expect(heading(page, 'Desk: Rates')).toBeVisible()
    expect(await getAnswer(page, '/organization/get-full-organization')).toMatchObject({ name: 'Rates' })
  })
  await test.step('calls a backend with an access token', async () => {
    await act(page, 'Call the API')
    const { user, session: active } = await session(page)
    const shown = JSON.parse(String(await message(page, 'Call the API').textContent()))
    const organization = { org: active.activeOrganizationId, role: 'owner' }
    expect(shown).toMatchObject({ aud: application.api, sub: user.id, sid: active.id, trading: false, ...organization })
  })
  await test.step('the backend refuses a token for another audience, and an unknown audience gets none', async () => {
    await expectRefused(page, 'Call the API with a token for the service', {}, 'API 401')
    await expectRefused(page, 'Call another API', {}, 'INVALID_AUDIENCE')
  })
  await test.step('the second person leaves', async () => {
    await act(desks(guest), 'Leave')
    await expect(heading(guest, 'No desk')).toBeVisible()
    await expect(desks(guest)).toHaveCount(0)
    expect(await getAnswer(guest, '/organization/list')).toEqual([])
  })
  await test.step('deletes the organization', async () => {
    await act(desks(page).filter({ hasText: 'Rates' }), 'Delete')
    await expect(desks(page)).toHaveCount(1)
    await expect(heading(page, 'No desk')).toBeVisible()
    expect(await getAnswer(page, '/organization/list')).toMatchObject([{ name: 'Research' }])
  })
  await test.step('a newcomer signs in with Google and comes back', async () => {
    await act(guest, 'Sign out')
    const newcomer = newPerson()
    google.person = { sub: randomUUID(), email: newcomer.email, email_verified: true, name: 'Alan Turing' }
    await act(guest, 'Sign in with Google')
    await expect(guest).toHaveURL(here('/first-steps'))
    await expect(heading(guest, 'Hello, Alan Turing')).toBeVisible()
    expect(await session(guest)).toMatchObject({ user: { email: newcomer.email, emailVerified: true } })
  })
  await test.step('a refusal at Google comes back with its reason', async () => {
    await act(guest, 'Sign out')
    await guest.context().clearCookies({ domain: '127.0.0.1' })
    google.person = null
    await act(guest, 'Sign in with Google')
    await expect(guest).toHaveURL(/\/refused\?error=access_denied/)
    await expect(guest.getByText('Error: access_denied')).toBeVisible()
    expect(await session(guest)).toBeNull()
  })
  await test.step('deletes the account, and the mailed link leads back', async () => {
    await act(page, 'Delete account')
    await expect(message(page, 'Delete account')).toHaveText('Verification email sent')
    await page.goto(await linkTo(email, '/delete-account'))
    await press(page, 'Delete my account')
    await expect(page).toHaveURL(here('/goodbye'))
    await expect(heading(page, 'Signed out')).toBeVisible()
    expect(await opens(email, lastPassword)).toBe('INVALID_EMAIL_OR_PASSWORD')
  })
})
