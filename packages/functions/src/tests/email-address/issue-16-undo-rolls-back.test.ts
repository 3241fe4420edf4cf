import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const day = 24 * 3600
const newPassword = 'violet harbor ladder'
const undo = (token: string) => app.browser().post('/auth/undo-email-change', { token })
const effectsOf = async (token: string) => ((await undo(token)).body as { effects: Record<string, unknown> }).effects
const userOf = ({ userId }: Tab) => app.db.user.findUniqueOrThrow({ where: { id: userId } })
const lastMailTo = async (address: string) => {
  await app.mailed()
  return app.outbox.lastTo(address)
}

/** A thief in the owner's session moves the account to the thief's address. The owner holds the undo token. */
async function takeOver(tab: Tab) {
  const { email: newEmail } = app.person()
  expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
  expect((await tab.post('/auth/verify-email', { token: (await lastMailTo(newEmail)).token })).status).toBe(200)
  return { newEmail, token: (await lastMailTo(tab.person.email)).token }
}

/** The thief resets the password by the new address and signs in. */
async function resetAndSignIn(newEmail: string, code?: string): Promise<Browser> {
  const thief = app.browser()
  await thief.post('/auth/forget-password', { email: newEmail })
  await thief.post('/auth/reset-password', { token: (await lastMailTo(newEmail)).token, newPassword })
  await thief.post('/auth/sign-in/email', { email: newEmail, password: newPassword })
  if (code !== undefined) expect((await thief.post('/auth/two-factor/verify', { code })).status).toBe(200)
  return thief
}

/** The owner chooses a password by the mailed link and signs in. */
async function signInAgain({ person }: Tab) {
  const owner = app.browser()
  const { token } = await lastMailTo(person.email)
  expect((await owner.post('/auth/reset-password', { token, newPassword: 'amber willow canyon' })).status).toBe(200)
  return { owner, answer: await owner.post('/auth/sign-in/email', { email: person.email, password: 'amber willow canyon' }) }
}

const activityOf = ({ userId }: Tab) =>
  app.db.auditEvent.findMany({
    where: { userId, details: { path: ['cause'], equals: 'undo-email-change' } },
    orderBy: { id: 'asc' },
  })

describe('undo-email-change lists what it takes away', () => {
  test('before and after, in the mail and in the activity', async () => {
    const tab = await app.signedIn()
    await switchOnTwoFactor(tab, tab.person.password)
    const { id: organizationId } = await found(tab)
    await tab.post('/auth/organization/invite-member', { organizationId, email: app.person().email, role: 'member' })
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `github of ${tab.userId}` } })
    const { token } = await takeOver(tab)

    const listed = { passwordRemoved: true, unlinkedProviders: ['github'], twoFactor: 'removed', invitations: 1, sessions: 1 }
    const before = await app.browser().post('/trpc/emailAddress.checkUndoLink', { token })
    expect((before.body as { result: { data: unknown } }).result.data).toMatchObject({ effects: listed })
    expect(await effectsOf(token)).toMatchObject(listed)

    const { text } = await lastMailTo(tab.person.email)
    for (const words of ['Unlinked github', 'two-factor authentication', 'invitations', '/settings/security'])
      expect(text).toContain(words)
    expect((await activityOf(tab)).map(({ action }) => action).sort()).toEqual([
      'cancel-invitation',
      'clear-password',
      'disable-two-factor',
      'revoke-session',
      'unlink-account',
    ])
  })

  test('and checking the link changes nothing', async () => {
    const tab = await app.signedIn()
    const { token } = await takeOver(tab)
    const before = await app.digests()
    for (let i = 0; i < 3; i += 1) await app.browser().post('/trpc/emailAddress.checkUndoLink', { token })
    expect(await app.digests()).toEqual(before)
    expect((await undo(token)).status).toBe(200)
    expect((await app.browser().post('/trpc/emailAddress.checkUndoLink', { token })).status).toBe(400)
  })
})

