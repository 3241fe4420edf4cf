import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { adminOf } from '@floorpass/testing/admin-command'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { lockUser } from '@floorpass/testing/route-samples'
import { signIn } from '@floorpass/testing/sign-in'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'floorpass-admin-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const app = await createTestApp()
const command = adminOf(app)
const json = async (...args: string[]) => (await command(...args, '--json')).json

const passwordOf = new Map<string, string>()
/** Creates a user through sign-up, with a verified or an unverified email. */
async function person({ verified = true } = {}): Promise<{ email: string; id: string }> {
  const signedUp = await app.signUp()
  const { email } = signedUp
  passwordOf.set(email, signedUp.password)
  const user = await app.db.user.update({ where: { email }, data: { emailVerified: verified } })
  return { email, id: user.id }
}
const signInAs = (email: string) => signIn(app, { email, password: passwordOf.get(email) })
const events = async (userId: string, action: string) =>
  app.db.auditEvent.findMany({ where: { userId, action }, orderBy: { createdAt: 'desc' } })
const mailsTo = async (email: string) => {
  await app.drainMail()
  return app.outbox.mails.filter(({ to }) => to === email).map(({ subject }) => subject)
}

test('a wrong command line changes nothing and exits with 2', async () => {
  const wrongOnes = [
    ['nope'],
    ['find'],
    ['find', 'a', 'b'],
    ['find', 'ada', '--reason', 'x'],
    ['find', 'ada', '--operator', 'two words'],
    ['show', '--colour'],
    ['audit', 'ada'],
    ['toString'],
  ]
  for (const wrong of wrongOnes) {
    const { code, stdout, stderr } = await command(...wrong)
    expect([wrong, code, stdout]).toEqual([wrong, 2, ''])
    expect(stderr).toMatch(/Why: .+\n {2}Do: /)
  }
  expect(await command('nope', '--json')).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } })
})

