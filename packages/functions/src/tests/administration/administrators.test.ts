import { randomUUIDv7 } from 'node:crypto'
import { adminOf } from '@floorpass/testing/admin-command'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { type Answer, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { refuseMail } from '@floorpass/testing/refused-mails'
import { handleOf } from '@floorpass/testing/route-samples'
import { signInWithFactor } from '@floorpass/testing/sign-in'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { addWebhook } from '@floorpass/testing/webhooks'
import { describe, expect, test } from 'vitest'

// The rule of two administrators has its own tests.
const app = await createTestApp({ ADMIN_APPROVAL: 'never' })
const command = adminOf(app)
const reason = 'asked by the head of support'

const refusal = { role: [403, 'ADMINISTRATOR_ROLE_REQUIRED'], proof: [403, 'SESSION_NOT_FRESH'] }
const done = [200, undefined]

async function administrator(role: 'admin' | 'support' | 'auditor' | null): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, role)
  return tab
}

const organizationOf = async (user: SignedIn) =>
  ((await user.post('/auth/organization/create', { name: 'Desk', slug: randomUUIDv7() })).body as { id: string }).id

type Call = (tab: SignedIn, user: SignedIn) => Promise<Answer>
const calls: Record<string, Call> = {
  'list users': (tab) => tab.get('/auth/admin/list-users'),
  'search users': (tab) => tab.get('/auth/admin/list-users?searchValue=ada'),
  'get a user': (tab, { userId }) => tab.get(`/auth/admin/get-user?id=${userId}`),
  'list the sessions of a user': (tab, { userId }) => tab.post('/auth/admin/list-user-sessions', { userId }),
  'read the audit log': (tab) => tab.get('/auth/admin/list-audit-events'),
  'end a session': async (tab, user) => tab.post('/auth/admin/revoke-user-session', { sessionToken: await handleOf(user) }),
  'end all sessions of a user': (tab, { userId }) => tab.post('/auth/admin/revoke-user-sessions', { userId }),
  'list the requests for a second administrator': (tab) => tab.get('/auth/admin/list-approvals'),
  'suspend a user': (tab, { userId }) => tab.post('/auth/admin/ban-user', { userId, banReason: reason }),
  'download the audit log': (tab) => tab.get('/auth/admin/audit-events.csv'),
  'count everything': (tab) => tab.get('/auth/admin/counts'),
  'list refused mails': (tab) => tab.get('/auth/admin/list-refused-mails'),
  'send a refused mail again': async (tab, { person }) =>
    tab.post('/auth/admin/retry-refused-mail', { id: await refuseMail(app, person.email) }),
  'delete a refused mail': async (tab, { person }) =>
    tab.post('/auth/admin/drop-refused-mail', { id: await refuseMail(app, person.email) }),
  'list webhooks': (tab) => tab.get('/auth/admin/list-webhooks'),
  'list deliveries': async (tab) =>
    tab.get(`/auth/admin/list-webhook-deliveries?webhookId=${(await addWebhook(app, 'https://hooks.example.com')).id}`),
  'list services': (tab) => tab.get('/auth/admin/list-services'),
  'list organizations': (tab) => tab.get('/auth/admin/list-organizations'),
  'get an organization': async (tab, user) => tab.get(`/auth/admin/get-organization?id=${await organizationOf(user)}`),
  'suspend an organization': async (tab, user) =>
    tab.post('/auth/admin/suspend-organization', { organizationId: await organizationOf(user), reason }),
  'restore an organization': async (tab, user) =>
    tab.post('/auth/admin/restore-organization', { organizationId: await organizationOf(user), reason }),
  'change the owner of an organization': async (tab, user) => {
    const fields = { organizationId: await organizationOf(user), userId: user.userId, reason }
    return tab.post('/auth/admin/change-organization-owner', fields)
  },
  'list the settings': (tab) => tab.get('/auth/admin/list-settings'),
  'list the API keys of a user': (tab, { userId }) => tab.get(`/auth/admin/list-user-api-keys?userId=${userId}`),
  'delete an API key of a user': async (tab, user) => {
    const { body } = await user.post('/auth/api-key/create', { name: 'Bot' })
    return tab.post('/auth/admin/revoke-user-api-key', { keyId: (body as { id: string }).id, reason })
  },
  'end a suspension': (tab, { userId }) => tab.post('/auth/admin/unban-user', { userId }),
  'create a user': (tab) =>
    tab.post('/auth/admin/create-user', { email: `${randomUUIDv7()}@example.test`, name: 'Grace Hopper' }),
  'change a profile': (tab, { userId }) => tab.post('/auth/admin/update-user', { userId, data: { name: 'Grace Hopper' } }),
  'take a role away': (tab, { userId }) => tab.post('/auth/admin/set-role', { userId, role: 'user' }),
  'set a password': (tab, { userId }) =>
    tab.post('/auth/admin/set-user-password', { userId, newPassword: 'velvet harbor anchor 9' }),
  'turn off a second factor': async (tab, { userId }) => {
    await app.db.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
    return tab.post('/auth/admin/disable-two-factor', { userId })
  },
  'delete a user': (tab, { userId }) => tab.post('/auth/admin/remove-user', { userId }),
  'reject a request': async (tab, { userId }) => {
    const expiresAt = new Date(Date.now() + 60_000)
    const request = { userId, action: 'remove-user', detail: '', reason, requestedBy: userId, expiresAt }
    const { id: approvalId } = await app.db.approval.create({ data: request })
    return tab.post('/auth/admin/reject-approval', { approvalId })
  },
}
const endsSessions = ['end a session', 'end all sessions of a user', 'suspend a user', 'set a password', 'delete a user']
const reads = [
  'list users',
  'search users',
  'get a user',
  'list the sessions of a user',
  'read the audit log',
  'download the audit log',
  'count everything',
  'list refused mails',
  'list webhooks',
  'list deliveries',
  'list services',
  'list the API keys of a user',
  'list organizations',
  'get an organization',
  'list the requests for a second administrator',
]
const readsOfSettings = ['list the settings']
const granted: Record<string, string[]> = {
  admin: Object.keys(calls),
  support: [...reads, 'end a session', 'end all sessions of a user', 'send a refused mail again'],
  auditor: [...reads, ...readsOfSettings],
}

