import { createApiKey } from '@floorpass/testing/api-keys'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { readPanicToken } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const day = 24 * 3600
const newPassword = 'violet harbor ladder'
const undo = (token: string) => app.browser().post('/auth/undo-email-change', { token })
const undoAndGetEffects = async (token: string) => ((await undo(token)).body as { effects: Record<string, unknown> }).effects
const getUser = ({ userId }: Tab) => app.db.user.findUniqueOrThrow({ where: { id: userId } })
const getLastMail = async (address: string) => {
  await app.drainMail()
  return app.outbox.lastTo(address)
}

/** Moves the account to a thief's email from the owner's session. Returns the owner's undo token. */
async function moveToThief(tab: Tab) {
  const { email: newEmail } = app.person()
  expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
  expect((await tab.post('/auth/verify-email', { token: (await getLastMail(newEmail)).token })).status).toBe(200)
  return { newEmail, token: (await getLastMail(tab.person.email)).token }
}

/** Resets the password through the thief's email and signs the thief in. */
async function resetAndSignIn(newEmail: string, code?: string): Promise<Browser> {
  const thief = app.browser()
  await thief.post('/auth/forget-password', { email: newEmail })
  await thief.post('/auth/reset-password', { token: (await getLastMail(newEmail)).token, newPassword })
  await thief.post('/auth/sign-in/email', { email: newEmail, password: newPassword })
  if (code !== undefined) expect((await thief.post('/auth/two-factor/verify', { code })).status).toBe(200)
  return thief
}

/** Sets a password through the owner's mailed link and signs the owner in. */
async function signInAgain({ person }: Tab) {
  const owner = app.browser()
  const { token } = await getLastMail(person.email)
  expect((await owner.post('/auth/reset-password', { token, newPassword: 'amber willow canyon' })).status).toBe(200)
  return { owner, answer: await owner.post('/auth/sign-in/email', { email: person.email, password: 'amber willow canyon' }) }
}

const getUndoEvents = ({ userId }: Tab) =>
  app.db.auditEvent.findMany({
    where: { userId, details: { path: ['cause'], equals: 'undo-email-change' } },
    orderBy: { id: 'asc' },
  })

describe('undo-email-change lists its effects', () => {
  test('before and after the undo, in the mail and in the activity', async () => {
    const tab = await app.signedIn()
    await switchOnTwoFactor(tab, tab.person.password)
    const { id: organizationId } = await found(tab)
    await tab.post('/auth/organization/invite-member', { organizationId, email: app.person().email, role: 'member' })
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `github of ${tab.userId}` } })
    const { token } = await moveToThief(tab)

    const listed = { passwordRemoved: true, unlinkedProviders: ['github'], twoFactor: 'removed', invitations: 1, sessions: 1 }
    const before = await app.browser().post('/trpc/emailAddress.checkUndoLink', { token })
    expect((before.body as { result: { data: unknown } }).result.data).toMatchObject({ effects: listed })
    expect(await undoAndGetEffects(token)).toMatchObject(listed)

    const { text } = await getLastMail(tab.person.email)
    for (const words of ['Unlinked github', 'two-factor authentication', 'invitations', '/settings/security'])
      expect(text).toContain(words)
    expect((await getUndoEvents(tab)).map(({ action }) => action).sort()).toEqual([
      'cancel-invitation',
      'clear-password',
      'disable-two-factor',
      'revoke-session',
      'unlink-account',
    ])
  })

  test('deletes API keys that were created or changed lately, and keeps older ones', async () => {
    const tab = await app.signedIn()
    const [old, widened] = [await createApiKey(tab, { name: 'Old' }), await createApiKey(tab, { name: 'Widened' })]
    const longAgo = new Date(Date.now() - 15 * 86_400_000)
    await app.db.apiKey.updateMany({ data: { createdAt: longAgo, updatedAt: longAgo } })
    await tab.post('/auth/api-key/update', { keyId: widened.id, permissions: { order: ['read', 'cancel'] } })
    await createApiKey(tab, { name: 'New' })
    const { token } = await moveToThief(tab)
    expect(await undoAndGetEffects(token)).toMatchObject({ apiKeysRemoved: 2 })
    expect(await app.db.apiKey.findMany({ where: { userId: tab.userId } })).toMatchObject([{ id: old.id }])
    expect((await getLastMail(tab.person.email)).text).toContain('Deleted the API keys')
    expect((await getUndoEvents(tab)).map(({ action }) => action)).toContain('delete-api-key')
  })

  test('removes withdrawal addresses that were added lately, keeps older ones, and holds withdrawals', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const now = new Date()
    const longAgo = new Date(now.getTime() - 15 * 86_400_000)
    const entry = { userId, kind: 'wallet', usableFrom: now }
    await app.db.allowListEntry.create({ data: { ...entry, value: 'old', createdAt: longAgo } })
    await app.db.allowListEntry.create({ data: { ...entry, value: 'new', createdAt: now } })
    const { token } = await moveToThief(tab)
    expect(await undoAndGetEffects(token)).toMatchObject({ addressesRemoved: 1 })
    expect(await app.db.allowListEntry.findMany({ where: { userId } })).toMatchObject([{ value: 'old' }])
    expect((await getLastMail(tab.person.email)).text).toContain('Removed the withdrawal addresses')
    expect((await getUndoEvents(tab)).map(({ action }) => action)).toContain('remove-allow-list-entry')
    expect(await app.db.hold.findMany({ where: { userId } })).toMatchObject([{ reason: 'change-email' }])
  })

  test('sends the thief neither the phrase nor a panic link, and voids the ones of before', async () => {
    const tab = await app.signedIn()
    const { token, newEmail } = await moveToThief(tab)
    await tab.post('/auth/protection/set-phrase', { phrase: 'Red fox at dusk' })
    await app.drainMail()
    const stolen = readPanicToken(app.outbox.lastTo(newEmail).text)
    expect(stolen).not.toBe('')
    await undoAndGetEffects(token)
    await app.drainMail()
    expect(app.outbox.lastTo(newEmail).text).not.toMatch(/fox|\/panic/)
    expect((await app.browser().post('/auth/panic', { token: stolen })).code).toBe('INVALID_TOKEN')
    expect((await getLastMail(tab.person.email)).text).toContain('Red fox at dusk')
  })

  test('without changing anything when the link is only checked', async () => {
    const tab = await app.signedIn()
    const { token } = await moveToThief(tab)
    const before = await app.digests()
    for (let i = 0; i < 3; i += 1) await app.browser().post('/trpc/emailAddress.checkUndoLink', { token })
    expect(await app.digests()).toEqual(before)
    expect((await undo(token)).status).toBe(200)
    expect((await app.browser().post('/trpc/emailAddress.checkUndoLink', { token })).status).toBe(400)
  })
})

