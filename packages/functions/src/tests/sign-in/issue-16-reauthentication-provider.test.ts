import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { type Browser, getSessionToken, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createSocialApp } from '@floorpass/testing/create-social-app'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { startForgingProvider } from '@floorpass/testing/forging-provider'
import { callbackResult, linkAt, signInAt, urlOf, userIn } from '@floorpass/testing/social-flow'
import { afterAll, describe, expect, test } from 'vitest'

const { app, google, github } = await createSocialApp()
const forging = await startForgingProvider()
afterAll(forging.close)
const forgingApp = await createTestApp(forging.environment)
const freshSeconds = 15 * 60
const allowed = [200, undefined]
const refused = [403, 'SESSION_NOT_FRESH']

const exportData = async (tab: Browser) => outcome(await tab.get('/auth/export-data'))
const startReauthentication = (tab: Pick<Browser, 'post'>, provider: string, input: object = {}) =>
  tab.post('/auth/reauthenticate', { provider, ...input })
/** Follows the provider's pages and returns the callback's address. */
const getCallbackPath = async (tab: Browser, provider: string, input: object = {}) =>
  followRedirects(urlOf(await startReauthentication(tab, provider, input)).href, app.baseUrl)
const reauthenticateWith = async (provider: string, tab: Browser, input: object = {}) =>
  tab.get(await getCallbackPath(tab, provider, input))
const failureRedirect = (code: string, page = '/reauthenticate') => [302, `${page}?error=${code}`]
const findSessions = (userId: string, at = app) => at.db.session.findMany({ where: { userId } })
const countReauthentications = (userId: string, at = app) =>
  at.db.auditEvent.count({ where: { userId, action: 'reauthenticate' } })

let peopleCount = 0
/** Signs a new person up through the provider, without a password, and lets the 15 minutes pass. */
async function signUpWithProvider() {
  const clock = holdClock()
  peopleCount += 1
  const person = { sub: `r-${peopleCount}`, email: `rita-${peopleCount}@example.test`, email_verified: true, name: 'Rita' }
  google.person = person
  const { tab } = await signInAt(app, 'google')
  const userId = (await userIn(tab))?.id ?? ''
  clock.advance(freshSeconds + 1)
  expect(await exportData(tab)).toEqual(refused)
  return { clock, tab, userId, person }
}

