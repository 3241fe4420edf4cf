import { createHash, randomUUID } from 'node:crypto'
import { policy } from '@floorpass/api'
import { createApiKey } from '@floorpass/testing/api-keys'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { isSignedIn, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion, signInWithPasskey } from '@floorpass/testing/passkeys'
import { agePasskeys, lockUser, panicTokenOf, readPanicToken, type SignedIn } from '@floorpass/testing/route-samples'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const day = 86_400
const done = [200, undefined]
const newPassword = 'violet harbor ladder'

const press = (token: string, tab = app.browser()) => tab.post('/auth/panic', { token })
const userOf = ({ userId }: SignedIn) => app.db.user.findUniqueOrThrow({ where: { id: userId } })
const signIn = async (tab: SignedIn, password = tab.person.password) =>
  outcome(await tab.post('/auth/sign-in/email', { email: tab.person.email, password }))

/** Without a session: the account may be locked. */
async function issuePanicToken({ userId, person }: SignedIn): Promise<string> {
  const token = randomUUID()
  const secretHash = createHash('sha256').update(token).digest('base64url')
  const expiresAt = new Date(Date.now() + 1000)
  await app.db.verification.create({ data: { purpose: 'panic', secretHash, userId, email: person.email, expiresAt } })
  return token
}

async function resetPassword({ person }: SignedIn) {
  await app.browser().post('/auth/forget-password', { email: person.email })
  await app.drainMail()
  const { token } = app.outbox.lastTo(person.email)
  return outcome(await app.browser().post('/auth/reset-password', { token, newPassword }))
}

/** After a press, the owner comes back by email. */
async function comeBack(tab: SignedIn) {
  expect(await resetPassword(tab)).toEqual(done)
  expect(await signIn(tab, newPassword)).toEqual(done)
}

