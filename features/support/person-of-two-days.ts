import type { Clock } from '@floorpass/testing/service-clock'
import type { Page } from '@playwright/test'
import { newPerson, type Person, submitSignIn } from './person.ts'
import { createAccount } from './scene.ts'
import { addVirtualAuthenticator } from './virtual-authenticator.ts'

const twoDays = 2 * 24 * 60

/** A person who signs in on the page two days ago, and whose browser has an authenticator. `clock.setBack(0)` leads back to now. */
export async function signInTwoDaysAgo(page: Page, { url, clock }: { url: string; clock: Clock }, redirectTo: string) {
  const person: Person = newPerson()
  await clock.setBack(twoDays)
  await createAccount(url, person)
  const authenticator = await addVirtualAuthenticator(page)
  await page.goto(`/login?redirectTo=${redirectTo}`)
  await page.getByLabel(/^Keep me signed in/).check()
  await submitSignIn(page, person)
  return { person, authenticator }
}
