// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags passkeys, critical
import { expect, type Page } from '@playwright/test'
import { confirm } from './support/confirm.ts'
import { press } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { followMailedLink, newPerson, type Person, signedInPerson, signOut, submitSignIn } from './support/person.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const main = (page: Page) => page.getByRole('main')

async function addPasskey(page: Page): Promise<void> {
  await page.goto('/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
}

async function turnOnTwoFactor(page: Page, { password }: Person): Promise<void> {
  const form = main(page).locator('form', { has: page.getByRole('button', { name: 'Turn on with my passkeys' }) })
  await form.getByLabel('Password', { exact: true }).fill(password)
  await press(page, 'Turn on with my passkeys')
  await expect(page.getByText('Two-factor authentication is on.')).toBeVisible()
}

async function personWithPasskey(page: Page) {
  const authenticator = await addVirtualAuthenticator(page)
  const person = await signedInPerson(page)
  await addPasskey(page)
  return { person, authenticator }
}

test('passkeys: add one, rename it, and remove it', async ({ page }) => {
  await personWithPasskey(page)
  const row = main(page).getByRole('listitem')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('On one device only')
  await expect(row).toContainText('Never')
  await expect(page.getByRole('link', { name: 'Set up two-factor authentication' })).toBeVisible()

  await press(page, 'Add a passkey')
  await expect(page.getByRole('alert')).toContainText('This device already has a passkey for your account.')
  await expect(row).toHaveCount(1)

  await row.getByText('Change').click()
  await row.getByLabel('Name').fill('Work laptop')
  await row.getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByText('Passkey renamed.')).toBeVisible()
  await expect(row).toContainText('Work laptop')
  await expect(page.getByRole('alert')).toHaveCount(0)

  await confirm(page, row.getByRole('button', { name: 'Remove Work laptop' }), 'Yes, remove Work laptop')
  await expect(page.getByText('Passkey removed.')).toBeVisible()
  await expect(page.getByText('You don’t have any passkeys yet.')).toBeVisible()
})