describe('a press on the panic link', () => {
  test('ends sessions, disables API keys, holds withdrawals and locks the account in one transaction', async () => {
    holdClock()
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    const { id } = await createApiKey(tab)
    const token = await panicTokenOf(app, tab)
    expect((await press(token)).body).toEqual({ status: true, wasUsed: false })
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
    expect([await isSignedIn(tab), (await other.get('/auth/get-session')).body]).toEqual([false, null])
    expect(await app.db.apiKey.findUniqueOrThrow({ where: { id } })).toMatchObject({ enabled: false })
    expect(await userOf(tab)).toMatchObject({
      heldUntil: new Date(Date.now() + 3 * day * 1000),
      lockKind: 'panic',
      lockedAt: new Date(),
      unlockAt: null,
      unlockDays: 1,
    })
    expect(await app.db.auditEvent.findFirst({ where: { userId: tab.userId, action: 'panic' } })).toMatchObject({
      details: { sessions: 2, apiKeys: 1 },
    })
  })

  test('mails the former address too, and keeps the API keys of the owner, disabled, when an undo of the email follows', async () => {
    const tab = await app.signedIn()
    const { id } = await createApiKey(tab)
    await app.db.apiKey.update({ where: { id }, data: { updatedAt: new Date(Date.now() - 60 * day * 1000) } })
    const { email } = tab.person
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    const { token: undo, text } = app.outbox.lastTo(email)
    expect(outcome(await press(readPanicToken(text)))).toEqual(done)
    await app.drainMail()
    for (const address of [email, newEmail])
      expect(app.outbox.lastTo(address).subject).toBe('We stopped everything on your Floorpass account')
    expect(outcome(await app.browser().post('/auth/undo-email-change', { token: undo }))).toEqual(done)
    expect(await app.db.apiKey.findUniqueOrThrow({ where: { id } })).toMatchObject({ enabled: false })
  })

  test('drops a setup that waits for its first code, and the wrong codes against the factor of the owner', async () => {
    const [waiting, blocked] = [await app.signedIn(), await app.signedIn()]
    const lately = new Date(Date.now() - 8 * day * 1000)
    const factor = { secretSealed: 'sealed', createdAt: lately }
    await app.db.twoFactor.create({ data: { userId: waiting.userId, ...factor, confirmedAt: null } })
    const lock = { failedAttempts: 9, lockedUntil: new Date(Date.now() + day * 1000) }
    await app.db.twoFactor.create({ data: { userId: blocked.userId, ...factor, confirmedAt: lately, ...lock } })
    for (const tab of [waiting, blocked]) await press(await panicTokenOf(app, tab))
    const factors = await app.db.twoFactor.findMany({ where: { userId: { in: [waiting.userId, blocked.userId] } } })
    expect(factors).toEqual([
      expect.objectContaining({ userId: blocked.userId, failedAttempts: 0, lockedUntil: null, confirmedAt: lately }),
    ])
  })

  test('leads to its undo only where an older passkey can undo it', async () => {
    const [without, withPasskey] = [await app.signedIn(), await app.signedIn()]
    await addPasskey(withPasskey, createSoftwareAuthenticator())
    await agePasskeys(app, withPasskey.userId)
    const nextOf = async (tab: SignedIn) => {
      await press(await panicTokenOf(app, tab))
      await comeBack(tab)
      return ((await tab.get('/auth/protection/get')).body as { next: string }).next
    }
    expect(await nextOf(without)).toBe('enable-allow-list')
    expect(await nextOf(withPasskey)).toBe('undo-panic')
  })

  test('takes the key and the request to unlock from a lock that a thief may have turned on', async () => {
    const tab = await app.signedIn()
    const token = await panicTokenOf(app, tab)
    await lockUser(app, tab.userId, { unlockAt: new Date(Date.now() + day * 1000) })
    await app.db.user.update({ where: { id: tab.userId }, data: { lockKeyHash: 'of a thief' } })
    await press(token)
    expect(await userOf(tab)).toMatchObject({ lockKind: 'panic', unlockAt: null, lockKeyHash: null })
  })

  test('voids every open link and challenge but those that stop or undo a thief', async () => {
    const tab = await app.signedIn()
    const token = await panicTokenOf(app, tab)
    const voided = ['change-email', 'delete-account', 'reauthenticate', 'two-factor', 'reset-password']
    const kept = ['panic', 'undo-email-change']
    const expiresAt = new Date(Date.now() + day * 1000)
    for (const purpose of [...voided, ...kept])
      await app.db.verification.create({ data: { purpose, secretHash: randomUUID(), userId: tab.userId, expiresAt } })
    await press(token)
    const open = await app.db.verification.findMany({ where: { userId: tab.userId, usedAt: null, expiresAt } })
    expect(open.map(({ purpose }) => purpose).sort()).toEqual(kept)
  })

  test('shows each thing that it removes in the activity', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const soon = new Date(Date.now() + day * 1000)
    await app.db.trustedDevice.create({ data: { userId, secretHash: randomUUID(), expiresAt: soon } })
    const { body } = await tab.post('/auth/organization/create', { name: 'Desk', slug: randomUUID() })
    const { id: organizationId } = body as { id: string }
    await tab.post('/auth/organization/invite-member', { organizationId, email: app.person().email, role: 'member' })
    await app.db.allowList.create({ data: { userId, enabledAt: new Date(), endsAt: soon } })
    const entry = { userId, kind: 'iban', value: 'new', createdAt: new Date(), usableFrom: soon }
    await app.db.allowListEntry.create({ data: entry })
    const token = await panicTokenOf(app, tab)
    const since = new Date()
    await press(token)
    const events = await app.db.auditEvent.findMany({ where: { userId, createdAt: { gte: since } } })
    const cause = 'panic'
    const detailsOf = Object.fromEntries(events.map(({ action, details }) => [action, details]))
    expect(events).toHaveLength(6)
    expect(detailsOf).toMatchObject({
      'cancel-invitation': { cause, count: 1 },
      'clear-password': { cause },
      'enable-allow-list': { cause },
      panic: { sessions: 1, apiKeys: 0 },
      'remove-allow-list-entry': { cause, count: 1 },
      'revoke-trusted-device': { cause, count: 1 },
    })
  })

  test('mails the owner what to do next', async () => {
    const tab = await app.signedIn()
    await createApiKey(tab)
    await press(await panicTokenOf(app, tab))
    await app.drainMail()
    const { subject, text } = app.outbox.lastTo(tab.person.email)
    expect(subject).toBe('We stopped everything on your Floorpass account')
    expect(text).toContain('your API key is disabled')
    expect(text).toContain('/forgot-password')
  })

  test('acts once, even when it is pressed several times at once', async () => {
    const tab = await app.signedIn()
    const token = await panicTokenOf(app, tab)
    const answers = await Promise.all(Array.from({ length: 8 }, () => press(token)))
    expect(answers.map(outcome)).toEqual(Array(8).fill(done))
    expect(answers.filter(({ body }) => !(body as { wasUsed: boolean }).wasUsed)).toHaveLength(1)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'panic' } })).toBe(1)
    // A later press must not end the session of an owner who is back.
    await comeBack(tab)
    expect((await press(token, tab)).body).toEqual({ status: true, wasUsed: true })
    expect(await isSignedIn(tab)).toBe(true)
  })

  test('changes nothing when the page is only opened', async () => {
    const tab = await app.signedIn()
    const token = await panicTokenOf(app, tab)
    const before = await app.digests()
    const { body } = await app.browser().post('/trpc/protection.checkPanicLink', { token })
    expect(body).toEqual({ result: { data: { wasUsed: false } } })
    expect(outcome(await app.browser().get(`/auth/panic?token=${token}`))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(await app.digests()).toEqual(before)
  })

  test('works for a week, to the second', async () => {
    const clock = holdClock()
    const [early, late] = [await app.signedIn(), await app.signedIn()]
    const tokens = [await panicTokenOf(app, early), await panicTokenOf(app, late)] as const
    clock.advance(policy.panic.lifetime - 1)
    expect(outcome(await press(tokens[0]))).toEqual(done)
    clock.advance(1)
    expect(outcome(await press(tokens[1]))).toEqual([400, 'TOKEN_EXPIRED'])
    expect((await userOf(late)).lockKind).toBeNull()
  })

  test('says on its page that a link has expired, and of a used one also later that it was used', async () => {
    const clock = holdClock()
    const [used, expired] = [await app.signedIn(), await app.signedIn()]
    const tokens = [await panicTokenOf(app, used), await panicTokenOf(app, expired)] as const
    await press(tokens[0])
    clock.advance(policy.panic.lifetime)
    const check = (token: string) => app.browser().post('/trpc/protection.checkPanicLink', { token })
    expect((await check(tokens[0])).body).toEqual({ result: { data: { wasUsed: true } } })
    expect((await press(tokens[0])).body).toEqual({ status: true, wasUsed: true })
    expect((await check(tokens[1])).status).toBe(400)
  })

  test('removes the session cookie of the owner who presses it', async () => {
    const tab = await app.signedIn()
    const { setCookies } = await press(await panicTokenOf(app, tab), tab)
    expect(setCookies).toEqual(['local-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax'])
  })

  test('leaves the session, the devices and the keys of another user who presses it', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const { id } = await createApiKey(other)
    const soon = new Date(Date.now() + day * 1000)
    await app.db.trustedDevice.create({ data: { userId: other.userId, secretHash: randomUUID(), expiresAt: soon } })
    expect((await press(await panicTokenOf(app, tab), other)).setCookies).toEqual([])
    expect(await isSignedIn(other)).toBe(true)
    expect(await app.db.trustedDevice.count({ where: { userId: other.userId } })).toBe(1)
    expect(await app.db.apiKey.findUniqueOrThrow({ where: { id } })).toMatchObject({ enabled: true })
  })

  test('refuses a link of another kind, and a guess', async () => {
    const tab = await app.signedIn()
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    for (const wrong of [token, 'a guess', '']) expect((await press(wrong)).status).toBe(400)
    expect((await userOf(tab)).lockKind).toBeNull()
  })

  test('cancels what a thief may have started', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    const change = app.outbox.lastTo(newEmail).token
    const [past, soon] = [new Date(Date.now() - 1000), new Date(Date.now() + 1000 * day)]
    const entry = { userId, kind: 'wallet', usableFrom: past }
    await app.db.allowListEntry.create({ data: { ...entry, value: 'old', createdAt: new Date(Date.now() - 8 * day * 1000) } })
    await app.db.allowListEntry.create({ data: { ...entry, value: 'new', createdAt: past } })
    await app.db.allowList.create({ data: { userId, enabledAt: past, endsAt: soon } })
    await press(await panicTokenOf(app, tab))
    expect(outcome(await app.browser().post('/auth/verify-email', { token: change }))).toEqual([400, 'INVALID_TOKEN'])
    expect((await app.db.allowListEntry.findMany({ where: { userId } })).map(({ value }) => value)).toEqual(['old'])
    expect(await app.db.allowList.findUniqueOrThrow({ where: { userId } })).toMatchObject({ endsAt: null })
  })

  test('keeps a lock that the owner turned on more than a week before, and cancels a request to unlock it', async () => {
    const clock = holdClock()
    const [older, younger] = [await app.signedIn(), await app.signedIn()]
    const unlockAt = new Date(Date.now() + 30 * day * 1000)
    await lockUser(app, older.userId, { unlockAt })
    clock.advance(policy.panic.lifetime)
    await lockUser(app, younger.userId, { unlockAt })
    clock.advance(1)
    for (const tab of [older, younger]) await press(await issuePanicToken(tab))
    expect(await userOf(older)).toMatchObject({ lockKind: 'owner', unlockDays: 7, unlockAt: null })
    // A thief may have set a younger one.
    expect(await userOf(younger)).toMatchObject({ lockKind: 'panic', unlockDays: 1, lockKeyHash: null })
    for (const tab of [older, younger]) expect(await resetPassword(tab)).toEqual(done)
    expect((await userOf(older)).lockKind).toBe('owner')
  })

  test('keeps the time of the first press while its lock lasts', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const [first, second] = [await panicTokenOf(app, tab), await panicTokenOf(app, tab)]
    await press(first)
    const { lockedAt } = await userOf(tab)
    clock.advance(3600)
    await press(second)
    expect((await userOf(tab)).lockedAt).toEqual(lockedAt)
  })
})

