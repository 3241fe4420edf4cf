import { createHash } from 'node:crypto'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createSocialApp } from '@floorpass/testing/create-social-app'
import { createTestApp } from '@floorpass/testing/create-test-app'
import type { OpenIdPerson } from '@floorpass/testing/openid-provider'
import { callbackResult, followToCallback, signInAt, urlOf, userIn } from '@floorpass/testing/social-flow'
import { beforeEach, describe, expect, test } from 'vitest'

const { app, google, github } = await createSocialApp()

let peopleCount = 0
/** Sets a new person as the one signed in at the provider. */
function setPerson(overrides: Partial<OpenIdPerson> = {}): OpenIdPerson {
  peopleCount += 1
  google.person = {
    sub: `g-${peopleCount}`,
    email: `gina-${peopleCount}@example.test`,
    email_verified: true,
    name: 'Gina',
    ...overrides,
  }
  return google.person
}
const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
const countRows = () => Promise.all([app.db.user.count(), app.db.session.count(), app.db.account.count()])
const errorRedirect = (code: string, page = '/login') => [302, `${page}?error=${code}`]

beforeEach(() => void setPerson())

describe('a sign-in with Google', () => {
  test('signs a new person up with a verified email in lower case and no password', async () => {
    const { email } = setPerson({ email: 'Gina.Upper@Example.test', picture: 'https://pictures.example.test/gina.png' })
    const answer = await signInAt(app, 'google')
    expect(callbackResult(answer)).toEqual([302, '/dashboard'])
    expect(answer.setCookies.find((cookie) => cookie.startsWith('local-floorpass_session='))).toMatch(
      /; HttpOnly; .*SameSite=Lax/,
    )
    expect(await userIn(answer.tab)).toMatchObject({
      email: email?.toLowerCase(),
      emailVerified: true,
      name: 'Gina',
      image: 'https://pictures.example.test/gina.png',
    })
    expect(app.outbox.to(email?.toLowerCase() ?? '')).toEqual([])
  })

  test('recognizes the person by their permanent id when the email changed, and opens another session', async () => {
    const first = await signInAt(app, 'google')
    const known = await userIn(first.tab)
    google.person = { ...(google.person as OpenIdPerson), email: 'moved@example.test', email_verified: false }
    const second = await signInAt(app, 'google', app.browser(), { callbackURL: '/again' })
    expect(callbackResult(second)).toEqual([302, '/again'])
    expect(await userIn(second.tab)).toMatchObject({ id: known?.id, email: known?.email })
    expect(await app.db.session.count({ where: { userId: known?.id ?? '' } })).toBe(2)
  })

  test('redirects a new person to newUserCallbackURL, once', async () => {
    const targets = { callbackURL: '/dashboard?tab=1#top', newUserCallbackURL: '/welcome?from=%2Fgoogle' }
    expect(callbackResult(await signInAt(app, 'google', app.browser(), targets))).toEqual([302, '/welcome?from=%2Fgoogle'])
    expect(callbackResult(await signInAt(app, 'google', app.browser(), targets))).toEqual([302, '/dashboard?tab=1#top'])
  })

  test('can start with GET, for a link', async () => {
    const start = await app.browser().get('/auth/sign-in/social?provider=google&callbackURL=/dashboard')
    expect([start.status, new URL(start.headers.get('location') ?? '').origin]).toEqual([302, google.issuer])
    expect(start.setCookies).toEqual([
      expect.stringMatching(/^floorpass_flow=[\w-]+; HttpOnly; Max-Age=600; Path=\/; SameSite=Lax$/),
    ])
  })

  test('redirects to a page with the reason when the person denies consent', async () => {
    google.person = null
    const before = await countRows()
    expect(callbackResult(await signInAt(app, 'google'))).toEqual(errorRedirect('access_denied'))
    const named = await signInAt(app, 'google', app.browser(), { errorCallbackURL: '/oops?x=1' })
    expect(callbackResult(named)).toEqual([302, '/oops?x=1&error=access_denied'])
    expect(await countRows()).toEqual(before)
  })

  test('T80: is refused for a suspended user', async () => {
    const { tab } = await signInAt(app, 'google')
    const { id = '' } = (await userIn(tab)) ?? {}
    await app.db.user.update({ where: { id }, data: { suspendedAt: new Date() } })
    await app.db.session.deleteMany({ where: { userId: id } })
    expect(callbackResult(await signInAt(app, 'google'))).toEqual(errorRedirect('sign_in_refused'))
    expect(await app.db.auditEvent.count({ where: { userId: id, action: 'sign-in', succeeded: false } })).toBe(1)
    expect(await app.db.session.count({ where: { userId: id } })).toBe(0)
  })

  test('T76: ignores every other field of the profile', async () => {
    setPerson({ role: 'owner', tradingEnabled: true, emailVerified: true, id: 'mine', name: '<b>https://evil.test</b>' })
    const { tab } = await signInAt(app, 'google')
    const user = await userIn(tab)
    expect(user).toMatchObject({ tradingEnabled: false, riskLevel: 'conservative', twoFactorEnabled: false })
    expect([user?.role, user?.id === 'mine']).toEqual(['user', false])
  })

  test.each([
    ['email_verified false', { email_verified: false }, 'email_not_verified'],
    ['no email_verified', { email_verified: undefined }, 'email_not_verified'],
    ['email_verified as text', { email_verified: 'true' }, 'email_not_verified'],
    ['no email', { email: undefined }, 'email_not_found'],
    ['an invalid email', { email: 'no-email' }, 'email_not_found'],
  ])('T75: creates and joins no account for %s', async (_, overrides, code) => {
    setPerson(overrides as Partial<OpenIdPerson>)
    const before = await countRows()
    expect(callbackResult(await signInAt(app, 'google'))).toEqual(errorRedirect(code))
    expect(await countRows()).toEqual(before)
  })
})