test('passkeys: removing one asks first without JavaScript too', async ({ page, openBrowser }) => {
  await personWithPasskey(page)
  const plain = await openBrowser({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  await plain.goto('/settings/passkeys')
  await plain.getByText('Change').click()
  await confirm(plain, plain.getByRole('button', { name: /^Remove/ }), /^Yes, remove/)
  await expect(plain.getByText('Passkey removed.')).toBeVisible()
  await expect(plain.getByText('You don’t have any passkeys yet.')).toBeVisible()
})

test('passkeys: sign in with the button and return to the requested page', async ({ page }) => {
  const { authenticator } = await personWithPasskey(page)
  await authenticator.setPresent(false)
  await signOut(page)
  await page.goto('/settings/trading')
  await expect(page).toHaveURL(/\/login/)
  await authenticator.setPresent(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL('/settings/trading')
  await page.goto('/settings/passkeys')
  await expect(main(page).getByRole('listitem')).not.toContainText('Never')
})

test('passkeys: sign in by autofill, without the button', async ({ page }) => {
  await personWithPasskey(page)
  await signOut(page)
  await expect(page.getByLabel('Email address')).toHaveAttribute('autocomplete', 'username webauthn')
  await expect(page).toHaveURL('/dashboard')
})

test('passkeys: a passkey that is not known here says so', async ({ page }) => {
  const { authenticator } = await personWithPasskey(page)
  const row = main(page).getByRole('listitem')
  await row.getByText('Change').click()
  await confirm(page, row.getByRole('button', { name: /^Remove/ }), /^Yes, remove/)
  await expect(page.getByText('Passkey removed.')).toBeVisible()
  await authenticator.setPresent(false)
  await signOut(page)
  await authenticator.setPresent(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('We don’t know this passkey')
})

test('passkeys: the second factor after a password, and a backup code without it', async ({ page }) => {
  const { person, authenticator } = await personWithPasskey(page)
  await page.getByRole('link', { name: 'Set up two-factor authentication' }).click()
  await turnOnTwoFactor(page, person)
  const codes = await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').allInnerTexts()
  expect(codes).toHaveLength(10)
  await authenticator.setPresent(false)
  await signOut(page)
  await submitSignIn(page, person)
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
  await authenticator.setPresent(true)
  await press(page, 'Use a passkey')
  await expect(page).toHaveURL('/dashboard')

  await authenticator.remove()
  await signOut(page)
  await submitSignIn(page, person)
  await page.getByRole('link', { name: 'Use a backup code instead' }).click()
  await page.getByLabel('Backup code').fill(codes[0] ?? '')
  await press(page, 'Sign in')
  await expect(page).toHaveURL('/dashboard')
})

test('passkeys: a new passkey does not turn two-factor off, and the password does', async ({ page }) => {
  const { person } = await personWithPasskey(page)
  await page.goto('/settings/security')
  await turnOnTwoFactor(page, person)
  await page.goto('/settings/passkeys')
  await main(page).getByRole('link', { name: 'Confirm it’s you' }).first().click()
  await press(page, 'Confirm with a passkey')
  await expect(page).toHaveURL('/settings/passkeys')
  await main(page).getByText('Change').click()
  await confirm(page, main(page).getByRole('button', { name: /^Remove/ }), /^Yes, remove/)
  await expect(page.getByRole('alert')).toContainText('This passkey is your only second factor.')
  for (const [path, button] of [
    ['codes', 'Create new codes with a passkey'],
    ['off', 'Turn off with a passkey'],
  ] as const) {
    await page.goto(`/settings/security/${path}`)
    await press(page, button)
    await expect(page.getByRole('alert')).toContainText('This passkey is too new to confirm this.')
  }
  await main(page).getByLabel('Password', { exact: true }).fill(person.password)
  await press(page, 'Turn off')
  await expect(page).toHaveURL('/settings/security')
  await expect(main(page).getByText('Off', { exact: true })).toBeVisible()
})

test('passkeys: sign up without a password', async ({ page }) => {
  const authenticator = await addVirtualAuthenticator(page)
  await authenticator.setPresent(false)
  const person: Person = newPerson()
  await page.goto('/signup?redirectTo=%2Fsettings%2Fpasskeys')
  await page.getByRole('link', { name: 'Sign up without a password' }).click()
  await page.getByLabel('Name').fill(person.name)
  await page.getByLabel('Email address').fill(person.email)
  await press(page, 'Email me the link')
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await followMailedLink(page, person, '/create-passkey')
  await expect(page.getByRole('heading', { name: 'Create your passkey' })).toBeVisible()
  await authenticator.setPresent(true)
  await press(page, 'Create my passkey')
  await expect(page).toHaveURL('/settings/passkeys')
  await main(page).getByText('Change').click()
  await confirm(page, main(page).getByRole('button', { name: /^Remove/ }), /^Yes, remove/)
  await expect(page.getByRole('alert')).toContainText('This passkey is your only way to sign in.')
})

test('passkeys: a link that does not work says so', async ({ page }) => {
  await page.goto('/create-passkey?token=any')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create my passkey' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Get a new link' }).click()
  await expect(page.getByRole('button', { name: 'Email me the link' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('passkeys: the pages say that passkeys need JavaScript, and offer the other ways (JavaScript off)', async ({ page }) => {
    await page.goto('/login')
    await expect(page.getByText('Passkeys need JavaScript. Sign in with your password instead.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeHidden()
    await signedInPerson(page)
    await page.goto('/settings/passkeys')
    await expect(page.getByText('Passkeys need JavaScript.')).toBeVisible()
  })
})

test.describe('in French', () => {
  test.use({ locale: 'fr-FR' })

  test('passkeys: add one and sign in with it (fr-FR)', async ({ page }) => {
    const authenticator = await addVirtualAuthenticator(page)
    await signedInPerson(page)
    await page.goto('/settings/passkeys')
    await page.getByRole('button', { name: 'Français' }).click()
    await press(page, 'Ajouter une clé d’accès')
    await expect(page.getByText('Clé d’accès ajoutée.')).toBeVisible()
    await authenticator.setPresent(false)
    await page.getByRole('button', { name: /^Menu du compte/ }).click()
    await page.getByRole('button', { name: 'Se déconnecter', exact: true }).click()
    await authenticator.setPresent(true)
    await page.getByRole('button', { name: 'Se connecter avec une clé d’accès' }).click()
    await expect(page).toHaveURL('/dashboard')
  })
})