describe.each(['admin', 'support', 'auditor', null] as const)('the role %s', (role) => {
  test.each(Object.entries(calls))('%s', async (name, call) => {
    const tab = await administrator(role)
    const user = await app.signedIn()
    const before = await app.db.session.count({ where: { userId: user.userId } })
    const isGranted = granted[String(role)]?.includes(name) ?? false
    expect(outcome(await call(tab, user))).toEqual(isGranted ? done : refusal.role)
    const ends = isGranted && endsSessions.includes(name)
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(ends ? before - 1 : before)
  })
})

describe('the proof', () => {
  test.each(Object.entries(calls))('a stolen cookie of an administrator cannot: %s', async (_name, call) => {
    const tab = await administrator('admin')
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { secondFactorAt: null } })
    await app.service.deps.changes.flush()
    const user = await app.signedIn()
    expect(outcome(await call(tab, user))).toEqual(refusal.proof)
    expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(1)
  })

  test('of a code counts for 15 minutes, to the second', async () => {
    const clock = holdClock()
    const tab = await administrator('auditor')
    clock.advance(15 * 60)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
    clock.advance(1)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(refusal.proof)
  })

  test('of a code counts when the clock goes back a minute, and no further', async () => {
    const clock = holdClock()
    const tab = await administrator('auditor')
    clock.advance(-60)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
    clock.advance(-1)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(refusal.proof)
  })

  test('is the passkey when the administrator has one: a code is not enough', async () => {
    const { tab, authenticator: codes, clock } = await signInWithFactor(app, holdClock())
    expect(outcome(await tab.post('/auth/reauthenticate', { code: codes.code() }))).toEqual(done)
    clock.advance(30)
    const authenticator = createSoftwareAuthenticator()
    expect((await addPasskey(tab, authenticator)).status).toBe(200)
    expect((await command('grant-role', tab.person.email, '--role', 'support', '--reason', reason, '--yes')).code).toBe(0)
    expect(outcome(await tab.post('/auth/reauthenticate', { code: codes.code() }))).toEqual(done)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(refusal.proof)
    const passkey = await createAssertion(tab, authenticator)
    expect(outcome(await tab.post('/auth/reauthenticate', { passkey }))).toEqual(done)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
  })

  test('accepts the passkey that signed the administrator in', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await command('grant-role', tab.person.email, '--role', 'auditor', '--reason', reason, '--yes')
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(refusal.proof)
    const again = app.browser()
    const response = await createAssertion(again, authenticator)
    expect(outcome(await again.post('/auth/passkey/verify-authentication', { response }))).toEqual(done)
    expect(outcome(await again.get('/auth/admin/list-users'))).toEqual(done)
  })

  test('does not count after a security change since the grant, until its hold ends or an operator grants the role again', async () => {
    const clock = holdClock()
    const { tab, authenticator } = await signInWithFactor(app, clock)
    const { person } = tab
    const grant = () => command('grant-role', person.email, '--role', 'auditor', '--reason', reason, '--yes')
    const prove = async () => {
      clock.advance(30)
      expect(outcome(await tab.post('/auth/reauthenticate', { code: authenticator.code() }))).toEqual(done)
    }
    // Two-factor was turned on a moment ago: the operator who grants the role knows.
    await grant()
    await prove()
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
    // A thief with the password can do this, and sign in with one of the codes.
    expect(outcome(await tab.post('/auth/two-factor/generate-backup-codes', { password: person.password }))).toEqual(done)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual([403, 'ADMINISTRATOR_ON_HOLD'])
    clock.advance(1)
    await grant()
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
    clock.advance(1)
    await tab.post('/auth/two-factor/generate-backup-codes', { password: person.password })
    const { heldUntil } = await app.db.user.findUniqueOrThrow({ where: { id: tab.userId } })
    clock.advance(Math.round((Number(heldUntil) - Date.now()) / 1000) - 60)
    await prove()
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual([403, 'ADMINISTRATOR_ON_HOLD'])
    clock.advance(60)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
  })

  test('refuses a passkey without user verification: a found key is not enough', async () => {
    const { tab, authenticator: codes, clock } = await signInWithFactor(app, holdClock())
    const { email, password } = tab.person
    await tab.post('/auth/reauthenticate', { code: codes.code() })
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    clock.advance(1)
    await command('grant-role', email, '--role', 'auditor', '--reason', reason, '--yes')
    const enter = async (userVerified: boolean) => {
      const browser = app.browser()
      await browser.post('/auth/sign-in/email', { email, password })
      const response = await createAssertion(browser, authenticator, { userVerified })
      expect(outcome(await browser.post('/auth/passkey/verify-authentication', { response }))).toEqual(done)
      return outcome(await browser.get('/auth/admin/list-users'))
    }
    expect(await enter(false)).toEqual(refusal.proof)
    expect(await enter(true)).toEqual(done)
  })

  test('is impossible without a passkey and without two-factor', async () => {
    const tab = await app.signedIn()
    await app.db.user.update({ where: { id: tab.userId }, data: { role: 'admin' } })
    await app.service.deps.changes.flush()
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual([403, 'ADMINISTRATOR_FACTOR_REQUIRED'])
  })
})