describe('users and their sessions', () => {
  test('finds users by id, by identity at a provider, and by the beginning of the email', async () => {
    const { id, email } = await person()
    const { deps } = app.service
    await deps.db.account.create({ data: { userId: id, providerId: 'google', accountId: `g-${id}` } })
    for (const who of [id, `google:g-${id}`, email.toUpperCase(), email.split('@')[0] ?? ''])
      expect(await json('find', who)).toContainEqual(expect.objectContaining({ id, email }))
    expect(await json('show', `google:g-${id}`)).toMatchObject({
      id,
      accounts: [
        { providerId: 'credential', hasPassword: true },
        { providerId: 'google', hasPassword: false },
      ],
      twoFactor: null,
      sessions: 0,
    })
    const shown = await command('show', email)
    expect(shown.stdout).toContain(email)
    expect(shown.stdout).not.toMatch(/argon2|hash /i)
    expect(await command('show', 'unknown@example.test')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/USER_NOT_FOUND.+Do: {2}Look with/s),
    })
  })

  test('T183: revokes all sessions and trusted devices at once, and the log names the operator', async () => {
    const { id, email } = await person()
    const { tab } = await signInAs(email)
    await signInAs(email)
    const { deps } = app.service
    await deps.db.trustedDevice.create({ data: { userId: id, secretHash: `hash-${id}`, expiresAt: new Date(Date.now() + 1e6) } })
    expect(await json('sessions', email)).toHaveLength(2)
    expect(await command('revoke-sessions', email, '--operator', 'grace')).toMatchObject({
      code: 0,
      stdout: '2 sessions ended.\n',
    })
    expect(await app.db.trustedDevice.count({ where: { userId: id } })).toBe(0)
    expect((await tab.get('/auth/list-sessions')).status).toBe(401)
    expect(await events(id, 'revoke-session')).toMatchObject([{ actorId: 'operator:grace', details: { count: 2 } }])
  })

  test('lists the sessions that have not ended, newest first', async () => {
    const { id, email } = await person()
    for (const _ of [1, 2, 3]) await signInAs(email)
    const [newest, middle, oldest] = (await json('sessions', id)) as { id: string }[]
    await app.db.session.update({ where: { handle: middle?.id ?? '' }, data: { expiresAt: new Date(Date.now() - 1000) } })
    await app.db.session.update({ where: { handle: newest?.id ?? '' }, data: { createdAt: new Date(0) } })
    expect(((await json('sessions', id)) as { id: string }[]).map((session) => session.id)).toEqual([oldest?.id, newest?.id])
  })

  test('revokes one session by its id and leaves the other one', async () => {
    const { id, email } = await person()
    await signInAs(email)
    await signInAs(email)
    const [first] = (await json('sessions', id)) as { id: string }[]
    expect(await json('revoke-sessions', id, '--session', first?.id ?? '')).toEqual({ revoked: 1 })
    expect(await command('revoke-sessions', id, '--session', first?.id ?? '')).toMatchObject({
      code: 1,
      stdout: '0 sessions ended.\n',
    })
    expect(await json('sessions', id)).toHaveLength(1)
    expect(await events(id, 'revoke-session')).toMatchObject([{ actorId: `operator:${userInfo().username}` }])
  })

  test('ignores the session or identity of another user', async () => {
    const [ada, bob] = [await person(), await person()]
    const { tab } = await signInAs(bob.email)
    const [session] = (await json('sessions', bob.id)) as { id: string }[]
    const trusted = await app.db.trustedDevice.create({
      data: { userId: bob.id, secretHash: `trust-${bob.id}`, expiresAt: new Date(Date.now() + 3_600_000) },
    })
    await app.db.session.updateMany({ where: { userId: bob.id }, data: { trustedDeviceId: trusted.id } })
    expect(await command('revoke-sessions', ada.id, '--session', session?.id ?? '')).toMatchObject({
      code: 1,
      stdout: '0 sessions ended.\n',
    })
    expect((await tab.get('/auth/list-sessions')).status).toBe(200)
    expect(await app.db.trustedDevice.count({ where: { userId: bob.id } })).toBe(1)
    expect([await events(ada.id, 'revoke-session'), await events(bob.id, 'revoke-session')]).toEqual([[], []])

    // Account ids are unique per provider only, and a user id is never an identity.
    await app.db.account.create({ data: { userId: ada.id, providerId: 'google', accountId: `t-${ada.id}` } })
    await app.db.account.create({ data: { userId: bob.id, providerId: 'github', accountId: `t-${ada.id}` } })
    expect(await json('show', `google:t-${ada.id}`)).toMatchObject({ id: ada.id })
    expect(await json('show', `github:t-${ada.id}`)).toMatchObject({ id: bob.id })
    for (const who of [`google:${ada.id}`, `credential:${ada.id}`, `gitlab:t-${ada.id}`, `google:t-${ada.id} `, ''])
      expect([who, (await command('show', who)).code]).not.toEqual([who, 0])
    expect(await json('revoke-sessions', bob.id, '--session', session?.id ?? '')).toEqual({ revoked: 1 })
    expect(await app.db.trustedDevice.count({ where: { userId: bob.id } })).toBe(0)
  })
})

