import { createHash } from 'node:crypto'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { type OpenIdPerson, startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { landing, signInAt, urlOf, userIn, wayBack } from '@floorpass/testing/social-flow'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

const home = 'http://localhost:3000'
const [google, github] = await Promise.all([
  startOpenIdProvider(`${home}/auth/callback/google`),
  startGitHub(`${home}/auth/callback/github`),
])
afterAll(() => Promise.all([google.close(), github.close()]))
const app = await createTestApp({
  GOOGLE_CLIENT_ID: google.clientId,
  GOOGLE_CLIENT_SECRET: google.clientSecret,
  GOOGLE_ISSUER: google.issuer,
  ...github.environment,
})

let people = 0
/** Somebody new sits at the provider. */
function somebody(overrides: Partial<OpenIdPerson> = {}): OpenIdPerson {
  people += 1
  google.person = { sub: `g-${people}`, email: `gina-${people}@example.test`, email_verified: true, name: 'Gina', ...overrides }
  return google.person
}
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
const everybody = () => Promise.all([app.db.user.count(), app.db.session.count(), app.db.account.count()])
const refusal = (code: string, page = '/login') => [302, `${page}?error=${code}`]

beforeEach(() => void somebody())

describe('a sign-in with Google', () => {
  test('signs somebody new up, with a proved address in lower case and no password', async () => {
    const { email } = somebody({ email: 'Gina.Upper@Example.test', picture: 'https://pictures.example.test/gina.png' })
    const answer = await signInAt(app, 'google')
    expect(landing(answer)).toEqual([302, '/dashboard'])
    expect(answer.setCookies.find((cookie) => cookie.startsWith('floorpass_session='))).toMatch(/; HttpOnly; .*SameSite=Lax/)
    expect(await userIn(answer.tab)).toMatchObject({
      email: email?.toLowerCase(),
      emailVerified: true,
      name: 'Gina',
      image: 'https://pictures.example.test/gina.png',
    })
    expect(app.outbox.to(email?.toLowerCase() ?? '')).toEqual([])
  })

  test('knows them again by the permanent id, whatever their address is now, and begins another session', async () => {
    const first = await signInAt(app, 'google')
    const known = await userIn(first.tab)
    google.person = { ...(google.person as OpenIdPerson), email: 'moved@example.test', email_verified: false }
    const second = await signInAt(app, 'google', app.browser(), { callbackURL: '/again' })
    expect(landing(second)).toEqual([302, '/again'])
    expect(await userIn(second.tab)).toMatchObject({ id: known?.id, email: known?.email })
    expect(await app.db.session.count({ where: { userId: known?.id ?? '' } })).toBe(2)
  })

  test('sends somebody new to newUserCallbackURL, once', async () => {
    const targets = { callbackURL: '/dashboard?tab=1#top', newUserCallbackURL: '/welcome?from=%2Fgoogle' }
    expect(landing(await signInAt(app, 'google', app.browser(), targets))).toEqual([302, '/welcome?from=%2Fgoogle'])
    expect(landing(await signInAt(app, 'google', app.browser(), targets))).toEqual([302, '/dashboard?tab=1#top'])
  })

  test('begins by GET too, for a link', async () => {
    const start = await app.browser().get('/auth/sign-in/social?provider=google&callbackURL=/dashboard')
    expect([start.status, new URL(start.headers.get('location') ?? '').origin]).toEqual([302, google.issuer])
    expect(start.setCookies).toEqual([
      expect.stringMatching(/^floorpass_flow=[\w-]+; HttpOnly; Max-Age=600; Path=\/; SameSite=Lax$/),
    ])
  })

  test('denied consent leads to a page that says so', async () => {
    google.person = null
    const before = await everybody()
    expect(landing(await signInAt(app, 'google'))).toEqual(refusal('access_denied'))
    const named = await signInAt(app, 'google', app.browser(), { errorCallbackURL: '/oops?x=1' })
    expect(landing(named)).toEqual([302, '/oops?x=1&error=access_denied'])
    expect(await everybody()).toEqual(before)
  })

  test('T80: is refused to the suspended', async () => {
    const { tab } = await signInAt(app, 'google')
    const { id = '' } = (await userIn(tab)) ?? {}
    await app.db.user.update({ where: { id }, data: { suspendedAt: new Date() } })
    await app.db.session.deleteMany({ where: { userId: id } })
    expect(landing(await signInAt(app, 'google'))).toEqual(refusal('sign_in_refused'))
    expect(await app.db.auditEvent.count({ where: { userId: id, action: 'sign-in', succeeded: false } })).toBe(1)
    expect(await app.db.session.count({ where: { userId: id } })).toBe(0)
  })

  test('T76: what else the profile says changes nothing', async () => {
    somebody({ role: 'owner', tradingEnabled: true, emailVerified: true, id: 'mine', name: '<b>https://evil.test</b>' })
    const { tab } = await signInAt(app, 'google')
    const user = await userIn(tab)
    expect(user).toMatchObject({ tradingEnabled: false, riskLevel: 'conservative', twoFactorEnabled: false })
    expect([user?.role, user?.id === 'mine']).toEqual([undefined, false])
  })

  test.each([
    ['email_verified false', { email_verified: false }, 'email_not_verified'],
    ['no email_verified', { email_verified: undefined }, 'email_not_verified'],
    ['email_verified as text', { email_verified: 'true' }, 'email_not_verified'],
    ['no address', { email: undefined }, 'email_not_found'],
    ['an address that is none', { email: 'nobody' }, 'email_not_found'],
  ])('T75: %s makes no account and joins none', async (_, overrides, code) => {
    somebody(overrides as Partial<OpenIdPerson>)
    const before = await everybody()
    expect(landing(await signInAt(app, 'google'))).toEqual(refusal(code))
    expect(await everybody()).toEqual(before)
  })
})

describe('T68: the state', () => {
  const refusedWithoutTrace = async (tab: Browser, path: string, code = 'state_mismatch') => {
    const before = await everybody()
    const answer = await tab.get(path)
    expect(landing(answer)).toEqual(refusal(code))
    expect(answer.setCookies.filter((cookie) => cookie.startsWith('floorpass_session='))).toEqual([])
    expect(await everybody()).toEqual(before)
  }

  test('sealed under a secret that is gone', async () => {
    const tab = app.browser()
    const back = await wayBack(app, tab, 'google')
    const secretHash = hashOf(new URL(back, home).searchParams.get('state') ?? '')
    await app.db.verification.update({ where: { secretHash }, data: { payloadSealed: '1.AAAAAAAA.nonsense' } })
    await refusedWithoutTrace(tab, back)
  })

  test('of somebody who is signed in: the page that they can see says so', async () => {
    const { tab } = await signInAt(app, 'google')
    expect(landing(await tab.get('/auth/callback/google?code=x&state=nonsense'))).toEqual([
      302,
      '/settings/accounts?error=state_mismatch',
    ])
  })

  test('missing', async () => {
    const tab = app.browser()
    const back = new URL(await wayBack(app, tab, 'google'), home)
    back.searchParams.delete('state')
    await refusedWithoutTrace(tab, back.pathname + back.search, 'state_not_found')
  })

  test('unknown, altered or empty', async () => {
    const tab = app.browser()
    const back = await wayBack(app, tab, 'google')
    await refusedWithoutTrace(app.browser(), '/auth/callback/google?code=x&state=nonsense')
    await refusedWithoutTrace(tab, back.replace('state=', 'state=x'))
    await refusedWithoutTrace(app.browser(), '/auth/callback/google?code=x&state=', 'state_not_found')
  })

  test('used', async () => {
    const tab = app.browser()
    const back = await wayBack(app, tab, 'google')
    expect(landing(await tab.get(back))).toEqual([302, '/dashboard'])
    tab.cookies.delete('floorpass_session')
    await refusedWithoutTrace(tab, back)
  })

  test("another browser's, with and without a flow of its own", async () => {
    const back = await wayBack(app, app.browser(), 'google')
    await refusedWithoutTrace(app.browser(), back)
    const victim = app.browser()
    await wayBack(app, victim, 'google')
    await refusedWithoutTrace(victim, await wayBack(app, app.browser(), 'google'))
  })

  test('older than ten minutes', async () => {
    const clock = holdClock()
    const tab = app.browser()
    const back = await wayBack(app, tab, 'google')
    clock.advance(601)
    await refusedWithoutTrace(tab, back)
  })

  test("T70: another provider's", async () => {
    const tab = app.browser()
    const back = await wayBack(app, tab, 'google')
    await refusedWithoutTrace(tab, back.replace('/google', '/github'))
    await refusedWithoutTrace(tab, back)
    expect((await github.requests()).filter((line) => line.includes('access_token'))).toEqual([])
  })

  test('T177: is in the database only as a hash, and what it carries is sealed', async () => {
    const tab = app.browser()
    const url = urlOf(await tab.post('/auth/sign-in/social', { provider: 'google', callbackURL: '/canary-target' }))
    const rows = JSON.stringify(await app.everyRow())
    for (const secret of [url.searchParams.get('state'), url.searchParams.get('nonce'), tab.cookies.get('floorpass_flow')]) {
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect(rows).not.toContain(secret)
    }
    expect(rows).not.toContain('canary-target')
  })
})

test('T70: an `iss` of another provider is refused, and the own one is not', async () => {
  const tab = app.browser()
  const back = new URL(await wayBack(app, tab, 'google'), home)
  expect(back.searchParams.get('iss')).toBe(google.issuer)
  back.searchParams.set('iss', 'https://github.com')
  const before = await everybody()
  expect(landing(await tab.get(back.pathname + back.search))).toEqual(refusal('issuer_mismatch'))
  expect(await everybody()).toEqual(before)
})

describe('T69: PKCE', () => {
  test('S256 is sent, and challenge, nonce and state are new each time', async () => {
    const starts = await Promise.all([1, 2, 3].map(() => app.browser().post('/auth/sign-in/social', { provider: 'google' })))
    const queries = starts.map((start) => urlOf(start).searchParams)
    for (const query of queries) {
      expect(Object.fromEntries(query)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        redirect_uri: `${home}/auth/callback/google`,
        scope: 'openid email profile',
      })
      expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    }
    for (const name of ['code_challenge', 'nonce', 'state']) expect(new Set(queries.map((query) => query.get(name))).size).toBe(3)
  })

  test('a code that was got with another verifier is refused', async () => {
    const [tab, other] = [app.browser(), app.browser()]
    const back = new URL(await wayBack(app, tab, 'google'), home)
    const foreign = new URL(await wayBack(app, other, 'google'), home)
    back.searchParams.set('code', foreign.searchParams.get('code') ?? '')
    expect(landing(await tab.get(back.pathname + back.search))).toEqual(refusal('invalid_code'))
  })

  test('the verifier never leaves for the browser', async () => {
    const start = await app.browser().post('/auth/sign-in/social', { provider: 'google' })
    const challenge = urlOf(start).searchParams.get('code_challenge')
    const texts = [...JSON.stringify([start.body, start.setCookies]).matchAll(/[\w-]{43}/g)].map(([found]) => found)
    expect(texts.map((found) => createHash('sha256').update(found).digest('base64url'))).not.toContain(challenge)
  })
})

