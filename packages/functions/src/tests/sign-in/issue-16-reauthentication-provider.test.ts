import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { startForgingProvider } from '@floorpass/testing/forging-provider'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { outcome } from '@floorpass/testing/organization'
import { landing, linkAt, signInAt, urlOf, userIn } from '@floorpass/testing/social-flow'
import { afterAll, describe, expect, test } from 'vitest'

const home = 'http://localhost:3000'
const [google, github, forging] = await Promise.all([
  startOpenIdProvider(`${home}/auth/callback/google`),
  startGitHub(`${home}/auth/callback/github`),
  startForgingProvider(),
])
afterAll(() => Promise.all([google.close(), github.close(), forging.close()]))
const app = await createTestApp({
  GOOGLE_CLIENT_ID: google.clientId,
  GOOGLE_CLIENT_SECRET: google.clientSecret,
  GOOGLE_ISSUER: google.issuer,
  ...github.environment,
})
const forged = await createTestApp(forging.environment)
const quarter = 15 * 60
const allowed = [200, undefined]
const refused = [403, 'SESSION_NOT_FRESH']

const act = async (tab: Browser) => outcome(await tab.get('/auth/export-data'))
const cookieOf = (tab: Browser) => tab.cookies.get('floorpass_session') ?? ''
const begin = (tab: Pick<Browser, 'post'>, provider: string, input: object = {}) =>
  tab.post('/auth/reauthenticate', { provider, ...input })
/** Through the provider's pages, up to the callback. */
const wayBack = async (tab: Browser, provider: string, input: object = {}) =>
  followRedirects(urlOf(await begin(tab, provider, input)).href, app.baseUrl)
const reauthenticateAt = async (provider: string, tab: Browser, input: object = {}) =>
  tab.get(await wayBack(tab, provider, input))
const failed = (code: string, page = '/reauthenticate') => [302, `${page}?error=${code}`]
const sessionsOf = (userId: string, at = app) => at.db.session.findMany({ where: { userId } })
const proofsOf = (userId: string, at = app) => at.db.auditEvent.count({ where: { userId, action: 'reauthenticate' } })

let people = 0
/** A new person at the real provider, who signs in there and has no password here. Their proof is too old by now. */
async function member() {
  const clock = holdClock()
  people += 1
  const person = { sub: `r-${people}`, email: `rita-${people}@example.test`, email_verified: true, name: 'Rita' }
  google.person = person
  const { tab } = await signInAt(app, 'google')
  const userId = (await userIn(tab))?.id ?? ''
  clock.advance(quarter + 1)
  expect(await act(tab)).toEqual(refused)
  return { clock, tab, userId, person }
}

