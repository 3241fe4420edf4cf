import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startForgingProvider } from '@floorpass/testing/forging-provider'
import { landing, urlOf, userIn } from '@floorpass/testing/social-flow'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'

const google = await startForgingProvider()
afterAll(() => google.close())
const app = await createTestApp(google.environment)

type Claims = Record<string, unknown>

async function begin(at = app) {
  const tab = at.browser()
  const { searchParams } = urlOf(await tab.post('/auth/sign-in/social', { provider: 'google' }))
  const nonce = searchParams.get('nonce') ?? ''
  return { tab, nonce, back: `/auth/callback/google?code=x&state=${searchParams.get('state')}` }
}

/** A callback for which the provider answers with the token that `make` forges. */
async function present(make: (nonce: string) => string) {
  const { tab, nonce, back } = await begin()
  google.answerWith(make(nonce))
  return Object.assign(await tab.get(back), { tab })
}
const withClaims = (overrides: Claims) => (nonce: string) => google.signed(google.claims(nonce, overrides))
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const refused = [302, '/login?error=unable_to_get_user_info']
const unavailable = [302, '/login?error=provider_unavailable']

describe('T73: an ID token', () => {
  test('that holds signs in, and PKCE is in the exchange', async () => {
    const answer = await present(withClaims({ email: 'held@example.test' }))
    expect(landing(answer)).toEqual([302, '/dashboard'])
    expect(await userIn(answer.tab)).toMatchObject({ email: 'held@example.test' })
    expect(Object.fromEntries(google.exchanges.at(-1) ?? [])).toMatchObject({
      grant_type: 'authorization_code',
      code_verifier: expect.stringMatching(/^[\w-]{43,128}$/),
    })
  })

  test.each<[string, () => Claims]>([
    ['for another client', () => ({ aud: 'another-client' })],
    ['for several clients, handed out to another', () => ({ aud: ['another-client', google.clientId], azp: 'another-client' })],
    ['of another issuer', () => ({ iss: 'https://accounts.google.com' })],
    ['of no issuer', () => ({ iss: undefined })],
    ['for another attempt', () => ({ nonce: 'another' })],
    ['for no attempt', () => ({ nonce: undefined })],
    ['that has expired', () => ({ iat: inSeconds(-7200), exp: inSeconds(-3600) })],
    ['that never expires', () => ({ exp: undefined })],
    ['that is not valid yet', () => ({ nbf: inSeconds(3600) })],
    ['of nobody', () => ({ sub: undefined })],
    ['of something that is no name', () => ({ sub: { toString: 'x' } })],
    ['of null', () => ({ sub: null })],
    ['of a name that no table holds', () => ({ sub: 'a\u0000b' })],
    ['of a name without end', () => ({ sub: 'x'.repeat(256) })],
  ])('%s is refused', async (_, overrides) => {
    const before = await app.db.user.count()
    expect(landing(await present(withClaims(overrides())))).toEqual(refused)
    expect(await app.db.user.count()).toBe(before)
  })

  test.each<[string, (nonce: string) => string]>([
    ['without a signature', (nonce) => google.unsigned(google.claims(nonce))],
    ['signed with the public key as a secret', (nonce) => google.signedWithPublicKey(google.claims(nonce))],
    [
      'whose claims were changed',
      (nonce) => {
        const [head, , signature] = google.signed(google.claims(nonce)).split('.')
        return [head, google.signed(google.claims(nonce)).split('.')[1], signature].join('.')
      },
    ],
    ['without its signature', (nonce) => `${google.signed(google.claims(nonce)).split('.').slice(0, 2).join('.')}.`],
    ['that is no token', () => 'nonsense'],
  ])('%s is refused', async (_, make) => {
    const before = await app.db.user.count()
    expect(landing(await present(make))).toEqual(refused)
    expect(await app.db.user.count()).toBe(before)
  })

  test('of a key that was just rotated in is accepted, and known keys are not fetched again', async () => {
    const clock = holdClock()
    expect(landing(await present(withClaims({})))).toEqual([302, '/dashboard'])
    clock.advance(60)
    google.rotateKey()
    expect(landing(await present(withClaims({})))).toEqual([302, '/dashboard'])
    const keys = () => google.paths.filter((path) => path === '/keys').length
    const before = keys()
    const known = await present((nonce) => {
      const token = google.signed(google.claims(nonce))
      google.rotateKey()
      return token
    })
    expect(landing(known)).toEqual([302, '/dashboard'])
    expect(keys()).toBe(before)
  })
})

test('T73: what of a person cannot be kept is left out', async () => {
  // Its own, with no key in its cache.
  const other = await createTestApp(google.environment)
  const { tab, nonce, back } = await begin(other)
  const idToken = google.signed(google.claims(nonce, { picture: 'https://pics.example.test/\u0000.png', name: 'A\u0000da' }))
  google.exchange = (response) =>
    void response
      .writeHead(200)
      .end(JSON.stringify({ access_token: 'x', id_token: idToken, expires_in: 1e20, scope: 'openid a\u0000b email' }))
  expect(landing(await tab.get(back))).toEqual([302, '/dashboard'])
  const user = await userIn(tab)
  expect(user).toMatchObject({ image: expect.not.stringContaining('\u0000'), name: expect.stringMatching(/^[\w-]+$/) })
  const account = await other.db.account.findFirstOrThrow({ where: { userId: user?.id ?? '' } })
  expect([account.tokenExpiresAt, account.scopes]).toEqual([null, ['openid', 'email']])
})