describe('T71: at once', () => {
  test('twenty callbacks of one flow make one session', async () => {
    const { email } = somebody()
    const tab = app.browser()
    const back = await wayBack(app, tab, 'google')
    const cookie = `floorpass_flow=${tab.cookies.get('floorpass_flow')}`
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.browser().get(back, { headers: { cookie } })))
    const targets = answers.map((answer) => answer.headers.get('location'))
    expect(targets.filter((target) => target === '/dashboard')).toHaveLength(1)
    expect(targets.filter((target) => target === '/login?error=state_mismatch')).toHaveLength(19)
    expect(await app.db.session.count({ where: { user: { email: email ?? '' } } })).toBe(1)
  })

  test('several callbacks of somebody new make one user', async () => {
    const { email } = somebody()
    const tabs = Array.from({ length: 5 }, () => app.browser())
    const backs: string[] = []
    for (const tab of tabs) backs.push(await wayBack(app, tab, 'google'))
    const answers = await Promise.all(tabs.map((tab, index) => tab.get(backs[index] ?? '')))
    expect(answers.map(landing)).toEqual(tabs.map(() => [302, '/dashboard']))
    expect(await app.db.user.count({ where: { email: email ?? '' } })).toBe(1)
    expect(await app.db.account.count({ where: { user: { email: email ?? '' } } })).toBe(1)
  })

  test('two tabs of one browser on their way: both arrive, in either order', async () => {
    const tab = app.browser()
    const backs = [await wayBack(app, tab, 'google'), await wayBack(app, tab, 'google')]
    expect(backs[0]).not.toBe(backs[1])
    for (const back of backs.reverse()) expect(landing(await tab.get(back))).toEqual([302, '/dashboard'])
  })
})