describe('T68: the state of a social sign-in', () => {
  const expectRefusal = async (tab: Browser, path: string, code = 'state_mismatch') => {
    const before = await countRows()
    const answer = await tab.get(path)
    expect(callbackResult(answer)).toEqual(errorRedirect(code))
    expect(answer.setCookies.filter((cookie) => cookie.startsWith('local-floorpass_session='))).toEqual([])
    expect(await countRows()).toEqual(before)
  }

  test('is refused when AUTH_SECRET no longer lists the secret that sealed it', async () => {
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'google')
    const secretHash = hashToken(new URL(callback, app.baseUrl).searchParams.get('state') ?? '')
    await app.db.verification.update({ where: { secretHash }, data: { payloadSealed: '1.AAAAAAAA.nonsense' } })
    await expectRefusal(tab, callback)
  })

  test('is refused on the accounts page when the person is signed in', async () => {
    const { tab } = await signInAt(app, 'google')
    expect(callbackResult(await tab.get('/auth/callback/google?code=x&state=nonsense'))).toEqual([
      302,
      '/settings/accounts?error=state_mismatch',
    ])
  })

  test('is refused when it is missing', async () => {
    const tab = app.browser()
    const callback = new URL(await followToCallback(app, tab, 'google'), app.baseUrl)
    callback.searchParams.delete('state')
    await expectRefusal(tab, callback.pathname + callback.search, 'state_not_found')
  })

  test('is refused when it is unknown, altered or empty', async () => {
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'google')
    await expectRefusal(app.browser(), '/auth/callback/google?code=x&state=nonsense')
    await expectRefusal(tab, callback.replace('state=', 'state=x'))
    await expectRefusal(app.browser(), '/auth/callback/google?code=x&state=', 'state_not_found')
  })

  test('is refused when it was used', async () => {
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'google')
    expect(callbackResult(await tab.get(callback))).toEqual([302, '/dashboard'])
    tab.cookies.delete('local-floorpass_session')
    await expectRefusal(tab, callback)
  })

  test('is refused when it belongs to another browser, with or without a sign-in in progress', async () => {
    const callback = await followToCallback(app, app.browser(), 'google')
    await expectRefusal(app.browser(), callback)
    const victim = app.browser()
    await followToCallback(app, victim, 'google')
    await expectRefusal(victim, await followToCallback(app, app.browser(), 'google'))
  })

  test('is refused after ten minutes', async () => {
    const clock = holdClock()
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'google')
    clock.advance(601)
    await expectRefusal(tab, callback)
  })

  test('T70: is refused when it belongs to another provider', async () => {
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'google')
    await expectRefusal(tab, callback.replace('/google', '/github'))
    await expectRefusal(tab, callback)
    expect((await github.requests()).filter((line) => line.includes('access_token'))).toEqual([])
  })

  test('T177: is stored only as a hash, with a sealed payload', async () => {
    const tab = app.browser()
    const url = urlOf(await tab.post('/auth/sign-in/social', { provider: 'google', callbackURL: '/canary-target' }))
    const rows = JSON.stringify(await app.readAllRows())
    for (const secret of [url.searchParams.get('state'), url.searchParams.get('nonce'), tab.cookies.get('floorpass_flow')]) {
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect(rows).not.toContain(secret)
    }
    expect(rows).not.toContain('canary-target')
  })
})

