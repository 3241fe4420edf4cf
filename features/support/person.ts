import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import type { OpenBrowser } from './open-browser.ts'
import { cookiesOf, createAccount, signIn } from './scene.ts'

/** Someone the service has never seen: every test has its own person, so tests share a service and no data. */
export const newPerson = () => ({
  name: 'Ada Lovelace',
  email: `ada-${randomUUID()}@example.test`,
  password: 'violet tram 74 under the harbour',
})

export type Person = ReturnType<typeof newPerson>

/** Fills in and sends the sign-up form, up to "Check your email". */
export async function signUp(page: Page, { name, email, password }: Person): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
}

/** Fills in and sends the sign-in form of the page that is open. */
export async function submitSignIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs in through the pages on a new device, up to the dashboard. */
export async function signInOnNewDevice(openBrowser: OpenBrowser, person: Person): Promise<Page> {
  const page = await openBrowser()
  await page.goto('/login')
  await submitSignIn(page, person)
  await expect(page).toHaveURL('/dashboard')
  return page
}

/** Opens the newest mail to this person once `count` have come, follows its link to `path`, and answers it: pages hide its token. */
export async function followMailedLink(page: Page, { email }: Pick<Person, 'email'>, path: string, count = 1): Promise<string> {
  const mails = page.getByRole('row').filter({ hasText: email })
  // Mails leave in the background.
  await expect(async () => {
    await page.goto('/dev/mailbox')
    expect(await mails.count()).toBe(count)
  }).toPass()
  await mails.first().getByRole('link').click()
  const link = page.getByRole('link', { name: `${path}?` }).first()
  const address = await link.getAttribute('href')
  await link.click()
  return String(address)
}

/** Follows the link of the sign-up mail and presses its button, up to the sign-in form. */
export async function confirmAddress(page: Page, person: Person): Promise<void> {
  await followMailedLink(page, person, '/verify-email')
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await expect(page.getByText('Your email is confirmed.')).toBeVisible()
}

/** A new user who signed up, confirmed the address and signed in. Over HTTP: those pages have other tests. */
export async function signedInPerson(page: Page): Promise<Person> {
  const person = newPerson()
  const url = await originOf(page)
  await createAccount(url, person)
  const cookies = cookiesOf(await signIn(url, person))
  await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, url, httpOnly: true, sameSite: 'Lax' as const })))
  await page.goto('/dashboard')
  return person
}

/** Where the service of this test is. */
export async function originOf(page: Page): Promise<string> {
  const answer = await page.request.get('/healthz')
  return new URL(answer.url()).origin
}

/** Opens the account menu of the page. */
export const openAccountMenu = (page: Page): Promise<void> => page.getByRole('button', { name: /^Account menu of/ }).click()

/** Signs out through the account menu. */
export async function signOut(page: Page): Promise<void> {
  await openAccountMenu(page)
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await expect(page).toHaveURL(/\/login\?notice=signed-out$/)
}
