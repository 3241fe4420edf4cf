// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags profile, linked-accounts
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from '@playwright/test'
import sharp from 'sharp'
import { newPerson } from './support/person.ts'
import { test } from './support/service-with-providers.ts'

const photo = await sharp({ create: { width: 96, height: 96, channels: 3, background: '#0000ff' } })
  .jpeg()
  .toBuffer()
const host = createServer(({ url }, response) => {
  if (url === '/me.jpg') response.end(photo)
  else response.writeHead(404).end()
})
await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
host.unref()
const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`

test.use({ environment: { PICTURE_ORIGINS: origin } })

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test(`profile: the picture of a linked account is taken when the person asks (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
      google,
    }) => {
      const { email, name } = newPerson()
      google.person = { sub: email, email, email_verified: true, name, picture: `${origin}/me.jpg` }
      await page.goto('/signup')
      await page.getByRole('link', { name: 'Continue with Google', exact: true }).click()
      await expect(page).toHaveURL('/dashboard')
      const pictures = page.locator('img[src^="/auth/pictures/"]')
      // The provider's picture is at another host, which pages never ask.
      await expect(page.locator('img')).toHaveCount(0)
      await page.goto('/settings/profile')
      await expect(page.getByRole('button', { name: 'Use my picture from GitHub' })).toHaveCount(0)
      await page.getByRole('button', { name: 'Use my picture from Google' }).click()
      await expect(page.getByText('Picture saved.')).toBeVisible()
      await expect(pictures).toHaveCount(3)
    })

    test(`profile: a provider’s picture that is gone is explained (JavaScript ${javaScriptEnabled ? 'on' : 'off'})`, async ({
      page,
      google,
    }) => {
      const { email, name } = newPerson()
      google.person = { sub: email, email, email_verified: true, name, picture: `${origin}/gone.jpg` }
      await page.goto('/signup')
      await page.getByRole('link', { name: 'Continue with Google', exact: true }).click()
      await expect(page).toHaveURL('/dashboard')
      await page.goto('/settings/profile')
      await page.getByRole('button', { name: 'Use my picture from Google' }).click()
      await expect(page.getByRole('alert')).toContainText('The provider isn’t responding.')
    })
  })
}
