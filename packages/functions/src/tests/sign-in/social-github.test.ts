import { createSocialApp } from '@floorpass/testing/create-social-app'
import type { GitHubFailure, GitHubPerson } from '@floorpass/testing/github-stand-in'
import { callbackResult, followToCallback, signInAt, userIn } from '@floorpass/testing/social-flow'
import { shortenTimeouts } from '@floorpass/testing/timeouts'
import { beforeEach, describe, expect, test } from 'vitest'

const { app, google, github } = await createSocialApp()

let peopleCount = 0
async function setPerson(overrides: Partial<GitHubPerson> = {}) {
  peopleCount += 1
  const email = `hub-${peopleCount}@example.test`
  const emails = [
    { email: `decoy-${peopleCount}@example.test`, primary: false, verified: true },
    { email, primary: true, verified: true },
  ]
  await github.set({
    person: { id: 1000 + peopleCount, login: `hub${peopleCount}`, name: 'Hub', emails, ...overrides },
    failure: null,
  })
  await github.requests()
  return email
}
beforeEach(() => setPerson())

describe('a sign-in with GitHub', () => {
  test('signs a new person up with their primary email', async () => {
    const email = await setPerson({ name: null })
    const answer = await signInAt(app, 'github')
    expect(callbackResult(answer)).toEqual([302, '/dashboard'])
    expect(await userIn(answer.tab)).toMatchObject({ email, emailVerified: true, name: `hub${peopleCount}` })
    expect((await github.requests()).sort()).toEqual([
      'GET /login/oauth/authorize',
      'GET /user',
      'GET /user/emails',
      'POST /login/oauth/access_token',
    ])
  })

  test('recognizes the person by id', async () => {
    const first = await signInAt(app, 'github')
    const second = await signInAt(app, 'github')
    expect((await userIn(second.tab))?.id).toBe((await userIn(first.tab))?.id)
  })

  test.each([
    ['an unverified primary email', [{ email: 'u1@example.test', primary: true, verified: false }], 'email_not_verified'],
    ['no primary email', [{ email: 'u2@example.test', primary: false, verified: true }], 'email_not_found'],
    ['no email', [], 'email_not_found'],
  ])('T75: creates no account for %s', async (_, emails, code) => {
    await setPerson({ emails })
    const before = await app.db.user.count()
    expect(callbackResult(await signInAt(app, 'github'))).toEqual([302, `/login?error=${code}`])
    expect(await app.db.user.count()).toBe(before)
  })

  test('redirects to a page with the reason when the person denies consent', async () => {
    await github.set({ person: null })
    expect(callbackResult(await signInAt(app, 'github'))).toEqual([302, '/login?error=access_denied'])
  })

  test.each([
    ['access_denied', 'access_denied'],
    ['server_error', 'provider_error'],
  ])('redirects to a page with a reason of ours when the provider answers %s', async (error, reason) => {
    const tab = app.browser()
    const callback = new URL(await followToCallback(app, tab, 'github'), app.baseUrl)
    callback.searchParams.delete('code')
    callback.searchParams.set('error', error)
    expect(callbackResult(await tab.get(callback.pathname + callback.search))).toEqual([302, `/login?error=${reason}`])
  })

  test('redirects to an error page when the provider answers neither a code nor an error', async () => {
    const tab = app.browser()
    const callback = new URL(await followToCallback(app, tab, 'github'), app.baseUrl)
    callback.searchParams.delete('code')
    expect(callbackResult(await tab.get(callback.pathname + callback.search))).toEqual([302, '/login?error=no_code'])
  })

  test('T69: refuses a code of another attempt', async () => {
    const tab = app.browser()
    const callback = new URL(await followToCallback(app, tab, 'github'), app.baseUrl)
    const foreign = new URL(await followToCallback(app, app.browser(), 'github'), app.baseUrl)
    callback.searchParams.set('code', foreign.searchParams.get('code') ?? '')
    expect(callbackResult(await tab.get(callback.pathname + callback.search))).toEqual([302, '/login?error=invalid_code'])
  })

  test('joins the account with the same verified email, and notifies the owner', async () => {
    const email = await setPerson()
    google.person = { sub: `same-${peopleCount}`, email, email_verified: true, name: 'Same' }
    const first = await userIn((await signInAt(app, 'google')).tab)
    await app.drainMail()
    expect(app.outbox.to(email)).toEqual([])
    const second = await userIn((await signInAt(app, 'github')).tab)
    expect(second?.id).toBe(first?.id)
    await app.drainMail()
    expect(app.outbox.to(email).map(({ subject }) => subject)).toEqual(['You can now sign in to Floorpass with GitHub'])
    expect(await app.db.account.count({ where: { userId: first?.id ?? '' } })).toBe(2)
  })
})

describe('T74: a failing GitHub', () => {
  const paths = ['/login/oauth/access_token', '/user', '/user/emails']
  const kinds: GitHubFailure['kind'][] = ['failure', 'flood', 'redirect', 'odd']

  test.each(paths.flatMap((path) => kinds.map((kind) => ({ path, kind }))))(
    'leads to an error page after $kind at $path',
    async ({ path, kind }) => {
      const tab = app.browser()
      const callback = await followToCallback(app, tab, 'github')
      await github.set({ failure: { path, kind, location: '/followed' } })
      const before = await app.db.user.count()
      expect(callbackResult(await tab.get(callback))).toEqual([302, '/login?error=provider_unavailable'])
      expect(await app.db.user.count()).toBe(before)
      expect(await github.requests()).not.toContain('GET /followed')
    },
  )

  test('leads to an error page after ten seconds when GitHub does not answer', async () => {
    const tab = app.browser()
    const callback = await followToCallback(app, tab, 'github')
    await github.set({ failure: { path: '/login/oauth/access_token', kind: 'silence' } })
    const before = await app.db.user.count()
    const timeouts = shortenTimeouts()
    expect(callbackResult(await tab.get(callback))).toEqual([302, '/login?error=provider_unavailable'])
    expect(timeouts.mock.calls).toEqual([[10_000]])
    expect(await app.db.user.count()).toBe(before)
  })
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
