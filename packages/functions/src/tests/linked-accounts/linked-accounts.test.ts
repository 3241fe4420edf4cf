import type { Browser } from '@floorpass/testing/browser'
import { createSocialApp } from '@floorpass/testing/create-social-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { callbackResult, followToCallback, linkAt, signInAt, urlOf, userIn } from '@floorpass/testing/social-flow'
import { beforeEach, describe, expect, test } from 'vitest'

const { app, google, github } = await createSocialApp()

let people = 0
beforeEach(async () => {
  people += 1
  const email = `elsewhere-${people}@example.test`
  google.person = { sub: `l-${people}`, email, email_verified: true, name: 'Linked' }
  await github.set({ person: { id: 5000 + people, login: 'linked', emails: [{ email, primary: true, verified: true }] } })
})

type Linked = { id: string; accountId: string; providerId: string }
const list = async (tab: Browser) => (await tab.get('/auth/list-accounts')).body as Linked[]
const providers = async (tab: Browser) => (await list(tab)).map(({ providerId }) => providerId)
const unlink = (tab: Browser, input: object) => tab.post('/auth/unlink-account', input)
const makeStale = (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 15 * 60_000 - 1000) } })

describe('link-social', () => {
  test('T88: links an identity with another email, notifies the owner, and starts no session', async () => {
    const tab = await app.signedIn()
    const answer = await linkAt(app, 'google', tab)
    expect(callbackResult(answer)).toEqual([302, '/settings/accounts'])
    expect(answer.setCookies.filter((cookie) => cookie.startsWith('local-floorpass_session='))).toEqual([])
    expect(await providers(tab)).toEqual(['credential', 'google'])
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toBe('You can now sign in to Floorpass with Google')
    expect((await userIn((await signInAt(app, 'google')).tab))?.id).toBe(tab.userId)
  })

  test('T88: needs a sign-in or reauthentication within the last 15 minutes', async () => {
    const tab = await app.signedIn()
    await makeStale(tab.userId)
    const answer = await tab.post('/auth/link-social', { provider: 'google' })
    expect([answer.status, answer.code, answer.setCookies]).toEqual([403, 'SESSION_NOT_FRESH', []])
  })

  test.each(['signed out', 'another person there', 'the session revoked', 'another browser'])(
    'T86: refuses the callback: %s',
    async (how) => {
      const tab = await app.signedIn()
      const { href } = urlOf(await tab.post('/auth/link-social', { provider: 'google' }))
      const back = await followRedirects(href, app.baseUrl)
      const victim = await app.signedIn()
      if (how === 'signed out') await tab.post('/auth/sign-out')
      if (how === 'the session revoked') await app.db.session.deleteMany({ where: { userId: tab.userId } })
      if (how === 'another person there') await tab.post('/auth/sign-in/email', victim.person)
      const answer = await (how === 'another browser' ? victim : tab).get(back)
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toMatch(/error=state_mismatch$/)
      expect(await app.db.account.count({ where: { accountId: `l-${people}` } })).toBe(0)
    },
  )

  test('T85: never links an identity of another user', async () => {
    const [first, second] = [await app.signedIn(), await app.signedIn()]
    await linkAt(app, 'google', first)
    const before = await list(first)
    expect(callbackResult(await linkAt(app, 'google', second))).toEqual([
      302,
      '/settings/accounts?error=account_already_linked_to_different_user',
    ])
    expect([await list(first), await providers(second)]).toEqual([before, ['credential']])
  })

  test('changes nothing and sends no mail when the identity is already linked', async () => {
    const tab = await app.signedIn()
    await linkAt(app, 'google', tab)
    await app.drainMail()
    const mails = app.outbox.to(tab.person.email).length
    expect(callbackResult(await linkAt(app, 'google', tab))).toEqual([302, '/settings/accounts'])
    await app.drainMail()
    expect([await providers(tab), app.outbox.to(tab.person.email).length]).toEqual([['credential', 'google'], mails])
  })

  test('T63: refuses an untrusted callback URL', async () => {
    const tab = await app.signedIn()
    for (const callbackURL of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)', '/%09/evil.test'])
      expect((await tab.post('/auth/link-social', { provider: 'google', callbackURL })).code).toBe('INVALID_CALLBACK_URL')
  })

  test('redirects to the settings when consent is denied', async () => {
    google.person = null
    expect(callbackResult(await linkAt(app, 'google', await app.signedIn()))).toEqual([
      302,
      '/settings/accounts?error=access_denied',
    ])
  })
})

describe('list-accounts', () => {
  test('returns provider, dates and scopes, and no secret', async () => {
    const tab = await app.signedIn()
    await linkAt(app, 'google', tab)
    const answer = await tab.get('/auth/list-user-accounts')
    for (const account of answer.body as object[])
      expect(Object.keys(account).sort()).toEqual(
        ['accountId', 'createdAt', 'id', 'lastUsedAt', 'providerId', 'scopes', 'updatedAt', 'userId'].sort(),
      )
    expect(JSON.stringify(answer.body)).not.toMatch(/argon2|sealed|token/i)
  })

  test('T177: stores no provider token in plain text', async () => {
    const real = globalThis.fetch
    const tokens: string[] = []
    globalThis.fetch = async (...args) => {
      const response = await real(...args)
      if (String(args[0]).includes('token'))
        tokens.push(((await response.clone().json()) as { access_token: string }).access_token)
      return response
    }
    const tab = await app.signedIn()
    try {
      await linkAt(app, 'google', tab)
      await linkAt(app, 'github', tab)
    } finally {
      globalThis.fetch = real
    }
    expect(tokens).toHaveLength(2)
    const held = JSON.stringify([await app.readAllRows(), app.logs])
    for (const token of tokens) expect(held).not.toContain(token)
  })
})