describe('after a panic', () => {
  test('the owner chooses a new password by email, and the thief is out', async () => {
    const tab = await app.signedIn()
    await press(await panicTokenOf(app, tab))
    expect(await signIn(tab)).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    expect(await resetPassword(tab)).toEqual(done)
    expect(await signIn(tab)).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    expect(await signIn(tab, newPassword)).toEqual(done)
    expect(outcome(await tab.post('/auth/set-password', { newPassword }))).toEqual([423, 'ACCOUNT_LOCKED'])
  })

  test('second factors of the last week are gone, and older ones stay', async () => {
    const tab = await app.signedIn()
    const [old, recent] = [createSoftwareAuthenticator(), createSoftwareAuthenticator()]
    await addPasskey(tab, old)
    await agePasskeys(app, tab.userId)
    await addPasskey(tab, recent)
    await switchOnTwoFactor(tab, tab.person.password)
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: tab.userId } })
    await press(await panicTokenOf(app, tab))
    expect(await app.db.passkey.count({ where: { userId: tab.userId } })).toBe(1)
    expect(await app.db.twoFactor.count({ where: { userId: tab.userId } })).toBe(0)
    expect(await app.db.account.count({ where: { userId: tab.userId, providerId: 'github' } })).toBe(0)
    expect((await userOf(tab)).twoFactorEnabled).toBe(true)
    expect((await signInWithPasskey(app.browser(), old)).status).toBe(200)
    expect((await signInWithPasskey(app.browser(), recent)).status).not.toBe(200)
  })

  test('a second factor of the last week no longer keeps the owner out', async () => {
    const tab = await app.signedIn()
    await switchOnTwoFactor(tab, tab.person.password)
    await press(await panicTokenOf(app, tab))
    expect((await userOf(tab)).twoFactorEnabled).toBe(false)
    await resetPassword(tab)
    const { body } = await tab.post('/auth/sign-in/email', { email: tab.person.email, password: newPassword })
    expect(body).not.toHaveProperty('twoFactorRedirect')
  })

  test('a reset without a panic removes no factor', async () => {
    const tab = await app.signedIn()
    await switchOnTwoFactor(tab, tab.person.password)
    await resetPassword(tab)
    expect((await userOf(tab)).twoFactorEnabled).toBe(true)
  })

  test('the lock ends a day after a request to unlock, without a passkey', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await press(await panicTokenOf(app, tab))
    await comeBack(tab)
    await tab.post('/auth/protection/request-unlock')
    clock.advance(day - 1)
    const enable = async () => outcome(await tab.post('/auth/update-user', { riskLevel: 'conservative', tradingEnabled: true }))
    await signIn(tab, newPassword)
    expect(await enable()).toEqual([423, 'ACCOUNT_LOCKED'])
    clock.advance(1)
    expect(await enable()).toEqual(done)
  })
})

