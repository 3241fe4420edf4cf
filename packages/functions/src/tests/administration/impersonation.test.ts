import { cachedSessionJson, verifyCached } from '@floorpass/api'
import { adminOf } from '@floorpass/testing/admin-command'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { type Browser, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { impersonate, reason } from '@floorpass/testing/impersonation'
import { handleOf, serviceKey } from '@floorpass/testing/route-samples'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const command = adminOf(app)

const sessionCookie = 'local-floorpass_session'
const administratorCookie = 'floorpass_admin_session'
const done = [200, undefined]

type Current = { session: { token: string; impersonatedBy: string | null; expiresAt: string }; user: { id: string } } | null
const current = async (tab: Browser) => (await tab.get('/auth/get-session')).body as Current
const open = (tab: Browser, userId: string, fields: object = { reason }) =>
  tab.post('/auth/admin/impersonate-user', { userId, ...fields })
const stop = (tab: Browser) => tab.post('/auth/admin/stop-impersonating', {})

async function administrator(role: 'admin' | 'support' | 'auditor' = 'admin'): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, role)
  return tab
}

/** Every row that names the user, without the events and mails of the impersonation itself. */
const knownDevices = async (userId: string) => ({
  accounts: await app.db.account.findMany({ where: { userId } }),
  devices: await app.db.trustedDevice.findMany({ where: { userId } }),
  user: await app.db.user.findUnique({ where: { id: userId } }),
})