describe('suspend and restore', () => {
  test('T183: suspend ends sessions and links at once, and restore reopens the account', async () => {
    const { id, email } = await person()
    const { tab } = await signInAs(email)
    await app.browser().post('/auth/forget-password', { email })
    const reason = ['--reason', 'owner reports a stolen phone']
    expect((await command('suspend', email, '--yes')).code).toBe(2)
    const thief = await app.signedIn()
    const founded = await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${id}` })
    const { id: organizationId } = founded.body as { id: string }
    const invite = { email: thief.person.email, role: 'owner', organizationId }
    expect((await tab.post('/auth/organization/invite-member', invite)).status).toBe(200)
    await app.drainMail()
    expect(await json('suspend', email, ...reason, '--yes', '--operator', 'grace')).toEqual({ revoked: 1 })
    const invitationId = app.outbox.lastTo(thief.person.email).token
    expect((await thief.post('/auth/organization/accept-invitation', { invitationId })).code).toBe('INVITATION_NOT_FOUND')
    expect(await app.db.invitation.findFirst({ where: { organizationId } })).toMatchObject({ status: 'canceled' })
    const { db } = app.service.deps
    expect(await db.verification.count({ where: { userId: id, usedAt: null } })).toBe(0)
    expect((await tab.get('/auth/list-sessions')).status).toBe(401)
    expect((await signInAs(email)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await command('restore', email, ...reason, '--yes')).code).toBe(0)
    expect((await signInAs(email)).status).toBe(200)
    await json('suspend', email, ...reason, '--yes')
    expect((await command('restore', email, ...reason, '--clear-password', '--yes')).code).toBe(0)
    expect((await signInAs(email)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await mailsTo(email)).toContain('Your Floorpass account needs a new password')
    const details = { reason: 'owner reports a stolen phone', sessions: 1, invitations: 1 }
    expect(await events(id, 'suspend-user')).toContainEqual(expect.objectContaining({ actorId: 'operator:grace', details }))
    expect(await events(id, 'restore-user')).toHaveLength(2)
  })
})

test('restore clears no password of a locked account: its owner could choose no new one', async () => {
  const { id, email } = await person()
  await command('suspend', email, '--reason', 'a stolen phone', '--yes')
  await lockUser(app, id)
  const refused = await command('restore', email, '--reason', 'it is back', '--clear-password', '--yes')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('ACCOUNT_LOCKED') })
  expect((await app.db.user.findUniqueOrThrow({ where: { id } })).suspendedAt).not.toBeNull()
  expect((await command('restore', email, '--reason', 'it is back', '--yes')).code).toBe(0)
})

test('T183: restore refuses a user who is not suspended, whose live sessions could choose the new password', async () => {
  const { id, email } = await person()
  const { tab } = await signInAs(email)
  const refused = await command('restore', email, '--reason', 'a stolen phone', '--clear-password', '--yes')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not suspended.+`suspend` it first/s) })
  expect((await tab.get('/auth/list-sessions')).status).toBe(200)
  expect((await signInAs(email)).status).toBe(200)
  expect(await events(id, 'restore-user')).toEqual([])
})

describe('verify-address', () => {
  test('T183: needs a reason and a confirmation, and then the password signs in', async () => {
    const { id, email } = await person({ verified: false })
    expect((await signInAs(email)).code).toBe('EMAIL_NOT_VERIFIED')
    const reason = ['--reason', 'called back on the known number']
    expect((await command('verify-address', email, '--yes')).code).toBe(2)
    expect((await command('verify-address', email, '--reason', 'too short', '--yes')).code).toBe(2)
    const unconfirmed = await command('verify-address', email, ...reason)
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a confirmation') })
    expect(await json('show', email)).toMatchObject({ emailVerified: false })
    expect(await json('verify-address', email, ...reason, '--keep-password', '--yes')).toEqual({ passwordCleared: false })
    const twice = await command('verify-address', email, ...reason, '--yes', '--json')
    expect(twice).toMatchObject({ code: 1, json: { error: { code: 'EMAIL_ALREADY_VERIFIED' } } })
    expect((await signInAs(email)).status).toBe(200)
    expect(await mailsTo(email)).toContain('Your Floorpass account now has a password')
    expect(await events(id, 'verify-email')).toMatchObject([
      { actorId: expect.stringContaining('operator:'), details: { reason: 'called back on the known number' } },
    ])
  })

  test('T81: removes the password that was set at sign-up, unless the operator keeps it', async () => {
    const { email } = await person({ verified: false })
    const reason = ['--reason', 'called back on the known number']
    expect(await json('verify-address', email, ...reason, '--yes')).toEqual({ passwordCleared: true })
    expect((await signInAs(email)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await mailsTo(email)).toContain('Your Floorpass account needs a new password')
  })
})

describe('a locked account', () => {
  const reason = ['--reason', 'passport shown at the desk']
  const lock = (id: string) =>
    app.db.user.update({ where: { id }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 3 } })

  test('is shown, and refuses an operator who removes its second factor', async () => {
    const { id, email } = await person()
    const { tab } = await signInAs(email)
    await switchOnTwoFactor(tab, passwordOf.get(email) ?? '')
    await lock(id)
    expect(await json('show', email)).toMatchObject({ lock: { kind: 'owner', unlockDays: 3, unlockAt: null } })
    expect(await command('disable-two-factor', email, ...reason, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ACCOUNT_LOCKED'),
    })
  })

  test('is unlocked for an owner who cannot sign in, after the days of the owner', async () => {
    const { id, email } = await person()
    expect(await command('request-unlock', email, ...reason, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ACCOUNT_NOT_LOCKED'),
    })
    await lock(id)
    expect((await command('request-unlock', email, '--yes')).code).toBe(2)
    const { unlockAt } = (await json('request-unlock', email, ...reason, '--yes')) as { unlockAt: string }
    expect(Math.round((Date.parse(unlockAt) - Date.now()) / 86_400_000)).toBe(3)
    expect(await json('request-unlock', email, ...reason, '--yes')).toEqual({ unlockAt, isNew: false })
    expect(await events(id, 'request-unlock')).toMatchObject([{ details: { reason: 'passport shown at the desk' } }])
    expect(await mailsTo(email)).toContain('Your Floorpass account will be unlocked')
  })

  test('mails the owner when the wait starts, and tells the operator when it had already started', async () => {
    const { id, email } = await person()
    await lock(id)
    const request = async () => (await command('request-unlock', email, ...reason, '--yes')).stdout
    expect(await request()).toContain('The owner receives an email.')
    const again = await request()
    expect(again).toContain('The wait had already started, so no email is sent.')
    expect(again).not.toContain('receives an email')
    const subjects = await mailsTo(email)
    expect(subjects.filter((subject) => subject === 'Your Floorpass account will be unlocked')).toHaveLength(1)
  })
})

describe('disable-two-factor', () => {
  test('T116, T183, T184: removes the second factor with a reason, notifies the owner, and names the operator', async () => {
    const { id, email } = await person()
    const { tab } = await signInAs(email)
    await switchOnTwoFactor(tab, passwordOf.get(email) ?? '')
    const waiting = await signInAs(email)
    expect(waiting.body).toMatchObject({ twoFactorRedirect: true })
    const reason = ['--reason', 'passport shown at the desk']
    expect((await command('disable-two-factor', email, '--yes')).code).toBe(2)
    expect((await command('disable-two-factor', email, ...reason)).code).toBe(2)
    expect(await json('show', email)).toMatchObject({ twoFactorEnabled: true, twoFactor: { backupCodesLeft: 10 } })
    expect((await command('disable-two-factor', email, ...reason, '--yes', '--operator', 'grace')).code).toBe(0)
    expect(await command('disable-two-factor', email, ...reason, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('TWO_FACTOR_NOT_ENABLED'),
    })
    expect((await waiting.tab.post('/auth/two-factor/verify-totp', { code: '000000' })).code).toBe('INVALID_TWO_FACTOR_COOKIE')
    const answer = await signInAs(email)
    expect(answer.body).toMatchObject({ user: { email } })
    expect(await remainsOf(id)).toEqual([0, 0, 0])
    expect(await events(id, 'disable-two-factor')).toMatchObject([
      { actorId: 'operator:grace', details: { reason: 'passport shown at the desk' } },
    ])
    expect(await mailsTo(email)).toContain('Two-factor authentication is off for your Floorpass account')
  })

  const remainsOf = async (userId: string) => {
    const { db } = app.service.deps
    return [
      await db.twoFactor.count({ where: { userId } }),
      await db.backupCode.count({ where: { userId } }),
      await db.trustedDevice.count({ where: { userId } }),
    ]
  }
})

describe('export and audit', () => {
  test("T185: the operator's export equals the user's own, names no invitee, and is logged", async () => {
    const { id, email } = await person()
    const { tab } = await signInAs(email)
    await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${id}` })
    const invited = await tab.post('/auth/organization/invite-member', { email: 'bob@example.test', role: 'member' })
    expect(invited.status).toBe(200)
    const own = (await tab.get('/auth/export-data')).body as Record<string, unknown>
    const file = join(folder, `export-${id}.json`)
    expect((await command('export', email, '--output', file)).code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    const data = JSON.parse(text) as Record<string, unknown[]>
    expect(Object.keys(data)).toEqual(Object.keys(own))
    expect(data).toMatchObject({ user: { id, email }, invitations: [{ email: null, sent: true }] })
    expect(data.links).toEqual([expect.objectContaining({ purpose: 'verify-email', email })])
    expect(text).not.toMatch(/bob@|hash|sealed|secret/i)
    expect((await command('export', email, '--output', file)).code).toBe(1)
    expect((await events(id, 'export-data')).map(({ actorId }) => actorId)).toContain(`operator:${userInfo().username}`)
  })

  test('filters audit events by user, kind and time', async () => {
    const { id, email } = await person()
    await signInAs(email)
    await signInAs(email)
    const actions = async (...args: string[]) =>
      ((await json('audit', '--user', email, ...args)) as { action: string; userId: string }[]).map(({ action, userId }) => {
        expect(userId).toBe(id)
        return action
      })
    expect(await actions()).toEqual(['sign-in', 'sign-in', 'sign-up'])
    expect(await actions('--action', 'sign-up')).toEqual(['sign-up'])
    expect(await actions('--limit', '1')).toEqual(['sign-in'])
    expect(await actions('--since', new Date(Date.now() + 60_000).toISOString())).toEqual([])
    expect(await actions('--until', '2020-01-01')).toEqual([])
    for (const since of ['yesterday', '5', '2026', '2026-02-31', '11/21/2026', '2026-11-21 18:00'])
      expect((await command('audit', '--since', since)).code, since).toBe(2)
  })

  test('reads a time without a zone as UTC', async () => {
    const { id, email } = await person()
    const time = new Date('2026-03-01T12:00:00Z')
    const hex = time.getTime().toString(16).padStart(12, '0')
    await app.db.auditEvent.deleteMany({ where: { userId: id } })
    await app.db.auditEvent.create({
      data: { id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`, userId: id, action: 'sign-in', createdAt: time },
    })
    const count = async (...args: string[]) => ((await json('audit', '--user', email, ...args)) as unknown[]).length
    const before = process.env.TZ
    process.env.TZ = 'Asia/Tokyo'
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    })
    expect(await count('--since', '2026-03-01T12:00')).toBe(1)
    expect(await count('--since', '2026-03-01T12:00:00.001')).toBe(0)
    expect(await count('--since', '2026-03-01T13:00+01:00')).toBe(1)
  })

  test('pages through audit events without a gap, even among events of the same moment', async () => {
    const { id, email } = await person()
    const idOf = (number: number) => `019b7cab-9d8e-7000-8000-00000000000${number}`
    await app.db.auditEvent.createMany({
      data: [3, 1, 2, 7, 5, 6, 4].map((number) => ({ id: idOf(number), userId: id, action: 'sign-in' })),
    })
    const all = (await json('audit', '--user', email)) as { id: string }[]
    expect(all).toHaveLength(8)
    const pages: string[] = []
    for (let before: string[] = []; ; ) {
      const page = (await json('audit', '--user', email, '--limit', '3', ...before)) as { id: string }[]
      pages.push(...page.map((event) => event.id))
      if (page.length < 3) break
      before = ['--before', page.at(-1)?.id ?? '']
    }
    expect(pages).toEqual(all.map((event) => event.id))
    const { stdout } = await command('audit', '--user', email, '--limit', '3')
    expect(stdout).toContain(`There may be older ones: add --before ${all[2]?.id}`)
    expect((await command('audit', '--user', email)).stdout).not.toContain('--before')
    expect(await command('audit', '--before', 'no-such-event')).toMatchObject({ code: 2, stdout: '' })
    expect((await command('audit', '--limit', '0')).code).toBe(2)
  })
})

describe('mails that the server refused permanently', () => {
  test('T183: lists them, and resends or drops them with an audit event of the recipient', async () => {
    const { id, email } = await person()
    const refuse = async () => {
      const { deps } = app.service
      await deps.mail.drain()
      const mail = { to: email, subject: 'A letter', text: 'with a secret-link', html: '' }
      await deps.db.$transaction((tx) => deps.mail.add(tx, mail))
      await deps.db.queuedMail.updateMany({ data: { nextAttemptAt: null, lastError: 'MAIL_REFUSED', attempts: 1 } })
      const [row] = await deps.db.queuedMail.findMany()
      return row?.id ?? ''
    }
    const first = await refuse()
    const listed = await command('mails', '--json')
    expect(listed.json).toMatchObject([{ id: first, to: email, subject: 'A letter', lastError: 'MAIL_REFUSED' }])
    expect(listed.stdout).not.toContain('secret-link')
    expect((await command('retry-mail', 'no-such-id')).code).toBe(1)
    expect(await command('retry-mail', first, '--operator', 'grace')).toMatchObject({ code: 0, stdout: '1 email queued.\n' })
    expect(await events(id, 'retry-mail')).toMatchObject([{ actorId: 'operator:grace', details: { subject: 'A letter' } }])
    expect(await mailsTo(email)).toContain('A letter')

    const second = await refuse()
    expect((await command('drop-mail', second)).code).toBe(2)
    expect(await json('drop-mail', second, '--yes', '--operator', 'grace')).toEqual({ dropped: 1 })
    expect(await command('drop-mail', 'all', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such email'),
    })
    expect(await events(id, 'drop-mail')).toMatchObject([{ actorId: 'operator:grace', details: { subject: 'A letter' } }])
    expect((await mailsTo(email)).filter((subject) => subject === 'A letter')).toHaveLength(1)
  })

  test('retries a resent mail for as long as a new one', async () => {
    const { email } = await person()
    await app.drainMail()
    const clock = holdClock()
    await app.db.$transaction((tx) => app.service.deps.mail.add(tx, { to: email, subject: 'A letter', text: '', html: '' }))
    const fourDaysAgo = new Date(Date.now() - 4 * 24 * 3600_000)
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: null, attempts: 60, createdAt: fourDaysAgo } })
    app.outbox.failWith(new Error('not now'))
    expect(await json('retry-mail', 'all')).toEqual({ queued: 1 })
    await app.drainMail()
    const waiting = () => app.db.queuedMail.findFirst()
    const inTenSeconds = { attempts: 1, nextAttemptAt: new Date(Date.now() + 10_000) }
    expect(await waiting()).toMatchObject({ ...inTenSeconds, createdAt: fourDaysAgo, lastError: 'not now' })
    clock.advance(3 * 24 * 3600 + 1)
    await app.drainMail()
    expect(await waiting()).toMatchObject({ attempts: 2, nextAttemptAt: null })
    app.outbox.failWith(null)
    await app.db.queuedMail.deleteMany()
  })

  test('handles each mail, logs those without an owner or with an unreadable seal, and keeps those with an expired link', async () => {
    await app.drainMail()
    const mail = { to: 'unknown@example.test', subject: 'A letter', text: '', html: '' }
    await app.db.$transaction((tx) => app.service.deps.mail.add(tx, mail))
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: null } })
    await app.db.queuedMail.create({ data: { mailSealed: '1.unknown.x', nextAttemptAt: null, expiresAt: new Date(0) } })
    expect(await json('mails')).toMatchObject([{ to: 'unknown@example.test' }, { to: null, subject: null }])
    expect(await json('retry-mail', 'all')).toEqual({ queued: 1 })
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: null } })
    expect(await json('drop-mail', 'all', '--yes', '--operator', 'grace')).toEqual({ dropped: 2 })
    const lines = app.logs.filter(({ actorId }) => actorId === 'operator:grace')
    expect(lines.map(({ action, level }) => [action, level])).toEqual([
      ['drop-mail', 40],
      ['drop-mail', 40],
    ])
  })
})

test('a read that the database interrupts says that it changed nothing; a change says that it may have taken effect', async () => {
  const away = await createTestApp()
  const run = adminOf(away)
  await away.loseDatabase()
  for (const read of [['find', 'ada'], ['show', 'ada'], ['sessions', 'ada'], ['audit'], ['mails'], ['list-services']]) {
    const { code, stderr } = await run(...read)
    expect([code, stderr], read.join(' ')).toEqual([
      1,
      expect.stringMatching(/nothing was changed: SERVICE_UNAVAILABLE\.\n {2}Why: .+\n {2}Do: /),
    ])
  }
  expect((await run('audit', '--json')).json).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
  const change = await run('revoke-sessions', 'ada@example.test')
  expect([change.code, change.stderr]).toEqual([1, expect.stringContaining('may have taken effect')])
})

test.each([
  ['embedded', 'Free some space on the disk of DATA_DIR.'],
  ['postgres', 'Free some space on the disk of PostgreSQL.'],
] as const)('a command on a full disk of the %s database names the disk', async (kind, fix) => {
  const run = adminOf(app, kind)
  const full = Object.assign(new Error('could not extend file "base/5/1249": No space left on device'), { code: '53100' })
  vi.spyOn(app.service.deps.replica, 'read').mockRejectedValueOnce(full)
  expect((await run('audit')).stderr).toContain(`No space left on device (53100).\n  Do:  ${fix}`)
  const { email } = await person()
  vi.spyOn(app.service.deps.db, '$transaction').mockRejectedValueOnce(full)
  expect((await run('revoke-sessions', email)).stderr).toContain(`No space left on device (53100).\n  Do:  ${fix}`)
})

test('a read that PostgreSQL refuses gives its reason', async () => {
  const denied = Object.assign(new Error('permission denied for table audit_events'), { code: '42501' })
  const read = vi.spyOn(app.service.deps.replica, 'read').mockRejectedValue(denied)
  const { code, stderr } = await command('audit')
  read.mockRestore()
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /Why: permission denied for table audit_events \(42501\)\.\n {2}Do: {2}Grant the right to the role .+\. Then run/,
    ),
  ])
})
