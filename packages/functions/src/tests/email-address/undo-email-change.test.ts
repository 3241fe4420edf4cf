import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const undo = (token: unknown, tab: Browser = app.browser()) => tab.post('/auth/undo-email-change', { token })
const follow = (token: string, tab: Browser = app.browser()) => tab.post('/auth/verify-email', { token })
/** Moves an account to another address, and gives the link that the former one got. */
const move = async (tab: Tab, from = tab.person.email, newEmail = app.person().email) => {
  expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
  await app.mailed()
  expect((await follow(app.outbox.lastTo(newEmail).token, tab)).status).toBe(200)
  await app.mailed()
  return { newEmail, ...app.outbox.lastTo(from) }
}
const userOf = ({ userId }: Tab) => app.db.user.findUniqueOrThrow({ where: { id: userId } })
const signIn = (email: string, password: string) => app.browser().post('/auth/sign-in/email', { email, password })
const invalid = [400, { code: 'INVALID_TOKEN', message: 'Invalid token' }]

describe('undo-email-change', () => {
  test('puts the address back, ends every session and the password, and starts a reset', async () => {
    const tab = await app.signedIn()
    const { email, password } = tab.person
    const { newEmail, token } = await move(tab)
    await app.db.trustedDevice.create({
      data: { userId: tab.userId, secretHash: `device of ${tab.userId}`, expiresAt: new Date(Date.now() + 1e6) },
    })
    const owner = app.browser()
    const answer = await undo(token, owner)
    expect([answer.status, answer.body]).toEqual([200, { status: true, effects: expect.objectContaining({ sessions: 1 }) }])
    expect(await userOf(tab)).toMatchObject({ email, emailVerified: true })
    expect((await tab.get('/auth/get-session')).body).toBeNull()
    expect((await owner.get('/auth/get-session')).body).toBeNull()
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
    expect(await app.db.trustedDevice.count({ where: { userId: tab.userId } })).toBe(0)
    for (const address of [email, newEmail]) expect((await signIn(address, password)).code).toBe('INVALID_EMAIL_OR_PASSWORD')

    await app.mailed()
    const mail = app.outbox.lastTo(email)
    expect(mail.subject).toBe('Your Floorpass account is back. Choose a new password')
    const reset = await owner.post('/auth/reset-password', { token: mail.token, newPassword: 'violet harbor ladder' })
    expect(reset.status).toBe(200)
    expect((await signIn(email, 'violet harbor ladder')).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'undo-email-change' } })).toBe(1)
  })

  test('ends every linked account, also one that was linked before the address was changed', async () => {
    const tab = await app.signedIn()
    await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `thief-${tab.userId}` } })
    const { token } = await move(tab)
    expect((await undo(token)).status).toBe(200)
    expect(await app.db.account.findMany({ where: { userId: tab.userId }, select: { providerId: true } })).toEqual([
      { providerId: 'credential' },
    ])
  })

  test('works for seven days, and not a second longer', async () => {
    const clock = holdClock()
    const [early, late] = [await app.signedIn(), await app.signedIn()]
    const [first, second] = [await move(early), await move(late)]
    clock.advance(7 * 24 * 3600 - 1)
    expect((await undo(first.token)).status).toBe(200)
    clock.advance(1)
    const answer = await undo(second.token)
    expect([answer.status, answer.body]).toEqual([400, { code: 'TOKEN_EXPIRED', message: 'Token expired' }])
    expect(await userOf(late)).toMatchObject({ email: second.newEmail })
  })

  test('of twenty uses at once exactly one succeeds, and one reset is mailed', async () => {
    const tab = await app.signedIn()
    const { token } = await move(tab)
    const answers = await Promise.all(Array.from({ length: 20 }, () => undo(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(19)
    await app.mailed()
    const resets = app.outbox.to(tab.person.email).filter(({ link }) => link.pathname === '/reset-password')
    expect(resets).toHaveLength(1)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'undo-email-change' } })).toBe(1)
  })

  test('T95: an altered token, and one of another purpose, are refused', async () => {
    const tab = await app.signedIn()
    const { token } = await move(tab)
    const { email } = await app.signUp()
    const foreign = app.outbox.lastTo(email).token
    for (const wrong of [token.slice(1), `${token}A`, ` ${token}`, token.toUpperCase(), foreign, 'nonsense']) {
      const answer = await undo(wrong)
      expect([answer.status, answer.body]).toEqual(invalid)
    }
    for (const wrong of [undefined, null, '', 7, [], {}, 'a'.repeat(513)])
      expect((await undo(wrong)).code).toBe('VALIDATION_ERROR')
    expect((await follow(foreign)).status).toBe(200)
    expect((await undo(token)).status).toBe(200)
  })

  test('puts the first address back even after a second change', async () => {
    const tab = await app.signedIn()
    const first = await move(tab)
    await move(tab, first.newEmail)
    expect((await undo(first.token)).status).toBe(200)
    expect(await userOf(tab)).toMatchObject({ email: tab.person.email })
  })

  test('voids what was open: the next change, a reset, a deletion', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await move(tab)
    const next = app.person().email
    await tab.post('/auth/change-email', { newEmail: next })
    await tab.post('/auth/delete-user')
    await app.browser().post('/auth/forget-password', { email: newEmail })
    await app.mailed()
    const nextLink = app.outbox.lastTo(next).token
    const resetLink = app.outbox.lastTo(newEmail).token
    expect((await undo(token)).status).toBe(200)
    expect((await follow(nextLink)).code).toBe('INVALID_TOKEN')
    const reset = await app.browser().post('/auth/reset-password', { token: resetLink, newPassword: 'violet harbor ladder' })
    expect(reset.code).toBe('INVALID_TOKEN')
    const open = await app.db.verification.findMany({ where: { userId: tab.userId, usedAt: null } })
    expect(open.map(({ purpose, email }) => [purpose, email])).toEqual([['reset-password', tab.person.email]])
  })

  test('voids the invitations that the account sent: the thief does not come back as an owner', async () => {
    const [tab, thief] = [await app.signedIn(), await app.signedIn()]
    const { id: organizationId } = await found(tab)
    const { token } = await move(tab)
    const invite = { email: thief.person.email, role: 'admin', organizationId }
    expect((await tab.post('/auth/organization/invite-member', invite)).status).toBe(200)
    await app.mailed()
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

  test('a password that the thief changed falls, too', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await move(tab)
    await tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' })
    expect((await undo(token)).status).toBe(200)
    for (const address of [newEmail, tab.person.email])
      expect((await signIn(address, 'violet harbor ladder')).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('somebody who signed up with the freed address, and never proved it, stands in nobody’s way', async () => {
    const tab = await app.signedIn()
    const { token } = await move(tab)
    const squatter = await app.signUp(app.person({ email: tab.person.email }))
    const squattersLink = app.outbox.lastTo(squatter.email).token
    expect((await undo(token)).status).toBe(200)
    expect(await userOf(tab)).toMatchObject({ email: tab.person.email, name: tab.person.name })
    expect(await app.db.user.count({ where: { email: tab.person.email } })).toBe(1)
    expect((await follow(squattersLink)).code).toBe('INVALID_TOKEN')
    expect((await signIn(squatter.email, squatter.password)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('a holder who proved the freed address keeps it: refused, nothing is changed, and the link stays good', async () => {
    const tab = await app.signedIn()
    const { newEmail, token } = await move(tab)
    const holder = await app.verified(app.person({ email: tab.person.email }))
    const answer = await undo(token)
    expect([answer.status, answer.body]).toEqual([400, { code: 'EMAIL_TAKEN', message: 'Another account now has this email' }])
    expect(await userOf(tab)).toMatchObject({ email: newEmail })
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
    expect((await signIn(newEmail, tab.person.password)).status).toBe(200)
    expect((await signIn(holder.email, holder.password)).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'undo-email-change' } })).toBe(0)
    await app.db.user.delete({ where: { email: holder.email } })
    expect((await undo(token)).status).toBe(200)
  })

  test('an undo and a sign-up with the freed address at once: the address has one account, and nothing breaks', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const { token } = await move(tab)
      const newcomer = app.person({ email: tab.person.email })
      const [undone, joined] = await Promise.all([undo(token), app.browser().post('/auth/sign-up/email', newcomer)])
      expect(joined.status).toBe(200)
      expect([200, 400]).toContain(undone.status)
      expect(await app.db.user.count({ where: { email: tab.person.email } })).toBe(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('an undo and a further change at once leave the account at one of the two, never at an unproved address', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const { token } = await move(tab)
      const next = app.person().email
      await tab.post('/auth/change-email', { newEmail: next })
      await app.mailed()
      const [undone] = await Promise.all([undo(token), follow(app.outbox.lastTo(next).token)])
      expect(undone.status).toBe(200)
      expect(await userOf(tab)).toMatchObject({ email: tab.person.email, emailVerified: true })
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('a link of a deleted account is refused', async () => {
    const tab = await app.signedIn()
    const { token } = await move(tab)
    await app.db.user.delete({ where: { id: tab.userId } })
    const answer = await undo(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })
})