describe('impersonation', () => {
  test('opens the account of the user, and stopping returns to the session of the administrator', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    const own = await current(tab)
    const { body } = await open(tab, user.userId)
    expect(body).toMatchObject({
      session: { userId: user.userId, impersonatedBy: tab.userId, ipAddress: '', userAgent: '' },
      user: { id: user.userId, email: user.person.email },
    })
    expect(await current(tab)).toEqual(body)
    expect(own).toMatchObject({ session: { impersonatedBy: null } })
    const answer = await stop(tab)
    expect(answer.body).toEqual(own)
    expect(answer.setCookies).toEqual([
      expect.stringMatching(/^local-floorpass_session=[\w-]{43}; /),
      'floorpass_admin_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax',
    ])
    expect(await current(tab)).toEqual(own)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(1)
  })

  test('keeps the token of the administrator in a cookie that no script reads', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    const token = tab.cookies.get(sessionCookie)
    const { setCookies } = await open(tab, user.userId)
    expect(setCookies).toEqual([
      `floorpass_admin_session=${token}; HttpOnly; Max-Age=1800; Path=/; SameSite=Lax`,
      // Without Max-Age: it ends with the browser.
      expect.stringMatching(/^local-floorpass_session=[\w-]{43}; HttpOnly; Path=\/; SameSite=Lax$/),
    ])
  })

  test.each(['support', 'auditor', null] as const)('is refused to the role %s', async (role) => {
    const [tab, user] = [await app.signedIn(), await app.signedIn()]
    await makeAdministrator(app, tab, role)
    expect(outcome(await open(tab, user.userId))).toEqual([403, 'ADMINISTRATOR_ROLE_REQUIRED'])
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(1)
  })

  test('needs the proof of an administrator: a stolen cookie cannot impersonate', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { secondFactorAt: null } })
    await app.service.deps.changes.flush()
    expect(outcome(await open(tab, user.userId))).toEqual([403, 'SESSION_NOT_FRESH'])
  })

  test.each(['admin', 'support', 'auditor'] as const)('never opens the account of an administrator: %s', async (role) => {
    const [tab, other] = [await administrator(), await administrator(role)]
    expect(outcome(await open(tab, other.userId))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS'])
    expect(outcome(await open(tab, tab.userId))).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS'])
    expect(await app.db.session.count({ where: { userId: other.userId } })).toBe(1)
  })

  test('never opens a suspended or an unknown account', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    await tab.post('/auth/admin/ban-user', { userId: user.userId, banReason: reason })
    expect(outcome(await open(tab, user.userId))).toEqual([400, 'USER_SUSPENDED'])
    expect(outcome(await open(tab, 'unknown'))).toEqual([400, 'USER_NOT_FOUND'])
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(0)
  })

  test.each([
    ['no reason', {}],
    ['a short one', { reason: 'because' }],
    ['spaces', { reason: ' '.repeat(20) }],
    ['a long one', { reason: 'x'.repeat(501) }],
    ['an unknown field', { reason, duration: 3600 }],
  ])('needs a reason of 10 to 500 characters: refuses %s', async (_name, fields) => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    expect(outcome(await open(tab, user.userId, fields))).toEqual([400, 'VALIDATION_ERROR'])
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(1)
  })

  test('is mailed to the user with the reason, and listed in their activity without the device of the administrator', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    await app.drainMail()
    const mail = app.outbox.lastTo(user.person.email)
    expect(mail.subject).toBe('An administrator of Floorpass opened your account')
    expect(mail.text).toContain(reason)
    await stop(tab)
    const { events } = (await user.get('/auth/list-activity')).body as { events: object[] }
    expect(events.slice(0, 2)).toMatchObject([
      { action: 'stop-impersonating', byAnother: true, ipAddress: '' },
      { action: 'impersonate-user', byAnother: true, ipAddress: '', details: { reason } },
    ])
    const recorded = await app.db.auditEvent.findMany({ where: { userId: user.userId, actorId: tab.userId } })
    expect(recorded.map(({ ipAddress }) => ipAddress)).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  test('is listed among the sessions of the user, who may end it', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const listed = async (from: Browser) =>
      (await from.get('/auth/list-sessions')).body as { token: string; impersonatedBy: string | null; current: boolean }[]
    const [opened, own] = await listed(user)
    expect(opened).toMatchObject({ impersonatedBy: tab.userId, current: false, ipAddress: '', browser: null })
    expect(own).toMatchObject({ impersonatedBy: null, current: true })
    expect((await listed(tab)).map(({ current }) => current)).toEqual([true, false])
    await user.post('/auth/revoke-session', { token: opened?.token })
    expect(await current(tab)).toBeNull()
    expect(await current(user)).not.toBeNull()
  })

  test('is no sign-in: devices and other sessions of the user stay as they are', async () => {
    const user = await app.signedIn()
    const before = await knownDevices(user.userId)
    await app.db.session.createMany({
      data: Array.from({ length: 49 }, (_, count) => ({
        id: `${user.userId} ${count}`,
        userId: user.userId,
        expiresAt: new Date(Date.now() + 3_600_000),
      })),
    })
    await stop(await impersonate(app, user))
    await impersonate(app, user)
    expect(await knownDevices(user.userId)).toEqual(before)
    const own = { userId: user.userId, impersonatedBy: null }
    expect(await app.db.session.count({ where: own })).toBe(50)
    // The session of the administrator does not count for the limit of the user either.
    await app.browser().post('/auth/sign-in/email', { email: user.person.email, password: user.person.password })
    expect(await app.db.session.count({ where: own })).toBe(50)
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(51)
    await app.drainMail()
    expect(new Set(app.outbox.to(user.person.email).map(({ subject }) => subject))).toEqual(
      new Set(['An administrator of Floorpass opened your account']),
    )
  })

  test('never shows the own words of the user', async () => {
    const user = await app.signedIn()
    await user.post('/auth/protection/set-phrase', { phrase: 'Blue heron at dawn' })
    const tab = await impersonate(app, user)
    const read = async (from: Browser) => (await from.get('/auth/protection/get')).body
    expect(await read(user)).toMatchObject({ phrase: 'Blue heron at dawn' })
    expect(await read(tab)).toEqual({ ...((await read(user)) as object), phrase: null })
  })

  test('is no reauthentication', async () => {
    const tab = await impersonate(app, await app.signedIn())
    expect((await tab.get('/auth/reauthentication')).body).toMatchObject({ satisfied: false, until: new Date(0).toISOString() })
  })

  test('gives no right of an administrator, even if the user becomes one', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    await makeAdministrator(app, user)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual([403, 'IMPERSONATION_READ_ONLY'])
  })
})