describe('undo-email-change rolls back', () => {
  test('name, picture, trading and risk level to their former values', async () => {
    const tab = await app.signedIn()
    const { token } = await moveToThief(tab)
    const change = { name: 'Thief', image: 'https://example.test/t.png', tradingEnabled: true, riskLevel: 'aggressive' }
    expect((await tab.post('/auth/update-user', change)).status).toBe(200)
    expect(await undoAndGetEffects(token)).toMatchObject({ tradingDisabled: true, riskLevelLowered: true, profileRestored: true })
    const { name } = tab.person
    expect(await getUser(tab)).toMatchObject({ name, image: null, tradingEnabled: false, riskLevel: 'conservative' })
  })

  test('trading and risk level to the safest, even when the thief loosened them before the change', async () => {
    const tab = await app.signedIn()
    expect((await tab.post('/auth/update-user', { tradingEnabled: true, riskLevel: 'aggressive' })).status).toBe(200)
    const { token } = await moveToThief(tab)
    expect(await undoAndGetEffects(token)).toMatchObject({ tradingDisabled: true, riskLevelLowered: true })
    expect(await getUser(tab)).toMatchObject({ tradingEnabled: false, riskLevel: 'conservative' })
  })

  test('the lock of a second factor that the thief caused with wrong codes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(8 * day)
    await tab.post('/auth/sign-in/email', tab.person)
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    const { token } = await moveToThief(tab)
    for (let i = 0; i < 10; i += 1) await tab.post('/auth/two-factor/verify', { code: '000000' })
    expect((await tab.post('/auth/two-factor/verify', { code: authenticator.code(1) })).code).toBe('ACCOUNT_TEMPORARILY_LOCKED')

    expect(await undoAndGetEffects(token)).toMatchObject({ twoFactor: 'kept' })
    clock.advance(60)
    const { owner } = await signInAgain(tab)
    expect((await owner.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
  })

  test('a disabled second factor, and removes its backup codes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(8 * day)
    await tab.post('/auth/sign-in/email', tab.person)
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    const { newEmail, token } = await moveToThief(tab)
    const thief = await resetAndSignIn(newEmail, backupCodes[0])
    expect((await thief.post('/auth/two-factor/disable', { password: newPassword })).status).toBe(200)

    expect(await undoAndGetEffects(token)).toMatchObject({ twoFactor: 'restored', backupCodesRemoved: true })
    clock.advance(60)
    const { owner, answer } = await signInAgain(tab)
    expect(answer.body).toMatchObject({ twoFactorRedirect: true })
    expect((await owner.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
    const another = app.browser()
    await another.post('/auth/sign-in/email', { email: tab.person.email, password: 'amber willow canyon' })
    for (const code of backupCodes) expect((await another.post('/auth/two-factor/verify', { code })).status).not.toBe(200)
    expect((await getUndoEvents(tab)).map(({ action }) => action)).toContain('restore-two-factor')
  })

  test('a second factor that the thief replaced', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(8 * day)
    await tab.post('/auth/sign-in/email', tab.person)
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    const { newEmail, token } = await moveToThief(tab)
    const thief = await resetAndSignIn(newEmail, backupCodes[0])
    await thief.post('/auth/two-factor/disable', { password: newPassword })
    const thiefFactor = await setUpTwoFactor(thief, newPassword)
    expect((await thief.post('/auth/two-factor/verify', { code: thiefFactor.authenticator.code() })).status).toBe(200)

    expect(await undoAndGetEffects(token)).toMatchObject({ twoFactor: 'restored', backupCodesRemoved: true })
    clock.advance(60)
    const { owner } = await signInAgain(tab)
    expect((await owner.post('/auth/two-factor/verify', { code: thiefFactor.authenticator.code() })).code).toBe('INVALID_CODE')
    expect((await owner.post('/auth/two-factor/verify', { code: thiefFactor.backupCodes[0] })).code).toBe('INVALID_BACKUP_CODE')
    expect((await owner.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
  })

  test('the unlinking of a provider, so that it can join the account again', async () => {
    const tab = await app.signedIn()
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `github of ${tab.userId}` } })
    const { token } = await moveToThief(tab)
    expect((await tab.post('/auth/unlink-account', { providerId: 'github' })).status).toBe(200)
    await undo(token)
    expect((await getUser(tab)).unlinkedProviders).toEqual([])
  })

  test('the email even when AUTH_SECRET no longer lists the secret that sealed the snapshot', async () => {
    const tab = await app.signedIn()
    const { token } = await moveToThief(tab)
    const where = { userId: tab.userId, purpose: 'undo-email-change' }
    await app.db.verification.updateMany({ where, data: { payloadSealed: '2.unknown.AAAA' } })
    expect((await undo(token)).status).toBe(200)
    expect(await getUser(tab)).toMatchObject({ email: tab.person.email })
  })

  test('the email without a snapshot for a link of an earlier release', async () => {
    const tab = await app.signedIn()
    const { token } = await moveToThief(tab)
    await app.db.verification.updateMany({ where: { userId: tab.userId }, data: { payloadSealed: null } })
    expect((await undo(token)).status).toBe(200)
    expect(await getUser(tab)).toMatchObject({ email: tab.person.email })
  })
})

