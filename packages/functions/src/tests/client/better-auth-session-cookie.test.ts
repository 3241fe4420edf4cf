import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { getSessionCookie } from 'better-auth/cookies'
import { expect, test } from 'vitest'

const cookieName = 'floorpass_session'
const deployed = {
  BASE_URL: 'https://accounts.example.test',
  AUTH_SECRET: randomBytes(32).toString('base64url'),
  SMTP_URL: 'smtp://127.0.0.1:1025',
  RATE_LIMIT: 'on',
}

test.each([
  ['local mode', 'local', {}],
  ['a deployed service', '__Host', deployed],
])("better-auth's getSessionCookie finds the session cookie of %s", async (_, cookiePrefix, environment) => {
  const app = await createTestApp(environment)
  const tab = await app.signedIn()
  const cookie = [...tab.cookies].map((pair) => pair.join('=')).join('; ')
  const request = new Request(app.baseUrl, { headers: { cookie } })
  const found = getSessionCookie(request, { cookiePrefix, cookieName })
  expect(found).toMatch(/^[\w-]{43}$/)
  const headers = { cookie: `${cookiePrefix}-${cookieName}=${found}` }
  expect((await app.browser().get('/auth/get-session', { headers })).body).toMatchObject({ user: { id: tab.userId } })
  await tab.post('/auth/sign-out')
  expect(getSessionCookie(new Headers({ cookie: String([...tab.cookies]) }), { cookiePrefix, cookieName })).toBeNull()
})

test('the README names the prefix and the name for it', async () => {
  const readme = await readFile(new URL('../../../../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(`getSessionCookie(request, { cookiePrefix: '__Host', cookieName: '${cookieName}' })`)
})