describe('an impersonated session', () => {
  test('ends after 30 minutes, to the second, and is never extended', async () => {
    const clock = holdClock()
    const tab = await impersonate(app, await app.signedIn())
    const started = Date.now()
    for (const seconds of [10 * 60, 10 * 60, 10 * 60 - 1]) {
      clock.advance(seconds)
      expect(new Date((await current(tab))?.session.expiresAt ?? 0).getTime()).toBe(started + 30 * 60_000)
    }
    clock.advance(1)
    expect(await current(tab)).toBeNull()
  })

  test('ends with the session that it came from, when that one expires first', async () => {
    const clock = holdClock()
    const [tab, user] = [await administrator(), await app.signedIn()]
    const expiresAt = new Date(Date.now() + 60_000)
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { remember: false, expiresAt } })
    await app.service.deps.changes.flush()
    expect((await open(tab, user.userId)).body).toMatchObject({ session: { expiresAt: expiresAt.toISOString() } })
    clock.advance(60)
    expect(await current(tab)).toBeNull()
  })

  const ends: Record<string, (tab: SignedIn, user: SignedIn) => Promise<unknown>> = {
    'the role of the administrator is revoked': (tab) => command('revoke-role', tab.person.email, '--reason', reason),
    'the administrator gets a weaker role': (tab) =>
      command('grant-role', tab.person.email, '--role', 'support', '--reason', reason, '--yes'),
    'the administrator is suspended': (tab) => command('suspend', tab.person.email, '--reason', reason, '--yes'),
    'the administrator is deleted': (tab) => app.db.user.delete({ where: { id: tab.userId } }),
    'the session of the administrator is ended elsewhere': async (tab) => {
      const elsewhere = app.browser()
      await app.db.user.update({ where: { id: tab.userId }, data: { twoFactorEnabled: false } })
      await elsewhere.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
      await elsewhere.post('/auth/revoke-other-sessions', {})
    },
    'the user is suspended': (_tab, user) => command('suspend', user.person.email, '--reason', reason, '--yes'),
    'the user becomes an administrator': async (_tab, user) => {
      await app.db.user.update({ where: { id: user.userId }, data: { twoFactorEnabled: true } })
      await command('grant-role', user.person.email, '--role', 'auditor', '--reason', reason, '--yes')
    },
    'the user ends all sessions': (_tab, user) => user.post('/auth/revoke-sessions', {}),
  }
  test.each(Object.entries(ends))('ends at once when %s', async (_name, end) => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    expect(await current(tab)).toMatchObject({ user: { id: user.userId } })
    await end(tab, user)
    expect(await app.db.session.count({ where: { impersonatedBy: tab.userId } })).toBe(0)
    await app.service.deps.changes.flush()
    expect(await current(tab)).toBeNull()
    expect(outcome(await stop(tab))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('ends when the administrator opens another account', async () => {
    const [tab, first, second] = [await administrator(), await app.signedIn(), await app.signedIn()]
    const token = tab.cookies.get(sessionCookie) ?? ''
    await open(tab, first.userId)
    const former = app.browser()
    former.cookies.set(sessionCookie, tab.cookies.get(sessionCookie) ?? '')
    // In another tab that the browser had loaded before.
    tab.cookies.set(sessionCookie, token)
    expect(outcome(await open(tab, second.userId))).toEqual(done)
    expect(await current(former)).toBeNull()
    expect(await current(tab)).toMatchObject({ user: { id: second.userId } })
  })

  test('cannot impersonate another user', async () => {
    const [user, other] = [await app.signedIn(), await app.signedIn()]
    const tab = await impersonate(app, user)
    expect(outcome(await open(tab, other.userId))).toEqual([403, 'IMPERSONATION_READ_ONLY'])
  })

  test('signs out together with the session of the administrator', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const kept = app.browser()
    kept.cookies.set(sessionCookie, tab.cookies.get(administratorCookie) ?? '')
    expect(await current(kept)).toMatchObject({ user: { id: tab.userId } })
    expect(outcome(await tab.post('/auth/sign-out'))).toEqual(done)
    expect([tab.cookies.has(sessionCookie), tab.cookies.has(administratorCookie)]).toEqual([false, false])
    expect([await current(kept), await app.db.session.count({ where: { userId: tab.userId } })]).toEqual([null, 0])
    expect(await current(user)).not.toBeNull()
    const newest = (userId: string) => app.db.auditEvent.findFirst({ where: { userId }, orderBy: { id: 'desc' } })
    expect(await newest(user.userId)).toMatchObject({ action: 'stop-impersonating', actorId: tab.userId })
    expect(await newest(tab.userId)).toMatchObject({ action: 'sign-out', actorId: null })
  })

  test('is refused by a call that a browser makes without a session, such as a sign-in', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const { email, password } = user.person
    expect(outcome(await tab.post('/auth/sign-in/email', { email, password }))).toEqual([403, 'IMPERSONATION_READ_ONLY'])
    expect(await current(tab)).toMatchObject({ session: { impersonatedBy: tab.userId } })
  })
})

