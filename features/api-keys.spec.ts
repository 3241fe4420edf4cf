// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags api-keys, critical
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { confirm } from './support/confirm.ts'
import { press, scriptsAtWork } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { newPerson, originOf, signedInPerson } from './support/person.ts'
import { cookiesOf, createAccount, openTab, signIn } from './support/scene.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const secretForm = /^fp_user_[0-9A-Za-z]{49}$/
const main = (page: Page) => page.getByRole('main')
const row = (page: Page, name: string) =>
  main(page)
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })

/** Creates a key with the defaults of the form, and answers the secret that the page shows. */
async function createKey(page: Page, name: string, path = '/settings/api-keys'): Promise<string> {
  await page.goto(`${path}/new`)
  await page.getByLabel('Name').fill(name)
  await press(page, 'Create key')
  await expect(page.getByRole('heading', { name: 'API key created' })).toBeVisible()
  return (await page.getByRole('definition').first().textContent()) ?? ''
}

/** Another tab of the same person, over HTTP. */
async function tabOf(page: Page) {
  const tab = openTab(await originOf(page))
  for (const { name, value } of await page.context().cookies()) tab.cookies.set(name, value)
  return tab
}

for (const javaScriptEnabled of [true, false]) {
  const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`
  test.describe(script, () => {
    test.use({ javaScriptEnabled })

    test(`api-keys: create a key that trades, and see its secret once (${script})`, async ({ page }) => {
      test.slow()
      await signedInPerson(page)
      const tab = await tabOf(page)
      await page.goto('/settings/api-keys/new')
      await expect(page.getByRole('checkbox', { name: /^Trade/ })).toHaveCount(0)
      await page.getByRole('link', { name: 'Trading settings' }).click()
      await expect(page).toHaveURL('/settings/trading')
      expect((await tab.post('/auth/update-user', { tradingEnabled: true })).status).toBe(200)

      await page.goto('/settings')
      await page.getByRole('link', { name: /^API keys/ }).click()
      await expect(page.getByText('No API keys yet')).toBeVisible()
      await page.getByRole('link', { name: 'Create an API key' }).click()
      const steps = [
        'Step 1 of 3 Name and permissions',
        'Step 2 of 3 Where it works',
        'Step 3 of 3 How the program identifies itself',
      ]
      for (const name of steps) await expect(page.getByRole('group', { name })).toBeVisible()
      await page.getByLabel('Name').fill('Market maker')
      await page.getByLabel(/^Trade/).check()
      await page.getByLabel('Allowed IP addresses').fill('203.0.113.7\n198.51.100.0/24\nmy server')
      await page.getByLabel('Expiry').selectOption('30 days')
      await press(page, 'Create key')
      await expect(page.getByRole('alert')).toContainText('“my” is not an IP address or a range.')
      await expect(page.getByLabel(/^Trade/)).toBeChecked()
      await expect(page.getByLabel('Expiry')).toHaveValue('30')
      await page.getByLabel('Allowed IP addresses').fill('203.0.113.7\n198.51.100.0/24')
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await press(page, 'Create key')
      expect((await answered).headers()['cache-control']).toBe('no-store')
      await expect(page.getByRole('status').filter({ hasText: 'Copy the secret now' })).toBeFocused()
      const secret = (await page.getByRole('definition').textContent()) ?? ''
      expect(secret).toMatch(secretForm)
      const { body } = await tab.get('/auth/api-key/list')
      expect(body).toMatchObject({
        apiKeys: [
          { name: 'Market maker', permissions: { account: ['read'], order: ['read', 'place', 'cancel'] }, enabled: true },
        ],
      })

      await page.getByRole('link', { name: 'I’ve saved it' }).click()
      const key = row(page, 'Market maker')
      for (const words of ['Active', 'Read, Trade', '203.0.113.7, 198.51.100.0/24', secret.slice(0, 12), 'Never'])
        await expect(key).toContainText(words)
      await expect(page.getByText(secret)).toHaveCount(0)
    })

    test(`api-keys: disable a key, enable it and delete it (${script})`, async ({ page }) => {
      await signedInPerson(page)
      await createKey(page, 'Report')
      await createKey(page, 'Other')
      await page.goto('/settings/api-keys')
      await press(page, 'Disable Report')
      await expect(page.getByText('Key disabled.')).toBeVisible()
      await expect(row(page, 'Report')).toContainText('Disabled')
      await expect(row(page, 'Other')).toContainText('Active')
      await press(page, 'Enable Report')
      await expect(page.getByText('Key enabled.')).toBeVisible()
      await expect(row(page, 'Report')).toContainText('Active')
      await confirm(page, page.getByRole('button', { name: 'Delete Report', exact: true }), 'Yes, delete Report')
      await expect(page.getByText('Key deleted.')).toBeVisible()
      await expect(row(page, 'Report')).toHaveCount(0)
      await expect(row(page, 'Other')).toHaveCount(1)
    })

    test(`api-keys: create a key for a program that signs (${script})`, async ({ page }) => {
      await signedInPerson(page)
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      await page.goto('/settings/api-keys/new')
      await expect(page.getByLabel('Public key', { exact: true })).toBeHidden()
      await page.getByLabel('Name').fill('Signer')
      await page.getByLabel('With its own private key').check()
      const box = page.getByLabel('Public key', { exact: true })
      const typePem = async (pem: string | Buffer) => {
        await box.fill(String(pem))
        await press(page, 'Create key')
      }
      await typePem(privateKey.export({ type: 'pkcs8', format: 'pem' }))
      await expect(page.getByRole('alert')).toContainText('This is a private key.')
      if (!javaScriptEnabled) await expect(box).toHaveValue('')
      await typePem('-----BEGIN PUBLIC KEY-----\nno key\n-----END PUBLIC KEY-----')
      await expect(page.getByRole('alert')).toContainText('This is not an Ed25519 or P-256 public key.')
      await expect(box).toHaveAttribute('aria-invalid', 'true')
      await typePem(publicKey.export({ type: 'spki', format: 'pem' }))
      await expect(page.getByRole('heading', { name: 'How to sign' })).toBeVisible()
      const { body } = await (await tabOf(page)).get('/auth/api-key/list')
      const [created] = (body as { apiKeys: { id: string; start: null; publicKey: object }[] }).apiKeys
      expect(created).toMatchObject({ start: null, publicKey: publicKey.export({ format: 'jwk' }) })
      await expect(page.getByRole('definition').first()).toHaveText(String(created?.id))
      await expect(page.getByText(`keyid="${created?.id}"`)).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page, 'a key id is shown')
      await page.getByRole('link', { name: 'Done' }).click()
      await expect(row(page, 'Signer')).toContainText(`Public key, key ID ${created?.id}`)
    })

    test(`api-keys: owners and admins manage the keys of an organization, members do not (${script})`, async ({
      page,
      openBrowser,
    }) => {
      test.slow()
      const owner = await signedInPerson(page)
      const url = await originOf(page)
      const tab = await tabOf(page)
      const slug = `desk-${randomUUID().slice(0, 8)}`
      const { body } = await tab.post('/auth/organization/create', { name: 'Meridian Desk', slug })
      const organizationId = (body as { id: string }).id
      const path = `/settings/organizations/${slug}/api-keys`
      await page.goto(`/settings/organizations/${slug}`)
      await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'API keys' }).click()
      await page.getByRole('link', { name: 'Create an API key' }).click()
      await expect(page).toHaveURL(`${path}/new`)
      const secret = await createKey(page, 'Risk monitor', path)
      expect(secret).toMatch(/^fp_org_[0-9A-Za-z]{49}$/)
      await page.getByRole('link', { name: 'I’ve saved it' }).click()
      await expect(page).toHaveURL(path)
      await expect(row(page, 'Risk monitor')).toContainText(`Created by${owner.name}`)
      await page.goto('/settings/api-keys')
      await expect(page.getByText('No API keys yet')).toBeVisible()

      for (const role of ['admin', 'member'] as const) {
        const person = newPerson()
        await createAccount(url, person)
        const other = await signIn(url, person)
        const invited = await tab.post('/auth/organization/invite-member', { organizationId, email: person.email, role })
        const invitationId = (invited.body as { id: string }).id
        expect((await other.post('/auth/organization/accept-invitation', { invitationId })).status).toBe(200)
        const desk = await openBrowser({ javaScriptEnabled })
        await desk.context().addCookies(cookiesOf(other).map((cookie) => ({ ...cookie, url })))
        const answer = await desk.goto(path)
        expect(answer?.status()).toBe(role === 'admin' ? 200 : 403)
        if (role === 'admin') {
          await press(desk, 'Disable Risk monitor')
          await expect(row(desk, 'Risk monitor')).toContainText('Disabled')
          await createKey(desk, 'Of an admin', path)
          await desk.goto(path)
          await confirm(desk, desk.getByRole('button', { name: 'Delete Risk monitor' }), 'Yes, delete Risk monitor')
          await expect(row(desk, 'Risk monitor')).toHaveCount(0)
          await expect(row(desk, 'Of an admin')).toHaveCount(1)
        } else {
          expect((await desk.goto(`${path}/new`))?.status()).toBe(403)
          await desk.goto(`/settings/organizations/${slug}`)
          const tabs = desk.getByRole('navigation', { name: 'Organization' }).getByRole('link')
          await expect(tabs).toHaveText(['Overview', 'Members', 'Settings'])
        }
      }
      const visitor = await openBrowser({ javaScriptEnabled })
      await signedInPerson(visitor)
      for (const address of [path, `${path}/new`]) expect((await visitor.goto(address))?.status()).toBe(404)
    })
  })
}

test('api-keys: without JavaScript the page says why a key cannot withdraw', async ({ page, openBrowser }) => {
  await addVirtualAuthenticator(page)
  await signedInPerson(page)
  await page.goto('/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()
  const plain = await openBrowser({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  await plain.goto('/settings/api-keys/new')
  await expect(plain.getByText('Turn on JavaScript to create one.')).toBeVisible()
  await expect(plain.getByLabel(/^Withdraw/)).toBeHidden()
  await plain.getByLabel('Name').fill('Reader')
  await press(plain, 'Create key')
  await expect(plain.getByRole('definition')).toHaveText(secretForm)
})

test('api-keys: the secret can be copied, and is gone when the page is', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signedInPerson(page)
  const secret = await createKey(page, 'Copied')
  await press(page, 'Copy secret')
  await expect(page.getByText('Copied', { exact: true })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await page.getByRole('link', { name: 'I’ve saved it' }).click()
  await expect(page).toHaveURL('/settings/api-keys')
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Create key' })).toBeVisible()
  expect(await page.content()).not.toContain(secret)
})

test('api-keys: a secret that came with the document is gone from it on the next page', async ({ page }) => {
  await signedInPerson(page)
  // The form is sent before the scripts of the page have come.
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.goto('/settings/api-keys/new')
  await page.getByLabel('Name').fill('Early')
  await page.unroute('**/assets/*.js')
  await press(page, 'Create key')
  await expect(page.getByRole('heading', { name: 'API key created' })).toBeVisible()
  const secret = (await page.getByRole('definition').first().textContent()) ?? ''
  await scriptsAtWork(page)
  await page.getByRole('link', { name: 'I’ve saved it' }).click()
  await expect(row(page, 'Early')).toBeVisible()
  expect(await page.content()).not.toContain(secret)
  expect(await page.evaluate('JSON.stringify(__remixContext.state)')).not.toContain(secret)
})

test('api-keys: a form without an expiry makes no endless key, and one without a kind no secret', async ({ page }) => {
  await signedInPerson(page)
  const tab = await tabOf(page)
  const send = (more: Record<string, string>) =>
    page.request.post('/settings/api-keys/new', {
      form: { name: 'Bot', read: 'on', addresses: '', ...more },
      headers: { origin: new URL(page.url()).origin },
    })
  for (const more of [{}, { expiry: '99999' }]) expect((await send({ proof: 'secret', ...more })).status()).toBe(200)
  for (const more of [{}, { proof: 'other' }]) expect((await send({ expiry: '7', ...more })).status()).toBe(400)
  const { apiKeys } = (await tab.get('/auth/api-key/list')).body as { apiKeys: { createdAt: string; expiresAt: string | null }[] }
  const days = apiKeys.map(({ createdAt, expiresAt }) =>
    Math.round((Date.parse(expiresAt ?? '') - Date.parse(createdAt)) / 86_400_000),
  )
  expect(days).toEqual([90, 90])
})
