// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect, type Page, test } from '@playwright/test'
import { confirmAddress, newPerson, signUp } from './support/person.ts'

const heldCookie = async (page: Page) => (await page.context().cookies()).find(({ name }) => name === 'floorpass_email')

/** Every address that the browser asked for. */
function watchUrls(page: Page): string[] {
  const urls: string[] = []
  page.on('request', (request) => urls.push(decodeURIComponent(request.url())))
  return urls
}

for (const javaScriptEnabled of [true, false]) {
  const title = (fact: string) => `sign-in: ${fact} (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(title('the email goes along to the forgotten password and back, in no address'), async ({ page }) => {
      const { email } = newPerson()
      const urls = watchUrls(page)
      await page.goto('/login')
      await expect(page.getByLabel('Email address')).toBeFocused()
      await page.keyboard.type(email)
      await page.getByRole('button', { name: 'Forgot your password?' }).click()
      await expect(page).toHaveURL('/forgot-password')
      await expect(page.getByLabel('Email address')).toHaveValue(email)
      await expect(page.getByLabel('Email address')).toBeFocused()
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await expect(page).toHaveURL('/login')
      await expect(page.getByLabel('Email address')).toHaveValue(email)
      expect(await heldCookie(page), 'the next person at this browser').toBeUndefined()
      await page.reload()
      await expect(page.getByLabel('Email address')).toHaveValue('')
      expect(urls.length).toBeGreaterThan(4)
      for (const url of urls) expect(url).not.toContain(email.split('@')[0])
    })

    test(title('after a sign-up the email stands in the form, and the password has the focus'), async ({ page }) => {
      const person = newPerson()
      await signUp(page, person)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await expect(page).toHaveURL('/login')
      await expect(page.getByLabel('Email address')).toHaveValue(person.email)
      await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    })

    test(title('after the confirmation by email the address stands in the form'), async ({ page }) => {
      const person = newPerson()
      await signUp(page, person)
      await confirmAddress(page, person)
      await expect(page).toHaveURL(/\/login\?notice=verified$/)
      await expect(page.getByLabel('Email address')).toHaveValue(person.email)
    })

    test(title('Enter signs in, although the form has another button'), async ({ page }) => {
      await page.goto('/login')
      await page.getByLabel('Email address').fill(newPerson().email)
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('alert')).toContainText('Wrong email or password.')
    })

    test(title('a mistyped well-known domain is noticed after the sign-up'), async ({ page }) => {
      const person = newPerson()
      const account = person.email.split('@')[0]
      await signUp(page, { ...person, email: `${account}@gmial.com` })
      await expect(page.getByText('Did you mean')).toContainText(`${account}@gmail.com`)
      await page.getByRole('button', { name: 'Sign up with the right email' }).click()
      await expect(page).toHaveURL('/signup')
      await expect(page.getByLabel('Email address')).toHaveValue(`${account}@gmail.com`)
      await signUp(page, { ...person, email: `${account}@gmx.net` })
      await expect(page.getByText('Did you mean')).toHaveCount(0)
    })
  })
}

test('sign-in: an error about a field goes when the person types something else', async ({ page }) => {
  const person = newPerson()
  await page.goto('/signup')
  await page.getByLabel('Name').fill(person.name)
  await page.getByLabel('Email address').fill(person.email)
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('password1234')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(password).toHaveAttribute('aria-invalid', 'true')
  await password.fill(person.password)
  await expect(page.getByText('this password is hard to guess')).toBeVisible()
  await expect(password).not.toHaveAttribute('aria-invalid')
  await expect(page.locator('#password-error')).toHaveCount(0)
})