describe('reauthenticating at a linked provider', () => {
  test('asks the provider for a recent sign-in, and its auth_time begins the 15 minutes', async () => {
    const { clock, tab, userId } = await member()
    const answer = await begin(tab, 'google', { callbackURL: '/settings/email', disableRedirect: true })
    expect(answer.body).toEqual({ url: expect.stringContaining(google.issuer), redirect: false })
    const { searchParams } = urlOf(answer)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      max_age: '0',
      claims: '{"id_token":{"auth_time":{"essential":true}}}',
    })
    const [before, [former]] = [cookieOf(tab), await sessionsOf(userId)]
    const back = await tab.get(await followRedirects(urlOf(answer).href, app.baseUrl))
    expect(landing(back)).toEqual([302, '/settings/email'])
    const [session, ...others] = await sessionsOf(userId)
    expect(others).toEqual([])
    const seconds = Math.floor(Date.now() / 1000)
    expect(session).toMatchObject({ createdAt: former?.createdAt, authenticatedAt: new Date(seconds * 1000) })
    expect(cookieOf(tab)).not.toBe(before)
    expect((await app.browser().get('/auth/get-session', { headers: { cookie: `floorpass_session=${before}` } })).body).toBeNull()
    expect(await app.db.auditEvent.findMany({ where: { userId, action: 'reauthenticate' } })).toMatchObject([
      { details: { method: 'google' }, succeeded: true },
    ])
    expect(await act(tab)).toEqual(allowed)
    clock.advance(quarter + 1)
    expect(await act(tab)).toEqual(refused)
  })

  test('never shortens a later proof', async () => {
    const { clock, tab, userId } = await member()
    const callback = await wayBack(tab, 'google')
    clock.advance(20)
    const later = new Date()
    await app.db.session.updateMany({ where: { userId }, data: { authenticatedAt: later } })
    expect(landing(await tab.get(callback))).toEqual([302, '/dashboard'])
    expect(await sessionsOf(userId)).toMatchObject([{ authenticatedAt: later }])
  })

  test('is listed as the way of an account that has nothing else', async () => {
    const { tab } = await member()
    expect((await tab.get('/auth/reauthentication')).body).toMatchObject({ methods: ['google'] })
    expect(landing(await reauthenticateAt('google', tab))).toEqual([302, '/dashboard'])
  })

  test('with another identity there proves nothing, also when it belongs to another user here', async () => {
    const other = await member()
    const { tab, userId } = await member()
    for (const person of [other.person, { ...other.person, sub: `new-${people}` }]) {
      google.person = person
      expect(landing(await reauthenticateAt('google', tab))).toEqual(failed('different_account'))
      expect(landing(await reauthenticateAt('google', tab, { errorCallbackURL: '/oops' }))).toEqual(
        failed('different_account', '/oops'),
      )
    }
    expect(await act(tab)).toEqual(refused)
    expect((await userIn(tab))?.id).toBe(userId)
    expect([await proofsOf(userId), await proofsOf(other.userId)]).toEqual([0, 0])
    expect((await sessionsOf(other.userId)).map(({ authenticatedAt }) => authenticatedAt?.getTime())).toEqual([
      expect.any(Number),
    ])
    expect(await app.db.account.count({ where: { userId } })).toBe(1)
  })

  test('denied there proves nothing', async () => {
    const { tab } = await member()
    google.person = null
    expect(landing(await reauthenticateAt('google', tab))).toEqual(failed('access_denied'))
    expect(await act(tab)).toEqual(refused)
  })

  test.each<[string, (given: Awaited<ReturnType<typeof member>>) => Promise<unknown>, unknown[]]>([
    ['a session that signed out', ({ tab }) => tab.post('/auth/sign-out'), failed('state_mismatch', '/login')],
    ['a revoked session', ({ userId }) => app.db.session.deleteMany({ where: { userId } }), failed('state_mismatch', '/login')],
    [
      'a suspended user',
      ({ userId }) => app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } }),
      failed('state_mismatch', '/login'),
    ],
    ['a deleted user', ({ userId }) => app.db.user.delete({ where: { id: userId } }), failed('state_mismatch', '/login')],
    [
      'an identity that was unlinked meanwhile',
      ({ userId }) => app.db.account.deleteMany({ where: { userId } }),
      failed('different_account'),
    ],
    ['a state that is over', async ({ clock }) => clock.advance(601), failed('state_mismatch', '/settings/accounts')],
    [
      'another sign-in of the same person in that browser',
      async ({ tab, person }) => {
        google.person = person
        await signInAt(app, 'google', tab)
      },
      failed('state_mismatch'),
    ],
  ])('of %s proves nothing', async (_, change, expected) => {
    const given = await member()
    const back = await wayBack(given.tab, 'google')
    await change(given)
    expect(landing(await given.tab.get(back))).toEqual(expected)
    expect(await proofsOf(given.userId)).toBe(0)
  })

  test('T86: a way back that another browser follows proves nothing, also when the same person is signed in there', async () => {
    const { tab, userId, clock } = await member()
    const other = (await signInAt(app, 'google')).tab
    clock.advance(quarter + 1)
    const back = await wayBack(tab, 'google')
    expect(landing(await other.get(back))).toEqual(failed('state_mismatch', '/settings/accounts'))
    expect([await act(tab), await act(other)]).toEqual([refused, refused])
    const again = await wayBack(tab, 'google')
    // As a thief who copies this cookie too: the session must be the one that began.
    other.cookies.set('floorpass_flow', tab.cookies.get('floorpass_flow') ?? '')
    expect(landing(await other.get(again))).toEqual(failed('state_mismatch'))
    expect([await act(tab), await act(other), await proofsOf(userId)]).toEqual([refused, refused, 0])
  })

  test('T68: a way back works once, and of twenty at once for one', async () => {
    const { tab, userId } = await member()
    const back = await wayBack(tab, 'google')
    const headers = { cookie: [...tab.cookies].map((pair) => pair.join('=')).join('; ') }
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.browser().get(back, { headers })))
    expect(answers.filter((answer) => landing(answer)[1] === '/dashboard')).toHaveLength(1)
    for (const answer of answers)
      expect(landing(answer)).toEqual([302, expect.stringMatching(/^\/dashboard$|error=state_mismatch$/)])
    expect([(await sessionsOf(userId)).length, await proofsOf(userId)]).toEqual([1, 1])
    expect(app.unforeseen()).toEqual([])
  })

  test('an ordinary sign-in or link that ends in this browser is no reauthentication of its session', async () => {
    const { tab, userId, person, clock } = await member()
    await reauthenticateAt('google', tab)
    clock.advance(quarter - 1)
    await github.set({
      person: { id: 5000 + people, login: 'rita', emails: [{ email: person.email, primary: true, verified: true }] },
    })
    await linkAt(app, 'github', tab)
    clock.advance(2)
    expect(await act(tab)).toEqual(refused)
    expect(await proofsOf(userId)).toBe(1)
  })

  test('at a provider that is not linked, or not configured, does not begin', async () => {
    const { tab } = await member()
    expect(outcome(await begin(tab, 'github'))).toEqual([400, 'ACCOUNT_NOT_FOUND'])
    expect(outcome(await begin(await forged.signedIn(), 'github'))).toEqual([404, 'PROVIDER_NOT_FOUND'])
    expect(outcome(await begin(app.browser(), 'google'))).toEqual([401, 'UNAUTHORIZED'])
  })

  test.each([
    ['callbackURL', 'INVALID_CALLBACK_URL'],
    ['errorCallbackURL', 'INVALID_ERROR_CALLBACK_URL'],
  ])('leads to no foreign page: %s', async (name, code) => {
    const { tab } = await member()
    for (const target of ['https://evil.test', '//evil.test'])
      expect((await begin(tab, 'google', { [name]: target })).code).toBe(code)
  })

  test('at GitHub, which gives no auth_time, begins the 15 minutes now', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    people += 1
    await github.set({
      person: { id: 5000 + people, login: 'hub', emails: [{ email: tab.person.email, primary: true, verified: true }] },
    })
    await linkAt(app, 'github', tab)
    clock.advance(quarter + 1)
    const answer = await begin(tab, 'github')
    expect(urlOf(answer).searchParams.get('prompt')).toBe('select_account')
    expect(landing(await tab.get(await followRedirects(urlOf(answer).href, app.baseUrl)))).toEqual([302, '/dashboard'])
    expect(await sessionsOf(tab.userId)).toMatchObject([{ authenticatedAt: new Date() }])
    await github.set({
      person: { id: 1, login: 'thief', emails: [{ email: 'thief@example.test', primary: true, verified: true }] },
    })
    clock.advance(quarter + 1)
    expect(landing(await reauthenticateAt('github', tab))).toEqual(failed('different_account'))
    expect(await act(tab)).toEqual(refused)
  })
})