describe('roles', () => {
  const grant = (email: string, role: string) => command('grant-role', email, '--role', role, '--reason', reason, '--yes')

  test('are given by the command line to a user with a factor, and mailed', async () => {
    const { tab } = await signInWithFactor(app)
    const { userId, person } = tab
    expect(await grant(person.email, 'support')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has the role support'),
    })
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toBe('You’re now an administrator of Floorpass')
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { role: 'support' } })
    expect(await app.db.auditEvent.findFirst({ where: { userId, action: 'grant-role' } })).toMatchObject({
      actorId: expect.stringMatching(/^operator:/),
      details: { role: 'support', reason },
    })
    expect((await command('list-administrators', '--json')).json).toContainEqual(
      expect.objectContaining({ id: userId, role: 'support' }),
    )
  })

  test('are not given to a user without a factor, or with a role that does not exist', async () => {
    const { person, userId } = await app.signedIn()
    expect(await grant(person.email, 'support')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no passkey and no two-factor authentication'),
    })
    expect((await grant(person.email, 'owner')).code).toBe(2)
    expect(await app.db.user.findUnique({ where: { id: userId } })).toMatchObject({ role: null })
    await expect(app.db.user.update({ where: { id: userId }, data: { role: 'owner' } })).rejects.toThrow('users_role_check')
  })

  test('are not given to a suspended user', async () => {
    const { tab } = await signInWithFactor(app)
    const { email } = tab.person
    await command('suspend', email, '--reason', reason, '--yes')
    expect(await grant(email, 'support')).toMatchObject({ code: 1, stderr: expect.stringContaining('This user is suspended.') })
    expect(await app.db.user.findUnique({ where: { id: tab.userId } })).toMatchObject({ role: null })
    await command('restore', email, '--reason', reason, '--yes')
    expect((await grant(email, 'support')).code).toBe(0)
  })

  test('end at once when they are revoked', async () => {
    const tab = await administrator('admin')
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(done)
    const { stdout } = await command('revoke-role', tab.person.email, '--reason', reason)
    expect(stdout).toContain('no longer has the role admin')
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual(refusal.role)
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toBe('You’re no longer an administrator of Floorpass')
  })

  test('of support end no session of another administrator', async () => {
    const [support, other] = [await administrator('support'), await administrator('auditor')]
    for (const name of ['end a session', 'end all sessions of a user'])
      expect(outcome(await (calls[name] as Call)(support, other))).toEqual(refusal.role)
    expect(await app.db.session.count({ where: { userId: other.userId } })).toBe(1)
  })

  test('answer has-permission as better-auth does', async () => {
    const [admin, auditor, person] = [await administrator('admin'), await administrator('auditor'), await app.signedIn()]
    const may = async (tab: SignedIn, permissions: object) => (await tab.post('/auth/admin/has-permission', { permissions })).body
    expect(await may(admin, { user: ['list', 'ban'], session: ['revoke'] })).toEqual({ error: null, success: true })
    expect(await may(auditor, { user: ['list', 'ban'] })).toEqual({ error: null, success: false })
    expect(await may(person, { user: ['list'] })).toEqual({ error: null, success: false })
    expect(await may(admin, { user: ['constructor'], toString: ['call'] })).toEqual({ error: null, success: false })
  })
})