describe('undo-email-change rolls back what happened since', () => {
  test('name, picture, trading and risk level are what they were', async () => {
    const tab = await app.signedIn()
    const { token } = await takeOver(tab)
    const change = { name: 'Thief', image: 'https://example.test/t.png', tradingEnabled: true, riskLevel: 'aggressive' }
    expect((await tab.post('/auth/update-user', change)).status).toBe(200)
    expect(await effectsOf(token)).toMatchObject({ tradingDisabled: true, riskLevelLowered: true, profileRestored: true })
    const { name } = tab.person
    expect(await userOf(tab)).toMatchObject({ name, image: null, tradingEnabled: false, riskLevel: 'conservative' })
  })

  test('trading and risk level are the safest, also when the thief loosened them before the move', async () => {
    const tab = await app.signedIn()
    expect((await tab.post('/auth/update-user', { tradingEnabled: true, riskLevel: 'aggressive' })).status).toBe(200)
    const { token } = await takeOver(tab)
    expect(await effectsOf(token)).toMatchObject({ tradingDisabled: true, riskLevelLowered: true })
    expect(await userOf(tab)).toMatchObject({ tradingEnabled: false, riskLevel: 'conservative' })
  })

  test('a factor that the thief locked with wrong codes takes the owner’s code', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(8 * day)
    await tab.post('/auth/sign-in/email', tab.person)
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    const { token } = await takeOver(tab)
    for (let i = 0; i < 10; i += 1) await tab.post('/auth/two-factor/verify', { code: '000000' })
    expect((await tab.post('/auth/two-factor/verify', { code: authenticator.code(1) })).code).toBe('ACCOUNT_TEMPORARILY_LOCKED')

    expect(await effectsOf(token)).toMatchObject({ twoFactor: 'kept' })
    clock.advance(60)
    const { owner } = await signInAgain(tab)
    expect((await owner.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
  })

  test('a factor that the thief disabled asks for the owner’s codes again, and no backup code is left', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(8 * day)
    await tab.post('/auth/sign-in/email', tab.person)
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    const { newEmail, token } = await takeOver(tab)
    const thief = await resetAndSignIn(newEmail, backupCodes[0])
    expect((await thief.post('/auth/two-factor/disable', { password: newPassword })).status).toBe(200)

    expect(await effectsOf(token)).toMatchObject({ twoFactor: 'restored', backupCodesRemoved: true })
    clock.advance(60)
    const { owner, answer } = await signInAgain(tab)
    expect(answer.body).toMatchObject({ twoFactorRedirect: true })
    expect((await owner.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
    const another = app.browser()
    await another.post('/auth/sign-in/email', { email: tab.person.email, password: 'amber willow canyon' })
    for (const code of backupCodes) expect((await another.post('/auth/two-factor/verify', { code })).status).not.toBe(200)
    expect((await activityOf(tab)).map(({ action }) => action)).toContain('restore-two-factor')
  })

  test('a factor that the thief replaced is the owner’s again', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(8 * day)
    await tab.post('/auth/sign-in/email', tab.person)
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    const { newEmail, token } = await takeOver(tab)
    const thief = await resetAndSignIn(newEmail, backupCodes[0])
    await thief.post('/auth/two-factor/disable', { password: newPassword })
    const thiefs = await setUpTwoFactor(thief, newPassword)
    expect((await thief.post('/auth/two-factor/verify', { code: thiefs.authenticator.code() })).status).toBe(200)

    expect(await effectsOf(token)).toMatchObject({ twoFactor: 'restored', backupCodesRemoved: true })
    clock.advance(60)
    const { owner } = await signInAgain(tab)
    expect((await owner.post('/auth/two-factor/verify', { code: thiefs.authenticator.code() })).code).toBe('INVALID_CODE')
    expect((await owner.post('/auth/two-factor/verify', { code: thiefs.backupCodes[0] })).code).toBe('INVALID_BACKUP_CODE')
    expect((await owner.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
  })

  test('a provider that the thief unlinked may join the account again', async () => {
    const tab = await app.signedIn()
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `github of ${tab.userId}` } })
    const { token } = await takeOver(tab)
    expect((await tab.post('/auth/unlink-account', { providerId: 'github' })).status).toBe(200)
    await undo(token)
    expect((await userOf(tab)).unlinkedProviders).toEqual([])
  })

  test('the address comes back even when AUTH_SECRET no longer lists the secret that sealed the snapshot', async () => {
    const tab = await app.signedIn()
    const { token } = await takeOver(tab)
    const where = { userId: tab.userId, purpose: 'undo-email-change' }
    await app.db.verification.updateMany({ where, data: { payloadSealed: '2.unknown.AAAA' } })
    expect((await undo(token)).status).toBe(200)
    expect(await userOf(tab)).toMatchObject({ email: tab.person.email })
  })

  test('a link from before this release works without a snapshot', async () => {
    const tab = await app.signedIn()
    const { token } = await takeOver(tab)
    await app.db.verification.updateMany({ where: { userId: tab.userId }, data: { payloadSealed: null } })
    expect((await undo(token)).status).toBe(200)
    expect(await userOf(tab)).toMatchObject({ email: tab.person.email })
  })
})

describe('while the former address can undo the change', () => {
  test('no later address gets an undo link, so a thief never takes back what the owner took back', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { newEmail: thiefs, token } = await takeOver(tab)
    clock.advance(3 * day)
    await tab.post('/auth/sign-in/email', { ...tab.person, email: thiefs })
    expect((await tab.post('/auth/change-email', { newEmail: tab.person.email })).status).toBe(200)
    expect((await tab.post('/auth/verify-email', { token: (await lastMailTo(tab.person.email)).token })).status).toBe(200)
    const notice = await lastMailTo(thiefs)
    expect([notice.subject, notice.text.includes('/undo-email-change?')]).toEqual([
      'The email address of your Floorpass account was changed',
      false,
    ])
    const links = await app.db.verification.findMany({ where: { userId: tab.userId, purpose: 'undo-email-change' } })
    expect(links.map(({ email }) => email)).toEqual([tab.person.email])
    expect((await undo(token)).status).toBe(200)
  })

  test('the address that loses the account to the undo is told', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await takeOver(tab)
    await undo(token)
    expect((await lastMailTo(newEmail)).subject).toBe('The email address of your Floorpass account was changed')
  })

  test('the account cannot be deleted, by password, by mail or by the mailed link', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await tab.post('/auth/delete-user')
    const deletion = (await lastMailTo(tab.person.email)).token
    const { token } = await takeOver(tab)
    const refused = [403, 'EMAIL_RECENTLY_CHANGED']
    for (const input of [{}, { password: tab.person.password }, { token: deletion }]) {
      const { status, code } = await tab.post('/auth/delete-user', input)
      expect([status, code]).toEqual(refused)
    }
    expect((await undo(token)).status).toBe(200)

    const { tab: later, token: unused } = await (async () => {
      const another = await app.signedIn()
      return { tab: another, token: (await takeOver(another)).token }
    })()
    clock.advance(7 * day - 1)
    await later.post('/auth/sign-in/email', { ...later.person, email: (await userOf(later)).email })
    expect((await later.post('/auth/delete-user', { password: later.person.password })).code).toBe('EMAIL_RECENTLY_CHANGED')
    clock.advance(1)
    expect((await later.post('/auth/delete-user', { password: later.person.password })).status).toBe(200)
    expect((await undo(unused)).code).toBe('INVALID_TOKEN')
  })
})
