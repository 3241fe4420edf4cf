import { randomUUID } from 'node:crypto'
import { createBrowser } from '@floorpass/testing/browser'
import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { describe, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: dataDir, RATE_LIMIT: 'off' })
const own = `http://localhost:${server.port}`
const openBrowser = () => createBrowser({ fetch: (request) => fetch(request, { redirect: 'manual' }) }, own)

describe('every URL below /settings redirects a signed-out visitor to /login in one step', () => {
  test.each([
    '/settings',
    '/settings/',
    '/settings/profile',
    '/settings/security/sessions',
    '/settings/unknown',
    '/settings/unknown/deeper?tab=1',
  ])('%s', async (path) => {
    const { status, headers } = await openBrowser().get(path)
    expect([status, headers.get('location')]).toEqual([302, `/login?redirectTo=${encodeURIComponent(path)}`])
  })
})

test('/settings shows the overview, and an unknown URL below it is 404', async () => {
  const browser = openBrowser()
  const person = { name: 'Ada', email: `ada-${randomUUID()}@example.test`, password: 'plum kettle orbit' }
  await browser.post('/auth/sign-up/email', person)
  const token = await mailedToken(dataDir, person.email)
  await browser.post('/auth/verify-email', { token })
  await browser.post('/auth/sign-in/email', person)

  expect((await browser.get('/settings')).status).toBe(200)
  expect((await browser.get('/settings/unknown')).status).toBe(404)
})