describe('unlink-account', () => {
  test.each([
    ['the row', ({ id }: Linked) => ({ accountId: id })],
    ["the provider's id", ({ accountId, providerId }: Linked) => ({ accountId, providerId })],
    ['the provider', ({ providerId }: Linked) => ({ providerId })],
  ])('T88: unlinks by %s and notifies the owner', async (_, name) => {
    const tab = await app.signedIn()
    await linkAt(app, 'google', tab)
    const account = (await list(tab)).find(({ providerId }) => providerId === 'google') as Linked
    expect((await unlink(tab, name(account))).body).toEqual({ status: true })
    expect(await providers(tab)).toEqual(['credential'])
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toBe('Google was unlinked from your Floorpass account')
  })

  test('T88: needs a sign-in or reauthentication within the last 15 minutes', async () => {
    const tab = await app.signedIn()
    await linkAt(app, 'google', tab)
    await makeStale(tab.userId)
    expect((await unlink(tab, { providerId: 'google' })).code).toBe('SESSION_NOT_FRESH')
    expect(await providers(tab)).toEqual(['credential', 'google'])
  })

  test('never unlinks an account of another user', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    await linkAt(app, 'google', owner)
    const account = (await list(owner)).find(({ providerId }) => providerId === 'google') as Linked
    for (const name of [
      { accountId: account.id },
      { accountId: account.accountId, providerId: 'google' },
      { providerId: 'google' },
    ])
      expect((await unlink(other, name)).code).toBe('ACCOUNT_NOT_FOUND')
    expect(await providers(owner)).toEqual(['credential', 'google'])
  })

  test('unlinks nothing when two accounts at a provider match', async () => {
    const tab = await app.signedIn()
    await linkAt(app, 'google', tab)
    google.person = { sub: `l-${people}-second`, email: `second-${people}@example.test`, email_verified: true }
    await linkAt(app, 'google', tab)
    expect((await unlink(tab, { providerId: 'google' })).code).toBe('ACCOUNT_NOT_FOUND')
    expect(await providers(tab)).toEqual(['credential', 'google', 'google'])
    expect((await unlink(tab, { providerId: 'google', accountId: `l-${people}` })).body).toEqual({ status: true })
    expect((await list(tab)).map(({ accountId }) => accountId)).toContain(`l-${people}-second`)
  })

  test('T87: keeps the last sign-in method until the user sets a password', async () => {
    const { tab } = await signInAt(app, 'google')
    const refused = await unlink(tab, { providerId: 'google' })
    expect([refused.status, refused.code]).toEqual([400, 'FAILED_TO_UNLINK_LAST_ACCOUNT'])
    expect((await tab.post('/auth/set-password', { newPassword: 'violet harbor ladder' })).status).toBe(200)
    expect((await unlink(tab, { providerId: 'google' })).status).toBe(200)
  })

  test('T87: two simultaneous calls leave one sign-in method', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tab = await app.signedIn()
      google.person = { sub: `race-${people}-${round}`, email: 'race@example.test', email_verified: true }
      await linkAt(app, 'google', tab)
      const answers = await Promise.all([unlink(tab, { providerId: 'google' }), unlink(tab, { providerId: 'credential' })])
      expect(answers.map(({ code }) => code ?? 'done').sort()).toEqual(['FAILED_TO_UNLINK_LAST_ACCOUNT', 'done'])
      expect(await list(tab)).toHaveLength(1)
    }
  })

  test('an unlinked identity no longer signs in', async () => {
    const tab = await app.signedIn()
    await linkAt(app, 'google', tab)
    await unlink(tab, { providerId: 'google' })
    expect((await userIn((await signInAt(app, 'google')).tab))?.id).not.toBe(tab.userId)
  })

  test('an unlinked identity with the same email is never linked by a sign-in, only by its owner', async () => {
    const tab = await app.signedIn()
    google.person = { sub: `own-${tab.userId}`, email: tab.person.email, email_verified: true, name: 'Own' }
    const inByGoogle = await signInAt(app, 'google')
    expect((await userIn(inByGoogle.tab))?.id).toBe(tab.userId)
    expect((await unlink(tab, { providerId: 'google' })).status).toBe(200)

    const answer = await signInAt(app, 'google')
    expect(callbackResult(answer)).toEqual([302, '/login?error=account_not_linked'])
    expect(await userIn(answer.tab)).toBeNull()
    expect(await providers(tab)).toEqual(['credential'])

    expect(callbackResult(await linkAt(app, 'google', tab))).toEqual([302, '/settings/accounts'])
    expect((await userIn((await signInAt(app, 'google')).tab))?.id).toBe(tab.userId)
  })

  test('T173: a callback during an unlink or a deletion leaves no session and no link behind', async () => {
    for (let round = 0; round < 6; round += 1) {
      const tab = await app.signedIn()
      const subject = `race-${round}-${tab.userId}`
      google.person = { sub: subject, email: tab.person.email, email_verified: true, name: 'Own' }
      await signInAt(app, 'google')
      // While the link holds withdrawals, the password alone deletes nothing.
      await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: null } })
      const visitor = app.browser()
      const back = await followToCallback(app, visitor, 'google')
      const end =
        round % 2 === 0
          ? tab.post('/auth/delete-user', { password: tab.person.password })
          : unlink(tab, { providerId: 'google' }).then(() => app.db.session.deleteMany({ where: { userId: tab.userId } }))
      const [answer] = await Promise.all([visitor.get(back), end])
      expect(answer.status).toBe(302)
      const known = await app.db.account.findFirst({ where: { accountId: subject } })
      expect(known?.userId).not.toBe(tab.userId)
      expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
    }
  })
})

test('none of these requests logs a warning or an error', () => {
  expect(app.warnings()).toEqual([])
})