test("T70: an `iss` of another provider is refused, and the provider's own is accepted", async () => {
  const tab = app.browser()
  const callback = new URL(await followToCallback(app, tab, 'google'), app.baseUrl)
  expect(callback.searchParams.get('iss')).toBe(google.issuer)
  callback.searchParams.set('iss', 'https://github.com')
  const before = await countRows()
  expect(callbackResult(await tab.get(callback.pathname + callback.search))).toEqual(errorRedirect('issuer_mismatch'))
  expect(await countRows()).toEqual(before)
})

describe('T69: PKCE', () => {
  test('sends S256 with a new challenge, nonce and state each time', async () => {
    const starts = await Promise.all([1, 2, 3].map(() => app.browser().post('/auth/sign-in/social', { provider: 'google' })))
    const queries = starts.map((start) => urlOf(start).searchParams)
    for (const query of queries) {
      expect(Object.fromEntries(query)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        redirect_uri: `${app.baseUrl}/auth/callback/google`,
        scope: 'openid email profile',
      })
      expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    }
    for (const name of ['code_challenge', 'nonce', 'state']) expect(new Set(queries.map((query) => query.get(name))).size).toBe(3)
  })

  test('refuses a code that was issued for another verifier', async () => {
    const [tab, other] = [app.browser(), app.browser()]
    const callback = new URL(await followToCallback(app, tab, 'google'), app.baseUrl)
    const foreign = new URL(await followToCallback(app, other, 'google'), app.baseUrl)
    callback.searchParams.set('code', foreign.searchParams.get('code') ?? '')
    expect(callbackResult(await tab.get(callback.pathname + callback.search))).toEqual(errorRedirect('invalid_code'))
  })

  test('never sends the verifier to the browser', async () => {
    const start = await app.browser().post('/auth/sign-in/social', { provider: 'google' })
    const challenge = urlOf(start).searchParams.get('code_challenge')
    const texts = [...JSON.stringify([start.body, start.setCookies]).matchAll(/[\w-]{43}/g)].map(([found]) => found)
    expect(texts.map((found) => createHash('sha256').update(found).digest('base64url'))).not.toContain(challenge)
  })
})

