import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const undo = (token: unknown, tab: Browser = app.browser()) => tab.post('/auth/undo-email-change', { token })
const openLink = (token: string, tab: Browser = app.browser()) => tab.post('/auth/verify-email', { token })
/** Moves an account to another email and returns the link sent to the former one. */
const changeEmail = async (tab: Tab, from = tab.person.email, newEmail = app.person().email) => {
  expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
  await app.drainMail()
  expect((await openLink(app.outbox.lastTo(newEmail).token, tab)).status).toBe(200)
  await app.drainMail()
  return { newEmail, ...app.outbox.lastTo(from) }
}
const getUser = ({ userId }: Tab) => app.db.user.findUniqueOrThrow({ where: { id: userId } })
const invalid = [400, { code: 'INVALID_TOKEN', message: 'Invalid token' }]

describe('undo-email-change', () => {
  test('restores the email, ends every session and the password, and mails a reset link', async () => {
    const tab = await app.signedIn()
    const { email, password } = tab.person
    const { newEmail, token } = await changeEmail(tab)
    await app.db.trustedDevice.create({
      data: { userId: tab.userId, secretHash: `device of ${tab.userId}`, expiresAt: new Date(Date.now() + 1e6) },
    })
    const owner = app.browser()
    const answer = await undo(token, owner)
    expect([answer.status, answer.body]).toEqual([200, { status: true, effects: expect.objectContaining({ sessions: 1 }) }])
    expect(await getUser(tab)).toMatchObject({ email, emailVerified: true })
    expect((await tab.get('/auth/get-session')).body).toBeNull()
    expect((await owner.get('/auth/get-session')).body).toBeNull()
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
    expect(await app.db.trustedDevice.count({ where: { userId: tab.userId } })).toBe(0)
    for (const address of [email, newEmail])
      expect((await signIn(app, { email: address, password })).code).toBe('INVALID_EMAIL_OR_PASSWORD')

    await app.drainMail()
    const mail = app.outbox.lastTo(email)
    expect(mail.subject).toBe('Your Floorpass account is back. Choose a new password')
    const reset = await owner.post('/auth/reset-password', { token: mail.token, newPassword: 'violet harbor ladder' })
    expect(reset.status).toBe(200)
    expect((await signIn(app, { email, password: 'violet harbor ladder' })).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'undo-email-change' } })).toBe(1)
  })

  test('unlinks every provider, even one linked before the change', async () => {
    const tab = await app.signedIn()
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `thief-${tab.userId}` } })
    const { token } = await changeEmail(tab)
    expect((await undo(token)).status).toBe(200)
    expect(await app.db.account.findMany({ where: { userId: tab.userId }, select: { providerId: true } })).toEqual([
      { providerId: 'credential' },
    ])
  })

  test('works for seven days, and not a second longer', async () => {
    const clock = holdClock()
    const [early, late] = [await app.signedIn(), await app.signedIn()]
    const [first, second] = [await changeEmail(early), await changeEmail(late)]
    clock.advance(7 * 24 * 3600 - 1)
    expect((await undo(first.token)).status).toBe(200)
    clock.advance(1)
    const answer = await undo(second.token)
    expect([answer.status, answer.body]).toEqual([400, { code: 'TOKEN_EXPIRED', message: 'Token expired' }])
    expect(await getUser(late)).toMatchObject({ email: second.newEmail })
  })

  test('succeeds once for twenty parallel uses, and mails one reset link', async () => {
    const tab = await app.signedIn()
    const { token } = await changeEmail(tab)
    const answers = await Promise.all(Array.from({ length: 20 }, () => undo(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(19)
    await app.drainMail()
    const resets = app.outbox.to(tab.person.email).filter(({ link }) => link.pathname === '/reset-password')
    expect(resets).toHaveLength(1)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'undo-email-change' } })).toBe(1)
  })

  test('T95: refuses an altered token and a token for another purpose', async () => {
    const tab = await app.signedIn()
    const { token } = await changeEmail(tab)
    const { email } = await app.signUp()
    const foreign = app.outbox.lastTo(email).token
    for (const wrong of [token.slice(1), `${token}A`, ` ${token}`, token.toUpperCase(), foreign, 'nonsense']) {
      const answer = await undo(wrong)
      expect([answer.status, answer.body]).toEqual(invalid)
    }
    for (const wrong of [undefined, null, '', 7, [], {}, 'a'.repeat(513)])
      expect((await undo(wrong)).code).toBe('VALIDATION_ERROR')
    expect((await openLink(foreign)).status).toBe(200)
    expect((await undo(token)).status).toBe(200)
  })

  test('restores the first email even after a second change', async () => {
    const tab = await app.signedIn()
    const first = await changeEmail(tab)
    const second = await changeEmail(tab, first.newEmail)
    expect((await undo(first.token)).status).toBe(200)
    expect(await getUser(tab)).toMatchObject({ email: tab.person.email })
    expect((await undo(second.token)).code).toBe('INVALID_TOKEN')
  })

  test('restores the second email of an owner who changed it in the same week as the thief', async () => {
    const tab = await app.signedIn()
    const { newEmail } = await changeEmail(tab)
    const thiefs = await changeEmail(tab, newEmail)
    expect((await undo(thiefs.token)).status).toBe(200)
    expect(await getUser(tab)).toMatchObject({ email: newEmail })
  })

  test('keeps the list of withdrawal addresses on and the account locked, and shows both in the activity', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const { token } = await changeEmail(tab)
    const soon = new Date(Date.now() + 86_400_000)
    await app.db.allowList.create({ data: { userId, enabledAt: new Date(0), endsAt: soon } })
    const entry = { userId, kind: 'iban', usableFrom: soon }
    await app.db.allowListEntry.create({ data: { ...entry, value: 'own', createdAt: new Date(0) } })
    await app.db.allowListEntry.create({ data: { ...entry, value: 'thief', createdAt: new Date() } })
    await app.db.user.update({
      where: { id: userId },
      data: { lockKind: 'owner', lockedAt: new Date(0), unlockDays: 1, unlockAt: soon },
    })
    expect((await undo(token)).status).toBe(200)
    expect(await app.db.allowList.findUniqueOrThrow({ where: { userId } })).toMatchObject({ endsAt: null })
    expect((await app.db.allowListEntry.findMany({ where: { userId } })).map(({ value }) => value)).toEqual(['own'])
    expect(await getUser(tab)).toMatchObject({ lockKind: 'owner', unlockAt: null })
    const actions = (await app.db.auditEvent.findMany({ where: { userId } })).map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['enable-allow-list', 'cancel-unlock', 'remove-allow-list-entry']))
  })

  test('makes open links for a change, a reset or a deletion stop working', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await changeEmail(tab)
    const next = app.person().email
    await tab.post('/auth/change-email', { newEmail: next })
    await tab.post('/auth/delete-user')
    await app.browser().post('/auth/forget-password', { email: newEmail })
    await app.drainMail()
    const nextLink = app.outbox.lastTo(next).token
    const resetLink = app.outbox.lastTo(newEmail).token
    expect((await undo(token)).status).toBe(200)
    expect((await openLink(nextLink)).code).toBe('INVALID_TOKEN')
    const reset = await app.browser().post('/auth/reset-password', { token: resetLink, newPassword: 'violet harbor ladder' })
    expect(reset.code).toBe('INVALID_TOKEN')
    const open = await app.db.verification.findMany({ where: { userId: tab.userId, usedAt: null } })
    // The mail about the undo has a panic link.
    expect(open.map(({ purpose, email }) => [purpose, email])).toEqual([
      ['reset-password', tab.person.email],
      ['panic', null],
    ])
  })

  test('cancels the invitations that the account sent, so that the thief cannot return as an owner', async () => {
    const [tab, thief] = [await app.signedIn(), await app.signedIn()]
    const { id: organizationId } = await found(tab)
    const { token } = await changeEmail(tab)
    const invite = { email: thief.person.email, role: 'admin', organizationId }
    expect((await tab.post('/auth/organization/invite-member', invite)).status).toBe(200)
    await app.drainMail()
    const invitationId = app.outbox.lastTo(thief.person.email).token
    expect((await undo(token)).status).toBe(200)
    const joined = await thief.post('/auth/organization/accept-invitation', { invitationId })
    expect(joined.code).toBe('INVITATION_NOT_FOUND')
    expect(await app.db.invitation.findFirst({ where: { organizationId } })).toMatchObject({ status: 'canceled' })
    expect(await app.db.auditEvent.findFirst({ where: { userId: tab.userId, action: 'undo-email-change' } })).toMatchObject({
      details: { canceledInvitations: 1 },
    })
    expect(await app.db.member.findMany({ where: { organizationId } })).toMatchObject([{ userId: tab.userId, role: 'owner' }])
  })

  test('removes a password that the thief changed', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await changeEmail(tab)
    await tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' })
    expect((await undo(token)).status).toBe(200)
    for (const address of [newEmail, tab.person.email])
      expect((await signIn(app, { email: address, password: 'violet harbor ladder' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('takes the former email from an unverified sign-up', async () => {
    const tab = await app.signedIn()
    const { token } = await changeEmail(tab)
    const squatter = await app.signUp(app.person({ email: tab.person.email }))
    const squattersLink = app.outbox.lastTo(squatter.email).token
    expect((await undo(token)).status).toBe(200)
    expect(await getUser(tab)).toMatchObject({ email: tab.person.email, name: tab.person.name })
    expect(await app.db.user.count({ where: { email: tab.person.email } })).toBe(1)
    expect((await openLink(squattersLink)).code).toBe('INVALID_TOKEN')
    expect((await signIn(app, squatter)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('is refused when another account verified the former email, and the link stays usable', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await changeEmail(tab)
    const holder = await app.verified(app.person({ email: tab.person.email }))
    const answer = await undo(token)
    expect([answer.status, answer.body]).toEqual([400, { code: 'EMAIL_TAKEN', message: 'Another account now has this email' }])
    expect(await getUser(tab)).toMatchObject({ email: newEmail })
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
    expect((await signIn(app, { email: newEmail, password: tab.person.password })).status).toBe(200)
    expect((await signIn(app, holder)).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'undo-email-change' } })).toBe(0)
    await app.db.user.delete({ where: { email: holder.email } })
    expect((await undo(token)).status).toBe(200)
  })

  test('leaves one account with the former email when a sign-up runs in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const { token } = await changeEmail(tab)
      const newcomer = app.person({ email: tab.person.email })
      const [undone, joined] = await Promise.all([undo(token), app.browser().post('/auth/sign-up/email', newcomer)])
      expect(joined.status).toBe(200)
      expect([200, 400]).toContain(undone.status)
      expect(await app.db.user.count({ where: { email: tab.person.email } })).toBe(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('restores the email when a further change is confirmed in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const { token } = await changeEmail(tab)
      const next = app.person().email
      await tab.post('/auth/change-email', { newEmail: next })
      await app.drainMail()
      const [undone] = await Promise.all([undo(token), openLink(app.outbox.lastTo(next).token)])
      expect(undone.status).toBe(200)
      expect(await getUser(tab)).toMatchObject({ email: tab.person.email, emailVerified: true })
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('refuses a link of a deleted account', async () => {
    const tab = await app.signedIn()
    const { token } = await changeEmail(tab)
    await app.db.user.delete({ where: { id: tab.userId } })
    const answer = await undo(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })
})
