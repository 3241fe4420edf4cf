// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sign-in
import { expect, test } from '@playwright/test'

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
    expect(await answer.text()).toContain('This form could not be read')
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