describe('T71: in parallel,', () => {
  test('twenty callbacks of one sign-in open one session', async () => {
    const { email } = setPerson()
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'google')
    const cookie = `floorpass_flow=${tab.cookies.get('floorpass_flow')}`
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.browser().get(callback, { headers: { cookie } })))
    const targets = answers.map((answer) => answer.headers.get('location'))
    expect(targets.filter((target) => target === '/dashboard')).toHaveLength(1)
    expect(targets.filter((target) => target === '/login?error=state_mismatch')).toHaveLength(19)
    expect(await app.db.session.count({ where: { user: { email: email ?? '' } } })).toBe(1)
  })

  test('several callbacks of a new person create one user', async () => {
    const { email } = setPerson()
    const tabs = Array.from({ length: 5 }, () => app.browser())
    const callbacks: string[] = []
    for (const tab of tabs) callbacks.push(await followToCallback(app, tab, 'google'))
    const answers = await Promise.all(tabs.map((tab, index) => tab.get(callbacks[index] ?? '')))
    expect(answers.map(callbackResult)).toEqual(tabs.map(() => [302, '/dashboard']))
    expect(await app.db.user.count({ where: { email: email ?? '' } })).toBe(1)
    expect(await app.db.account.count({ where: { user: { email: email ?? '' } } })).toBe(1)
  })

  test('two sign-ins of one browser both finish, in either order', async () => {
    const tab = app.browser()
    const callbacks = [await followToCallback(app, tab, 'google'), await followToCallback(app, tab, 'google')]
    expect(callbacks[0]).not.toBe(callbacks[1])
    for (const callback of callbacks.reverse()) expect(callbackResult(await tab.get(callback))).toEqual([302, '/dashboard'])
  })
})

describe('T63: the redirect targets', () => {
  const hostile = [
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:evil.test',
    '/%2f/evil.test',
    '/%09/evil.test',
    'https://user@localhost:3000/',
    '/\t/evil.test',
    '/\n/evil.test',
    'http://localhost:3000@evil.test',
  ]
  const codes = {
    callbackURL: 'INVALID_CALLBACK_URL',
    errorCallbackURL: 'INVALID_ERROR_CALLBACK_URL',
    newUserCallbackURL: 'INVALID_NEW_USER_CALLBACK_URL',
  }

  test.each(Object.entries(codes))('refuse an untrusted %s by POST and by GET', async (field, code) => {
    const before = await app.db.verification.count()
    for (const target of hostile) {
      const posted = await app.browser().post('/auth/sign-in/social', { provider: 'google', [field]: target })
      expect([target, posted.status, posted.code, posted.setCookies]).toEqual([target, 403, code, []])
      const query = new URLSearchParams({ provider: 'google', [field]: target })
      const got = await app.browser().get(`/auth/sign-in/social?${query}`)
      expect([target, got.status, got.code]).toEqual([target, 403, code])
    }
    expect(await app.db.verification.count()).toBe(before)
  })
})

