import { eventually } from '@floorpass/testing/eventually'
import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

// No page fails to render, so the preload makes this redirect target throw.
const unrenderable = '/unrenderable'
const probe = `const original = encodeURIComponent
  globalThis.encodeURIComponent = (text) => {
    if (text === '${unrenderable}') throw new Error('a page that cannot be rendered')
    return original(text)
  }`
const dataDir = await temporaryFolder()
const supportUrl = 'https://desk.example/help'
const environment = { ...(await databaseEnvironment()), DATA_DIR: dataDir, RATE_LIMIT: 'off', SUPPORT_URL: supportUrl }
const server = await startServer(environment, ['--import', `data:text/javascript,${encodeURIComponent(probe)}`])
const own = `http://localhost:${server.port}`

const get = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(server.url + path, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })
  return { response, html: await response.text() }
}
const nonceOf = ({ headers }: Response) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]

const fixed = ['/login', '/signup', '/forgot-password', '/reset-password', '/verify-email', '/two-factor', '/accept-invitation']

test.each([
  ...fixed,
  '/dashboard',
  '/settings',
  '/settings/profile',
  '/settings/organizations',
  '/settings/security/codes',
  '/settings/activity/not-me',
  '/password-strength',
])('a page with its own handler answers like the handler for all pages: %s', async (path) => {
  // A trailing slash selects the handler for all pages.
  const [own, whole] = [await get(path), await get(`${path}/`)]
  const contentOf = ({ response, html }: typeof own) => ({
    status: response.status,
    location: response.headers
      .get('location')
      ?.replace('%2F&', '&')
      .replace(/(%2F|\/)$/, ''),
    type: response.headers.get('content-type'),
    html: html
      .replaceAll(nonceOf(response) ?? '-', 'NONCE')
      .replaceAll(`${path}/`, path)
      .replace(/\s+/g, ' '),
  })
  expect(contentOf(own)).toEqual(contentOf(whole))
})

test.each(['/favicon.ico', '/apple-touch-icon.png'])('browsers find %s, for a day', async (path) => {
  const { headers, status } = await fetch(server.url + path)
  expect([status, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
    200,
    'public, max-age=86400',
    'nosniff',
  ])
  expect(headers.get('content-type')).toMatch(/^image\//)
})

test.each(['/', '/login', '/nowhere'])('%s links to SUPPORT_URL', async (path) => {
  expect((await get(path)).html).toContain(`href="${supportUrl}"`)
})

test('every answer has a new nonce on each of its scripts: a page, a missing page, a refused form', async () => {
  const form = { method: 'POST', body: new URLSearchParams({ email: 'ada@example.test', password: 'wrong' }) }
  const seen = new Set<string | undefined>()
  for (const [path, status, init] of [
    ['/login', 200],
    ['/login', 200],
    ['/login/', 200],
    ['/missing', 404],
    ['/login', 401, { ...form, headers: { origin: new URL(server.url).origin } }],
  ] as const) {
    const { response, html } = await get(path, init)
    expect([path, response.status]).toEqual([path, status])
    const nonces = [...html.matchAll(/<script(?: nonce="([^"]*)")?/g)].map(([, nonce]) => nonce)
    expect(nonces.length).toBeGreaterThan(3)
    expect(new Set(nonces)).toEqual(new Set([nonceOf(response)]))
    seen.add(nonceOf(response))
    expect(html).toMatch(/^<!DOCTYPE html><html lang="en" data-locale="en" data-theme="system">.*<\/html>/s)
    expect(html.match(/streamController\.(enqueue|close)/g)).toEqual(['streamController.enqueue', 'streamController.close'])
  }
  expect(seen.size).toBe(5)
})

test('a page depends on its URL and its language', async () => {
  const inFrench = { headers: { 'accept-language': 'fr' } }
  for (const [path, init, words] of [
    ['/login', {}, /lang="en".*Create an account/s],
    ['/login', inFrench, /lang="fr".*Créer un compte/s],
    ['/login', {}, /lang="en".*Create an account/s],
    ['/login?redirectTo=%2Fsettings', {}, /signup\?redirectTo=%2Fsettings/],
    ['/signup', {}, /<title>Create an account/],
  ] as const) {
    const { html } = await get(path, init)
    expect([path, html]).toEqual([path, expect.stringMatching(words)])
  }
  expect((await get('/login')).html).not.toContain('redirectTo=%2Fsettings')
})

/** The session cookie of a verified user. */
const signedIn = async (name: string): Promise<string> => {
  const email = `${name.toLowerCase()}@example.test`
  const post = (path: string, body: unknown) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: own },
      body: JSON.stringify(body),
    })
  await post('/auth/sign-up/email', { name, email, password: 'plum kettle orbit' })
  const token = await mailedToken(dataDir, email)
  await post('/auth/verify-email', { token })
  const answer = await post('/auth/sign-in/email', { email, password: 'plum kettle orbit' })
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

test('what one user sees is shown to no other user and to no signed-out visitor', async () => {
  const people = [
    ['Adelaide', await signedIn('Adelaide')],
    ['Bartholomew', await signedIn('Bartholomew')],
  ] as const
  for (const path of ['/settings/profile', '/settings/email', '/accept-invitation', '/login']) {
    const signedOutStatuses = new Set<number>()
    for (const [name, cookie] of [...people, ...people]) {
      const mine = await get(path, { headers: { accept: 'text/html', cookie } })
      if (path.startsWith('/settings'))
        expect([path, mine.response.status, mine.html]).toEqual([path, 200, expect.stringMatching(new RegExp(name, 'i'))])
      if (path === '/login') expect(mine.response.headers.get('location')).toBe('/dashboard')
      for (const [other] of people.filter(([known]) => known !== name)) expect(mine.html).not.toMatch(new RegExp(other, 'i'))
      const { response, html } = await get(path)
      expect(html).not.toMatch(/Adelaide|Bartholomew/i)
      signedOutStatuses.add(response.status)
    }
    expect([...signedOutStatuses]).toEqual([path.startsWith('/settings') ? 302 : 200])
  }
})

test('a page that fails to render answers 500 as a page and is logged, and the next one works', async () => {
  const { response, html } = await get(`/login?redirectTo=${unrenderable}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8'])
  expect(html).toMatch(
    /^<!DOCTYPE html><html lang="en" data-locale="en" data-theme="system">.*<h1[^>]*>Something went wrong.*<\/html>/s,
  )
  expect(html).not.toContain('cannot be rendered')
  await eventually(() =>
    expect(server.logs()).toContainEqual(
      expect.objectContaining({
        msg: 'page failed',
        err: expect.objectContaining({ message: 'a page that cannot be rendered' }),
      }),
    ),
  )
  expect((await get('/login')).response.status).toBe(200)
})

test('a navigation inside the pages gets only its data, from either handler', async () => {
  for (const path of ['/login.data', '/_root.data', '/settings/organizations/any.data']) {
    const { response, html } = await get(path)
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      path.startsWith('/settings') ? 202 : 200,
      'text/x-script',
    ])
    expect(html).toMatch(/^\[/)
  }
})