test.runIf(testDatabase.kind === 'postgres')('a role that is revoked while its request waits changes nothing', async () => {
  const [tab, user] = [await administrator('admin'), await app.signedIn()]
  const { answer } = await app.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${tab.userId} FOR UPDATE`
    const sent = tab.post('/auth/admin/revoke-user-sessions', { userId: user.userId })
    await waitForLocks(app)
    await tx.user.update({ where: { id: tab.userId }, data: { role: null } })
    return { answer: sent }
  })
  expect(outcome(await answer)).toEqual(refusal.role)
  expect(await app.db.session.count({ where: { userId: user.userId } })).toBe(1)
})

test('takes ids only, so that an email cannot bypass the rule against acting on yourself', async () => {
  const tab = await administrator('admin')
  const { email } = tab.person
  expect(outcome(await tab.post('/auth/admin/ban-user', { userId: email, banReason: reason }))).toEqual([400, 'VALIDATION_ERROR'])
  expect(outcome(await tab.get(`/auth/admin/get-user?id=${encodeURIComponent(email)}`))).toEqual([400, 'VALIDATION_ERROR'])
})

describe('the limit', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  test('is 300 calls in five minutes for each administrator, whichever routes they are', async () => {
    const [tab, colleague] = [await limited.signedIn(), await limited.signedIn()]
    for (const each of [tab, colleague]) await makeAdministrator(limited, each, 'support')
    for (let call = 0; call < 300; call += 1) expect(outcome(await tab.get('/auth/admin/list-approvals'))).toEqual(done)
    expect(outcome(await tab.get('/auth/admin/list-users'))).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(outcome(await colleague.get('/auth/admin/list-users'))).toEqual(done)
  })
})

test('an ended session and an unknown one get different answers', async () => {
  const [tab, user] = [await administrator('support'), await app.signedIn()]
  const sessionToken = await handleOf(user)
  const end = async () => (await tab.post('/auth/admin/revoke-user-session', { sessionToken })).body
  expect(await end()).toEqual({ success: true, revoked: 1 })
  expect(await end()).toEqual({ success: true, revoked: 0 })
})

describe('a suspension', () => {
  test('ends the sessions, names the administrator and the reason, and is not for oneself', async () => {
    const [tab, user] = [await administrator('admin'), await app.signedIn()]
    const { body } = await tab.post('/auth/admin/ban-user', { userId: user.userId, banReason: reason })
    expect(body).toMatchObject({ user: { id: user.userId, banned: true } })
    expect((await user.get('/auth/get-session')).body).toBeNull()
    expect(await app.db.auditEvent.findFirst({ where: { userId: user.userId, action: 'suspend-user' } })).toMatchObject({
      actorId: tab.userId,
      details: { reason, sessions: 1 },
    })
    expect(outcome(await tab.post('/auth/admin/ban-user', { userId: tab.userId, banReason: reason }))).toEqual([
      400,
      'YOU_CANNOT_BAN_YOURSELF',
    ])
    expect(outcome(await tab.post('/auth/admin/ban-user', { userId: user.userId }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await tab.post('/auth/admin/ban-user', { userId: 'unknown', banReason: reason }))).toEqual([
      400,
      'USER_NOT_FOUND',
    ])
  })
})

describe('the list of users', async () => {
  const tab = await administrator('auditor')
  const list = async (query: Record<string, string> = {}) => {
    const answer = await tab.get(`/auth/admin/list-users?${new URLSearchParams(query)}`)
    return answer.body as { users: { id: string; email: string; name: string }[]; total: number }
  }
  const addUsers = (rows: { name: string; email: string }[]) =>
    app.db.user.createMany({ data: rows.map((row) => ({ ...row, id: randomUUIDv7() })) })

  test.each([
    ['the beginning of an email', 'zora.nea'],
    ['a domain', 'quill.example'],
    ['a domain after an @', '@quill.exa'],
    ['the beginning of a name, in any case', 'ZORA n'],
    ['the beginning of a last name', 'hurst'],
  ])('finds a user by %s', async (_what, searchValue) => {
    await app.db.user.deleteMany({ where: { email: 'zora.neale@quill.example' } })
    await addUsers([{ name: 'Zora Neale Hurston', email: 'zora.neale@quill.example' }])
    for (const searchOperator of ['contains', 'starts_with'])
      expect((await list({ searchValue, searchOperator })).users.map(({ email }) => email)).toEqual(['zora.neale@quill.example'])
    expect(await list({ searchValue: `${searchValue}%` })).toMatchObject({ users: [], total: 0 })
  })

  test.each([
    ['the beginning of an email', 'grace.br'],
    ['a domain', 'ship.example'],
    ['a domain after an @', '@ship.exa'],
    ['the beginning of a name, in any case', 'GRACE b'],
    ['the beginning of a last name', 'hopp'],
    ['the id', 'found-by-its-id'],
    ['the account at a provider', 'google:grace-at-google'],
  ])('with a filter finds a user by %s, however many others match', async (_what, searchValue) => {
    const email = 'grace.brewster@ship.example'
    await app.db.user.deleteMany({ where: { email: { endsWith: '@ship.example' } } })
    await addUsers(
      Array.from({ length: 60 }, (_, n) => ({ name: 'Grace Brewster Hopper', email: `grace.br.${10 + n}@ship.example` })),
    )
    await app.db.user.create({
      data: {
        id: 'found-by-its-id',
        name: 'Grace Brewster Hopper',
        email,
        suspendedAt: new Date(),
        role: 'auditor',
        accounts: { create: { id: crypto.randomUUID(), providerId: 'google', accountId: 'grace-at-google' } },
      },
    })
    for (const filter of [
      { filterField: 'banned', filterValue: 'true' },
      { filterField: 'role', filterValue: 'auditor' },
    ]) {
      expect((await list({ searchValue, ...filter })).users.map((user) => user.email)).toEqual([email])
      for (const pattern of ['%', '_', '\\'])
        expect(await list({ searchValue: `${searchValue.slice(0, -1)}${pattern}`, ...filter })).toMatchObject({ total: 0 })
    }
    await app.db.user.deleteMany({ where: { email: { endsWith: '@ship.example' } } })
  })

  test('is newest first, and its pages have no gap and no user twice', async () => {
    const all = (await app.db.user.findMany({ orderBy: { id: 'desc' } })).map(({ id }) => id)
    const seen: string[] = []
    for (;;) {
      const after = seen.at(-1)
      const { users } = await list({ limit: '7', ...(after !== undefined && { after }) })
      if (users.length === 0) break
      seen.push(...users.map(({ id }) => id))
    }
    expect(seen).toEqual(all)
    expect((await list({ limit: '3', offset: '2' })).users.map(({ id }) => id)).toEqual(all.slice(2, 5))
  })

  test('a page has 100 users at most, and further pages need the last id', async () => {
    expect((await tab.get('/auth/admin/list-users?limit=100')).status).toBe(200)
    expect((await tab.get('/auth/admin/list-users?limit=101')).status).toBe(400)
    expect((await tab.get('/auth/admin/list-users?offset=1000')).status).toBe(200)
    expect((await tab.get('/auth/admin/list-users?offset=1001')).status).toBe(400)
  })

  test('counts exactly up to five hundred, and says about how many there are beyond', async () => {
    const before = await app.db.user.count()
    await app.db.$executeRaw`
      INSERT INTO users (id, name, email, updated_at)
      SELECT 'many-' || n, 'Many', 'many-' || n || '@example.test', now() FROM generate_series(1, ${500 - before}::int) n`
    expect((await list({ limit: '1' })).total).toBe(500)
    await app.db.$executeRaw`
      INSERT INTO users (id, name, email, updated_at)
      SELECT 'more-' || n, 'More', 'more-' || n || '@example.test', now() FROM generate_series(1, 2000) n`
    await app.db.$executeRawUnsafe('ANALYZE users')
    const { total } = await list({ limit: '1' })
    expect(total).toBeGreaterThan(2300)
    expect(total).toBeLessThan(2700)
    await app.db.user.deleteMany({ where: { OR: [{ id: { startsWith: 'many-' } }, { id: { startsWith: 'more-' } }] } })
  })

  test('filters by role and by suspension', async () => {
    const suspended = await app.signedIn()
    await app.db.user.update({ where: { id: suspended.userId }, data: { suspendedAt: new Date() } })
    const filter = async (filterField: string, filterValue: string) => (await list({ filterField, filterValue })).users
    expect((await filter('banned', 'true')).map(({ id }) => id)).toContain(suspended.userId)
    expect((await filter('banned', 'false')).map(({ id }) => id)).not.toContain(suspended.userId)
    expect((await filter('role', 'auditor')).map(({ id }) => id)).toContain(tab.userId)
    expect((await filter('role', 'user')).map(({ id }) => id)).not.toContain(tab.userId)
    const search = async (person: SignedIn, filterField: string, filterValue: string) =>
      (await list({ searchValue: person.person.email, filterField, filterValue })).users.map(({ id }) => id)
    expect(await search(suspended, 'role', 'user')).toEqual([suspended.userId])
    expect(await search(tab, 'role', 'user')).toEqual([])
    expect(await search(tab, 'banned', 'false')).toEqual([tab.userId])
    expect(await search(suspended, 'banned', 'false')).toEqual([])
    for (const query of [
      'filterField=banned&filterValue=perhaps',
      'filterField=role',
      'filterValue=true',
      'searchValue=a&after=b',
    ])
      expect((await tab.get(`/auth/admin/list-users?${query}`)).status, query).toBe(400)
  })
})

test('the audit log is read page by page, by user and by kind', async () => {
  const [tab, user] = [await administrator('auditor'), await app.signedIn()]
  await user.post('/auth/update-user', { name: 'Grace' })
  const read = async (query: Record<string, string>) =>
    (
      (await tab.get(`/auth/admin/list-audit-events?${new URLSearchParams(query)}`)).body as {
        events: { id: string; action: string }[]
      }
    ).events
  const all = await read({ userId: user.userId })
  expect(all.map(({ action }) => action)).toContain('update-user')
  expect(await read({ userId: user.userId, before: String(all[0]?.id) })).toEqual(all.slice(1))
  expect((await read({ userId: user.userId, action: 'update-user' })).map(({ action }) => action)).toEqual(['update-user'])
  expect(await read({ userId: user.userId, since: new Date(Date.now() + 60_000).toISOString() })).toEqual([])
  expect(await read({ userId: user.userId, until: new Date(Date.now() - 3_600_000).toISOString() })).toEqual([])
  expect(await read({ userId: user.userId, until: new Date(Date.now() + 60_000).toISOString() })).toEqual(all)
  expect(await read({ userId: user.userId, since: '2026-01-01T00:00:00+02:00' })).toEqual(all)
  expect(await read({ userId: user.userId, until: '2026-01-01T00:00:00+02:00' })).toEqual([])
  expect(outcome(await tab.get('/auth/admin/list-audit-events?before=unknown'))).toEqual([404, 'NOT_FOUND'])
})
