// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in, critical
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { expect, type Page } from '@playwright/test'
import { press } from './support/drivers.ts'
import { newPerson, type Person, signedInPerson, submitSignIn } from './support/person.ts'
import { createAccount, mailedLink, signIn } from './support/scene.ts'
import { test } from './support/service-with-providers.ts'

for (const javaScriptEnabled of [true, false]) {
  const javaScript = `(JavaScript ${javaScriptEnabled ? 'on' : 'off'})`
  test.describe(javaScript, () => {
    test.use({ javaScriptEnabled })

    /** What the other application's page sends, and where it wants the person back. */
    const openFrontEnd = (page: Page, service: string, origin: string) => {
      const callbackURL = `${origin}/orders?tab=open#top`
      const login = `/login?redirectTo=${encodeURIComponent(callbackURL)}`
      const send = async (path: string, data: object) => {
        const answer = await page.request.post(`${service}/auth${path}`, { data: { ...data, callbackURL }, headers: { origin } })
        expect(answer.status()).toBe(200)
      }
      const expectReturn = async (whom: string) => {
        await expect(page).toHaveURL(callbackURL)
        if (javaScriptEnabled) await expect(page.getByRole('paragraph')).toHaveText(whom)
      }
      return { callbackURL, login, send, expectReturn }
    }

    test(`sign-in: a sign-up in another application ends there ${javaScript}`, async ({ page, baseURL, frontEnd }) => {
      const service = String(baseURL)
      const { send, expectReturn } = openFrontEnd(page, service, frontEnd.url)
      const person = newPerson()
      await send('/sign-up/email', person)
      await page.goto(await mailedLink(service, person.email, '/verify-email'))
      await press(page, 'Confirm email')
      await expect(page.getByText('Your email is confirmed.')).toBeVisible()
      await submitSignIn(page, person)
      await expectReturn(person.email)
    })

    test(`sign-in: a change of email in another application ends there ${javaScript}`, async ({ page, baseURL, frontEnd }) => {
      const service = String(baseURL)
      const { send, expectReturn } = openFrontEnd(page, service, frontEnd.url)
      await signedInPerson(page)
      const { email: newEmail } = newPerson()
      await send('/change-email', { newEmail })
      await page.goto(await mailedLink(service, newEmail, '/verify-email'))
      await press(page, 'Confirm email')
      await expectReturn(newEmail)
    })

    test(`sign-in: a deletion in another application ends there ${javaScript}`, async ({ page, baseURL, frontEnd }) => {
      const service = String(baseURL)
      const { send, expectReturn } = openFrontEnd(page, service, frontEnd.url)
      const person = await signedInPerson(page)
      await send('/delete-user', {})
      await page.goto(await mailedLink(service, person.email, '/delete-account'))
      await press(page, 'Delete my account')
      await expectReturn('signed out')
    })

    test(`sign-in: another application sends a person here to sign in, with a code too ${javaScript}`, async ({
      page,
      context,
      baseURL,
      frontEnd,
    }) => {
      test.slow()
      const service = String(baseURL)
      const { login, expectReturn } = openFrontEnd(page, service, frontEnd.url)
      const person: Person = newPerson()
      await createAccount(service, person)
      await page.goto(login)
      await page.getByLabel('Email address').fill(person.email)
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await press(page, 'Sign in')
      await expect(page.getByRole('alert')).toBeVisible()
      await submitSignIn(page, person)
      await expectReturn(person.email)
      await page.goto(login)
      await expectReturn(person.email)

      const { backupCodes } = await switchOnTwoFactor(await signIn(service, person), person.password)
      await context.clearCookies()
      await page.goto(login)
      await submitSignIn(page, person)
      await page.getByRole('link', { name: 'Use a backup code instead' }).click()
      await page.getByLabel('Backup code').fill(backupCodes[0])
      await press(page, 'Sign in')
      await expectReturn(person.email)
    })

    test(`sign-in: a provider and a reauthentication lead back to another application ${javaScript}`, async ({
      page,
      baseURL,
      frontEnd,
      google,
      clock,
    }) => {
      test.slow()
      const { callbackURL, login, expectReturn } = openFrontEnd(page, String(baseURL), frontEnd.url)
      const { name, email } = newPerson()
      google.person = { sub: email, email, email_verified: true, name }
      await clock.setBack(16)
      await page.goto(login)
      await page.getByRole('link', { name: 'Continue with Google' }).click()
      await expectReturn(email)
      await clock.setBack(0)
      await page.goto(`/reauthenticate?redirectTo=${encodeURIComponent(callbackURL)}`)
      await press(page, 'Confirm with Google')
      await expectReturn(email)
      await page.goto(`/reauthenticate?redirectTo=${encodeURIComponent(callbackURL)}`)
      await expectReturn(email)
    })

    test(`sign-in: no target leads to an application that is not trusted ${javaScript}`, async ({ page, baseURL, frontEnd }) => {
      const person = newPerson()
      await createAccount(String(baseURL), person)
      const elsewhere = frontEnd.url.replace('localhost', '127.0.0.1')
      await page.goto(`/login?redirectTo=${encodeURIComponent(`${elsewhere}/orders`)}`)
      await submitSignIn(page, person)
      await expect(page).toHaveURL('/dashboard')
      const refused = await page.request.post(`${baseURL}/auth/sign-up/email`, {
        data: { ...newPerson(), callbackURL: `${elsewhere}/orders` },
        headers: { origin: frontEnd.url },
      })
      expect([refused.status(), await refused.json()]).toMatchObject([403, { code: 'INVALID_CALLBACK_URL' }])
    })
  })
}
