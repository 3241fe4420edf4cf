// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags passkeys, cors, critical
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { expect, type Page } from '@playwright/test'
import { act, form, refusal, test } from './support/application.ts'
import { newPerson } from './support/person.ts'
import { createAccount, signIn } from './support/scene.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const passkeys = (page: Page) => page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem')

test('passkeys: better-auth’s passkeyClient works in an application on another origin', async ({
  page,
  application,
  service,
  clock,
}) => {
  test.slow()
  const person = newPerson()
  const { name, email, password } = person
  await createAccount(service.url, person)
  const authenticator = await addVirtualAuthenticator(page)
  const hello = page.getByRole('heading', { name: `Hello, ${name}` })

  await clock.setBack(16)
  await page.goto(application.url)
  await act(page, 'Sign in', { email, password })
  await expect(hello).toBeVisible()
  await clock.setBack(0)
  await act(page, 'Add passkey', { name: 'Laptop' })
  await expect(refusal(page, 'Add passkey')).toContainText('SESSION_NOT_FRESH')
  expect(await authenticator.countPasskeys()).toBe(0)

  await act(page, 'Confirm password', { password })
  await expect(form(page, 'Confirm password').getByRole('status')).toBeVisible()
  await act(page, 'Add passkey', { name: 'Laptop' })
  await expect(passkeys(page)).toContainText('Laptop')
  await act(page, 'Add passkey', { name: 'Laptop again' })
  await expect(refusal(page, 'Add passkey')).toContainText('ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
  await act(passkeys(page), 'Rename passkey', { name: 'Desk' })
  await expect(passkeys(page)).toContainText('Desk')

  await act(page, 'Sign out')
  await act(page, 'Sign in with a passkey')
  await expect(hello).toBeVisible()

  await switchOnTwoFactor(await signIn(service.url, person), password)
  await page.goto(application.url)
  await act(page, 'Sign in', { email, password })
  await expect(page).toHaveURL(`${application.url}/code`)
  await act(page, 'Use a passkey')
  await expect(hello).toBeVisible()

  await act(passkeys(page), 'Remove passkey')
  await expect(passkeys(page)).toHaveCount(0)
  await act(page, 'Sign out')
  await act(page, 'Sign in with a passkey')
  await expect(refusal(page, 'Sign in with a passkey')).toContainText('PASSKEY_NOT_FOUND')
})
