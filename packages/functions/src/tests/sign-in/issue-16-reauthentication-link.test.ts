import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { type Browser, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ GITHUB_CLIENT_ID: 'github', GITHUB_CLIENT_SECRET: 'a secret of tests' })
const freshSeconds = 15 * 60
const day = 24 * 3600
const week = 7 * day
const allowed = [200, undefined]
const refused = [403, 'SESSION_NOT_FRESH']
const notOffered = [400, 'REAUTHENTICATION_METHOD_NOT_AVAILABLE']
const invalid = [400, 'INVALID_TOKEN']
const newPassword = 'violet harbor ladder'

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const exportData = async (tab: Browser) => outcome(await tab.get('/auth/export-data'))
const requestLink = async (tab: Pick<Browser, 'post'>) => outcome(await tab.post('/auth/reauthenticate', { sendEmail: true }))
const openLink = async (tab: Pick<Browser, 'post'>, token: string) => outcome(await tab.post('/auth/reauthenticate', { token }))
const getMethods = async (tab: Browser) => ((await tab.get('/auth/reauthentication')).body as { methods: string[] }).methods
const getLinkMails = async (address: string) => {
  await app.drainMail()
  return app.outbox.to(address).filter(({ link }) => link.pathname === '/reauthenticate')
}
const getLinkToken = async (tab: Tab, address = tab.person.email) => {
  expect(await requestLink(tab)).toEqual(allowed)
  return (await getLinkMails(address)).at(-1)?.token ?? ''
}
const countReauthentications = ({ userId }: Tab) => app.db.auditEvent.count({ where: { userId, action: 'reauthenticate' } })
const isUnused = async ({ userId }: Tab) =>
  (await app.db.verification.count({ where: { userId, purpose: 'reauthenticate', usedAt: null } })) === 1

/** An account, eight days old by default, that has no password, provider or second factor: only its mailbox. */
async function createMailboxOnlyAccount({ fresh = false, age = 8 * day } = {}) {
  const clock = holdClock()
  const tab = await app.signedIn()
  const another = app.browser()
  await another.post('/auth/sign-in/email', tab.person)
  await app.db.account.deleteMany({ where: { userId: tab.userId } })
  await app.db.user.update({ where: { id: tab.userId }, data: { createdAt: new Date(Date.now() - age * 1000) } })
  if (!fresh) clock.advance(freshSeconds + 1)
  return { clock, tab, another }
}
async function requestEmailChange(tab: Tab, newEmail: string) {
  expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
  await app.drainMail()
  return () => tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
}

