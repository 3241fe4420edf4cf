import { scan } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion, createRegistration, signInWithPasskey } from '@floorpass/testing/passkeys'
import { signInWithFactor } from '@floorpass/testing/sign-in'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const enable = (tab: Pick<Browser, 'post'>, fields: object) => tab.post('/auth/two-factor/enable', fields)
const stale = (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 16 * 60_000), authenticatedAt: null } })
const day = 86_400_000
const ageBy = (userId: string, age: number) =>
  app.db.passkey.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - age) } })
const proveSecondFactor = (userId: string, minutesAgo: number) =>
  app.db.session.updateMany({ where: { userId }, data: { secondFactorAt: new Date(Date.now() - minutesAgo * 60_000) } })
const isEnabled = async (id: string) => (await app.db.user.findUniqueOrThrow({ where: { id } })).twoFactorEnabled
const passkeyId = async (userId: string) => (await app.db.passkey.findFirstOrThrow({ where: { userId } })).id

async function personWithPasskey() {
  const tab = await app.signedIn()
  const authenticator = createSoftwareAuthenticator()
  await addPasskey(tab, authenticator)
  return { tab, authenticator, person: tab.person, userId: tab.userId }
}

async function personWithTwoFactor() {
  const person = await personWithPasskey()
  const { body } = await enable(person.tab, { method: 'passkey', password: person.person.password })
  return { ...person, backupCodes: (body as { backupCodes: string[] }).backupCodes }
}

describe('two-factor by a passkey', () => {
  test('turns on at once, gives backup codes, ends the other sessions and mails the owner', async () => {
    const { tab, person, userId } = await personWithPasskey()
    const other = app.browser()
    await other.post('/auth/sign-in/email', person)
    const { userId: neighbour } = await signInWithFactor(app)
    const before = tab.cookies.get('local-floorpass_session')
    const { status, body } = await enable(tab, { method: 'passkey', password: person.password })
    expect([status, body]).toEqual([200, { method: 'passkey', backupCodes: expect.any(Array) }])
    expect((body as { backupCodes: string[] }).backupCodes).toHaveLength(10)
    expect(tab.cookies.get('local-floorpass_session')).not.toBe(before)
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { twoFactorEnabled: true } })
    expect((await other.get('/auth/get-session')).body).toBeNull()
    const events = await app.db.auditEvent.findMany({ where: { userId, action: 'enable-two-factor' } })
    expect(events.map(({ details }) => details)).toEqual([{ method: 'passkey' }])
    expect(await app.db.twoFactor.count({ where: { userId: neighbour } })).toBe(1)
    expect(await app.db.backupCode.count({ where: { userId: neighbour } })).toBe(10)
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toContain('Two-factor authentication is on')
  })

  test('makes a password ask for the passkey', async () => {
    const { person, userId, authenticator } = await personWithTwoFactor()
    const tab = app.browser()
    expect((await tab.post('/auth/sign-in/email', person)).body).toEqual({
      twoFactorRedirect: true,
      twoFactorMethods: ['passkey'],
    })
    expect((await tab.post('/auth/two-factor/verify', { code: '123456' })).code).toBe('TOTP_NOT_ENABLED')
    expect((await signInWithPasskey(tab, authenticator)).body).toMatchObject({ user: { id: userId } })
  })

  test('accepts each backup code once', async () => {
    const { person, backupCodes, userId } = await personWithTwoFactor()
    const verify = async () => {
      const tab = app.browser()
      await tab.post('/auth/sign-in/email', person)
      const { status, code } = await tab.post('/auth/two-factor/verify', { code: backupCodes[0] })
      return [status, code]
    }
    expect(await verify()).toEqual([200, undefined])
    expect(await verify()).toEqual([401, 'INVALID_BACKUP_CODE'])
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toContain('backup code')
    expect(await app.db.backupCode.count({ where: { userId, usedAt: null } })).toBe(9)
  })

  test('ends a challenge after five wrong backup codes', async () => {
    const { person, backupCodes } = await personWithTwoFactor()
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', person)
    for (let attempt = 0; attempt < 5; attempt += 1) await tab.post('/auth/two-factor/verify', { code: 'aaaaa-aaaaa-aaaaa' })
    const { code } = await tab.post('/auth/two-factor/verify', { code: backupCodes[0] })
    expect(code).toBe('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
  })

  test('needs the password and a passkey', async () => {
    const without = await app.signedIn()
    expect((await enable(without, { method: 'passkey', password: without.person.password })).code).toBe('PASSKEY_NOT_FOUND')
    expect(await isEnabled(without.userId)).toBe(false)
    const { tab, userId, person } = await personWithPasskey()
    expect((await enable(tab, { method: 'passkey' })).code).toBe('INVALID_PASSWORD')
    expect((await enable(tab, { method: 'passkey', password: 'wrong horse' })).code).toBe('INVALID_PASSWORD')
    expect(await isEnabled(userId)).toBe(false)
    expect((await enable(tab, { method: 'passkey', password: person.password })).status).toBe(200)
    expect((await enable(tab, { method: 'passkey', password: person.password })).code).toBe('TWO_FACTOR_ALREADY_ENABLED')
  })

  test('needs reauthentication where there is no password', async () => {
    const { tab, userId } = await personWithPasskey()
    await tab.post('/auth/unlink-account', { providerId: 'credential' })
    await stale(userId)
    expect((await enable(tab, { method: 'passkey' })).code).toBe('SESSION_NOT_FRESH')
    await app.db.session.updateMany({ where: { userId }, data: { authenticatedAt: new Date() } })
    expect((await enable(app.browser(), { method: 'passkey' })).status).toBe(401)
  })

  test('turns on once for ten concurrent requests', async () => {
    const { tab, userId, person } = await personWithPasskey()
    const fields = { method: 'passkey', password: person.password }
    const answers = await Promise.all(Array.from({ length: 10 }, () => enable(tab, fields)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await app.db.backupCode.count({ where: { userId } })).toBe(10)
  })

  test('keeps its last passkey until an authenticator app is set up, or two-factor is off', async () => {
    const { tab, userId, person } = await personWithTwoFactor()
    const id = await passkeyId(userId)
    await proveSecondFactor(userId, 0)
    const refused = await tab.post('/auth/passkey/delete-passkey', { id })
    expect([refused.status, refused.code]).toEqual([400, 'TWO_FACTOR_NEEDS_PASSKEY'])
    // An app that is not confirmed is no factor.
    await enable(tab, { password: person.password })
    expect((await tab.post('/auth/passkey/delete-passkey', { id })).code).toBe('TWO_FACTOR_NEEDS_PASSKEY')
    await tab.post('/auth/two-factor/disable', { password: person.password })
    expect((await tab.post('/auth/passkey/delete-passkey', { id })).status).toBe(200)
  })

  test('turns off with the passkey', async () => {
    const { tab, userId, authenticator } = await personWithTwoFactor()
    await ageBy(userId, day)
    const passkey = await createAssertion(tab, authenticator)
    expect((await tab.post('/auth/two-factor/disable', { passkey })).status).toBe(200)
    expect([await isEnabled(userId), await app.db.backupCode.count({ where: { userId } })]).toEqual([false, 0])
  })
})

