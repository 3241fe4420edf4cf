import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, signInWithPasskey } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const security = async (tab: Pick<Tab, 'get'>) =>
  (await tab.get('/auth/get-security')).body as { score: number; next: string | null }
const day = 24 * 60 * 60 * 1000

/** Opens another browser of the same user, and gives the account a passkey and a second factor. */
const withPasskeyAsFactor = async (tab: Tab, codes: number) => {
  const { userId } = tab
  await addPasskey(tab, createSoftwareAuthenticator())
  await app.db.backupCode.createMany({
    data: Array.from({ length: codes }, (_, index) => ({ userId, codeHash: `hash ${index}` })),
  })
  const again = { ...app.browser(), userId }
  await again.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
  await app.db.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
  return again
}

describe('get-security', () => {
  test('recommends a passkey to a new account, and then the second factor', async () => {
    const tab = await app.signedIn()
    expect(await security(tab)).toMatchObject({ score: 45, next: 'add-passkey' })
    await addPasskey(tab, createSoftwareAuthenticator())
    expect(await security(tab)).toMatchObject({ score: 70, next: 'enable-two-factor' })
  })

  test('counts a code less than a passkey', async () => {
    const tab = await withPasskeyAsFactor(await app.signedIn(), 3)
    await app.db.passkey.deleteMany({ where: { userId: tab.userId } })
    expect(await security(tab)).toMatchObject({ score: 75, next: 'add-passkey' })
  })

  test('asks nothing more of an account that has a passkey alone', async () => {
    const [tab, authenticator] = [await app.signedIn(), createSoftwareAuthenticator()]
    await addPasskey(tab, authenticator)
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    const again = app.browser()
    await signInWithPasskey(again, authenticator)
    expect(await security(again)).toMatchObject({ score: 100, next: null })
  })

  test('recommends no passkey where browsers offer none', async () => {
    const withoutPasskeys = await createTestApp({ BASE_URL: 'http://127.0.0.1:3000' })
    expect(await security(await withoutPasskeys.signedIn())).toMatchObject({ score: 70, next: 'enable-two-factor' })
  })

  test('recommends nothing with a factor and enough codes, and new codes when few are left', async () => {
    expect(await security(await withPasskeyAsFactor(await app.signedIn(), 3))).toMatchObject({ score: 100, next: null })
    expect(await security(await withPasskeyAsFactor(await app.signedIn(), 2))).toMatchObject({
      score: 90,
      next: 'renew-backup-codes',
    })
  })

  test('counts no used backup code', async () => {
    const tab = await withPasskeyAsFactor(await app.signedIn(), 3)
    const code = await app.db.backupCode.findFirstOrThrow({ where: { userId: tab.userId } })
    await app.db.backupCode.update({ where: { id: code.id }, data: { usedAt: new Date() } })
    expect(await security(tab)).toMatchObject({ score: 90, next: 'renew-backup-codes' })
  })

  test('recommends a review of other sessions that were idle for three days', async () => {
    const tab = await app.signedIn()
    const again = await withPasskeyAsFactor(tab, 3)
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { lastSeenAt: new Date(Date.now() - 4 * day) } })
    expect(await security(again)).toMatchObject({ score: 90, next: 'review-sessions' })
  })

  test('recommends no review of an ended session or of the one that asks', async () => {
    const tab = await app.signedIn()
    const again = await withPasskeyAsFactor(tab, 3)
    const idle = { lastSeenAt: new Date(Date.now() - 4 * day) }
    const other = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId }, orderBy: { createdAt: 'asc' } })
    await app.db.session.update({ where: { id: other.id }, data: { ...idle, expiresAt: new Date(Date.now() - 1) } })
    expect(await security(again)).toMatchObject({ score: 100, next: null })
    await app.db.session.deleteMany({ where: { id: other.id } })
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: idle })
    expect(await security(again)).toMatchObject({ score: 100, next: null })
  })

  test('recommends a new password after a year, counted from its last change', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const again = await withPasskeyAsFactor(tab, 3)
    const old = new Date(Date.now() - 366 * day)
    await app.db.account.updateMany({ where: { userId: tab.userId }, data: { createdAt: old } })
    await app.db.auditEvent.updateMany({ where: { userId: tab.userId }, data: { createdAt: old } })
    expect(await security(again)).toMatchObject({ score: 85, next: 'renew-password' })
    // Ids within one millisecond have no order.
    clock.advance(1)
    const { userId } = await app.signedIn()
    await app.db.auditEvent.create({ data: { userId, action: 'change-password' } })
    await app.db.auditEvent.create({ data: { userId: tab.userId, action: 'change-password', succeeded: false } })
    expect(await security(again), 'after those of another user and a failed one').toMatchObject({ score: 85 })
    clock.advance(1)
    await app.db.auditEvent.create({ data: { userId: tab.userId, action: 'change-password' } })
    expect(await security(again)).toMatchObject({ score: 100, next: null })
  })

  test('needs a session', async () => {
    expect((await app.browser().get('/auth/get-security')).status).toBe(401)
  })
})
