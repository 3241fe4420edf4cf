import { randomUUID } from 'node:crypto'
import { createBrowser } from '@floorpass/testing/browser'
import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { clockIn } from '@floorpass/testing/service-clock'
import { expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const clock = clockIn(`${await temporaryFolder()}/clock`)
const environment = { ...(await databaseEnvironment()), ...clock.environment, DATA_DIR: dataDir, RATE_LIMIT: 'off' }
const server = await startServer(environment)
const own = `http://localhost:${server.port}`
const password = 'plum kettle orbit'

const openBrowser = () => createBrowser({ fetch: (request) => fetch(request, { redirect: 'manual' }) }, own)

/** A user who signed in this many minutes ago. */
async function signedInBefore(minutes: number) {
  const email = `ada-${randomUUID()}@example.test`
  const browser = openBrowser()
  await browser.post('/auth/sign-up/email', { name: 'Ada', email, password })
  const token = await mailedToken(dataDir, email)
  await browser.post('/auth/verify-email', { token })
  await clock.setBack(minutes)
  await browser.post('/auth/sign-in/email', { email, password })
  await clock.setBack(0)
  const send = (path: string, fields: Record<string, string>) =>
    browser.request('POST', path, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  return { ...browser, send }
}

const target = '/reauthenticate?redirectTo=%2Fsettings%2Femail'

test('a sensitive page asks for reauthentication before it shows its form, and the password opens the form', async () => {
  const ada = await signedInBefore(16)
  const before = String((await ada.get('/settings/email')).body)
  expect(before).toContain(`href="${target}"`)
  expect(before).not.toContain('name="newEmail"')

  const wrong = await ada.send(target, { intent: 'password', password: 'plum kettle ornament' })
  expect([wrong.status, wrong.body]).toEqual([400, expect.stringContaining('That password is wrong')])
  const former = ada.cookies.get('local-floorpass_session')
  const right = await ada.send(target, { intent: 'password', password })
  expect([right.status, right.headers.get('location')]).toEqual([302, '/settings/email'])
  expect(ada.cookies.get('local-floorpass_session'), 'a new token').not.toBe(former)

  expect(String((await ada.get('/settings/email')).body)).toContain('name="newEmail"')
  const again = await ada.get(target)
  expect([again.status, again.headers.get('location')]).toEqual([302, '/settings/email'])
})

test('a sign-in within the last 15 minutes needs no reauthentication', async () => {
  const ada = await signedInBefore(14)
  expect(String((await ada.get('/settings/email')).body)).toContain('name="newEmail"')
})

test('every page with a sensitive form links to the reauthentication, which returns to it', async () => {
  const ada = await signedInBefore(16)
  for (const path of ['/settings/email', '/settings/accounts', '/settings/trading', '/settings/danger']) {
    const { status, body } = await ada.get(path)
    expect([path, status, body]).toEqual([
      path,
      200,
      expect.stringContaining(`href="/reauthenticate?redirectTo=${encodeURIComponent(path)}"`),
    ])
  }
  const data = await ada.get('/settings/data')
  expect([data.status, data.headers.get('location')]).toEqual([302, '/reauthenticate?redirectTo=%2Fsettings%2Fdanger'])
})

test('the reauthentication page never links elsewhere, and ignores invalid input', async () => {
  const ada = await signedInBefore(16)
  for (const redirectTo of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    const { body } = await ada.get(`/reauthenticate?${new URLSearchParams({ redirectTo })}`)
    expect([redirectTo, body]).toEqual([redirectTo, expect.not.stringMatching(/(href|action)="[^"]*evil|javascript:/)])
  }
  for (const [fields, status] of [
    [{ intent: 'password', password: '' }, 400],
    [{ intent: 'code', code: '000000' }, 400],
    [{ intent: 'token', token: 'any' }, 400],
    [{ intent: 'email' }, 400],
    [{ intent: 'google' }, 404],
    [{ intent: 'constructor' }, 404],
    [{}, 400],
  ] as [Record<string, string>, number][]) {
    const answer = await ada.send(target, fields)
    expect([fields, answer.status, answer.setCookies]).toEqual([fields, status, []])
  }
  expect(String((await ada.get('/settings/email')).body)).not.toContain('name="newEmail"')
})
