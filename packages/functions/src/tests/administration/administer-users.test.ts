import { makeAdministrator } from '@floorpass/testing/administrators'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { assemble } from '@floorpass/testing/organization'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test, vi } from 'vitest'

const app = await createTestApp({ ADMIN_APPROVAL: 'never' })
const newPassword = 'velvet harbor anchor 9'

async function administrator(): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab)
  return tab
}
const admin = await administrator()
const findUser = (id: string) => app.db.user.findUnique({ where: { id } })
const findEvent = (userId: string, action: string) =>
  app.db.auditEvent.findFirst({ where: { userId, action }, orderBy: { id: 'desc' } })
const signIn = async ({ email, password }: { email: string; password: string }) =>
  outcome(await app.browser().post('/auth/sign-in/email', { email, password }))
const lastMail = async (email: string) => {
  await app.drainMail()
  return app.outbox.lastTo(email)
}

describe('create-user', () => {
  const create = (fields: object) => admin.post('/auth/admin/create-user', fields)

  test('creates an unverified user, who confirms the email with a mailed link and then signs in with the given password', async () => {
    const email = 'grace@create.example'
    const { body } = await create({
      email: 'Grace@Create.example',
      name: 'Grace Hopper',
      password: newPassword,
      data: { locale: 'fr' },
    })
    expect(body).toMatchObject({ user: { email, name: 'Grace Hopper', emailVerified: false, role: 'user', banned: false } })
    expect(await signIn({ email, password: newPassword })).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    const { subject, token } = await lastMail(email)
    expect(subject).toBe('Confirmez votre adresse e‑mail pour Floorpass')
    expect((await app.browser().post('/auth/verify-email', { token })).status).toBe(200)
    expect(await signIn({ email, password: newPassword })).toEqual([200, undefined])
    const { id } = (body as { user: { id: string } }).user
    expect(await findEvent(id, 'create-user')).toMatchObject({
      actorId: admin.userId,
      details: { reason: 'no reason given', hasPassword: true },
    })
  })

  test('lets a user without a password choose one after the email is confirmed', async () => {
    const email = 'ada@create.example'
    await create({ email, name: 'Ada', role: ['user'] })
    const { token } = await lastMail(email)
    await app.browser().post('/auth/verify-email', { token })
    const chosen = await lastMail(email)
    expect(chosen.subject).toBe('Your Floorpass account needs a new password')
    expect((await app.browser().post('/auth/reset-password', { token: chosen.token, newPassword })).status).toBe(200)
    expect(await signIn({ email, password: newPassword })).toEqual([200, undefined])
  })

  test.each([
    ['a taken email', { email: admin.person.email, name: 'Ada' }, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'],
    ['a short password', { email: 'a@create.example', name: 'Ada', password: 'short' }, 'PASSWORD_TOO_SHORT'],
    [
      'a field that it does not know',
      { email: 'a@create.example', name: 'Ada', data: { tradingEnabled: true } },
      'VALIDATION_ERROR',
    ],
    ['an email that is none', { email: 'a', name: 'Ada' }, 'VALIDATION_ERROR'],
  ])('refuses %s', async (_what, fields, code) => {
    const before = await app.db.user.count()
    expect(outcome(await create(fields))).toEqual([400, code])
    expect(await app.db.user.count()).toBe(before)
  })

  test('creates no administrator: a role needs a factor', async () => {
    const answer = await create({ email: 'b@create.example', name: 'Ada', role: 'admin' })
    expect(outcome(answer)).toEqual([403, 'ADMINISTRATOR_FACTOR_REQUIRED'])
  })

  test.runIf(testDatabase.kind === 'postgres')('keeps nothing when the role is revoked while the request waits', async () => {
    const other = await administrator()
    const { answer } = await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${other.userId} FOR UPDATE`
      const answer = other.post('/auth/admin/create-user', { email: 'c@create.example', name: 'Ada' })
      await waitForLocks(app)
      await tx.user.update({ where: { id: other.userId }, data: { role: null } })
      return { answer }
    })
    expect(outcome(await answer)).toEqual([403, 'ADMINISTRATOR_ROLE_REQUIRED'])
    expect(await app.db.user.count({ where: { email: 'c@create.example' } })).toBe(0)
  })
})

describe('update-user', () => {
  const update = (userId: string, data: object) =>
    admin.post('/auth/admin/update-user', { userId, data, reason: 'asked by phone' })

  test('changes the profile, names the fields in the activity and mails the user', async () => {
    const { userId, person } = await app.signedIn()
    const { body } = await update(userId, { name: 'Grace Hopper', locale: 'fr' })
    expect(body).toMatchObject({ id: userId, name: 'Grace Hopper' })
    expect(await findUser(userId)).toMatchObject({ name: 'Grace Hopper', locale: 'fr' })
    expect(await findEvent(userId, 'update-user')).toMatchObject({
      actorId: admin.userId,
      details: { fields: 'name,locale', reason: 'asked by phone' },
    })
    expect((await lastMail(person.email)).subject).toBe('Our team changed your Floorpass profile')
  })

  test('changes an email only when its owner opens the mailed link', async () => {
    const user = await app.signedIn()
    const { body } = await update(user.userId, { email: 'new@update.example' })
    expect(body).toMatchObject({ email: user.person.email, emailVerified: true })
    expect(await findEvent(user.userId, 'update-user')).toBeNull()
    await app.drainMail()
    expect(app.outbox.lastTo(user.person.email).subject).toBe('Someone requested an email change on your Floorpass account')
    const { token } = app.outbox.lastTo('new@update.example')
    expect((await app.browser().post('/auth/verify-email', { token })).status).toBe(200)
    expect(await findUser(user.userId)).toMatchObject({ email: 'new@update.example', emailVerified: true })
  })

  test.each([
    ['id', 'x', 'USER_ID_CANNOT_BE_UPDATED'],
    ['password', newPassword, 'PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER'],
    ['role', 'admin', 'FIELD_NOT_ALLOWED'],
    ['banned', true, 'FIELD_NOT_ALLOWED'],
    ['emailVerified', true, 'FIELD_NOT_ALLOWED'],
    ['tradingEnabled', true, 'FIELD_NOT_ALLOWED'],
    ['riskLevel', 'aggressive', 'FIELD_NOT_ALLOWED'],
    ['twoFactorEnabled', false, 'FIELD_NOT_ALLOWED'],
    ['email', admin.person.email, 'EMAIL_TAKEN'],
    ['name', '', 'VALIDATION_ERROR'],
  ])('refuses the field %s', async (field, value, code) => {
    const { userId } = await app.signedIn()
    const before = await findUser(userId)
    expect(outcome(await update(userId, { name: 'Changed', [field]: value }))).toEqual([400, code])
    expect(await findUser(userId)).toEqual(before)
  })

  test('refuses an empty change, and the email that the user has', async () => {
    const { userId, person } = await app.signedIn()
    expect(outcome(await update(userId, {}))).toEqual([400, 'NO_DATA_TO_UPDATE'])
    expect(outcome(await update(userId, { email: person.email }))).toEqual([400, 'EMAIL_IS_THE_SAME'])
  })

  test('asks for no second change within a week: the undo link of the first would remove recent factors', async () => {
    const { userId } = await app.signedIn()
    await update(userId, { email: 'first@undo.example' })
    await app.drainMail()
    await app.browser().post('/auth/verify-email', { token: app.outbox.lastTo('first@undo.example').token })
    expect(outcome(await update(userId, { email: 'second@undo.example' }))).toEqual([403, 'EMAIL_RECENTLY_CHANGED'])
  })

  test('changes no email of another administrator, who approves by it', async () => {
    const { userId } = await administrator()
    expect(outcome(await update(userId, { email: 'new@admins.example' }))).toEqual([400, 'FIELD_NOT_ALLOWED'])
    expect(outcome(await update(userId, { name: 'Grace' }))).toEqual([200, undefined])
  })

  test('asks for no new email of a locked account', async () => {
    const { userId } = await app.signedIn()
    await app.db.user.update({ where: { id: userId }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 } })
    expect(outcome(await update(userId, { email: 'locked@update.example' }))).toEqual([423, 'ACCOUNT_LOCKED'])
  })
})

describe('set-user-password', () => {
  const set = (userId: string, password = newPassword) =>
    admin.post('/auth/admin/set-user-password', { userId, newPassword: password })

  test('ends the sessions and the links, holds withdrawals and mails the user', async () => {
    const user = await app.signedIn()
    const { email } = user.person
    await app.browser().post('/auth/request-password-reset', { email })
    const { token } = await lastMail(email)
    expect((await set(user.userId)).body).toEqual({ status: true })
    expect((await user.get('/auth/get-session')).body).toBeNull()
    expect(outcome(await app.browser().post('/auth/reset-password', { token, newPassword: 'another orchid 77 lamp' }))).toEqual([
      400,
      'INVALID_TOKEN',
    ])
    expect(await signIn(user.person)).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    expect(await signIn({ email, password: newPassword })).toEqual([200, undefined])
    expect(Number((await findUser(user.userId))?.heldUntil)).toBeGreaterThan(Date.now() + 71 * 3_600_000)
    expect((await lastMail(email)).subject).toBe('Our team set a new password for your Floorpass account')
    expect(await findEvent(user.userId, 'set-password')).toMatchObject({ actorId: admin.userId })
  })

  test('refuses a weak password and a locked account', async () => {
    const user = await app.signedIn()
    expect(outcome(await set(user.userId, 'short'))).toEqual([400, 'PASSWORD_TOO_SHORT'])
    await app.db.user.update({ where: { id: user.userId }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 } })
    expect(outcome(await set(user.userId))).toEqual([423, 'ACCOUNT_LOCKED'])
    expect((await user.get('/auth/get-session')).body).not.toBeNull()
  })
})

describe('remove-user', () => {
  const remove = (userId: string) => admin.post('/auth/admin/remove-user', { userId, reason: 'asked in writing' })

  test('deletes the account, mails the owner, and stays in the activity of the administrator', async () => {
    const { userId, person } = await app.signedIn()
    expect((await remove(userId)).body).toEqual({ success: true })
    expect(await findUser(userId)).toBeNull()
    expect((await lastMail(person.email)).subject).toBe('Your Floorpass account was deleted')
    expect(await findEvent(admin.userId, 'remove-user')).toMatchObject({ details: { user: userId, reason: 'asked in writing' } })
  })

  test('refuses the only owner of a shared organization, and a locked account', async () => {
    const [owner, member] = [await app.signedIn(), await app.signedIn()]
    await assemble(app, [
      [owner, 'owner'],
      [member, 'member'],
    ])
    expect(outcome(await remove(owner.userId))).toEqual([400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
    await app.db.user.update({ where: { id: member.userId }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 } })
    expect(outcome(await remove(member.userId))).toEqual([423, 'ACCOUNT_LOCKED'])
    expect(await app.db.user.count({ where: { id: { in: [owner.userId, member.userId] } } })).toBe(2)
  })
})

describe('disable-two-factor', () => {
  test('turns off a lost factor, holds withdrawals and mails the owner', async () => {
    const { userId, person } = await app.signedIn()
    const disable = async () =>
      outcome(await admin.post('/auth/admin/disable-two-factor', { userId, reason: 'the phone is lost' }))
    expect(await disable()).toEqual([400, 'TWO_FACTOR_NOT_ENABLED'])
    await app.db.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
    expect(await disable()).toEqual([200, undefined])
    expect(await findUser(userId)).toMatchObject({ twoFactorEnabled: false, heldUntil: expect.any(Date) })
    expect((await lastMail(person.email)).subject).toBe('Two-factor authentication is off for your Floorpass account')
  })
})

describe('set-role', () => {
  const setRole = (userId: string, role: unknown) =>
    admin.post('/auth/admin/set-role', { userId, role, reason: 'joined the team' })

  test('gives a role to a user with a factor and takes it away, with a mail for each', async () => {
    const { userId, person } = await app.signedIn()
    expect(outcome(await setRole(userId, 'support'))).toEqual([403, 'ADMINISTRATOR_FACTOR_REQUIRED'])
    await app.db.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
    expect((await setRole(userId, ['support'])).body).toMatchObject({ user: { id: userId, role: 'support' } })
    expect((await lastMail(person.email)).subject).toBe('You’re now an administrator of Floorpass')
    expect((await setRole(userId, 'user')).body).toMatchObject({ user: { role: 'user' } })
    expect((await lastMail(person.email)).subject).toBe('You’re no longer an administrator of Floorpass')
    expect(await findEvent(userId, 'revoke-role')).toMatchObject({
      actorId: admin.userId,
      details: { reason: 'joined the team' },
    })
  })

  test.each([['owner'], [['support', 'auditor']], [[]]])('refuses the role %j', async (role) => {
    const { userId } = await app.signedIn()
    expect(outcome(await setRole(userId, role))).toEqual([400, 'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE'])
  })
})

test.each([
  ['/auth/admin/update-user', { data: { name: 'Grace' } }, 'YOU_CANNOT_ADMINISTER_YOURSELF'],
  ['/auth/admin/set-user-password', { newPassword }, 'YOU_CANNOT_ADMINISTER_YOURSELF'],
  ['/auth/admin/set-role', { role: 'user' }, 'YOU_CANNOT_ADMINISTER_YOURSELF'],
  ['/auth/admin/disable-two-factor', {}, 'YOU_CANNOT_ADMINISTER_YOURSELF'],
  ['/auth/admin/remove-user', {}, 'YOU_CANNOT_REMOVE_YOURSELF'],
])('%s is not for oneself', async (path, fields, code) => {
  const before = await findUser(admin.userId)
  expect(outcome(await admin.post(path, { userId: admin.userId, ...fields }))).toEqual([400, code])
  expect(await findUser(admin.userId)).toEqual(before)
})

describe('a suspension', () => {
  const ban = (userId: string, fields: object = {}) =>
    admin.post('/auth/admin/ban-user', { userId, banReason: 'a stolen card was used', ...fields })

  test('ends when an administrator lifts it: the user is mailed, and withdrawals are held', async () => {
    const user = await app.signedIn()
    await ban(user.userId, { banExpiresIn: 3600 })
    expect((await lastMail(user.person.email)).subject).toBe('Your Floorpass account is suspended')
    expect(await signIn(user.person)).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    const { body } = await admin.post('/auth/admin/unban-user', { userId: user.userId })
    expect(body).toMatchObject({ user: { banned: false, banExpires: null } })
    expect((await lastMail(user.person.email)).subject).toBe('Your Floorpass account is no longer suspended')
    expect(await signIn(user.person)).toEqual([200, undefined])
    expect(await findUser(user.userId)).toMatchObject({ heldUntil: expect.any(Date) })
  })

  test('can end with a cleared password, which the owner chooses again', async () => {
    const user = await app.signedIn()
    await ban(user.userId)
    await admin.post('/auth/admin/unban-user', { userId: user.userId, clearPassword: true })
    expect(await signIn(user.person)).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    expect((await lastMail(user.person.email)).subject).toBe('Your Floorpass account needs a new password')
  })

  test('cannot be lifted from an active account', async () => {
    const user = await app.signedIn()
    const before = await findUser(user.userId)
    expect((await admin.post('/auth/admin/unban-user', { userId: user.userId, clearPassword: true })).status).toBe(200)
    expect(await findUser(user.userId)).toEqual(before)
    expect(await signIn(user.person)).toEqual([200, undefined])
  })

  test('ends by itself: the service looks for it each minute', async () => {
    const clock = holdClock()
    const user = await app.signedIn()
    await ban(user.userId, { banExpiresIn: 60 })
    clock.advance(60)
    const { suspensionEnds } = app.service
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: new Date() })
    suspensionEnds.start()
    vi.advanceTimersByTime(59_999)
    await suspensionEnds.stop()
    expect(await findUser(user.userId)).toMatchObject({ suspendedAt: expect.any(Date) })
    suspensionEnds.start()
    const logged = app.logs.length
    vi.advanceTimersByTime(60_000)
    await suspensionEnds.stop()
    expect(await findUser(user.userId)).toMatchObject({ suspendedAt: null })
    const ends = app.logs.slice(logged).filter(({ msg }) => msg === 'suspensions ended')
    expect(ends).toMatchObject([{ count: 1 }])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends by itself within a minute of its end, and not before', async () => {
    const clock = holdClock()
    const user = await app.signedIn()
    const { body } = await ban(user.userId, { banExpiresIn: 3600 })
    expect(body).toMatchObject({ user: { banned: true, banExpires: new Date(Date.now() + 3_600_000).toISOString() } })
    // A mail under way loses its lease when the clock jumps.
    await app.drainMail()
    clock.advance(3599)
    await app.service.suspensionEnds.run()
    expect(await signIn(user.person)).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    clock.advance(1)
    await app.service.suspensionEnds.run()
    expect(await findUser(user.userId)).toMatchObject({ suspendedAt: null, suspendedUntil: null })
    expect(await findEvent(user.userId, 'end-suspension')).toMatchObject({ actorId: 'schedule' })
    expect(Number((await findUser(user.userId))?.heldUntil)).toBeGreaterThan(Date.now())
    await app.drainMail()
    expect(app.outbox.to(user.person.email)).toHaveLength(2)
    expect(await signIn(user.person)).toEqual([200, undefined])
  })

  test.runIf(testDatabase.kind === 'postgres')('that an administrator extends at its last moment stays', async () => {
    const { userId } = await app.signedIn()
    await app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date(), suspendedUntil: new Date() } })
    const { ended } = await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR UPDATE`
      const ended = app.service.suspensionEnds.run()
      await waitForLocks(app)
      await tx.user.update({ where: { id: userId }, data: { suspendedUntil: new Date(Date.now() + 60_000) } })
      return { ended }
    })
    await ended
    expect(await findUser(userId)).toMatchObject({ suspendedAt: expect.any(Date) })
  })

  test('that cannot end does not keep the others from ending', async () => {
    const [stuck, free] = [await app.signedIn(), await app.signedIn()]
    const ends = (suspendedUntil: Date) => ({ suspendedAt: new Date(0), suspendedUntil })
    await app.db.user.update({ where: { id: stuck.userId }, data: ends(new Date(1)) })
    await app.db.user.update({ where: { id: free.userId }, data: ends(new Date(2)) })
    await app.db.$executeRawUnsafe(`
      CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a fault'; END $$`)
    await app.db.$executeRawUnsafe(`
      CREATE TRIGGER refuse_end BEFORE UPDATE ON users FOR EACH ROW WHEN (OLD.id = '${stuck.userId}') EXECUTE FUNCTION refuse_end()`)
    const logged = app.logs.length
    await app.service.suspensionEnds.run()
    await app.db.$executeRawUnsafe('DROP TRIGGER refuse_end ON users')
    expect(await findUser(free.userId)).toMatchObject({ suspendedAt: null })
    expect(await findUser(stuck.userId)).toMatchObject({ suspendedUntil: new Date(1) })
    expect(app.logs.slice(logged)).toContainEqual(expect.objectContaining({ msg: 'suspension not ended', userId: stuck.userId }))
    await app.service.suspensionEnds.run()
    expect(await findUser(stuck.userId)).toMatchObject({ suspendedAt: null })
  })

  test('gets no earlier end by another suspension: ending one needs a second administrator', async () => {
    const { userId } = await app.signedIn()
    await ban(userId)
    expect(outcome(await ban(userId, { banExpiresIn: 60 }))).toEqual([400, 'USER_SUSPENDED'])
    expect(await findUser(userId)).toMatchObject({ suspendedUntil: null })
    const other = await app.signedIn()
    await ban(other.userId, { banExpiresIn: 3600 })
    expect(outcome(await ban(other.userId, { banExpiresIn: 60 }))).toEqual([400, 'USER_SUSPENDED'])
    expect(outcome(await ban(other.userId, { banExpiresIn: 7200 }))).toEqual([200, undefined])
  })

  test('without an end replaces one with an end', async () => {
    const { userId } = await app.signedIn()
    await ban(userId, { banExpiresIn: 60 })
    await ban(userId)
    expect(await findUser(userId)).toMatchObject({ suspendedUntil: null, suspendedAt: expect.any(Date) })
  })

  test('a suspension lasts a minute at least and ten years at most', async () => {
    const tenYears = 10 * 365 * 86_400
    for (const [banExpiresIn, status] of [
      [59, 400],
      [60, 200],
      [tenYears, 200],
      [tenYears + 1, 400],
      [90.5, 400],
    ] as const)
      expect((await ban((await app.signedIn()).userId, { banExpiresIn })).status, String(banExpiresIn)).toBe(status)
  })
})
