// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags administration, critical
import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { administrator, expectReadable } from './support/administrator.ts'
import { press } from './support/drivers.ts'
import { runCommand } from './support/grant-role.ts'
import { newPerson } from './support/person.ts'
import { createAccount, signIn } from './support/scene.ts'

const reason = 'the owner called about a stolen laptop'

/** An organization with an owner and an administrator. */
async function createDesk(url: string) {
  const [owner, colleague] = [newPerson(), { ...newPerson(), name: 'Grace Hopper' }]
  for (const person of [owner, colleague]) await createAccount(url, person)
  const [tab, other] = [await signIn(url, owner), await signIn(url, colleague)]
  const slug = `desk-${crypto.randomUUID()}`
  const { body } = await tab.post('/auth/organization/create', { name: 'Harbor Desk', slug })
  const { user } = (await other.get('/auth/get-session')).body as { user: { id: string } }
  const organizationId = (body as { id: string }).id
  await tab.post('/auth/organization/member/add', { organizationId, userId: user.id, role: 'admin' })
  await other.post('/auth/organization/accept-membership', { organizationId })
  return { slug, organizationId, owner, colleague }
}

/** At the width of a small phone, too. */
async function expectFits(page: Page, name: string): Promise<void> {
  await expectReadable(page, name)
  const size = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 800 })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow, `${name} at 360 pixels`).toBeLessThanOrEqual(0)
  await page.screenshot({ path: `test-results/administration/${name}-360.png`, fullPage: true })
  if (size) await page.setViewportSize(size)
  await page.screenshot({ path: `test-results/administration/${name}.png`, fullPage: true })
}