describe('undoing a panic', () => {
  const undo = async (tab: SignedIn, authenticator: ReturnType<typeof createSoftwareAuthenticator>) =>
    outcome(await tab.post('/auth/protection/undo-panic', { passkey: await createAssertion(tab, authenticator) }))

  test('needs a passkey that is a week older than the press, to the millisecond', async () => {
    holdClock()
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    expect(await undo(tab, authenticator)).toEqual([400, 'PANIC_NOT_FOUND'])
    await agePasskeys(app, tab.userId)
    await press(await panicTokenOf(app, tab))
    await comeBack(tab)
    const undoAtAge = async (milliseconds: number) => {
      const createdAt = new Date(Date.now() - milliseconds)
      await app.db.passkey.updateMany({ where: { userId: tab.userId }, data: { createdAt } })
      return undo(tab, authenticator)
    }
    expect(await undoAtAge(policy.panic.lifetime * 1000 - 1)).toEqual([403, 'PASSKEY_TOO_NEW'])
    expect(outcome(await tab.post('/auth/protection/undo-panic', {}))).toEqual([403, 'PASSKEY_REQUIRED'])
    expect(await undoAtAge(policy.panic.lifetime * 1000)).toEqual(done)
    expect(await userOf(tab)).toMatchObject({ lockKind: null, lockedAt: null })
  })

  test('ends the lock and the hold of the panic, and keeps other holds and disabled keys', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    const { id } = await createApiKey(tab)
    await press(await panicTokenOf(app, tab))
    await comeBack(tab)
    expect(await undo(tab, authenticator)).toEqual(done)
    const holds = await app.db.hold.findMany({ where: { userId: tab.userId }, orderBy: { endsAt: 'desc' } })
    expect(holds.map(({ reason }) => reason)).toEqual(['reset-password', 'add-passkey'])
    expect((await userOf(tab)).heldUntil).toEqual(holds[0]?.endsAt)
    expect(await app.db.apiKey.findUniqueOrThrow({ where: { id } })).toMatchObject({ enabled: false })
    expect(outcome(await tab.post('/auth/api-key/update', { keyId: id, enabled: true }))).toEqual(done)
  })
})

