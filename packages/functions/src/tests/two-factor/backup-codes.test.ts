import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { beginSignIn, signInWithFactor } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const verifyCode = (tab: Pick<Browser, 'post'>, code: unknown) => tab.post('/auth/two-factor/verify', { code })
const generateCodes = (tab: Pick<Browser, 'post'>, fields: object) => tab.post('/auth/two-factor/generate-backup-codes', fields)
const countUnused = (userId: string) => app.db.backupCode.count({ where: { userId, usedAt: null } })

describe('a backup code', () => {
  test('T116: finishes a sign-in once, is recorded, and tells the owner how many are left', async () => {
    const { person, userId, backupCodes } = await signInWithFactor(app)
    const tab = await beginSignIn(app, person)
    expect((await verifyCode(tab, backupCodes[0])).status).toBe(200)
    expect(tab.cookies.has('local-floorpass_session')).toBe(true)
    expect((await verifyCode(await beginSignIn(app, person), backupCodes[0])).code).toBe('INVALID_BACKUP_CODE')
    expect(await countUnused(userId)).toBe(9)
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).text).toContain('Codes left: 9.')
    expect(
      await app.db.auditEvent.findFirst({ where: { userId, action: 'sign-in', succeeded: true }, orderBy: { id: 'desc' } }),
    ).toMatchObject({ details: { factor: 'backup-code' } })
  })

  test('T111: opens one session when twenty sign-ins use it in parallel', async () => {
    const { person, userId, backupCodes } = await signInWithFactor(app)
    const before = await app.db.session.count({ where: { userId } })
    const tabs = await Promise.all(Array.from({ length: 20 }, () => beginSignIn(app, person)))
    const answers = await Promise.all(tabs.map((tab) => verifyCode(tab, backupCodes[3])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers)
      if (status !== 200) expect(['INVALID_BACKUP_CODE', 'ACCOUNT_TEMPORARILY_LOCKED']).toContain(code)
    expect(await app.db.session.count({ where: { userId } })).toBe(before + 1)
    expect(await countUnused(userId)).toBe(9)
  })

  test('can be used in parallel with the nine others', async () => {
    const { person, userId, backupCodes } = await signInWithFactor(app)
    const tabs = await Promise.all(backupCodes.map(() => beginSignIn(app, person)))
    const answers = await Promise.all(tabs.map((tab, count) => verifyCode(tab, backupCodes[count])))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await countUnused(userId)).toBe(0)
  })

  test('is accepted however it was copied', async () => {
    const { person, backupCodes } = await signInWithFactor(app)
    const copies = [
      (code: string) => code.toUpperCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => ` ${code.replaceAll('-', ' ')} `,
      (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l'),
      (code: string) => code.replaceAll('1', 'I'),
    ]
    for (const [count, copy] of copies.entries())
      expect([count, (await verifyCode(await beginSignIn(app, person), copy(backupCodes[count] ?? ''))).status]).toEqual([
        count,
        200,
      ])
    const part = await beginSignIn(app, person)
    expect((await verifyCode(part, backupCodes[9]?.slice(0, 16))).code).toBe('INVALID_CODE')
    expect((await verifyCode(part, `${backupCodes[9]}0`)).code).toBe('INVALID_CODE')
  })

  test('of another account does not work', async () => {
    const [mine, theirs] = [await signInWithFactor(app), await signInWithFactor(app)]
    expect((await verifyCode(await beginSignIn(app, mine.person), theirs.backupCodes[0])).code).toBe('INVALID_BACKUP_CODE')
    expect(await countUnused(theirs.userId)).toBe(10)
  })

  test('6.5.2: has 75 random bits and is stored as a hash', async () => {
    const { userId, backupCodes } = await signInWithFactor(app)
    const rows = await app.db.backupCode.findMany({ where: { userId } })
    expect(new Set(rows.map(({ codeHash }) => codeHash)).size).toBe(10)
    for (const { codeHash } of rows) expect(codeHash).toMatch(/^[\w-]{43}$/)
    // 900 random characters contain each of the 32 in the alphabet almost surely.
    const more = await Promise.all(Array.from({ length: 5 }, () => signInWithFactor(app)))
    expect(new Set([backupCodes, ...more.map((one) => one.backupCodes)].flat(2).join('').replaceAll('-', '')).size).toBe(32)
  })
})

