// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect, test } from '@playwright/test'
import { signedInPerson } from './support/person.ts'

test('sign-in: a form of another kind than a page sends is refused, not a failure of ours', async ({ request, baseURL }) => {
  const origin = { origin: String(baseURL) }
  for (const [type, data] of [
    ['application/json', '{"email":'],
    ['text/plain', 'email=ada'],
    ['multipart/form-data; boundary=x', '--y'],
    ['multipart/form-data', 'no boundary'],
    ['', 'nothing'],
  ] as const) {
    const answer = await request.post('/login', { headers: { ...origin, 'content-type': type }, data })
    expect(answer.status(), type).toBe(400)
    expect(await answer.text()).toContain('We couldn’t read this form')
  }
  for (const path of ['/login', '/dashboard', '/nowhere']) {
    const answer = await request.post(path, { headers: origin, form: { email: 'x' }, maxRedirects: 0 })
    expect(answer.status(), path).toBeLessThan(500)
  }
})

test('sign-in: a deep link with letters of another alphabet is where the person lands', async ({ page }) => {
  const answer = await page.request.get('/settings/trading?note=%C3%A9t%C3%A9-%E2%82%AC', { maxRedirects: 0 })
  expect(answer.status()).toBe(302)
  const target = new URL(answer.headers().location ?? '', 'http://service.test')
  expect(target.searchParams.get('redirectTo')).toBe('/settings/trading?note=%C3%A9t%C3%A9-%E2%82%AC')
  const raw = await page.request.get('/login?redirectTo=/é', { maxRedirects: 0 })
  expect(raw.status()).toBe(200)
})

test('sign-in: the framework’s older way to ask for data betrays nothing and names no file of ours', async ({ request }) => {
  for (const path of ['/login', '/dashboard', '/settings/profile', '/nowhere']) {
    for (const route of ['routes/_auth.login', 'routes/_app.settings.profile', 'routes/nowhere', 'root', '']) {
      const asked = `${path}?_data=${route}`
      const answer = await request.get(asked, { maxRedirects: 0 })
      const text = await answer.text()
      expect.soft(answer.status(), asked).toBeLessThan(500)
      expect.soft(answer.headers()['cache-control'], asked).toBe('no-store')
      expect.soft(answer.headers()['x-remix-error'], asked).toBeUndefined()
      expect.soft(text, asked).not.toMatch(/node_modules|No route matches|did not provide|@/)
    }
  }
  const refused = await request.get('/login?_data=routes/nowhere')
  expect([refused.status(), (await refused.json()).code]).toEqual([400, 'BAD_REQUEST'])
})

test('sign-in: _data requests of a signed-in user are refused and change nothing', async ({ page, baseURL }) => {
  const { password } = await signedInPerson(page)
  const asked = [
    await page.request.get('/settings/activity/not-me?_data=routes/_app.settings.activity_.not-me'),
    await page.request.get('/settings/profile?_data=routes/_app.settings.profile'),
    await page.request.post('/settings/profile?_data=routes/_app.settings.profile', {
      headers: { origin: String(baseURL) },
      form: { name: 'Changed', password },
    }),
  ]
  for (const answer of asked) expect([answer.status(), (await answer.json()).code]).toEqual([400, 'BAD_REQUEST'])
  await page.goto('/settings/profile')
  await expect(page.getByLabel('Name', { exact: true })).not.toHaveValue('Changed')
})