describe('T63: the three targets', () => {
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

  test.each(Object.entries(codes))('%s to a place that is not trusted is refused by POST and by GET', async (field, code) => {
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

describe('T77: without secrets', () => {
  test('a provider is not there: coded 404, nothing in the log, nothing in the document', async () => {
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

  test('T139: what is switched off is not there, on REST and tRPC', async () => {
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

  test('one provider alone works, and the other is absent', async () => {
    const one = await createTestApp(github.environment)
    expect((await one.browser().post('/auth/sign-in/social', { provider: 'google' })).code).toBe('PROVIDER_NOT_FOUND')
    expect((await one.browser().post('/auth/sign-in/social', { provider: 'github' })).status).toBe(200)
    const { paths } = (await one.browser().get('/auth/openapi.json')).body as { paths: object }
    expect(Object.keys(paths).filter((path) => path.includes('callback'))).toEqual(['/auth/callback/github'])
  })

  test('a provider that nobody knows is the same', async () => {
    for (const provider of ['facebook', '__proto__', 'constructor', 'Google', 'google '])
      expect((await app.browser().post('/auth/sign-in/social', { provider })).code).toBe('PROVIDER_NOT_FOUND')
  })
})

test('T183: sign-up, sign-in and linking through a provider are one event each, with the provider', async () => {
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

test('too many ways back, and ones that no database can hold, lead to a page too', async () => {
  const limited = await createTestApp({ ...github.environment, RATE_LIMIT: 'on' })
  const back = (query = '') => limited.browser().get(`/auth/callback/github?code=x&state=nonsense${query}`)
  expect(landing(await back('&%00=x'))).toEqual([302, '/login?error=state_mismatch'])
  for (let count = 0; count < 60; count += 1) await back()
  expect(landing(await back())).toEqual([302, '/login?error=too_many_requests'])
})

test('scopes in a link are not asked for: anybody can write a link', async () => {
  const start = await app.browser().get('/auth/sign-in/social?provider=github&scopes=repo,delete_repo')
  expect(new URL(start.headers.get('location') ?? '').searchParams.get('scope')).toBe('read:user user:email')
})

test('too many tries by a link lead to the page that says so', async () => {
  const limited = await createTestApp({ ...github.environment, RATE_LIMIT: 'on' })
  const start = () => limited.browser().get('/auth/sign-in/social?provider=github&errorCallbackURL=https%3A%2F%2Fevil.test')
  const answers: Answer[] = []
  for (let count = 0; count < 31; count += 1) answers.push(await start())
  expect(landing(answers.at(-1) as Answer)).toEqual([302, '/login?error=too_many_requests'])
})

test('nothing of all this was unforeseen', () => {
  expect(app.unforeseen()).toEqual([])
})