describe('T74: a provider that fails', () => {
  const answers: [string, (response: ServerResponse) => void, unknown[]][] = [
    ['500', (response) => void response.writeHead(500).end('{}'), unavailable],
    ['a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'), unavailable],
    ['nothing', (response) => void response.writeHead(200).end(), unavailable],
    ['an array', (response) => void response.writeHead(200).end('[]'), unavailable],
    ['no token', (response) => void response.writeHead(200).end('{}'), unavailable],
    ['a number for a token', (response) => void response.writeHead(200).end('{"access_token":7}'), unavailable],
    ['an odd ID token', (response) => void response.writeHead(200).end('{"access_token":"x","id_token":7}'), unavailable],
    ['no ID token', (response) => void response.writeHead(200).end('{"access_token":"x"}'), refused],
    ['a hangup', (response) => void response.destroy(), unavailable],
    ['ten megabytes', (response) => void response.writeHead(200).end(`{"x":"${'x'.repeat(10 * 1024 * 1024)}"}`), unavailable],
    ['a redirect', (response) => void response.writeHead(302, { location: `${google.issuer}/secret` }).end(), unavailable],
    [
      'a redirect inwards',
      (response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      unavailable,
    ],
    ['400', (response) => void response.writeHead(400).end('{"error":"invalid_grant"}'), [302, '/login?error=invalid_code']],
  ]

  test.each(answers)('with %s leads to a page, makes nothing and is not followed', async (_, exchange, expected) => {
    google.exchange = exchange
    const before = await app.db.user.count()
    const { tab, back } = await begin()
    const started = performance.now()
    expect(landing(await tab.get(back))).toEqual(expected)
    expect(performance.now() - started).toBeLessThan(5000)
    expect(google.paths).not.toContain('/secret')
    expect(await app.db.user.count()).toBe(before)
  })

  test('with a redirect inwards is not followed there, by whatever method', async () => {
    let reached = 0
    const inside = createServer((_request, response) => {
      reached += 1
      response.end('{"access_token":"x"}')
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void inside.close())
    const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/latest/meta-data`
    expect((await fetch(location)).status).toBe(200)
    expect(reached).toBe(1)
    for (const status of [301, 302, 303, 307, 308]) {
      google.exchange = (response) => void response.writeHead(status, { location }).end()
      const { tab, back } = await begin()
      expect(landing(await tab.get(back))).toEqual(unavailable)
    }
    expect(reached).toBe(1)
  })

  test('with keys that cannot be read is what does not answer, not the person', async () => {
    const other = await createTestApp(google.environment)
    for (const keys of ['<h1>', '[]', '{}', '']) {
      google.keys = (response) => void response.writeHead(keys === '' ? 500 : 200).end(keys)
      const { tab, nonce, back } = await begin(other)
      google.answerWith(google.signed(google.claims(nonce)))
      expect(landing(await tab.get(back)), keys).toEqual(unavailable)
    }
    google.keys = null
  })

  test('with silence leads to a page after ten seconds', { timeout: 40_000 }, async () => {
    google.exchange = () => {}
    const { tab, back } = await begin()
    const started = performance.now()
    expect(landing(await tab.get(back))).toEqual(unavailable)
    expect(performance.now() - started).toBeGreaterThan(9_900)
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  test('of its discovery document changes nothing while the former one is known; the next one counts', async () => {
    const clock = holdClock()
    const other = await createTestApp(google.environment)
    const target = async () => {
      const { status, body } = await other.browser().post('/auth/sign-in/social', { provider: 'google' })
      expect(status).toBe(200)
      return (body as { url: string }).url
    }
    const patience = { timeout: 20_000 }
    google.paths.length = 0
    expect(await target()).toContain('/authorize?')
    google.discovery = (response) => void response.writeHead(500).end()
    onTestFinished(() => {
      google.discovery = null
    })
    clock.advance(3601)
    // What was asked has been refused when the next start asks anew.
    await vi.waitUntil(async () => (await target()).includes('/authorize?') && google.paths.length > 2, patience)
    const { issuer } = google
    const moved = {
      issuer,
      authorization_endpoint: `${issuer}/moved`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
    }
    google.discovery = (response) => void response.end(JSON.stringify(moved))
    await vi.waitUntil(async () => (await target()).startsWith(moved.authorization_endpoint), patience)
  })

  test('already at the start is 503 for a program and a page for a link', async () => {
    const down = await createTestApp(google.environment)
    for (const body of ['{}', '[]', '<h1>', JSON.stringify({ issuer: 'https://evil.test' })]) {
      google.discovery = (response) => void response.writeHead(200).end(body)
      const posted = await down.browser().post('/auth/sign-in/social', { provider: 'google' })
      expect([posted.status, posted.code, posted.headers.get('retry-after')]).toEqual([503, 'PROVIDER_UNAVAILABLE', '10'])
    }
    expect(landing(await down.browser().get('/auth/sign-in/social?provider=google'))).toEqual(unavailable)
    google.discovery = null
    expect((await down.browser().post('/auth/sign-in/social', { provider: 'google' })).status).toBe(200)
  })
})

test('nothing of all this was unforeseen', () => {
  expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
})