describe('while the former email can undo the change', () => {
  test("no later email gets an undo link, so that a thief cannot undo the owner's undo", async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { newEmail: thiefEmail, token } = await moveToThief(tab)
    clock.advance(3 * day)
    await tab.post('/auth/sign-in/email', { ...tab.person, email: thiefEmail })
    expect((await tab.post('/auth/change-email', { newEmail: tab.person.email })).status).toBe(200)
    expect((await tab.post('/auth/verify-email', { token: (await getLastMail(tab.person.email)).token })).status).toBe(200)
    const notice = await getLastMail(thiefEmail)
    expect([notice.subject, notice.text.includes('/undo-email-change?')]).toEqual([
      'The email of your Floorpass account was changed',
      false,
    ])
    expect(notice.text).toContain('open the undo link in your earlier mailbox')
    const links = await app.db.verification.findMany({ where: { userId: tab.userId, purpose: 'undo-email-change' } })
    expect(links.map(({ email }) => email)).toEqual([tab.person.email])
    expect((await undo(token)).status).toBe(200)
  })

  test('the email that loses the account gets a notice', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await moveToThief(tab)
    await undo(token)
    const notice = await getLastMail(newEmail)
    expect(notice.subject).toBe('The email of your Floorpass account was changed')
    expect(notice.text).toContain('An undo link that we sent to an earlier email of the account did this')
  })

  test('the account cannot be deleted with a password, a new link or a link from before the change', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await tab.post('/auth/delete-user')
    const deletion = (await getLastMail(tab.person.email)).token
    const { token } = await moveToThief(tab)
    const refused = [403, 'EMAIL_RECENTLY_CHANGED']
    for (const input of [{}, { password: tab.person.password }, { token: deletion }]) {
      const { status, code } = await tab.post('/auth/delete-user', input)
      expect([status, code]).toEqual(refused)
    }
    expect((await undo(token)).status).toBe(200)

    const { tab: later, token: unused } = await (async () => {
      const another = await app.signedIn()
      return { tab: another, token: (await moveToThief(another)).token }
    })()
    clock.advance(7 * day - 1)
    await later.post('/auth/sign-in/email', { ...later.person, email: (await getUser(later)).email })
    expect((await later.post('/auth/delete-user', { password: later.person.password })).code).toBe('EMAIL_RECENTLY_CHANGED')
    clock.advance(1)
    expect((await later.post('/auth/delete-user', { password: later.person.password })).status).toBe(200)
    expect((await undo(unused)).code).toBe('INVALID_TOKEN')
  })
})
