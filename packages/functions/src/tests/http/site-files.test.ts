import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'
import { readThemeCookie, themeCookie } from '../../http/theme.ts'

const app = await createTestApp({ APP_NAME: 'Desk A' })

test('a password manager finds the page that changes the password', async () => {
  const { status, headers } = await app.browser().get('/.well-known/change-password')
  expect([status, headers.get('location')]).toEqual([302, '/settings/password'])
})

test('the manifest has the configured name', async () => {
  const { status, headers, body } = await app.browser().get('/manifest.webmanifest')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('application/manifest+json')
  expect(typeof body === 'string' ? JSON.parse(body) : body).toMatchObject({ name: 'Desk A', short_name: 'Desk A' })
})

test.each(['/.well-known/change-password', '/.well-known/webauthn', '/manifest.webmanifest'])(
  '%s is read-only, and a refusal says so',
  async (path) => {
    const tab = app.browser()
    expect((await tab.request('HEAD', path)).body).toBe('')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, code, headers } = await tab.request(method, path)
      expect([method, status, code, headers.get('allow')]).toEqual([method, 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD'])
    }
  },
)

test('the theme cookie has three values, and any other means the colours of the device', () => {
  expect(themeCookie('dark', true)).toBe('__Host-floorpass_theme=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure')
  expect(themeCookie('system', false)).toBe('floorpass_theme=system; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax')
  for (const [value, theme] of [
    ['dark', 'dark'],
    ['light', 'light'],
    ['system', 'system'],
    ['<script>', 'system'],
  ] as const)
    expect(readThemeCookie(new Map([['floorpass_theme', value]]), false)).toBe(theme)
  expect(readThemeCookie(new Map([['floorpass_theme', 'dark']]), true), 'planted by a sibling host').toBe('system')
})
