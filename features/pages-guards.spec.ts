// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages, critical
import { expect } from '@playwright/test'
import { pages, pathOf } from './support/pages.ts'
import { signedInPerson, signOut } from './support/person.ts'
import { cookiesOf, openTab, visitors } from './support/scene.ts'
import { test } from './support/scene-test.ts'

// An invitation greets visitors too; the landing page is everybody's.
const open = new Set(['accept-invitation', 'accept-invitation-decline', 'accept-invitation-unknown', 'landing-member'])
const isPrivate = ({ as, name, status }: (typeof pages)[number]) =>
  ['member', 'guarded', 'french', 'returning', 'keyholder', 'stopped'].includes(as) && !open.has(name) && status !== 404

test('pages: T145, T147, T148, T149, every page has a nonce CSP and cannot be framed, cached or leaked by its referrer', async ({
  visit,
  scene,
}) => {
  const nonces = new Set<string>()
  const requests = new Map(await Promise.all(visitors.map(async (as) => [as, (await visit({ as })).request] as const)))
  for (const row of pages) {
    const request = requests.get(row.as)
    if (!request) throw new Error(`no visitor is ${row.as}`)
    const answer = await request.get(pathOf(row, scene), { maxRedirects: 0 })
    const headers = answer.headers()
    const policy = headers['content-security-policy'] ?? ''
    const nonce = /script-src 'self' 'nonce-([\w+/=]{22,})'(;|$)/.exec(policy)?.[1] ?? ''
    expect.soft(answer.status(), row.name).toBe(row.status ?? 200)
    expect.soft(policy, row.name).not.toMatch(/unsafe-/)
    expect.soft(policy, row.name).toContain("frame-ancestors 'none'")
    expect.soft(nonces.has(nonce), `${row.name}: a new nonce`).toBe(false)
    nonces.add(nonce)
    const html = await answer.text()
    for (const [script] of html.matchAll(/<script\b[^>]*>/g)) {
      expect.soft(script, row.name).toMatch(new RegExp(`nonce="${nonce.replace(/[+/=]/g, '\\$&')}"| src="/assets/`))
    }
    expect.soft(html, `${row.name}: no inline style or handler`).not.toMatch(/<style\b|\sstyle="|\son[a-z]+="/)
    expect.soft(headers['cache-control'], row.name).toBe('no-store')
    expect.soft(headers['x-content-type-options'], row.name).toBe('nosniff')
    expect.soft(headers['content-type'], row.name).toBe('text/html; charset=utf-8')
    expect.soft(headers['referrer-policy'], row.name).toBe(row.token ? 'no-referrer' : 'strict-origin-when-cross-origin')
  }
})

test('pages: a signed-out visitor is sent from every private page to sign-in, and back', async ({ request, scene }) => {
  const rows = pages.filter(isPrivate)
  expect(rows.length).toBeGreaterThan(15)
  for (const row of rows) {
    const path = pathOf(row, scene)
    const answer = await request.get(path, { maxRedirects: 0 })
    expect.soft([answer.status(), await answer.text()], row.name).toEqual([302, ''])
    expect.soft(answer.headers().location, row.name).toBe(`/login?redirectTo=${encodeURIComponent(path)}`)
    expect.soft(answer.headers()['cache-control'], row.name).toBe('no-store')
    const data = await request.get(path.replace(/(\?|$)/, '.data$1'), { maxRedirects: 0 })
    expect.soft(data.headers()['cache-control'], `${row.name}, data`).toBe('no-store')
    const text = await data.text()
    expect.soft(text, `${row.name}, data`).toContain('/login?redirectTo=')
    expect.soft(text, `${row.name}, data`).not.toMatch(/@|tradingEnabled|"members"/)
  }
})

test('pages: T151, after sign-out no step back shows anything private', async ({ page }) => {
  const person = await signedInPerson(page)
  for (const path of ['/settings/profile', '/settings/sessions', '/settings/trading']) await page.goto(path)
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page).toHaveURL('/dashboard')
  await signOut(page)
  for (let steps = 0; steps < 4; steps += 1) {
    await page.goBack()
    await expect(page).toHaveURL(/\/login\?redirectTo=/)
    await expect(page.getByText(person.email)).toHaveCount(0)
    await expect(page.getByText(person.name)).toHaveCount(0)
  }
})

test('pages: a session that ended elsewhere leads to the sign-in at the next step, and back after it', async ({
  page,
  baseURL,
}) => {
  const person = await signedInPerson(page)
  await page.goto('/settings/profile')
  const elsewhere = openTab(String(baseURL))
  for (const { name, value } of await page.context().cookies()) elsewhere.cookies.set(name, value)
  expect(cookiesOf(elsewhere)).not.toEqual([])
  expect((await elsewhere.post('/auth/revoke-sessions')).status).toBe(200)
  await page.getByRole('link', { name: 'Devices and sessions' }).click()
  await expect(page).toHaveURL('/login?redirectTo=%2Fsettings%2Fsessions')
  await expect(page.getByText(person.email)).toHaveCount(0)
  await page.getByLabel('Email address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL('/settings/sessions')
})

test('pages: T148, a mailed token is in the address no longer than the page needs it', async ({ visit, scene }) => {
  for (const name of [
    'reset-password',
    'verify-email',
    'create-passkey',
    'undo-email-change',
    'panic',
    'delete-account',
    'reauthenticate-mailed',
  ]) {
    const row = pages.find((each) => each.name === name)
    if (!row) throw new Error(`the table has no ${name}`)
    const page = await visit({ as: row.as })
    const path = pathOf(row, scene)
    expect(path).toContain('token=')
    await page.goto(path)
    await expect(page, name).toHaveURL((url) => !url.searchParams.has('token'))
    await expect(page.locator('input[name="token"]'), name).toHaveValue(/./)
  }
})