describe('T77: without its credentials', () => {
  test('a provider answers 404, logs nothing and is not in the document', async () => {
    const bare = await createTestApp()
    bare.logs.length = 0
    const answers = [
      await bare.browser().post('/auth/sign-in/social', { provider: 'google' }),
      await bare.browser().get('/auth/sign-in/social?provider=github'),
      await bare.browser().get('/auth/callback/google?code=x&state=x'),
      await bare.browser().get('/auth/callback/github'),
      await (await bare.signedIn()).post('/auth/link-social', { provider: 'google' }),
    ]
    for (const { status, code } of answers) expect([status, code]).toEqual([404, 'PROVIDER_NOT_FOUND'])
    expect(bare.logs.filter(({ level }) => Number(level) > 30)).toEqual([])
    const { paths } = (await bare.browser().get('/auth/openapi.json')).body as { paths: object }
    expect(Object.keys(paths).filter((path) => /social|callback/.test(path))).toEqual([])
  })

  test('T139: a provider is absent from REST and tRPC', async () => {
    const bare = await createTestApp()
    const tab = await bare.signedIn()
    const provider = 'google'
    const rows: [path: string, procedure: string, input: object][] = [
      ['/sign-in/social', 'signIn.startSocial', { provider }],
      ['/link-social', 'linkedAccounts.link', { provider }],
    ]
    for (const [path, procedure, input] of rows) {
      expect(await tab.post(`/auth${path}`, input)).toMatchObject({ status: 404, code: 'PROVIDER_NOT_FOUND' })
      const { status, body } = await tab.post(`/trpc/${procedure}`, input)
      expect([status, body]).toMatchObject([404, { error: { data: { key: 'PROVIDER_NOT_FOUND' } } }])
    }
    const returned = { provider, code: 'x', state: 'x' }
    const finished = await tab.post('/trpc/signIn.finishSocial', returned)
    expect(finished.body).toMatchObject({ error: { data: { key: 'PROVIDER_NOT_FOUND' } } })
  })

  test('one provider is absent and the other works', async () => {
    const one = await createTestApp(github.environment)
    expect((await one.browser().post('/auth/sign-in/social', { provider: 'google' })).code).toBe('PROVIDER_NOT_FOUND')
    expect((await one.browser().post('/auth/sign-in/social', { provider: 'github' })).status).toBe(200)
    const { paths } = (await one.browser().get('/auth/openapi.json')).body as { paths: object }
    expect(Object.keys(paths).filter((path) => path.includes('callback'))).toEqual(['/auth/callback/github'])
  })

  test('an unknown provider answers 404 too', async () => {
    for (const provider of ['facebook', '__proto__', 'constructor', 'Google', 'google '])
      expect((await app.browser().post('/auth/sign-in/social', { provider })).code).toBe('PROVIDER_NOT_FOUND')
  })
})

test('T183: sign-up, sign-in and linking through a provider record one event each, with the provider', async () => {
  const { tab } = await signInAt(app, 'google')
  const userId = (await userIn(tab))?.id ?? ''
  await signInAt(app, 'google')
  const emails = [{ email: google.person?.email ?? '', primary: true, verified: true }]
  await github.set({ person: { id: 7700, login: 'gina', emails } })
  await signInAt(app, 'github')
  const events = await app.db.auditEvent.findMany({ where: { userId }, orderBy: { id: 'asc' } })
  expect(events.map(({ action, details }) => [action, details])).toEqual([
    ['link-account', { provider: 'google' }],
    ['sign-up', { provider: 'google' }],
    ['sign-in', { provider: 'google' }],
    ['link-account', { provider: 'github' }],
    ['sign-in', { provider: 'github' }],
  ])
})

test('callbacks over the limit or with NUL redirect to an error page', async () => {
  const limited = await createTestApp({ ...github.environment, RATE_LIMIT: 'on' })
  const callback = (query = '') => limited.browser().get(`/auth/callback/github?code=x&state=nonsense${query}`)
  expect(callbackResult(await callback('&%00=x'))).toEqual([302, '/login?error=state_mismatch'])
  for (let count = 0; count < 60; count += 1) await callback()
  expect(callbackResult(await callback())).toEqual([302, '/login?error=too_many_requests'])
})

test('scopes in a link are ignored, because anyone can write a link', async () => {
  const start = await app.browser().get('/auth/sign-in/social?provider=github&scopes=repo,delete_repo')
  expect(new URL(start.headers.get('location') ?? '').searchParams.get('scope')).toBe('read:user user:email')
})

test('links over the limit redirect to an error page', async () => {
  const limited = await createTestApp({ ...github.environment, RATE_LIMIT: 'on' })
  const start = () => limited.browser().get('/auth/sign-in/social?provider=github&errorCallbackURL=https%3A%2F%2Fevil.test')
  const answers: Answer[] = []
  for (let count = 0; count < 31; count += 1) answers.push(await start())
  expect(callbackResult(answers.at(-1) as Answer)).toEqual([302, '/login?error=too_many_requests'])
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