describe('stopping', () => {
  test('needs an impersonated session', async () => {
    const tab = await administrator()
    expect(outcome(await stop(tab))).toEqual([400, 'NOT_IMPERSONATING'])
    expect(outcome(await stop(app.browser()))).toEqual([401, 'UNAUTHORIZED'])
  })

  const cookies: Record<string, (tab: SignedIn) => Promise<string | undefined>> = {
    'no cookie of the administrator': async () => undefined,
    'a forged one': async () => 'A'.repeat(43),
    'that of another administrator who impersonates': async () =>
      (await impersonate(app, await app.signedIn())).cookies.get(administratorCookie),
    'that of another session of the same administrator': async (tab) => {
      const elsewhere = app.browser()
      await app.db.user.update({ where: { id: tab.userId }, data: { twoFactorEnabled: false } })
      await elsewhere.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
      return elsewhere.cookies.get(sessionCookie)
    },
    'the token of the impersonated session': async (tab) => tab.cookies.get(sessionCookie),
    'the identifier of the session': async (tab) => (await app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })).id,
  }
  test.each(Object.entries(cookies))('with %s ends the session and opens none', async (_name, forge) => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const value = await forge(tab)
    if (value === undefined) tab.cookies.delete(administratorCookie)
    else tab.cookies.set(administratorCookie, value)
    const answer = await stop(tab)
    expect([...outcome(answer), answer.setCookies]).toEqual([401, 'UNAUTHORIZED', []])
    expect(await current(tab)).toBeNull()
    expect(await app.db.session.count({ where: { userId: user.userId, impersonatedBy: { not: null } } })).toBe(0)
  })

  test('cannot be replayed: the cookie of the administrator opens nothing afterwards', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const before = new Map(tab.cookies)
    await stop(tab)
    const replay = app.browser()
    for (const [name, value] of before) replay.cookies.set(name, value)
    expect(outcome(await stop(replay))).toEqual([401, 'UNAUTHORIZED'])
    // In a session of the user, it does not make the user an administrator.
    user.cookies.set(administratorCookie, before.get(administratorCookie) ?? '')
    expect(outcome(await stop(user))).toEqual([400, 'NOT_IMPERSONATING'])
    expect(await current(user)).toMatchObject({ user: { id: user.userId } })
  })
})

describe('other services', () => {
  const introspect = async (token: string) =>
    (await app.browser().post('/auth/introspect', { token }, { headers: { authorization: `Bearer ${serviceKey}` } })).body

  test('do not take the administrator for the user: no token, no verification, inactive', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const refused = [403, 'IMPERSONATION_READ_ONLY']
    expect(outcome(await tab.get('/auth/token'))).toEqual(refused)
    expect(outcome(await tab.get('/auth/verify'))).toEqual(refused)
    expect(outcome(await tab.get('/auth/verify?redirect=1'))).toEqual(refused)
    expect(await introspect(tab.cookies.get(sessionCookie) ?? '')).toEqual({ active: false })
    expect(await introspect(user.cookies.get(sessionCookie) ?? '')).toMatchObject({ active: true, sub: user.userId })
    expect(outcome(await user.get('/auth/verify'))).toEqual(done)
  })

  test('get the same answers from the cached session', async () => {
    const tab = await impersonate(app, await app.signedIn())
    const answer = await current(tab)
    const { deps } = app.service
    const inMemory = cachedSessionJson(deps, tab.cookies)
    expect(JSON.parse(Buffer.from(String(inMemory), 'latin1').toString())).toEqual(answer)
    expect(answer).toMatchObject({ session: { impersonatedBy: tab.userId } })
    expect(() => verifyCached(deps, tab.cookies, {})).toThrow(expect.objectContaining({ key: 'IMPERSONATION_READ_ONLY' }))
  })

  test('cannot name the session for a confirmation', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const details = [{ type: 'withdrawal', amount: '2500.00', currency: 'EUR', payee: 'Grace Hopper' }]
    const create = async (from: Browser) =>
      app
        .browser()
        .post(
          '/auth/confirmation/create',
          { userId: user.userId, sessionId: await handleOf(from), authorization_details: details, audience: app.baseUrl },
          { headers: { authorization: `Bearer ${serviceKey}` } },
        )
    expect(outcome(await create(tab))).toEqual([400, 'CONFIRMATION_SESSION_NOT_FOUND'])
    expect(outcome(await create(user))).toEqual(done)
  })
})

describe.runIf(testDatabase.kind === 'postgres')('a race', () => {
  test('between a role change and an impersonation opens nothing', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    const { answer } = await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${tab.userId} FOR UPDATE`
      const sent = open(tab, user.userId)
      await waitForLocks(app)
      await tx.user.update({ where: { id: tab.userId }, data: { role: null } })
      return { answer: sent }
    })
    expect(outcome(await answer)).toEqual([403, 'ADMINISTRATOR_ROLE_REQUIRED'])
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(1)
  })

  test('between a grant to the user and an impersonation opens nothing', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    const { answer } = await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${user.userId} FOR UPDATE`
      const sent = open(tab, user.userId)
      await waitForLocks(app)
      await tx.user.update({ where: { id: user.userId }, data: { role: 'auditor' } })
      return { answer: sent }
    })
    expect(outcome(await answer)).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS'])
  })

  test('between two impersonations leaves one session', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    const { userId } = user
    const answers = await Promise.all([open(tab, userId), open(tab, userId), open(tab, userId)])
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await app.db.session.count({ where: { impersonatedBy: tab.userId } })).toBe(1)
  })

  test('between two stops records one event', async () => {
    const user = await app.signedIn()
    const tab = await impersonate(app, user)
    const statuses = (await Promise.all([stop(tab), stop(tab)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 401])
    expect(await app.db.auditEvent.count({ where: { userId: user.userId, action: 'stop-impersonating' } })).toBe(1)
  })
})
