import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { startForgingProvider } from '@floorpass/testing/forging-provider'
import { callbackResult, urlOf, userIn } from '@floorpass/testing/social-flow'
import { holdTimeouts } from '@floorpass/testing/timeouts'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

const google = await startForgingProvider()
afterAll(() => google.close())
const app = await createTestApp(google.environment)

type Claims = Record<string, unknown>

async function startSignIn(at = app) {
  const tab = at.browser()
  const { searchParams } = urlOf(await tab.post('/auth/sign-in/social', { provider: 'google' }))
  const nonce = searchParams.get('nonce') ?? ''
  return { tab, nonce, callback: `/auth/callback/google?code=x&state=${searchParams.get('state')}` }
}

/** Runs a callback in which the provider answers with the token that `make` forges. */
async function signInWithToken(make: (nonce: string) => string) {
  const { tab, nonce, callback } = await startSignIn()
  google.answerWith(make(nonce))
  return Object.assign(await tab.get(callback), { tab })
}
const withClaims = (overrides: Claims) => (nonce: string) => google.signed(google.claims(nonce, overrides))
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const refused = [302, '/login?error=unable_to_get_user_info']
const unavailable = [302, '/login?error=provider_unavailable']

describe('T73: an ID token', () => {
  test('that is valid signs in, and the code exchange sends the PKCE verifier', async () => {
    const answer = await signInWithToken(withClaims({ email: 'held@example.test' }))
    expect(callbackResult(answer)).toEqual([302, '/dashboard'])
    expect(await userIn(answer.tab)).toMatchObject({ email: 'held@example.test' })
    // It stays when the browser is closed.
    expect(answer.setCookies.find((cookie) => cookie.startsWith('local-floorpass_session='))).toMatch(/Max-Age=604800\b/)
    expect(Object.fromEntries(google.exchanges.at(-1) ?? [])).toMatchObject({
      grant_type: 'authorization_code',
      code_verifier: expect.stringMatching(/^[\w-]{43,128}$/),
    })
  })

  test.each<[string, () => Claims]>([
    ['for another client', () => ({ aud: 'another-client' })],
    ['for several clients, issued to another', () => ({ aud: ['another-client', google.clientId], azp: 'another-client' })],
    ['of another issuer', () => ({ iss: 'https://accounts.google.com' })],
    ['without an issuer', () => ({ iss: undefined })],
    ['for another attempt', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['that has expired', () => ({ iat: inSeconds(-7200), exp: inSeconds(-3600) })],
    ['that never expires', () => ({ exp: undefined })],
    ['that is not valid yet', () => ({ nbf: inSeconds(3600) })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an object as its subject', () => ({ sub: { toString: 'x' } })],
    ['with null as its subject', () => ({ sub: null })],
    ['with NUL in its subject', () => ({ sub: 'a\u0000b' })],
    ['with a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
  ])('%s is refused', async (_, overrides) => {
    const before = await app.db.user.count()
    expect(callbackResult(await signInWithToken(withClaims(overrides())))).toEqual(refused)
    expect(await app.db.user.count()).toBe(before)
  })

  test.each<[string, (nonce: string) => string]>([
    ['without a signature', (nonce) => google.unsigned(google.claims(nonce))],
    ['signed with the public key as a secret', (nonce) => google.signedWithPublicKey(google.claims(nonce))],
    [
      'with changed claims',
      (nonce) => {
        const [head, , signature] = google.signed(google.claims(nonce)).split('.')
        return [head, google.signed(google.claims(nonce)).split('.')[1], signature].join('.')
      },
    ],
    ['without its signature', (nonce) => `${google.signed(google.claims(nonce)).split('.').slice(0, 2).join('.')}.`],
    ['that is not a token', () => 'nonsense'],
  ])('%s is refused', async (_, make) => {
    const before = await app.db.user.count()
    expect(callbackResult(await signInWithToken(make))).toEqual(refused)
    expect(await app.db.user.count()).toBe(before)
  })

  test('signed with a newly rotated key is accepted, and known keys are not fetched again', async () => {
    const clock = holdClock()
    expect(callbackResult(await signInWithToken(withClaims({})))).toEqual([302, '/dashboard'])
    clock.advance(60)
    google.rotateKey()
    expect(callbackResult(await signInWithToken(withClaims({})))).toEqual([302, '/dashboard'])
    const keys = () => google.paths.filter((path) => path === '/keys').length
    const before = keys()
    const known = await signInWithToken((nonce) => {
      const token = google.signed(google.claims(nonce))
      google.rotateKey()
      return token
    })
    expect(callbackResult(known)).toEqual([302, '/dashboard'])
    expect(keys()).toBe(before)
  })
})

test('T73: profile values that the database cannot store are left out', async () => {
  // A new app has no cached keys.
  const other = await createTestApp(google.environment)
  const { tab, nonce, callback } = await startSignIn(other)
  const idToken = google.signed(google.claims(nonce, { picture: 'https://pics.example.test/\u0000.png', name: 'A\u0000da' }))
  google.exchange = (response) =>
    void response
      .writeHead(200)
      .end(JSON.stringify({ access_token: 'x', id_token: idToken, expires_in: 1e20, scope: 'openid a\u0000b email' }))
  expect(callbackResult(await tab.get(callback))).toEqual([302, '/dashboard'])
  const user = await userIn(tab)
  expect(user).toMatchObject({ image: expect.not.stringContaining('\u0000'), name: expect.stringMatching(/^[\w-]+$/) })
  const account = await other.db.account.findFirstOrThrow({ where: { userId: user?.id ?? '' } })
  expect([account.tokenExpiresAt, account.scopes]).toEqual([null, ['openid', 'email']])
})

// The keys that the first app knows are out of date.
const second = await createTestApp(google.environment)

/** Runs a callback in which the provider answers the code with these fields beside a valid ID token. */
async function signInWithAnswer(fields: Record<string, unknown>, claims: Claims = {}, size = 0) {
  const { tab, nonce, callback } = await startSignIn(second)
  const idToken = google.signed(google.claims(nonce, claims))
  const json = JSON.stringify({ access_token: 'x', id_token: idToken, ...fields })
  google.exchange = (response) => void response.writeHead(200).end(json.padEnd(size))
  return Object.assign(await tab.get(callback), { tab })
}

test('each sign-in keeps what the provider tells now', async () => {
  const clock = holdClock()
  const sub = 'comes-back'
  const claims = { sub, email: 'comes-back@example.test' }
  const readAccount = () => second.db.account.findFirstOrThrow({ where: { accountId: sub } })
  await signInWithAnswer({ expires_in: 3600, scope: 'openid' }, claims)
  const before = await readAccount()
  expect([Number(before.tokenExpiresAt), before.scopes]).toEqual([Date.now() + 3600_000, ['openid']])
  clock.advance(60)
  const picture = 'https://pics.example.test/new.png'
  await signInWithAnswer({ access_token: 'y', refresh_token: 'z', scope: 'openid email' }, { ...claims, picture })
  const after = await readAccount()
  expect(after).toMatchObject({ tokenExpiresAt: null, scopes: ['openid', 'email'], lastUsedAt: new Date(), pictureUrl: picture })
  expect(after.accessTokenSealed).not.toBe(before.accessTokenSealed)
  expect(after.refreshTokenSealed).not.toBeNull()
})

test.each([
  [0, true],
  [10 * 365 * 86_400, true],
  [-1, false],
  [10 * 365 * 86_400 + 1, false],
  ['soon', false],
])('a token that expires in %s seconds has a time: %s', async (seconds, isTime) => {
  holdClock()
  const { tab } = await signInWithAnswer({ expires_in: seconds })
  const account = await second.db.account.findFirstOrThrow({ where: { userId: (await userIn(tab))?.id ?? '' } })
  expect(account.tokenExpiresAt).toEqual(isTime ? new Date(Date.now() + Number(seconds) * 1000) : null)
})

test.each<[number, unknown[]]>([
  [256 * 1024, [302, '/dashboard']],
  [256 * 1024 + 1, unavailable],
])('T74: an answer of %s bytes leads to %s', async (size, result) => {
  expect(callbackResult(await signInWithAnswer({}, {}, size))).toEqual(result)
})

describe('T74: a failing provider', () => {
  const answers: [string, (response: ServerResponse) => void, unknown[]][] = [
    ['500', (response) => void response.writeHead(500).end('{}'), unavailable],
    ['a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'), unavailable],
    ['nothing', (response) => void response.writeHead(200).end(), unavailable],
    ['an array', (response) => void response.writeHead(200).end('[]'), unavailable],
    ['no token', (response) => void response.writeHead(200).end('{}'), unavailable],
    ['a number for a token', (response) => void response.writeHead(200).end('{"access_token":7}'), unavailable],
    ['an odd ID token', (response) => void response.writeHead(200).end('{"access_token":"x","id_token":7}'), unavailable],
    ['no ID token', (response) => void response.writeHead(200).end('{"access_token":"x"}'), refused],
    ['a closed connection', (response) => void response.destroy(), unavailable],
    ['a redirect', (response) => void response.writeHead(302, { location: `${google.issuer}/secret` }).end(), unavailable],
    [
      'a redirect to an internal address',
      (response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      unavailable,
    ],
    ['400', (response) => void response.writeHead(400).end('{"error":"invalid_grant"}'), [302, '/login?error=invalid_code']],
  ]

  test.each(answers)(
    'that answers with %s leads to an error page, creates no user and is not followed',
    async (_, exchange, expected) => {
      google.exchange = exchange
      const before = await app.db.user.count()
      const { tab, callback } = await startSignIn()
      // The answer decides, not the limit of ten seconds.
      holdTimeouts()
      expect(callbackResult(await tab.get(callback))).toEqual(expected)
      expect(google.paths).not.toContain('/secret')
      expect(await app.db.user.count()).toBe(before)
    },
  )

  test('that redirects to an internal address is not followed, for any redirect status', async () => {
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
      const { tab, callback } = await startSignIn()
      expect(callbackResult(await tab.get(callback))).toEqual(unavailable)
    }
    expect(reached).toBe(1)
  })

  test('that sends unreadable keys is reported as unavailable', async () => {
    const other = await createTestApp(google.environment)
    for (const keys of ['<h1>', '[]', '{}', '']) {
      google.keys = (response) => void response.writeHead(keys === '' ? 500 : 200).end(keys)
      const { tab, nonce, callback } = await startSignIn(other)
      google.answerWith(google.signed(google.claims(nonce)))
      expect(callbackResult(await tab.get(callback)), keys).toEqual(unavailable)
    }
    google.keys = null
  })

  test.each<[number, unknown[]]>([
    [256 * 1024, [302, '/dashboard']],
    [256 * 1024 + 1, unavailable],
  ])('that sends keys of %s bytes leads to %s', async (size, result) => {
    const keys = await (await fetch(`${google.issuer}/keys`)).text()
    google.keys = (response) => void response.end(keys.padEnd(size))
    onTestFinished(() => {
      google.keys = null
    })
    const { tab, nonce, callback } = await startSignIn(await createTestApp(google.environment))
    google.answerWith(google.signed(google.claims(nonce)))
    expect(callbackResult(await tab.get(callback))).toEqual(result)
  })

  test('that does not answer leads to an error page after ten seconds', async () => {
    let silent = 0
    const { tab, callback } = await startSignIn()
    const timeouts = holdTimeouts()
    google.exchange = () => {
      silent += 1
      timeouts.fire()
    }
    expect(callbackResult(await tab.get(callback))).toEqual(unavailable)
    expect([silent, timeouts.mock.calls]).toEqual([1, [[10_000]]])
  })

  test('without its discovery document is used from the cache until the next document arrives', async () => {
    const clock = holdClock()
    const other = await createTestApp(google.environment)
    const target = async () => {
      const { status, body } = await other.browser().post('/auth/sign-in/social', { provider: 'google' })
      expect(status).toBe(200)
      return (body as { url: string }).url
    }
    google.paths.length = 0
    expect(await target()).toContain('/authorize?')
    google.discovery = (response) => void response.writeHead(500).end()
    onTestFinished(() => {
      google.discovery = null
    })
    clock.advance(3601)
    // The refresh in the background fails first; the next start triggers another one.
    await eventually(async () => {
      expect(await target()).toContain('/authorize?')
      expect(google.paths.length).toBeGreaterThan(2)
    })
    const { issuer } = google
    const moved = {
      issuer,
      authorization_endpoint: `${issuer}/moved`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
    }
    google.discovery = (response) => void response.end(JSON.stringify(moved))
    await eventually(async () => expect(await target()).toContain(moved.authorization_endpoint))
  })

  test('answers 503 to a program and redirects a link to an error page', async () => {
    const down = await createTestApp(google.environment)
    for (const body of ['{}', '[]', '<h1>', JSON.stringify({ issuer: 'https://evil.test' })]) {
      google.discovery = (response) => void response.writeHead(200).end(body)
      const posted = await down.browser().post('/auth/sign-in/social', { provider: 'google' })
      expect([posted.status, posted.code, posted.headers.get('retry-after')]).toEqual([503, 'PROVIDER_UNAVAILABLE', '10'])
    }
    expect(callbackResult(await down.browser().get('/auth/sign-in/social?provider=google'))).toEqual(unavailable)
    google.discovery = null
    expect((await down.browser().post('/auth/sign-in/social', { provider: 'google' })).status).toBe(200)
  })
})

test('the tests above caused no unexpected error', () => {
  expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
})