describe('two-factor/generate-backup-codes', () => {
  test('T112: creates ten new codes, and the former ones stop working', async () => {
    const { tab, person, backupCodes } = await signInWithFactor(app)
    const answer = await generateCodes(tab, { password: person.password })
    const fresh = (answer.body as { backupCodes: string[] }).backupCodes
    expect(answer.body).toEqual({ status: true, backupCodes: expect.any(Array) })
    expect(fresh).toHaveLength(10)
    expect(fresh.filter((code) => backupCodes.includes(code))).toEqual([])
    expect((await verifyCode(await beginSignIn(app, person), backupCodes[0])).code).toBe('INVALID_BACKUP_CODE')
    expect((await verifyCode(await beginSignIn(app, person), fresh[0])).status).toBe(200)
  })

  test('accepts an authenticator code instead of the password', async () => {
    const { tab, userId, authenticator } = await signInWithFactor(app)
    expect((await generateCodes(tab, { code: authenticator.code(1) })).status).toBe(200)
    expect((await generateCodes(tab, { code: authenticator.code(1) })).code).toBe('INVALID_CODE')
    expect(await countUnused(userId)).toBe(10)
  })

  test('T47: needs the password or a code and a confirmed second factor, on a session of any age', async () => {
    const clock = holdClock()
    const { tab, person, authenticator } = await signInWithFactor(app)
    expect((await generateCodes(tab, {})).code).toBe('VALIDATION_ERROR')
    expect((await generateCodes(tab, { password: 'something else' })).code).toBe('INVALID_PASSWORD')
    const plain = await app.signedIn()
    expect((await generateCodes(plain, { password: plain.person.password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
    await setUpTwoFactor(plain, plain.person.password)
    expect((await generateCodes(plain, { password: plain.person.password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
    clock.advance(6 * 24 * 3600)
    expect((await generateCodes(tab, { password: person.password })).status).toBe(200)
    expect((await generateCodes(tab, { code: authenticator.code() })).status).toBe(200)
  })

  test('leaves one complete set after twenty parallel requests', async () => {
    const { tab, person, userId } = await signInWithFactor(app)
    const answers = await Promise.all(Array.from({ length: 20 }, () => generateCodes(tab, { password: person.password })))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await countUnused(userId)).toBe(10)
    const sets = answers.map(({ body }) => (body as { backupCodes: string[] }).backupCodes)
    let working = 0
    for (const [first] of sets) {
      await app.db.twoFactor.update({ where: { userId }, data: { failedAttempts: 0 } })
      if ((await verifyCode(tab, first)).status === 200) working += 1
    }
    expect(working).toBe(1)
  })
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})

test('shows the number of backup codes left', async () => {
  const tab = await app.signedIn()
  await switchOnTwoFactor(tab, tab.person.password)
  expect((await tab.get('/trpc/twoFactor.get')).body).toMatchObject({ result: { data: { backupCodesLeft: 10 } } })
})

test('tells an app that has given its first code from one that has not', async () => {
  const tab = await app.signedIn()
  const read = async () => (await tab.get('/trpc/twoFactor.get')).body
  const isSetUp = { hasPassword: true, hasPasskey: false, hasTotp: true, hasPendingTotp: false }
  expect(await read()).toMatchObject({
    result: { data: { isEnabled: false, hasTotp: false, hasPendingTotp: false, enabledAt: null } },
  })
  await tab.post('/auth/two-factor/enable', { password: tab.person.password })
  expect(await read()).toMatchObject({
    result: { data: { isEnabled: false, hasTotp: false, hasPendingTotp: true, enabledAt: null } },
  })
  const other = await app.signedIn()
  const enabledAt = new Date()
  await switchOnTwoFactor(other, other.person.password)
  await app.db.twoFactor.update({ where: { userId: other.userId }, data: { confirmedAt: enabledAt } })
  expect((await other.get('/trpc/twoFactor.get')).body).toMatchObject({
    result: { data: { ...isSetUp, isEnabled: true, enabledAt: enabledAt.toISOString() } },
  })
})

test('shows no codes, password or passkey of other users', async () => {
  await signInWithFactor(app)
  const tab = await app.signedIn()
  await app.db.account.updateMany({ where: { userId: tab.userId }, data: { passwordHash: null } })
  expect((await tab.get('/trpc/twoFactor.get')).body).toMatchObject({
    result: { data: { hasTotp: false, backupCodesLeft: 0, hasPassword: false, hasPasskey: false } },
  })
})