describe('a mailed reauthentication link', () => {
  test('reauthenticates the browser that is signed in, for 15 minutes', async () => {
    const { tab, another, clock } = await createMailboxOnlyAccount()
    expect(await getMethods(tab)).toEqual(['email'])
    const before = tab.cookies.get('local-floorpass_session')
    const token = await getLinkToken(tab)
    expect(await exportData(tab)).toEqual(refused)
    expect(await openLink(tab, token)).toEqual(allowed)
    expect(tab.cookies.get('local-floorpass_session')).not.toBe(before)
    expect([await exportData(tab), await exportData(another)]).toEqual([allowed, refused])
    const events = await app.db.auditEvent.findMany({
      where: { userId: tab.userId, action: { contains: 'reauthentic' } },
      orderBy: { id: 'asc' },
    })
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ['request-reauthentication-link', null],
      ['reauthenticate', { method: 'email' }],
    ])
    clock.advance(freshSeconds + 1)
    expect([await exportData(tab), await openLink(tab, token)]).toEqual([refused, [400, 'TOKEN_EXPIRED']])
  })

  test('carries a trusted target to its page, and no other', async () => {
    const { tab } = await createMailboxOnlyAccount()
    const request = async (callbackURL: string) =>
      outcome(await tab.post('/auth/reauthenticate', { sendEmail: true, callbackURL }))
    expect(await request('https://evil.test/')).toEqual([403, 'INVALID_CALLBACK_URL'])
    expect(await request(`${app.baseUrl}/settings/security`)).toEqual(allowed)
    const links = (await getLinkMails(tab.person.email)).map(({ link }) => link.searchParams.get('callbackURL'))
    expect(links).toEqual([`${app.baseUrl}/settings/security`])
  })

  test('reauthenticates the signed-in browser that opens it, not the browser that requested it', async () => {
    const { tab, another } = await createMailboxOnlyAccount()
    expect(await openLink(another, await getLinkToken(tab))).toEqual(allowed)
    expect([await exportData(tab), await exportData(another)]).toEqual([refused, allowed])
  })

  test.each<[string, (tab: Tab) => Promise<unknown>, string[]]>([
    [
      'a password',
      ({ userId }) =>
        app.db.account.create({ data: { userId, providerId: 'credential', accountId: userId, passwordHash: 'a hash' } }),
      ['password'],
    ],
    [
      'a linked provider',
      ({ userId }) => app.db.account.create({ data: { userId, providerId: 'github', accountId: userId } }),
      ['github'],
    ],
    ['a second factor', (tab) => switchOnTwoFactor(tab), ['code']],
    ['an unverified email', ({ userId }) => app.db.user.update({ where: { id: userId }, data: { emailVerified: false } }), []],
  ])('is not sent to an account with %s', async (_, change, methods) => {
    const { tab } = await createMailboxOnlyAccount({ fresh: true })
    await change(tab)
    expect(await getMethods(tab)).toEqual(methods)
    expect(await requestLink(tab)).toEqual(notOffered)
    expect(await getLinkMails(tab.person.email)).toEqual([])
  })

  test('is sent when the only linked provider is no longer offered, or the password was cleared', async () => {
    const { tab } = await createMailboxOnlyAccount()
    const { userId } = tab
    await app.db.account.create({ data: { userId, providerId: 'google', accountId: userId } })
    await app.db.account.create({ data: { userId, providerId: 'credential', accountId: userId, passwordHash: null } })
    expect(await getMethods(tab)).toEqual(['email'])
    expect(await openLink(tab, await getLinkToken(tab))).toEqual(allowed)
  })

  test('is not sent until the account is a week old, to the second', async () => {
    const { tab, clock } = await createMailboxOnlyAccount({ age: week - freshSeconds - 2 })
    expect([await getMethods(tab), await requestLink(tab)]).toEqual([[], notOffered])
    clock.advance(1)
    expect([await getMethods(tab), await requestLink(tab)]).toEqual([['email'], allowed])
  })

  test('is not sent while the former email can undo a change, to the second', async () => {
    const { tab, clock } = await createMailboxOnlyAccount({ fresh: true })
    const newEmail = app.person().email
    await (await requestEmailChange(tab, newEmail))()
    clock.advance(week - 1)
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { expiresAt: new Date(Date.now() + 1e9) } })
    expect([await getMethods(tab), await requestLink(tab)]).toEqual([[], notOffered])
    expect(await getLinkMails(newEmail)).toEqual([])
    clock.advance(1)
    expect([await getMethods(tab), await requestLink(tab)]).toEqual([['email'], allowed])
    expect(await getLinkMails(newEmail)).toHaveLength(1)
  })

  test('T92: works once when twenty requests use it in parallel', async () => {
    const { tab } = await createMailboxOnlyAccount()
    const token = await getLinkToken(tab)
    const headers = { cookie: `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}` }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.browser().post('/auth/reauthenticate', { token }, { headers })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(['INVALID_TOKEN', 'UNAUTHORIZED']).toContain(code)
    expect(await countReauthentications(tab)).toBe(1)
    expect(app.warnings()).toEqual([])
  })

  test('T92: reauthenticates one session when two browsers of the same person open it in parallel', async () => {
    const { tab, another } = await createMailboxOnlyAccount()
    const token = await getLinkToken(tab)
    const outcomes = await Promise.all([tab, another, tab, another].map((browser) => openLink(browser, token)))
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect([await exportData(tab), await exportData(another)].filter(([status]) => status === 200)).toHaveLength(1)
  })

  test("does not work in another user's session, and stays usable", async () => {
    const { tab } = await createMailboxOnlyAccount()
    const token = await getLinkToken(tab)
    const other = await app.signedIn()
    expect(await openLink(other, token)).toEqual(invalid)
    expect([await isUnused(tab), await countReauthentications(other)]).toEqual([true, 0])
    expect(await openLink(tab, token)).toEqual(allowed)
  })

  test('does not work signed out or after the session ended, and stays usable', async () => {
    const { tab, another } = await createMailboxOnlyAccount()
    const token = await getLinkToken(tab)
    expect(await openLink(app.browser(), token)).toEqual([401, 'UNAUTHORIZED'])
    await another.post('/auth/sign-out')
    expect(await openLink(another, token)).toEqual([401, 'UNAUTHORIZED'])
    await app.db.session.deleteMany({ where: { userId: tab.userId } })
    expect(await openLink(tab, token)).toEqual([401, 'UNAUTHORIZED'])
    expect(await isUnused(tab)).toBe(true)
  })

  test('T94: works for 15 minutes, and not a second longer', async () => {
    const { tab, clock } = await createMailboxOnlyAccount()
    const first = await getLinkToken(tab)
    clock.advance(freshSeconds - 1)
    expect(await openLink(tab, first)).toEqual(allowed)
    const second = await getLinkToken(tab)
    clock.advance(freshSeconds)
    expect(await openLink(tab, second)).toEqual([400, 'TOKEN_EXPIRED'])
  })

  test('stops working when a newer link is sent', async () => {
    const { tab } = await createMailboxOnlyAccount()
    const [older, newer] = [await getLinkToken(tab), await getLinkToken(tab)]
    expect([await openLink(tab, older), await openLink(tab, newer)]).toEqual([invalid, allowed])
  })

  test('stops working when the email changes', async () => {
    const { tab } = await createMailboxOnlyAccount({ fresh: true })
    const confirm = await requestEmailChange(tab, app.person().email)
    const token = await getLinkToken(tab)
    expect((await confirm()).status).toBe(200)
    expect(await openLink(tab, token)).toEqual(invalid)
  })

  test('stops working when a first password is set, directly or through a reset link', async () => {
    const { tab } = await createMailboxOnlyAccount({ fresh: true })
    const token = await getLinkToken(tab)
    expect((await tab.post('/auth/set-password', { newPassword })).status).toBe(200)
    expect(await openLink(tab, token)).toEqual(invalid)

    const { tab: reset } = await createMailboxOnlyAccount()
    const second = await getLinkToken(reset)
    await app.browser().post('/auth/forget-password', { email: reset.person.email })
    await app.drainMail()
    const { token: resetToken } = app.outbox.lastTo(reset.person.email)
    expect(outcome(await app.browser().post('/auth/reset-password', { token: resetToken, newPassword }))).toEqual(allowed)
    await reset.post('/auth/sign-in/email', { email: reset.person.email, password: newPassword })
    expect(await openLink(reset, second)).toEqual(invalid)
  })

  test('works for no other purpose, and links for other purposes do not reauthenticate', async () => {
    const { tab } = await createMailboxOnlyAccount({ fresh: true })
    const token = await getLinkToken(tab)
    expect(outcome(await tab.post('/auth/delete-user', { token }))).toEqual(invalid)
    for (const [path, body] of [
      ['verify-email', {}],
      ['undo-email-change', {}],
      ['reset-password', { newPassword }],
    ] as const)
      expect(outcome(await app.browser().post(`/auth/${path}`, { token, ...body }))).toEqual(invalid)
    await tab.post('/auth/delete-user')
    await app.drainMail()
    expect(await openLink(tab, app.outbox.lastTo(tab.person.email).token)).toEqual(invalid)
    expect(await openLink(tab, 'nonsense')).toEqual(invalid)
    expect(await isUnused(tab)).toBe(true)
  })

  test('T177: is stored only as a hash', async () => {
    const { tab } = await createMailboxOnlyAccount()
    const token = await getLinkToken(tab)
    const rows = (await app.readAllRows()).filter((row) => !('html' in row))
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('is sent at most five times an hour', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    const { userId } = tab
    await limited.db.account.deleteMany({ where: { userId } })
    await limited.db.user.update({ where: { id: userId }, data: { createdAt: new Date(Date.now() - 8 * day * 1000) } })
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => requestLink(tab)))
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(5)
    expect(outcomes.filter(([, code]) => code === 'TOO_MANY_REQUESTS')).toHaveLength(1)
  })
})