describe('a provider that says when its user signed in', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const callback = async (tab: Browser, start: URL, sub: string, claims: object) => {
    const { searchParams } = start
    const email = `${sub}@example.test`
    forging.answerWith(forging.signed(forging.claims(searchParams.get('nonce') ?? '', { sub, email, ...claims })))
    return tab.get(`/auth/callback/google?code=x&state=${searchParams.get('state')}`)
  }
  const signIn = async (tab: Browser, sub: string, claims: object) =>
    callback(tab, urlOf(await tab.post('/auth/sign-in/social', { provider: 'google' })), sub, claims)
  const reauthenticate = async (tab: Browser, sub: string, claims: object) =>
    callback(tab, urlOf(await begin(tab, 'google')), sub, claims)
  const newSub = () => {
    people += 1
    return `forged-${people}`
  }
  async function signedIn() {
    // On a full second, as auth_time counts.
    const clock = holdClock(new Date(seconds() * 1000))
    const [tab, sub] = [forged.browser(), newSub()]
    expect(landing(await signIn(tab, sub, {}))).toEqual([302, '/dashboard'])
    clock.advance(quarter + 1)
    return { clock, tab, sub, userId: (await userIn(tab))?.id ?? '' }
  }

  test('15 minutes ago is recent enough, for this second', async () => {
    const { tab, sub, userId, clock } = await signedIn()
    const time = seconds() - quarter
    expect(landing(await reauthenticate(tab, sub, { auth_time: time }))).toEqual([302, '/dashboard'])
    expect(await sessionsOf(userId, forged)).toMatchObject([{ authenticatedAt: new Date(time * 1000) }])
    expect(await act(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await act(tab)).toEqual(refused)
  })

  test.each<[string, () => unknown]>([
    ['15 minutes and a second ago', () => seconds() - quarter - 1],
    ['a year ago', () => seconds() - 365 * 86_400],
    ['1970', () => 0],
    ['before 1970', () => -1e13],
    ['a year that no table holds', () => 1e300],
    ['a word', () => 'yesterday'],
    ['nothing', () => null],
    ['a list', () => [[], 'x']],
    ['an object', () => ({})],
  ])('%s proves nothing, and no request fails', async (_, time) => {
    const { tab, sub, userId } = await signedIn()
    expect(landing(await reauthenticate(tab, sub, { auth_time: time() }))).toEqual(failed('provider_sign_in_too_old'))
    expect([await act(tab), await proofsOf(userId, forged)]).toEqual([refused, 0])
    expect(landing(await signIn(forged.browser(), sub, { auth_time: time() }))).toEqual([302, '/dashboard'])
    expect(forged.unforeseen()).toEqual([])
  })

  test.each<[string, () => object]>([
    ['in the future', () => ({ auth_time: seconds() + 3600 })],
    ['never', () => ({})],
  ])('%s counts as now, and not a second longer', async (_, claims) => {
    const { tab, sub, userId, clock } = await signedIn()
    expect(landing(await reauthenticate(tab, sub, claims()))).toEqual([302, '/dashboard'])
    expect(await sessionsOf(userId, forged)).toMatchObject([{ authenticatedAt: new Date() }])
    clock.advance(quarter)
    expect(await act(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await act(tab)).toEqual(refused)
  })

  test('hours before a sign-in here: the new session is signed in and proves nothing', async () => {
    const { sub, userId } = await signedIn()
    const tab = forged.browser()
    expect(landing(await signIn(tab, sub, { auth_time: seconds() - 3600 }))).toEqual([302, '/dashboard'])
    expect((await userIn(tab))?.id).toBe(userId)
    expect(await act(tab)).toEqual(refused)
    expect((await tab.post('/auth/set-password', { newPassword: 'violet harbor ladder' })).code).toBe('SESSION_NOT_FRESH')
    expect(landing(await reauthenticate(tab, sub, { auth_time: seconds() }))).toEqual([302, '/dashboard'])
    expect(await act(tab)).toEqual(allowed)
  })

  test('hours before a sign-in that takes a code here: the code is the proof', async () => {
    const { tab, sub, clock } = await signedIn()
    await reauthenticate(tab, sub, {})
    const { authenticator } = await switchOnTwoFactor(tab)
    clock.advance(60)
    const phone = forged.browser()
    expect(landing(await signIn(phone, sub, { auth_time: seconds() - 3600 }))).toEqual([302, '/two-factor'])
    expect((await phone.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })).status).toBe(200)
    expect(await act(phone)).toEqual(allowed)
    // On the device that is trusted now no code is given, so the provider's sign-in is the only proof.
    expect(landing(await signIn(phone, sub, { auth_time: seconds() - 3600 }))).toEqual([302, '/dashboard'])
    expect(await act(phone)).toEqual(refused)
  })
})
