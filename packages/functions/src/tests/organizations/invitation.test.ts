import { randomUUID } from 'node:crypto'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { activeOrganizationOf, found, roleOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { beforeEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
let owner: SignedIn
let id: string
beforeEach(async () => {
  owner = await app.signedIn()
  id = (await found(owner)).id
})

const invite = (email: string, fields: object = {}) =>
  owner.post('/auth/organization/invite-member', { email, role: 'member', organizationId: id, ...fields })
const newest = async (email: string) => {
  await app.drainMail()
  return app.outbox.lastTo(email)
}
const invited = async (tab: SignedIn, fields: object = {}) => {
  const { body } = await invite(tab.person.email, fields)
  return { id: (body as { id: string }).id, secret: (await newest(tab.person.email)).token }
}
const answer = (tab: SignedIn, verb: 'accept' | 'reject', invitationId: string) =>
  tab.post(`/auth/organization/${verb}-invitation`, { invitationId })
const closed = [400, 'INVITATION_NOT_FOUND']

describe('invite-member', () => {
  test('T9: answers alike for a known and an unknown email, and refuses outsiders before any lookup', async () => {
    const known = (await app.signedIn()).person.email
    const shapes: unknown[] = []
    for (const email of [known, app.person().email]) {
      const { status, body } = await invite(email)
      shapes.push([status, Object.entries(body as object).map(([name, value]) => [name, typeof value])])
      const outsider = await app.signedIn()
      expect(
        outcome(await outsider.post('/auth/organization/invite-member', { email, role: 'member', organizationId: id })),
      ).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    }
    expect(shapes[0]).toEqual(shapes[1])
  })

  test('emails a link whose secret is stored nowhere', async () => {
    const { email } = app.person()
    const { body } = await invite(email.toUpperCase(), { role: 'admin' })
    expect(body).toMatchObject({ organizationId: id, email, role: 'admin', status: 'pending', inviterId: owner.userId })
    const { subject, text, link, token } = await newest(email)
    expect([subject, link.origin + link.pathname]).toEqual([
      'You’re invited to join Desk on Floorpass',
      `${app.baseUrl}/accept-invitation`,
    ])
    expect(text).toContain(`${owner.person.name} invited you to join the organization “Desk” on Floorpass as an administrator`)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify([body, await app.readAllRows(), app.logs])).not.toContain(token)
    const { expiresAt } = body as { expiresAt: string }
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 48 * 3600 * 1000)).toBeLessThan(60_000)
  })

  test('never greets by the name of an unverified account', async () => {
    const unverified = await app.signUp(app.person({ name: 'Chosen by Mallory' }))
    await invite(unverified.email)
    const { text, html } = await newest(unverified.email)
    expect(text + html).not.toContain('Mallory')
    const verified = await app.verified()
    await invite(verified.email)
    expect((await newest(verified.email)).text).toContain(verified.name)
  })

  test('answers the same whether or not the email has an account', async () => {
    const { email } = await app.verified()
    const shape = async (address: string) => {
      const { status, body } = await invite(address)
      return [status, Object.keys(body as object), (body as { status: string }).status]
    }
    expect(await shape(email)).toEqual(await shape(app.person().email))
  })

  test('refuses a second invitation, and resend keeps the id and voids the first link', async () => {
    const tab = await app.signedIn()
    const first = await invited(tab)
    expect(outcome(await invite(tab.person.email))).toEqual([400, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'])
    const second = await invited(tab, { resend: true, role: 'admin' })
    expect([second.id, second.secret === first.secret]).toEqual([first.id, false])
    expect(outcome(await answer(tab, 'accept', first.secret))).toEqual(closed)
    expect((await answer(tab, 'accept', second.secret)).body).toMatchObject({ member: { role: 'admin' } })
    expect(outcome(await invite(tab.person.email))).toEqual([400, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
  })

  test('allows a new invitation to the same email after 48 hours', async () => {
    const tab = await app.signedIn()
    const clock = holdClock()
    const first = await invited(tab)
    clock.advance(48 * 3600 + 1)
    const late = await app.browser().post('/auth/sign-in/email', tab.person)
    expect(late.status).toBe(200)
    expect(outcome(await answer(tab, 'accept', first.secret))).toEqual(closed)
    expect((await tab.get('/auth/organization/list-user-invitations')).body).toEqual([])
    const { id: again } = await invited(tab)
    expect(again).toBe(first.id)
    const { createdAt, expiresAt } = await app.db.invitation.findUniqueOrThrow({ where: { id: again } })
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(48 * 3600 * 1000)
    clock.advance(48 * 3600 - 60)
    expect((await answer(tab, 'accept', again)).status).toBe(200)
  })

  test('allows a hundred open invitations, and no more', async () => {
    const expiresAt = new Date(Date.now() + 1e6)
    const rows = Array.from({ length: 100 }, (_, count) => ({
      organizationId: id,
      email: `open-${count}@example.test`,
      role: 'member',
      secretHash: randomUUID(),
      expiresAt: count === 0 ? new Date(0) : expiresAt,
    }))
    await app.db.invitation.createMany({ data: rows })
    expect((await invite('open-100@example.test')).status).toBe(200)
    expect(outcome(await invite('open-101@example.test'))).toEqual([403, 'INVITATION_LIMIT_REACHED'])
    expect((await invite('open-99@example.test', { resend: true })).status).toBe(200)
  })

  test('T155: refuses an invalid email and sends nothing', async () => {
    const before = app.outbox.mails.length
    for (const email of ['no-at-sign', 'a@b', 'a@example.test\r\nBcc: x@example.test', 'a@example.test,b@example.test', '', 7])
      expect((await invite(email as string)).code).toBe('VALIDATION_ERROR')
    await app.drainMail()
    expect(app.outbox.mails).toHaveLength(before)
  })
})

describe('an invitation', () => {
  test.each(['secret', 'id'] as const)('is accepted by its %s, and the organization becomes active', async (name) => {
    const tab = await app.signedIn()
    const invitation = await invited(tab, { role: 'admin' })
    const shown = await tab.get(`/auth/organization/get-invitation?id=${invitation[name]}`)
    expect(shown.body).toMatchObject({ id: invitation.id, organizationName: 'Desk', inviterEmail: owner.person.email })
    const accepted = await answer(tab, 'accept', invitation[name])
    expect(accepted.body).toMatchObject({
      invitation: { id: invitation.id, status: 'accepted' },
      member: { organizationId: id, userId: tab.userId, role: 'admin' },
    })
    expect(await activeOrganizationOf(tab)).toBe(id)
  })

  test('is refused to everyone but its recipient, by its id and by its secret', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const invitation = await invited(tab)
    for (const held of Object.values(invitation)) {
      for (const verb of ['accept', 'reject'] as const)
        expect(outcome(await answer(other, verb, held))).toEqual([403, 'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION'])
      expect((await other.get(`/auth/organization/get-invitation?id=${held}`)).status).toBe(403)
    }
    expect(await roleOf(app, id, other)).toBeNull()
    expect((await other.get('/auth/organization/list-user-invitations')).body).toEqual([])
    expect((await answer(tab, 'accept', invitation.secret)).status).toBe(200)
  })

  test('stays with the invited email when its user changes to another', async () => {
    const tab = await app.signedIn()
    const { secret } = await invited(tab)
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await tab.post('/auth/verify-email', { token: (await newest(newEmail)).token })
    expect((await answer(tab, 'accept', secret)).code).toBe('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
    const newOwner = await app.signedIn(tab.person)
    expect((await answer(newOwner, 'accept', secret)).status).toBe(200)
  })

  test('needs a verified email', async () => {
    const tab = await app.signedIn()
    const { id: invitationId } = await invited(tab)
    await app.db.user.update({ where: { id: tab.userId }, data: { emailVerified: false } })
    const early = 'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION'
    for (const verb of ['accept', 'reject'] as const) expect(outcome(await answer(tab, verb, invitationId))).toEqual([403, early])
    for (const path of [`get-invitation?id=${invitationId}`, 'list-user-invitations'])
      expect(outcome(await tab.get(`/auth/organization/${path}`))).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION'])
  })

  test('works once: after an answer or a cancellation, no verb accepts it', async () => {
    const cancel = (invitationId: string) => owner.post('/auth/organization/cancel-invitation', { invitationId })
    for (const end of ['accept', 'reject', 'cancel'] as const) {
      const tab = await app.signedIn()
      const invitation = await invited(tab)
      expect((await tab.get('/auth/organization/list-user-invitations')).body).toMatchObject([
        { id: invitation.id, organizationName: 'Desk' },
      ])
      expect((end === 'cancel' ? await cancel(invitation.id) : await answer(tab, end, invitation.secret)).status).toBe(200)
      expect((await tab.get('/auth/organization/list-user-invitations')).body).toEqual([])
      for (const verb of ['accept', 'reject'] as const)
        expect(outcome(await answer(tab, verb, invitation.secret))).toEqual(closed)
      expect(outcome(await cancel(invitation.id))).toEqual(closed)
      expect(await roleOf(app, id, tab)).toBe(end === 'accept' ? 'member' : null)
    }
  })

  test('into a sixth organization is refused and stays open', async () => {
    const tab = await app.signedIn()
    for (let count = 0; count < 5; count += 1) await found(tab)
    const { secret } = await invited(tab)
    expect(outcome(await answer(tab, 'accept', secret))).toEqual([403, 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS'])
    const [first] = (await tab.get('/auth/organization/list')).body as { id: string }[]
    await tab.post('/auth/organization/delete', { organizationId: first?.id })
    expect((await answer(tab, 'accept', secret)).status).toBe(200)
  })

  test('ends with its organization, and only members can cancel it', async () => {
    const tab = await app.signedIn()
    const invitation = await invited(tab)
    expect(outcome(await tab.post('/auth/organization/cancel-invitation', { invitationId: invitation.id }))).toEqual(closed)
    await owner.post('/auth/organization/delete', { organizationId: id })
    expect(outcome(await answer(tab, 'accept', invitation.secret))).toEqual(closed)
  })
})
