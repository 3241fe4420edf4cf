import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()

test('a Response of a route is passed through with its status, headers and body', async () => {
  const { status, headers, body } = await app.browser().get('/auth/reset-password?token=unknown&callbackURL=/choose')
  expect([status, headers.get('location'), headers.get('content-type'), body]).toEqual([
    302,
    '/choose?error=INVALID_TOKEN',
    null,
    '',
  ])
})
