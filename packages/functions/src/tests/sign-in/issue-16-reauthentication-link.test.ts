import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { outcome } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ GITHUB_CLIENT_ID: 'github', GITHUB_CLIENT_SECRET: 'a secret of tests' })
const quarter = 15 * 60
const day = 24 * 3600
const week = 7 * day
const allowed = [200, undefined]
const refused = [403, 'SESSION_NOT_FRESH']
const notOffered = [400, 'REAUTHENTICATION_METHOD_NOT_AVAILABLE']
const invalid = [400, 'INVALID_TOKEN']
const newPassword = 'violet harbor ladder'

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const act = async (tab: Browser) => outcome(await tab.get('/auth/export-data'))
const ask = async (tab: Pick<Browser, 'post'>) => outcome(await tab.post('/auth/reauthenticate', { sendEmail: true }))
const follow = async (tab: Pick<Browser, 'post'>, token: string) => outcome(await tab.post('/auth/reauthenticate', { token }))
const methodsOf = async (tab: Browser) => ((await tab.get('/auth/reauthentication')).body as { methods: string[] }).methods
const mailsTo = async (address: string) => {
  await app.mailed()
  return app.outbox.to(address).filter(({ link }) => link.pathname === '/reauthenticate')
}
const linkFor = async (tab: Tab, address = tab.person.email) => {
  expect(await ask(tab)).toEqual(allowed)
  return (await mailsTo(address)).at(-1)?.token ?? ''
}
const proofsOf = ({ userId }: Tab) => app.db.auditEvent.count({ where: { userId, action: 'reauthenticate' } })
const isKept = async ({ userId }: Tab) =>
  (await app.db.verification.count({ where: { userId, purpose: 'reauthenticate', usedAt: null } })) === 1

/** A person of eight days who has neither password, provider nor factor: only the mailbox. */
async function mailboxOnly({ proven = false, age = 8 * day } = {}) {
  const clock = holdClock()
  const tab = await app.signedIn()
  const another = app.browser()
  await another.post('/auth/sign-in/email', tab.person)
  await app.db.account.deleteMany({ where: { userId: tab.userId } })
  await app.db.user.update({ where: { id: tab.userId }, data: { createdAt: new Date(Date.now() - age * 1000) } })
  if (!proven) clock.advance(quarter + 1)
  return { clock, tab, another }
}
async function moveTo(tab: Tab, newEmail: string) {
  expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
  await app.mailed()
  return () => tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
}