for (const javaScriptEnabled of [true, false]) {
  const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`
  test.describe(script, () => {
    test.use({ javaScriptEnabled })

    test(`administration: find an organization, change its owner, suspend and restore it (${script})`, async ({
      page,
      baseURL,
    }) => {
      test.slow()
      const url = String(baseURL)
      const { slug, colleague } = await createDesk(url)
      await administrator(page, url, 'admin')
      await page.goto('/admin')
      await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Organizations' }).click()
      await expect(page.getByRole('heading', { name: 'Organizations' })).toBeVisible()
      if (javaScriptEnabled) await expectFits(page, 'organizations')
      await page.getByLabel('Search').fill(slug)
      await press(page, 'Find')
      await expect(page.getByRole('status').filter({ hasText: '1 organization' })).toBeVisible()
      await page.getByRole('link', { name: 'Harbor Desk' }).click()
      await expect(page.getByRole('heading', { name: 'Harbor Desk' })).toBeVisible()
      if (javaScriptEnabled) await expectFits(page, 'an organization')

      await page.getByRole('button', { name: `Make owner ${colleague.email}` }).click()
      await page.getByLabel('Reason').filter({ visible: true }).fill('too short')
      await press(page, 'Yes, make them the owner')
      await expect(page.getByLabel('Reason').filter({ visible: true })).toHaveAttribute('aria-invalid', 'true')
      await page.getByLabel('Reason').filter({ visible: true }).fill(reason)
      await press(page, 'Yes, make them the owner')
      await expect(page.getByText('The organization has a new owner.')).toBeVisible()
      await expect(page.getByText('Grace Hopper · Owner')).toBeVisible()

      await page.getByRole('button', { name: 'Suspend organization' }).click()
      await page.getByLabel('Reason').filter({ visible: true }).fill(reason)
      await press(page, 'Yes, suspend it')
      await expect(page.getByText('The organization is suspended.')).toBeVisible()
      await page.getByRole('button', { name: 'Restore organization' }).click()
      await page.getByLabel('Reason').filter({ visible: true }).fill(reason)
      await press(page, 'Yes, restore it')
      await expect(page.getByText('The organization is restored.')).toBeVisible()
    })

    test(`administration: read the activity by user and kind, and download it (${script})`, async ({ page, baseURL }) => {
      test.slow()
      const url = String(baseURL)
      const user = newPerson()
      await createAccount(url, user)
      const { body } = await (await signIn(url, user)).get('/auth/get-session')
      const { id } = (body as { user: { id: string } }).user
      await administrator(page, url, 'auditor')
      await page.goto('/admin/activity')
      await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible()
      if (javaScriptEnabled) await expectFits(page, 'activity')
      await page.getByLabel('User', { exact: true }).fill(id)
      await page.getByLabel('Kind').selectOption('Signed in')
      await press(page, 'Filter')
      const events = page.getByRole('main').getByRole('listitem').filter({ hasText: id })
      await expect(events).toHaveCount(1)
      await expect(events).toContainText('Signed in')
      await events.getByText('Details').click()
      await expect(events.getByText('IP address')).toBeVisible()
      const started = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download as CSV' }).click()
      const file = await readFile(await (await started).path(), 'utf8')
      expect(file.split('\r\n')).toHaveLength(3)
      expect(file).toContain(id)

      await page.getByLabel('User', { exact: true }).fill('unknown')
      await press(page, 'Filter')
      await expect(page.getByText('Nothing found.')).toBeVisible()

      for (const query of ['from=yesterday', 'user=unknown']) {
        await page.goto(`/admin/activity/download?${query}`)
        await expect(page).toHaveURL(`/admin/activity?${query}`)
      }
    })
  })
}

test('administration: the pages of emails, webhooks and settings are readable', async ({ page, baseURL }) => {
  test.slow()
  const printed = await runCommand('create-webhook', 'https://hooks.example.com/in', '--contact', 'ops@example.test', '--json')
  const { id } = JSON.parse(printed) as { id: string }
  try {
    await administrator(page, String(baseURL), 'auditor')
    await page.goto('/admin/mails')
    await expect(page.getByText('No email was refused.')).toBeVisible()
    await expectFits(page, 'emails')
    await page.goto('/admin/webhooks')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'hooks.example.com' })
      .getByRole('link', { name: /Show deliveries/ })
      .first()
      .click()
    await expect(page.getByRole('heading', { name: 'Newest deliveries to https://hooks.example.com/in' })).toBeVisible()
    await expectFits(page, 'webhooks')
    await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await expect(page.getByText('MAIL_FROM')).toBeVisible()
    await expectFits(page, 'settings')
  } finally {
    await runCommand('drop-webhook', id, '--yes')
  }
})

test('administration: the pages are in French for a French administrator', async ({ page, baseURL }) => {
  test.slow()
  const url = String(baseURL)
  const { organizationId } = await createDesk(url)
  await administrator(page, url, 'admin')
  const answer = await page.request.post('/auth/update-user', { data: { locale: 'fr' }, headers: { origin: url } })
  expect(answer.ok()).toBe(true)
  for (const [path, heading] of [
    ['organizations', 'Organisations'],
    [`organizations/${organizationId}`, 'Harbor Desk'],
    ['activity', 'Activité'],
    ['mails', 'E‑mails refusés'],
    ['webhooks', 'Webhooks et services'],
    ['settings', 'Paramètres'],
  ] as const) {
    await page.goto(`/admin/${path}`)
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await expectFits(page, `French ${heading}`)
  }
})

test('administration: support sees no settings, and changes no organization', async ({ page, baseURL }) => {
  const url = String(baseURL)
  const { organizationId } = await createDesk(url)
  await administrator(page, url, 'support')
  await page.goto(`/admin/organizations/${organizationId}`)
  await expect(page.getByRole('heading', { name: 'Harbor Desk' })).toBeVisible()
  await expect(page.getByRole('button', { name: /Make owner|Suspend/ })).toHaveCount(0)
  const pages = page.getByRole('navigation', { name: 'Administration' })
  await expect(pages.getByRole('link', { name: 'Settings' })).toHaveCount(0)
  expect((await page.goto('/admin/settings'))?.status()).toBe(403)
  expect((await page.goto('/admin/organizations/unknown'))?.status()).toBe(404)
})