test('undoing a panic voids the links of earlier mails, and sends a new one', async () => {
  const tab = await app.signedIn()
  const authenticator = createSoftwareAuthenticator()
  await addPasskey(tab, authenticator)
  await agePasskeys(app, tab.userId)
  const [earlier, pressed] = [await panicTokenOf(app, tab), await panicTokenOf(app, tab)]
  await press(pressed)
  await comeBack(tab)
  const passkey = await createAssertion(tab, authenticator)
  expect(outcome(await tab.post('/auth/protection/undo-panic', { passkey }))).toEqual(done)
  expect(outcome(await press(earlier))).toEqual([400, 'INVALID_TOKEN'])
  await app.drainMail()
  const { text } = app.outbox.lastTo(tab.person.email)
  expect(outcome(await press(readPanicToken(text)))).toEqual(done)
})

describe('the panic link', () => {
  test('is in each security mail, below its other links, and differs in each', async () => {
    const tab = await app.signedIn()
    await tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword })
    await app.drainMail()
    const { text, html } = app.outbox.lastTo(tab.person.email)
    const token = readPanicToken(text)
    expect(token).not.toBe('')
    expect(html).toContain(`/panic?token=${token}`)
    expect(text.indexOf('/forgot-password')).toBeLessThan(text.indexOf('/panic'))
    expect(text).toContain('withdrawals are on hold until')
    expect(token).not.toBe(await panicTokenOf(app, tab))
  })

  test('works from the former address after a change of the email', async () => {
    const tab = await app.signedIn()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    const token = readPanicToken(app.outbox.lastTo(tab.person.email).text)
    expect((await press(token)).body).toEqual({ status: true, wasUsed: false })
    expect((await userOf(tab)).lockKind).toBe('panic')
  })

  test('is in no mail to an unconfirmed address, nor in a mail that reports no risk', async () => {
    const tab = await app.signedIn()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.drainMail()
    expect(readPanicToken(app.outbox.lastTo(newEmail).text)).toBe('')
    expect(readPanicToken(app.outbox.lastTo(tab.person.email).text)).toBe('')
  })

  test('may be tried 30 times a minute from one address', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tryPanic = async () => outcome(await limited.browser().post('/auth/panic', { token: 'x' }))
    const answers = (await Promise.all(Array.from({ length: 31 }, tryPanic))).toSorted()
    expect(answers).toEqual([...Array(30).fill([400, 'INVALID_TOKEN']), [429, 'TOO_MANY_REQUESTS']])
  })
})