describe('a mailed link', () => {
  test('proves who the user is in the browser that is signed in, for 15 minutes', async () => {
    const { tab, another, clock } = await mailboxOnly()
    expect(await methodsOf(tab)).toEqual(['email'])
    const before = tab.cookies.get('floorpass_session')
    const token = await linkFor(tab)
    expect(await act(tab)).toEqual(refused)
    expect(await follow(tab, token)).toEqual(allowed)
    expect(tab.cookies.get('floorpass_session')).not.toBe(before)
    expect([await act(tab), await act(another)]).toEqual([allowed, refused])
    const events = await app.db.auditEvent.findMany({
      where: { userId: tab.userId, action: { contains: 'reauthentic' } },
      orderBy: { id: 'asc' },
    })
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ['request-reauthentication-link', null],
      ['reauthenticate', { method: 'email' }],
    ])
    clock.advance(quarter + 1)
    expect([await act(tab), await follow(tab, token)]).toEqual([refused, [400, 'TOKEN_EXPIRED']])
  })

  test('is followed in another signed-in browser: that one is proven, the one that asked is not', async () => {
    const { tab, another } = await mailboxOnly()
    expect(await follow(another, await linkFor(tab))).toEqual(allowed)
    expect([await act(tab), await act(another)]).toEqual([refused, allowed])
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
    ['an unverified address', ({ userId }) => app.db.user.update({ where: { id: userId }, data: { emailVerified: false } }), []],
  ])('is not sent to an account with %s', async (_, change, methods) => {
    const { tab } = await mailboxOnly({ proven: true })
    await change(tab)
    expect(await methodsOf(tab)).toEqual(methods)
    expect(await ask(tab)).toEqual(notOffered)
    expect(await mailsTo(tab.person.email)).toEqual([])
  })

  test('is sent to an account whose only provider this service no longer offers, or whose password was cleared', async () => {
    const { tab } = await mailboxOnly()
    const { userId } = tab
    await app.db.account.create({ data: { userId, providerId: 'google', accountId: userId } })
    await app.db.account.create({ data: { userId, providerId: 'credential', accountId: userId, passwordHash: null } })
    expect(await methodsOf(tab)).toEqual(['email'])
    expect(await follow(tab, await linkFor(tab))).toEqual(allowed)
  })

  test('is not sent to an account younger than a week, to the second', async () => {
    const { tab, clock } = await mailboxOnly({ age: week - quarter - 2 })
    expect([await methodsOf(tab), await ask(tab)]).toEqual([[], notOffered])
    clock.advance(1)
    expect([await methodsOf(tab), await ask(tab)]).toEqual([['email'], allowed])
  })

  test('is not sent while the former address can undo a change, to the second', async () => {
    const { tab, clock } = await mailboxOnly({ proven: true })
    const newEmail = app.person().email
    await (await moveTo(tab, newEmail))()
    clock.advance(week - 1)
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { expiresAt: new Date(Date.now() + 1e9) } })
    expect([await methodsOf(tab), await ask(tab)]).toEqual([[], notOffered])
    expect(await mailsTo(newEmail)).toEqual([])
    clock.advance(1)
    expect([await methodsOf(tab), await ask(tab)]).toEqual([['email'], allowed])
    expect(await mailsTo(newEmail)).toHaveLength(1)
  })

  test('T92: works once, and of twenty at once for one', async () => {
    const { tab } = await mailboxOnly()
    const token = await linkFor(tab)
    const headers = { cookie: `floorpass_session=${tab.cookies.get('floorpass_session')}` }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.browser().post('/auth/reauthenticate', { token }, { headers })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(['INVALID_TOKEN', 'UNAUTHORIZED']).toContain(code)
    expect(await proofsOf(tab)).toBe(1)
    expect(app.unforeseen()).toEqual([])
  })

  test('T92: of twenty browsers of one person that follow it at once one is proven', async () => {
    const { tab, another } = await mailboxOnly()
    const token = await linkFor(tab)
    const outcomes = await Promise.all([tab, another, tab, another].map((browser) => follow(browser, token)))
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect([await act(tab), await act(another)].filter(([status]) => status === 200)).toHaveLength(1)
  })

  test("is worth nothing in another user's session, and is not used up there", async () => {
    const { tab } = await mailboxOnly()
    const token = await linkFor(tab)
    const other = await app.signedIn()
    expect(await follow(other, token)).toEqual(invalid)
    expect([await isKept(tab), await proofsOf(other)]).toEqual([true, 0])
    expect(await follow(tab, token)).toEqual(allowed)
  })

  test('is worth nothing signed out or after the session ended, and is not used up there', async () => {
    const { tab, another } = await mailboxOnly()
    const token = await linkFor(tab)
    expect(await follow(app.browser(), token)).toEqual([401, 'UNAUTHORIZED'])
    await another.post('/auth/sign-out')
    expect(await follow(another, token)).toEqual([401, 'UNAUTHORIZED'])
    await app.db.session.deleteMany({ where: { userId: tab.userId } })
    expect(await follow(tab, token)).toEqual([401, 'UNAUTHORIZED'])
    expect(await isKept(tab)).toBe(true)
  })

  test('T94: works for 15 minutes, and not a second longer', async () => {
    const { tab, clock } = await mailboxOnly()
    const first = await linkFor(tab)
    clock.advance(quarter - 1)
    expect(await follow(tab, first)).toEqual(allowed)
    const second = await linkFor(tab)
    clock.advance(quarter)
    expect(await follow(tab, second)).toEqual([400, 'TOKEN_EXPIRED'])
  })

  test('is void once a newer one was sent', async () => {
    const { tab } = await mailboxOnly()
    const [older, newer] = [await linkFor(tab), await linkFor(tab)]
    expect([await follow(tab, older), await follow(tab, newer)]).toEqual([invalid, allowed])
  })

  test('is void once the address changed', async () => {
    const { tab } = await mailboxOnly({ proven: true })
    const confirm = await moveTo(tab, app.person().email)
    const token = await linkFor(tab)
    expect((await confirm()).status).toBe(200)
    expect(await follow(tab, token)).toEqual(invalid)
  })

  test('is void once a first password was set, or one chosen by mail', async () => {
    const { tab } = await mailboxOnly({ proven: true })
    const token = await linkFor(tab)
    expect((await tab.post('/auth/set-password', { newPassword })).status).toBe(200)
    expect(await follow(tab, token)).toEqual(invalid)

    const { tab: reset } = await mailboxOnly()
    const second = await linkFor(reset)
    await app.browser().post('/auth/forget-password', { email: reset.person.email })
    await app.mailed()
    const { token: resetToken } = app.outbox.lastTo(reset.person.email)
    expect(outcome(await app.browser().post('/auth/reset-password', { token: resetToken, newPassword }))).toEqual(allowed)
    await reset.post('/auth/sign-in/email', { email: reset.person.email, password: newPassword })
    expect(await follow(reset, second)).toEqual(invalid)
  })

  test('opens nothing else, and no other link reauthenticates', async () => {
    const { tab } = await mailboxOnly({ proven: true })
    const token = await linkFor(tab)
    expect(outcome(await tab.post('/auth/delete-user', { token }))).toEqual(invalid)
    for (const [path, body] of [
      ['verify-email', {}],
      ['undo-email-change', {}],
      ['reset-password', { newPassword }],
    ] as const)
      expect(outcome(await app.browser().post(`/auth/${path}`, { token, ...body }))).toEqual(invalid)
    await tab.post('/auth/delete-user')
    await app.mailed()
    expect(await follow(tab, app.outbox.lastTo(tab.person.email).token)).toEqual(invalid)
    expect(await follow(tab, 'nonsense')).toEqual(invalid)
    expect(await isKept(tab)).toBe(true)
  })

  test('T177: is stored as a hash only', async () => {
    const { tab } = await mailboxOnly()
    const token = await linkFor(tab)
    const rows = (await app.everyRow()).filter((row) => !('html' in row))
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('is sent five times an hour at most', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    const { userId } = tab
    await limited.db.account.deleteMany({ where: { userId } })
    await limited.db.user.update({ where: { id: userId }, data: { createdAt: new Date(Date.now() - 8 * day * 1000) } })
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => ask(tab)))
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(5)
    expect(outcomes.filter(([, code]) => code === 'TOO_MANY_REQUESTS')).toHaveLength(1)
  })
})

