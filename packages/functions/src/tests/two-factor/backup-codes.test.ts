import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

async function withFactor() {
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  return { tab, authenticator, backupCodes, person: tab.person, userId: tab.userId }
}
const signIn = async ({ email, password }: { email: string; password: string }) => {
  const tab = app.browser()
  expect((await tab.post('/auth/sign-in/email', { email, password })).body).toHaveProperty('twoFactorRedirect')
  return tab
}
const verify = (tab: Pick<Browser, 'post'>, code: unknown) => tab.post('/auth/two-factor/verify', { code })
const generate = (tab: Pick<Browser, 'post'>, fields: object) => tab.post('/auth/two-factor/generate-backup-codes', fields)
const left = (userId: string) => app.db.backupCode.count({ where: { userId, usedAt: null } })

describe('a backup code', () => {
  test('T116: ends a sign-in, once, on record, and its owner is told how many are left', async () => {
    const { person, userId, backupCodes } = await withFactor()
    const tab = await signIn(person)
    expect((await verify(tab, backupCodes[0])).status).toBe(200)
    expect(tab.cookies.has('floorpass_session')).toBe(true)
    expect((await verify(await signIn(person), backupCodes[0])).code).toBe('INVALID_BACKUP_CODE')
    expect(await left(userId)).toBe(9)
    await app.mailed()
    expect(app.outbox.lastTo(person.email).text).toContain('Codes left: 9.')
    expect(
      await app.db.auditEvent.findFirst({ where: { userId, action: 'sign-in', succeeded: true }, orderBy: { id: 'desc' } }),
    ).toMatchObject({ details: { factor: 'backup-code' } })
  })

  test('T111: used twenty times at once from as many sign-ins it opens one session', async () => {
    const { person, userId, backupCodes } = await withFactor()
    const before = await app.db.session.count({ where: { userId } })
    const tabs = await Promise.all(Array.from({ length: 20 }, () => signIn(person)))
    const answers = await Promise.all(tabs.map((tab) => verify(tab, backupCodes[3])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers)
      if (status !== 200) expect(['INVALID_BACKUP_CODE', 'ACCOUNT_TEMPORARILY_LOCKED']).toContain(code)
    expect(await app.db.session.count({ where: { userId } })).toBe(before + 1)
    expect(await left(userId)).toBe(9)
  })

  test('ten different ones at once open ten sessions', async () => {
    const { person, userId, backupCodes } = await withFactor()
    const tabs = await Promise.all(backupCodes.map(() => signIn(person)))
    const answers = await Promise.all(tabs.map((tab, count) => verify(tab, backupCodes[count])))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await left(userId)).toBe(0)
  })

  test('is read however it was copied', async () => {
    const { person, backupCodes } = await withFactor()
    const copies = [
      (code: string) => code.toUpperCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => ` ${code.replaceAll('-', ' ')} `,
      (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l'),
      (code: string) => code.replaceAll('1', 'I'),
    ]
    for (const [count, copy] of copies.entries())
      expect([count, (await verify(await signIn(person), copy(backupCodes[count] ?? ''))).status]).toEqual([count, 200])
    const part = await signIn(person)
    expect((await verify(part, backupCodes[9]?.slice(0, 16))).code).toBe('INVALID_CODE')
    expect((await verify(part, `${backupCodes[9]}0`)).code).toBe('INVALID_CODE')
  })

  test('of another account is worth nothing', async () => {
    const [mine, theirs] = [await withFactor(), await withFactor()]
    expect((await verify(await signIn(mine.person), theirs.backupCodes[0])).code).toBe('INVALID_BACKUP_CODE')
    expect(await left(theirs.userId)).toBe(10)
  })

  test('6.5.2: they are 75 bits of chance, stored as hashes', async () => {
    const { userId, backupCodes } = await withFactor()
    const rows = await app.db.backupCode.findMany({ where: { userId } })
    expect(new Set(rows.map(({ codeHash }) => codeHash)).size).toBe(10)
    for (const { codeHash } of rows) expect(codeHash).toMatch(/^[\w-]{43}$/)
    // 150 characters of 32 kinds: any kind that never came up in so many would come up again.
    const more = await Promise.all(Array.from({ length: 5 }, withFactor))
    expect(new Set([backupCodes, ...more.map((one) => one.backupCodes)].flat(2).join('').replaceAll('-', '')).size).toBe(32)
  })
})

describe('two-factor/generate-backup-codes', () => {
  test('T112: makes ten new ones, and the former ones are void', async () => {
    const { tab, person, backupCodes } = await withFactor()
    const answer = await generate(tab, { password: person.password })
    const fresh = (answer.body as { backupCodes: string[] }).backupCodes
    expect(answer.body).toEqual({ status: true, backupCodes: expect.any(Array) })
    expect(fresh).toHaveLength(10)
    expect(fresh.filter((code) => backupCodes.includes(code))).toEqual([])
    expect((await verify(await signIn(person), backupCodes[0])).code).toBe('INVALID_BACKUP_CODE')
    expect((await verify(await signIn(person), fresh[0])).status).toBe(200)
  })

  test('a code of the authenticator proves the owner as the password does', async () => {
    const { tab, userId, authenticator } = await withFactor()
    expect((await generate(tab, { code: authenticator.code(1) })).status).toBe(200)
    expect((await generate(tab, { code: authenticator.code(1) })).code).toBe('INVALID_CODE')
    expect(await left(userId)).toBe(10)
  })

  test('T47: needs the password or a code and a factor in use, however old the session is', async () => {
    const clock = holdClock()
    const { tab, person, authenticator } = await withFactor()
    expect((await generate(tab, {})).code).toBe('VALIDATION_ERROR')
    expect((await generate(tab, { password: 'something else' })).code).toBe('INVALID_PASSWORD')
    const plain = await app.signedIn()
    expect((await generate(plain, { password: plain.person.password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
    await setUpTwoFactor(plain, plain.person.password)
    expect((await generate(plain, { password: plain.person.password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
    clock.advance(6 * 24 * 3600)
    expect((await generate(tab, { password: person.password })).status).toBe(200)
    expect((await generate(tab, { code: authenticator.code() })).status).toBe(200)
  })

  test('of twenty at once the last set counts, whole', async () => {
    const { tab, person, userId } = await withFactor()
    const answers = await Promise.all(Array.from({ length: 20 }, () => generate(tab, { password: person.password })))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await left(userId)).toBe(10)
    const sets = answers.map(({ body }) => (body as { backupCodes: string[] }).backupCodes)
    let working = 0
    for (const [first] of sets) {
      await app.db.twoFactor.update({ where: { userId }, data: { failedAttempts: 0 } })
      if ((await verify(tab, first)).status === 200) working += 1
    }
    expect(working).toBe(1)
  })
})

test('nothing of all this was unforeseen', () => {
  expect(app.unforeseen()).toEqual([])
})