test('a passkey proves the owner of two-factor after a day', async () => {
  const { tab, userId, authenticator } = await personWithTwoFactor()
  for (const path of ['disable', 'generate-backup-codes']) {
    await ageBy(userId, day - 60_000)
    const answer = await tab.post(`/auth/two-factor/${path}`, { passkey: await createAssertion(tab, authenticator) })
    expect([answer.status, answer.code]).toEqual([403, 'PASSKEY_TOO_NEW'])
  }
  expect([await isEnabled(userId), await app.db.backupCode.count({ where: { userId, usedAt: null } })]).toEqual([true, 10])
})

describe('while two-factor is on', () => {
  test('a passkey is added with a recent second factor', async () => {
    const { tab, userId, authenticator } = await personWithTwoFactor()
    const refusals = async () => [
      (await tab.get('/auth/passkey/generate-register-options')).code,
      (await tab.post('/auth/passkey/verify-registration', { response })).code,
    ]
    const before = await app.signedIn()
    const response = await createRegistration(before, createSoftwareAuthenticator())
    expect(await refusals()).toEqual(['SESSION_NOT_FRESH', 'SESSION_NOT_FRESH'])
    await proveSecondFactor(userId, 16)
    expect(await refusals()).toEqual(['SESSION_NOT_FRESH', 'SESSION_NOT_FRESH'])
    await tab.post('/auth/reauthenticate', { passkey: await createAssertion(tab, authenticator) })
    expect((await addPasskey(tab, createSoftwareAuthenticator())).status).toBe(200)
  })

  test('a passkey is removed with a recent second factor', async () => {
    const { tab, userId } = await personWithTwoFactor()
    await proveSecondFactor(userId, 1)
    await addPasskey(tab, createSoftwareAuthenticator())
    await proveSecondFactor(userId, 16)
    const id = await passkeyId(userId)
    expect((await tab.post('/auth/passkey/delete-passkey', { id })).code).toBe('SESSION_NOT_FRESH')
    await proveSecondFactor(userId, 14)
    expect((await tab.post('/auth/passkey/delete-passkey', { id })).status).toBe(200)
  })
})