describe('while the former address can undo a change of email', () => {
  const held = [403, 'EMAIL_RECENTLY_CHANGED']

  test('the account cannot be deleted: by no password, by no mailed link, by no link from before', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { password } = tab.person
    await tab.post('/auth/delete-user')
    await app.mailed()
    const { token } = app.outbox.lastTo(tab.person.email)
    const newEmail = app.person().email
    expect((await (await moveTo(tab, newEmail))()).status).toBe(200)
    const remove = async (body: object) => outcome(await tab.post('/auth/delete-user', body))
    for (const body of [{}, { password }, { token }, { password, token }]) expect(await remove(body)).toEqual(held)
    expect(await app.db.user.count({ where: { id: tab.userId } })).toBe(1)
    clock.advance(week - 1)
    await tab.post('/auth/sign-in/email', { email: newEmail, password })
    for (const body of [{}, { password }]) expect(await remove(body)).toEqual(held)
    clock.advance(1)
    expect(await remove({ password })).toEqual(allowed)
  })

  test('a change that is only asked for, or was undone, holds nothing back', async () => {
    const tab = await app.signedIn()
    const confirm = await moveTo(tab, app.person().email)
    expect(outcome(await tab.post('/auth/delete-user'))).toEqual(allowed)
    expect((await confirm()).status).toBe(200)
    await app.mailed()
    const { token } = app.outbox.lastTo(tab.person.email)
    expect(outcome(await app.browser().post('/auth/undo-email-change', { token }))).toEqual(allowed)
    await app.mailed()
    const { token: reset } = app.outbox.lastTo(tab.person.email)
    expect(outcome(await app.browser().post('/auth/reset-password', { token: reset, newPassword }))).toEqual(allowed)
    await tab.post('/auth/sign-in/email', { email: tab.person.email, password: newPassword })
    expect(outcome(await tab.post('/auth/delete-user', { password: newPassword }))).toEqual(allowed)
  })

  test('a deletion and the confirmation of a change at once: the account is gone, or it is there and can be taken back', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const confirm = await moveTo(tab, app.person().email)
      const [confirmed, removed] = await Promise.all([
        confirm(),
        tab.post('/auth/delete-user', { password: tab.person.password }),
      ])
      const isThere = (await app.db.user.count({ where: { id: tab.userId } })) === 1
      const undos = await app.db.verification.count({ where: { userId: tab.userId, purpose: 'undo-email-change' } })
      expect([isThere, undos]).toEqual(removed.status === 200 ? [false, 0] : [true, confirmed.status === 200 ? 1 : 0])
      expect(Math.max(confirmed.status, removed.status)).toBeLessThan(500)
    }
  })
})
