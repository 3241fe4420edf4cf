import { createTestApp } from '@floorpass/testing/create-test-app'
import { type GitHubFailure, type GitHubPerson, startGitHub } from '@floorpass/testing/github-stand-in'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { landing, signInAt, userIn, wayBack } from '@floorpass/testing/social-flow'
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
async function somebody(overrides: Partial<GitHubPerson> = {}) {
  people += 1
  const email = `hub-${people}@example.test`
  const emails = [
    { email: `decoy-${people}@example.test`, primary: false, verified: true },
    { email, primary: true, verified: true },
  ]
  await github.set({ person: { id: 1000 + people, login: `hub${people}`, name: 'Hub', emails, ...overrides }, failure: null })
  await github.requests()
  return email
}
beforeEach(() => somebody())

describe('a sign-in with GitHub', () => {
  test('signs somebody new up with their primary address', async () => {
    const email = await somebody({ name: null })
    const answer = await signInAt(app, 'github')
    expect(landing(answer)).toEqual([302, '/dashboard'])
    expect(await userIn(answer.tab)).toMatchObject({ email, emailVerified: true, name: `hub${people}` })
    expect((await github.requests()).sort()).toEqual([
      'GET /login/oauth/authorize',
      'GET /user',
      'GET /user/emails',
      'POST /login/oauth/access_token',
    ])
  })

  test('knows them again by id', async () => {
    const first = await signInAt(app, 'github')
    const second = await signInAt(app, 'github')
    expect((await userIn(second.tab))?.id).toBe((await userIn(first.tab))?.id)
  })

  test.each([
    ['an unproved primary address', [{ email: 'u1@example.test', primary: true, verified: false }], 'email_not_verified'],
    ['no primary address', [{ email: 'u2@example.test', primary: false, verified: true }], 'email_not_found'],
    ['no address', [], 'email_not_found'],
  ])('T75: %s makes no account', async (_, emails, code) => {
    await somebody({ emails })
    const before = await app.db.user.count()
    expect(landing(await signInAt(app, 'github'))).toEqual([302, `/login?error=${code}`])
    expect(await app.db.user.count()).toBe(before)
  })

  test('denied consent leads to a page that says so', async () => {
    await github.set({ person: null })
    expect(landing(await signInAt(app, 'github'))).toEqual([302, '/login?error=access_denied'])
  })

  test('T69: a code of another attempt is refused', async () => {
    const tab = app.browser()
    const back = new URL(await wayBack(app, tab, 'github'), home)
    const foreign = new URL(await wayBack(app, app.browser(), 'github'), home)
    back.searchParams.set('code', foreign.searchParams.get('code') ?? '')
    expect(landing(await tab.get(back.pathname + back.search))).toEqual([302, '/login?error=invalid_code'])
  })

  test('the same proved address as a Google account is the same user, who is told', async () => {
    const email = await somebody()
    google.person = { sub: `same-${people}`, email, email_verified: true, name: 'Same' }
    const first = await userIn((await signInAt(app, 'google')).tab)
    await app.mailed()
    expect(app.outbox.to(email)).toEqual([])
    const second = await userIn((await signInAt(app, 'github')).tab)
    expect(second?.id).toBe(first?.id)
    await app.mailed()
    expect(app.outbox.to(email).map(({ subject }) => subject)).toEqual(['GitHub now signs in to your Floorpass account'])
    expect(await app.db.account.count({ where: { userId: first?.id ?? '' } })).toBe(2)
  })
})

describe('T74: a GitHub that fails', () => {
  const paths = ['/login/oauth/access_token', '/user', '/user/emails']
  const kinds: GitHubFailure['kind'][] = ['failure', 'flood', 'redirect', 'odd']

  test.each(paths.flatMap((path) => kinds.map((kind) => ({ path, kind }))))('$kind at $path', async ({ path, kind }) => {
    const tab = app.browser()
    const back = await wayBack(app, tab, 'github')
    await github.set({ failure: { path, kind, location: '/followed' } })
    const before = await app.db.user.count()
    expect(landing(await tab.get(back))).toEqual([302, '/login?error=provider_unavailable'])
    expect(await app.db.user.count()).toBe(before)
    expect(await github.requests()).not.toContain('GET /followed')
  })

  test('silence is given up in time', async () => {
    const tab = app.browser()
    const back = await wayBack(app, tab, 'github')
    await github.set({ failure: { path: '/login/oauth/access_token', kind: 'silence' } })
    const before = await app.db.user.count()
    const started = performance.now()
    expect(landing(await tab.get(back))).toEqual([302, '/login?error=provider_unavailable'])
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(await app.db.user.count()).toBe(before)
  })
})

test('nothing of all this was unforeseen', () => {
  expect(app.unforeseen()).toEqual([])
})