describe('an authenticator app beside a passkey', () => {
  test('ends no session, and mails the owner', async () => {
    const { tab, person, userId, authenticator } = await personWithTwoFactor()
    const other = app.browser()
    await signInWithPasskey(other, authenticator)
    const { body } = await enable(tab, { password: person.password })
    await tab.post('/auth/two-factor/verify', { code: scan((body as { totpURI: string }).totpURI).code() })
    expect((await other.get('/auth/get-session')).body).toMatchObject({ user: { id: userId } })
    expect(await app.db.auditEvent.count({ where: { userId, action: 'add-authenticator' } })).toBe(1)
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toContain('An authenticator app was added')
  })

  test('keeps the backup codes, and counts once its first code is right', async () => {
    const { tab, person, userId, backupCodes } = await personWithTwoFactor()
    const { body } = await enable(tab, { password: person.password })
    expect(body).toMatchObject({ method: 'totp', backupCodes: [] })
    const phone = scan((body as { totpURI: string }).totpURI)
    const waiting = app.browser()
    const methods = async () => (await waiting.post('/auth/sign-in/email', person)).body as { twoFactorMethods: string[] }
    expect((await methods()).twoFactorMethods).toEqual(['passkey'])
    expect((await waiting.post('/auth/two-factor/verify', { code: phone.code() })).code).toBe('TOTP_NOT_ENABLED')
    expect((await tab.post('/auth/two-factor/verify', { code: phone.code() })).status).toBe(200)
    expect((await methods()).twoFactorMethods).toEqual(['totp', 'passkey'])
    expect((await waiting.post('/auth/two-factor/verify', { code: backupCodes[0] })).status).toBe(200)
    await proveSecondFactor(userId, 0)
    expect((await tab.post('/auth/passkey/delete-passkey', { id: await passkeyId(userId) })).status).toBe(200)
  })

  test('a backup code confirms no app', async () => {
    const { tab, person, userId, backupCodes } = await personWithTwoFactor()
    await enable(tab, { password: person.password })
    expect((await tab.post('/auth/two-factor/verify', { code: backupCodes[0] })).status).toBe(200)
    expect((await app.db.twoFactor.findUniqueOrThrow({ where: { userId } })).confirmedAt).toBeNull()
  })

  test('needs reauthentication', async () => {
    const { tab, person, userId } = await personWithTwoFactor()
    await stale(userId)
    expect((await enable(tab, { password: person.password })).code).toBe('SESSION_NOT_FRESH')
    expect(await app.db.twoFactor.count({ where: { userId } })).toBe(0)
  })

  test('replaces an app that was not confirmed', async () => {
    const { tab, person, userId } = await personWithPasskey()
    await enable(tab, { password: person.password })
    await enable(tab, { method: 'passkey', password: person.password })
    expect(await app.db.twoFactor.count({ where: { userId } })).toBe(0)
  })
})

test('a new password keeps the backup codes of passkeys, and deletes those of an unfinished setup', async () => {
  const { tab, person, userId } = await personWithTwoFactor()
  await enable(tab, { password: person.password })
  const change = { currentPassword: person.password, newPassword: 'violet harbor ladder' }
  expect((await tab.post('/auth/change-password', change)).status).toBe(200)
  expect(await app.db.backupCode.count({ where: { userId } })).toBe(10)
  expect(await app.db.twoFactor.count({ where: { userId } })).toBe(0)
})