describe('while the former email can undo a change of email', () => {
  const recentlyChanged = [403, 'EMAIL_RECENTLY_CHANGED']

  test('the account cannot be deleted with a password, a new link or a link from before the change', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { password } = tab.person
    await tab.post('/auth/delete-user')
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    const newEmail = app.person().email
    expect((await (await requestEmailChange(tab, newEmail))()).status).toBe(200)
    const remove = async (body: object) => outcome(await tab.post('/auth/delete-user', body))
    for (const body of [{}, { password }, { token }, { password, token }]) expect(await remove(body)).toEqual(recentlyChanged)
    expect(await app.db.user.count({ where: { id: tab.userId } })).toBe(1)
    clock.advance(week - 1)
    await tab.post('/auth/sign-in/email', { email: newEmail, password })
    for (const body of [{}, { password }]) expect(await remove(body)).toEqual(recentlyChanged)
    clock.advance(1)
    expect(await remove({ password })).toEqual(allowed)
  })

  test('an unconfirmed or undone change does not block deletion', async () => {
    const tab = await app.signedIn()
    const confirm = await requestEmailChange(tab, app.person().email)
    expect(outcome(await tab.post('/auth/delete-user'))).toEqual(allowed)
    expect((await confirm()).status).toBe(200)
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    expect(outcome(await app.browser().post('/auth/undo-email-change', { token }))).toEqual(allowed)
    await app.drainMail()
    const { token: reset } = app.outbox.lastTo(tab.person.email)
    expect(outcome(await app.browser().post('/auth/reset-password', { token: reset, newPassword }))).toEqual(allowed)
    await tab.post('/auth/sign-in/email', { email: tab.person.email, password: newPassword })
    expect(outcome(await tab.post('/auth/delete-user', { password: newPassword }))).toEqual(allowed)
  })

  test('a deletion and a change confirmed in parallel leave either no account or an account whose change can be undone', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const confirm = await requestEmailChange(tab, app.person().email)
      const [confirmed, removed] = await Promise.all([
        confirm(),
        tab.post('/auth/delete-user', { password: tab.person.password }),
      ])
      const isThere = (await app.db.user.count({ where: { id: tab.userId } })) === 1
      const undoLinks = await app.db.verification.count({ where: { userId: tab.userId, purpose: 'undo-email-change' } })
      expect([isThere, undoLinks]).toEqual(removed.status === 200 ? [false, 0] : [true, confirmed.status === 200 ? 1 : 0])
      expect(Math.max(confirmed.status, removed.status)).toBeLessThan(500)
    }
  })
})
