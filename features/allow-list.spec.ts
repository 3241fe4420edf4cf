// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags allow-list, critical
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { confirm } from './support/confirm.ts'
import { press } from './support/drivers.ts'
import { test } from './support/open-browser.ts'
import { originOf, signedInPerson } from './support/person.ts'
import { openTab } from './support/scene.ts'
import { addVirtualAuthenticator } from './support/virtual-authenticator.ts'

const wallet = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const row = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })

async function addAddress(page: Page, name: string, value = wallet): Promise<void> {
  await page.getByLabel('Kind').fill('bitcoin')
  await page.getByLabel('Address', { exact: true }).fill(value)
  await page.getByLabel('Name (optional)').fill(name)
  await press(page, 'Add address')
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

    test(`allow-list: add an address, see when it is ready, and remove it (${script})`, async ({ page }) => {
      test.slow()
      await signedInPerson(page)
      await page.goto('/settings')
      await page.getByRole('link', { name: /^Withdrawal addresses/ }).click()
      await expect(page.getByText('No addresses yet')).toBeVisible()
      await press(page, 'Add address')
      for (const label of ['Kind', 'Address']) {
        await expect(page.getByLabel(label, { exact: true })).toHaveAttribute('aria-invalid', 'true')
      }
      if (javaScriptEnabled) await expect(page.getByLabel('Kind')).toBeFocused()
      await addAddress(page, 'Cold wallet')
      await expect(page.getByText('Address added. We’ve emailed you.')).toBeVisible()
      for (const words of ['Waiting', 'bitcoin', wallet, 'Ready from'])
        await expect(row(page, 'Cold wallet')).toContainText(words)
      await expect(page.getByLabel('Address', { exact: true })).toHaveValue('')

      await addAddress(page, 'Again')
      await expect(page.getByRole('alert')).toContainText('This address is already on your list.')
      await expect(page.getByLabel('Name (optional)')).toHaveValue('Again')
      await addAddress(page, '', 'DE89 3704 0044 0532 0130 00')
      await expect(row(page, 'DE89 370… 0130 00')).toHaveCount(1)

      const button = page.getByRole('button', { name: 'Remove Cold wallet', exact: true })
      await confirm(page, button, 'Yes, remove Cold wallet')
      await expect(page.getByText('Address removed. We’ve emailed you.')).toBeVisible()
      await expect(row(page, 'Cold wallet')).toHaveCount(0)
      await expect(row(page, 'DE89 370… 0130 00')).toHaveCount(1)
    })

    test(`allow-list: switch the list on, off after a wait, and keep it on (${script})`, async ({ page }) => {
      await signedInPerson(page)
      const tab = await tabOf(page)
      const state = async () => {
        const { enabled, endsAt } = (await tab.get('/auth/allow-list/list')).body as { enabled: boolean; endsAt: string | null }
        return [enabled, endsAt !== null]
      }
      await page.goto('/settings/allow-list')
      await expect(page.getByText('Your money can go to any address.')).toBeVisible()
      await press(page, 'Turn on')
      await expect(page.getByText('Your money can now only go to your addresses.')).toBeVisible()
      expect(await state()).toEqual([true, false])
      await press(page, 'Turn off')
      await expect(page.getByText('This will turn off after the wait.')).toBeVisible()
      await expect(page.getByText('This turns off on')).toBeVisible()
      expect(await state()).toEqual([true, true])
      await press(page, 'Keep it on')
      await expect(page.getByText('This turns off on')).toHaveCount(0)
      expect(await state()).toEqual([true, false])
      await page.goto('/settings')
      await expect(page.getByRole('link', { name: /^Withdrawal addresses/ })).toContainText('your addresses only')
    })
  })
}

test('allow-list: a passkey confirms an address and a switch-off', async ({ page, openBrowser }) => {
  test.slow()
  const authenticator = await addVirtualAuthenticator(page)
  await signedInPerson(page)
  await page.goto('/settings/passkeys')
  await press(page, 'Add a passkey')
  await expect(page.getByText('Passkey added.')).toBeVisible()

  await page.goto('/settings/allow-list')
  await page.getByLabel('Kind').fill('bitcoin')
  await page.getByLabel('Address', { exact: true }).fill(wallet)
  await expectAccessible(page, 'an address that a passkey must confirm')
  await authenticator.setVerified(false)
  await press(page, 'Add address with my passkey')
  await expect(page.getByRole('alert')).toBeVisible()
  await authenticator.setVerified(true)
  await press(page, 'Add address with my passkey')
  await expect(page.getByRole('alert')).toContainText('This passkey is too new')
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue(wallet)
  await press(page, 'Turn on')
  await expect(page.getByRole('button', { name: 'Turn off with my passkey' })).toBeVisible()

  const plain = await openBrowser({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  await plain.goto('/settings/allow-list')
  await expect(plain.getByText('Turn on JavaScript to confirm with your passkey.')).toHaveCount(2)
})

test('allow-list: a list of another person stays out of sight', async ({ page, openBrowser }) => {
  await signedInPerson(page)
  await page.goto('/settings/allow-list')
  await addAddress(page, 'Cold wallet')
  await expect(row(page, 'Cold wallet')).toHaveCount(1)
  const other = await openBrowser()
  await signedInPerson(other)
  await other.goto('/settings/allow-list')
  await expect(other.getByText('No addresses yet')).toBeVisible()
})