describe('an undone email change', () => {
  type Person = Awaited<ReturnType<typeof personWithPasskey>>
  const change = async ({ tab, person }: Person) => {
    const newEmail = app.person().email
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    return app.outbox.lastTo(person.email).token
  }
  const undo = async (token: string) =>
    ((await app.browser().post('/auth/undo-email-change', { token })).body as { effects: { twoFactor: string } }).effects
      .twoFactor
  const backdate = (userId: string) => ({ where: { userId }, data: { createdAt: new Date(Date.now() - 8 * day) } })
  const backdatePasskeys = async (userId: string) => {
    await ageBy(userId, 8 * day)
    await app.db.auditEvent.updateMany(backdate(userId))
    await app.db.backupCode.updateMany(backdate(userId))
  }
  const addApp = async ({ tab, person }: Person) => {
    const { body } = await enable(tab, { password: person.password })
    const code = scan((body as { totpURI: string }).totpURI).code()
    expect((await tab.post('/auth/two-factor/verify', { code })).status).toBe(200)
  }

  test("keeps two-factor by the owner's passkey, and deletes the backup codes of a thief", async () => {
    const person = await personWithTwoFactor()
    await backdatePasskeys(person.userId)
    const token = await change(person)
    await person.tab.post('/auth/two-factor/generate-backup-codes', { password: person.person.password })
    expect(await undo(token)).toBe('kept')
    expect([await isEnabled(person.userId), await app.db.backupCode.count({ where: { userId: person.userId } })]).toEqual([
      true,
      0,
    ])
  })

  test('turns it on again when a thief turned it off', async () => {
    const person = await personWithTwoFactor()
    await backdatePasskeys(person.userId)
    const token = await change(person)
    await person.tab.post('/auth/two-factor/disable', { password: person.person.password })
    expect(await undo(token)).toBe('restored')
    expect(await isEnabled(person.userId)).toBe(true)
  })

  test('turns it off when no passkey is older than a week', async () => {
    const person = await personWithTwoFactor()
    await backdatePasskeys(person.userId)
    await ageBy(person.userId, 6 * day)
    expect(await undo(await change(person))).toBe('removed')
    expect(await isEnabled(person.userId)).toBe(false)
    expect(await app.db.passkey.count({ where: { userId: person.userId } })).toBe(0)
  })

  test("keeps it when a thief replaced the owner's passkey by an app", async () => {
    const person = await personWithTwoFactor()
    await backdatePasskeys(person.userId)
    const token = await change(person)
    await person.tab.post('/auth/two-factor/disable', { password: person.person.password })
    await addApp(person)
    expect(await undo(token)).toBe('kept')
    expect(await app.db.twoFactor.count({ where: { userId: person.userId } })).toBe(0)
  })

  test('turns it off when a thief turned it on', async () => {
    const person = await personWithPasskey()
    await backdatePasskeys(person.userId)
    const token = await change(person)
    await enable(person.tab, { method: 'passkey', password: person.person.password })
    expect(await undo(token)).toBe('removed')
    expect(await isEnabled(person.userId)).toBe(false)
  })

  test('deletes an authenticator app that a thief began to set up', async () => {
    const person = await personWithTwoFactor()
    await backdatePasskeys(person.userId)
    const token = await change(person)
    await enable(person.tab, { password: person.person.password })
    expect(await undo(token)).toBe('kept')
    expect(await app.db.twoFactor.count({ where: { userId: person.userId } })).toBe(0)
  })

  test.each(['before', 'after'])("keeps two-factor by the owner's passkey when a thief added an app %s it", async (moment) => {
    const person = await personWithTwoFactor()
    const { userId } = person
    await backdatePasskeys(userId)
    if (moment === 'before') await addApp(person)
    const token = await change(person)
    if (moment === 'after') await addApp(person)
    expect(await undo(token)).toBe('kept')
    expect([
      await isEnabled(userId),
      await app.db.twoFactor.count({ where: { userId } }),
      await app.db.backupCode.count({ where: { userId } }),
    ]).toEqual([true, 0, 10])
  })

  test("does not bring a thief's app back", async () => {
    const person = await personWithTwoFactor()
    await backdatePasskeys(person.userId)
    await addApp(person)
    const token = await change(person)
    await person.tab.post('/auth/two-factor/disable', { password: person.person.password })
    expect(await undo(token)).toBe('restored')
    expect(await app.db.twoFactor.count({ where: { userId: person.userId } })).toBe(0)
  })

  test('turns it off when a thief turned it on before', async () => {
    const person = await personWithPasskey()
    await backdatePasskeys(person.userId)
    await enable(person.tab, { method: 'passkey', password: person.person.password })
    expect(await undo(await change(person))).toBe('removed')
    expect(await isEnabled(person.userId)).toBe(false)
  })
})