describe('reauthenticating with a linked provider', () => {
  test('asks the provider for a recent sign-in and counts the 15 minutes from its auth_time', async () => {
    const { clock, tab, userId } = await signUpWithProvider()
    const answer = await startReauthentication(tab, 'google', { callbackURL: '/settings/email', disableRedirect: true })
    expect(answer.body).toEqual({ url: expect.stringContaining(google.issuer), redirect: false })
    const { searchParams } = urlOf(answer)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      max_age: '0',
      claims: '{"id_token":{"auth_time":{"essential":true}}}',
    })
    const [before, [former]] = [getSessionToken(tab), await findSessions(userId)]
    const callback = await tab.get(await followRedirects(urlOf(answer).href, app.baseUrl))
    expect(callbackResult(callback)).toEqual([302, '/settings/email'])
    const [session, ...others] = await findSessions(userId)
    expect(others).toEqual([])
    const seconds = Math.floor(Date.now() / 1000)
    expect(session).toMatchObject({ createdAt: former?.createdAt, authenticatedAt: new Date(seconds * 1000) })
    expect(getSessionToken(tab)).not.toBe(before)
    expect(
      (await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${before}` } })).body,
    ).toBeNull()
    expect(await app.db.auditEvent.findMany({ where: { userId, action: 'reauthenticate' } })).toMatchObject([
      { details: { method: 'google' }, succeeded: true },
    ])
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(freshSeconds + 1)
    expect(await exportData(tab)).toEqual(refused)
  })

  test('never replaces a later authentication time with an earlier one', async () => {
    const { clock, tab, userId } = await signUpWithProvider()
    const callback = await getCallbackPath(tab, 'google')
    clock.advance(20)
    const later = new Date()
    await app.db.session.updateMany({ where: { userId }, data: { authenticatedAt: later } })
    expect(callbackResult(await tab.get(callback))).toEqual([302, '/dashboard'])
    expect(await findSessions(userId)).toMatchObject([{ authenticatedAt: later }])
  })

  test('is offered when the account has no other method', async () => {
    const { tab } = await signUpWithProvider()
    expect((await tab.get('/auth/reauthentication')).body).toMatchObject({ methods: ['google'] })
    expect(callbackResult(await reauthenticateWith('google', tab))).toEqual([302, '/dashboard'])
  })

  test('with another identity is refused, even when it belongs to another user', async () => {
    const other = await signUpWithProvider()
    const { tab, userId } = await signUpWithProvider()
    for (const person of [other.person, { ...other.person, sub: `new-${peopleCount}` }]) {
      google.person = person
      expect(callbackResult(await reauthenticateWith('google', tab))).toEqual(failureRedirect('different_account'))
      expect(callbackResult(await reauthenticateWith('google', tab, { errorCallbackURL: '/oops' }))).toEqual(
        failureRedirect('different_account', '/oops'),
      )
    }
    expect(await exportData(tab)).toEqual(refused)
    expect((await userIn(tab))?.id).toBe(userId)
    expect([await countReauthentications(userId), await countReauthentications(other.userId)]).toEqual([0, 0])
    expect((await findSessions(other.userId)).map(({ authenticatedAt }) => authenticatedAt?.getTime())).toEqual([
      expect.any(Number),
    ])
    expect(await app.db.account.count({ where: { userId } })).toBe(1)
  })

  test('that the person denies at the provider is refused', async () => {
    const { tab } = await signUpWithProvider()
    google.person = null
    expect(callbackResult(await reauthenticateWith('google', tab))).toEqual(failureRedirect('access_denied'))
    expect(await exportData(tab)).toEqual(refused)
  })

  test.each<[string, (account: Awaited<ReturnType<typeof signUpWithProvider>>) => Promise<unknown>, unknown[]]>([
    ['a session that signed out', ({ tab }) => tab.post('/auth/sign-out'), failureRedirect('state_mismatch', '/login')],
    [
      'a revoked session',
      ({ userId }) => app.db.session.deleteMany({ where: { userId } }),
      failureRedirect('state_mismatch', '/login'),
    ],
    [
      'a suspended user',
      ({ userId }) => app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } }),
      failureRedirect('state_mismatch', '/login'),
    ],
    [
      'a deleted user',
      ({ userId }) => app.db.user.delete({ where: { id: userId } }),
      failureRedirect('state_mismatch', '/login'),
    ],
    [
      'an identity that is unlinked meanwhile',
      ({ userId }) => app.db.account.deleteMany({ where: { userId } }),
      failureRedirect('different_account'),
    ],
    ['an expired state', async ({ clock }) => clock.advance(601), failureRedirect('state_mismatch', '/settings/accounts')],
    [
      'a new sign-in of the same person in the same browser',
      async ({ tab, person }) => {
        google.person = person
        await signInAt(app, 'google', tab)
      },
      failureRedirect('state_mismatch'),
    ],
  ])('is refused for %s', async (_, change, expected) => {
    const account = await signUpWithProvider()
    const callback = await getCallbackPath(account.tab, 'google')
    await change(account)
    expect(callbackResult(await account.tab.get(callback))).toEqual(expected)
    expect(await countReauthentications(account.userId)).toBe(0)
  })

  test('T86: a callback opened in another browser is refused, even when the same person is signed in there', async () => {
    const { tab, userId, clock } = await signUpWithProvider()
    const other = (await signInAt(app, 'google')).tab
    clock.advance(freshSeconds + 1)
    const callback = await getCallbackPath(tab, 'google')
    expect(callbackResult(await other.get(callback))).toEqual(failureRedirect('state_mismatch', '/settings/accounts'))
    expect([await exportData(tab), await exportData(other)]).toEqual([refused, refused])
    const secondCallback = await getCallbackPath(tab, 'google')
    // The thief copies the flow cookie too, but the session must be the one that started the flow.
    other.cookies.set('floorpass_flow', tab.cookies.get('floorpass_flow') ?? '')
    expect(callbackResult(await other.get(secondCallback))).toEqual(failureRedirect('state_mismatch'))
    expect([await exportData(tab), await exportData(other), await countReauthentications(userId)]).toEqual([refused, refused, 0])
  })

  test('T68: a callback works once when twenty requests use it in parallel', async () => {
    const { tab, userId } = await signUpWithProvider()
    const callback = await getCallbackPath(tab, 'google')
    const headers = { cookie: [...tab.cookies].map((pair) => pair.join('=')).join('; ') }
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.browser().get(callback, { headers })))
    expect(answers.filter((answer) => callbackResult(answer)[1] === '/dashboard')).toHaveLength(1)
    for (const answer of answers)
      expect(callbackResult(answer)).toEqual([302, expect.stringMatching(/^\/dashboard$|error=state_mismatch$/)])
    expect([(await findSessions(userId)).length, await countReauthentications(userId)]).toEqual([1, 1])
    expect(app.warnings()).toEqual([])
  })

  test('an ordinary sign-in or link in the same browser does not reauthenticate the session', async () => {
    const { tab, userId, person, clock } = await signUpWithProvider()
    await reauthenticateWith('google', tab)
    clock.advance(freshSeconds - 1)
    await github.set({
      person: { id: 5000 + peopleCount, login: 'rita', emails: [{ email: person.email, primary: true, verified: true }] },
    })
    await linkAt(app, 'github', tab)
    clock.advance(2)
    expect(await exportData(tab)).toEqual(refused)
    expect(await countReauthentications(userId)).toBe(1)
  })

  test('cannot start with a provider that is not linked or not configured', async () => {
    const { tab } = await signUpWithProvider()
    expect(outcome(await startReauthentication(tab, 'github'))).toEqual([400, 'ACCOUNT_NOT_FOUND'])
    expect(outcome(await startReauthentication(await forgingApp.signedIn(), 'github'))).toEqual([404, 'PROVIDER_NOT_FOUND'])
    expect(outcome(await startReauthentication(app.browser(), 'google'))).toEqual([401, 'UNAUTHORIZED'])
  })

  test.each([
    ['callbackURL', 'INVALID_CALLBACK_URL'],
    ['errorCallbackURL', 'INVALID_ERROR_CALLBACK_URL'],
  ])('does not redirect to a foreign page: %s', async (name, code) => {
    const { tab } = await signUpWithProvider()
    for (const target of ['https://evil.test', '//evil.test'])
      expect((await startReauthentication(tab, 'google', { [name]: target })).code).toBe(code)
  })

  test('with GitHub, which sends no auth_time, counts the 15 minutes from now', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    peopleCount += 1
    await github.set({
      person: { id: 5000 + peopleCount, login: 'hub', emails: [{ email: tab.person.email, primary: true, verified: true }] },
    })
    await linkAt(app, 'github', tab)
    clock.advance(freshSeconds + 1)
    const answer = await startReauthentication(tab, 'github')
    expect(urlOf(answer).searchParams.get('prompt')).toBe('select_account')
    expect(callbackResult(await tab.get(await followRedirects(urlOf(answer).href, app.baseUrl)))).toEqual([302, '/dashboard'])
    expect(await findSessions(tab.userId)).toMatchObject([{ authenticatedAt: new Date() }])
    await github.set({
      person: { id: 1, login: 'thief', emails: [{ email: 'thief@example.test', primary: true, verified: true }] },
    })
    clock.advance(freshSeconds + 1)
    expect(callbackResult(await reauthenticateWith('github', tab))).toEqual(failureRedirect('different_account'))
    expect(await exportData(tab)).toEqual(refused)
  })
})

describe('the auth_time of a provider', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const callback = async (tab: Browser, start: URL, sub: string, claims: object) => {
    const { searchParams } = start
    const email = `${sub}@example.test`
    forging.answerWith(forging.signed(forging.claims(searchParams.get('nonce') ?? '', { sub, email, ...claims })))
    return tab.get(`/auth/callback/google?code=x&state=${searchParams.get('state')}`)
  }
  const signInAtGoogle = async (tab: Browser, sub: string, claims: object) =>
    callback(tab, urlOf(await tab.post('/auth/sign-in/social', { provider: 'google' })), sub, claims)
  const reauthenticate = async (tab: Browser, sub: string, claims: object) =>
    callback(tab, urlOf(await startReauthentication(tab, 'google')), sub, claims)
  const newSub = () => {
    peopleCount += 1
    return `forged-${peopleCount}`
  }
  async function signedIn() {
    // auth_time counts in whole seconds.
    const clock = holdClock(new Date(seconds() * 1000))
    const [tab, sub] = [forgingApp.browser(), newSub()]
    expect(callbackResult(await signInAtGoogle(tab, sub, {}))).toEqual([302, '/dashboard'])
    clock.advance(freshSeconds + 1)
    return { clock, tab, sub, userId: (await userIn(tab))?.id ?? '' }
  }

  test('of exactly 15 minutes ago is accepted', async () => {
    const { tab, sub, userId, clock } = await signedIn()
    const time = seconds() - freshSeconds
    expect(callbackResult(await reauthenticate(tab, sub, { auth_time: time }))).toEqual([302, '/dashboard'])
    expect(await findSessions(userId, forgingApp)).toMatchObject([{ authenticatedAt: new Date(time * 1000) }])
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await exportData(tab)).toEqual(refused)
  })

  test.each<[string, () => unknown]>([
    ['15 minutes and a second ago', () => seconds() - freshSeconds - 1],
    ['a year ago', () => seconds() - 365 * 86_400],
    ['1970', () => 0],
    ['before 1970', () => -1e13],
    ['a year that the database cannot store', () => 1e300],
    ['a word', () => 'yesterday'],
    ['nothing', () => null],
    ['a list', () => [[], 'x']],
    ['an object', () => ({})],
  ])('of %s is refused as too old, without an unexpected error', async (_, time) => {
    const { tab, sub, userId } = await signedIn()
    expect(callbackResult(await reauthenticate(tab, sub, { auth_time: time() }))).toEqual(
      failureRedirect('provider_sign_in_too_old'),
    )
    expect([await exportData(tab), await countReauthentications(userId, forgingApp)]).toEqual([refused, 0])
    expect(callbackResult(await signInAtGoogle(forgingApp.browser(), sub, { auth_time: time() }))).toEqual([302, '/dashboard'])
    expect(forgingApp.warnings()).toEqual([])
  })

  test.each<[string, () => object]>([
    ['in the future', () => ({ auth_time: seconds() + 3600 })],
    ['missing', () => ({})],
  ])('%s counts as now, and not a second longer', async (_, claims) => {
    const { tab, sub, userId, clock } = await signedIn()
    expect(callbackResult(await reauthenticate(tab, sub, claims()))).toEqual([302, '/dashboard'])
    expect(await findSessions(userId, forgingApp)).toMatchObject([{ authenticatedAt: new Date() }])
    clock.advance(freshSeconds)
    expect(await exportData(tab)).toEqual(allowed)
    clock.advance(1)
    expect(await exportData(tab)).toEqual(refused)
  })

  test('that is hours older than the sign-in gives a session that must reauthenticate', async () => {
    const { sub, userId } = await signedIn()
    const tab = forgingApp.browser()
    expect(callbackResult(await signInAtGoogle(tab, sub, { auth_time: seconds() - 3600 }))).toEqual([302, '/dashboard'])
    expect((await userIn(tab))?.id).toBe(userId)
    expect(await exportData(tab)).toEqual(refused)
    expect((await tab.post('/auth/set-password', { newPassword: 'violet harbor ladder' })).code).toBe('SESSION_NOT_FRESH')
    expect(callbackResult(await reauthenticate(tab, sub, { auth_time: seconds() }))).toEqual([302, '/dashboard'])
    expect(await exportData(tab)).toEqual(allowed)
  })

  test('that is hours older than the sign-in is replaced by the time of the second-factor code', async () => {
    const { tab, sub, clock } = await signedIn()
    await reauthenticate(tab, sub, {})
    const { authenticator } = await switchOnTwoFactor(tab)
    clock.advance(60)
    const phone = forgingApp.browser()
    expect(callbackResult(await signInAtGoogle(phone, sub, { auth_time: seconds() - 3600 }))).toEqual([302, '/two-factor'])
    expect((await phone.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })).status).toBe(200)
    expect(await exportData(phone)).toEqual(allowed)
    // A trusted device skips the code, so auth_time is the only authentication time.
    expect(callbackResult(await signInAtGoogle(phone, sub, { auth_time: seconds() - 3600 }))).toEqual([302, '/dashboard'])
    expect(await exportData(phone)).toEqual(refused)
  })
})
