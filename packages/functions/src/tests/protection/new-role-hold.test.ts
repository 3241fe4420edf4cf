import { policy } from '@floorpass/api'
import { askAboutKey } from '@floorpass/testing/api-keys'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, found, memberIdOf } from '@floorpass/testing/organization'
import { lockUser, panicTokenOf, readPanicToken, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const done = [200, undefined]

const openDesk = async (...members: SignedIn[]) => {
  const owner = await app.signedIn()
  const { id } = await assemble(app, [[owner, 'owner'], ...members.map((member) => [member, 'member'] as const)])
  return { owner, organizationId: id }
}
type Desk = Awaited<ReturnType<typeof openDesk>>

async function invite({ owner, organizationId }: Desk, { person: { email } }: Pick<SignedIn, 'person'>, role = 'admin') {
  const { body } = await owner.post('/auth/organization/invite-member', { organizationId, email, role })
  return (body as { id: string }).id
}

const withdraw = async (tab: SignedIn, organizationId: string) => {
  const { headers } = await tab.get(`/auth/verify?org=${organizationId}`)
  const { status, code } = await tab.get(`/auth/verify?org=${organizationId}&scope=withdrawal:create`)
  return { answer: [status, code], hold: headers.get('x-auth-hold') }
}
const free = { answer: done, hold: '' }
const heldUntil = (end: number) => ({ answer: [403, 'INSUFFICIENT_SCOPE'], hold: String(Math.floor(end / 1000)) })

const ways: { way: string; join: (desk: Desk, tab: SignedIn) => Promise<unknown> }[] = [
  {
    way: 'accepts an addition',
    join: async ({ owner, organizationId }, tab) => {
      await owner.post('/auth/organization/add-member', { organizationId, userId: tab.userId, role: 'admin' })
      return tab.post('/auth/organization/accept-membership', { organizationId })
    },
  },
  {
    way: 'accepts an invitation',
    join: async (desk, tab) => tab.post('/auth/organization/accept-invitation', { invitationId: await invite(desk, tab) }),
  },
]

describe.each(ways)('a person who $way', ({ join }) => {
  test('withdraws nothing for the organization for three days, to the second', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const desk = await openDesk()
    expect(outcome((await join(desk, tab)) as never)).toEqual(done)
    const end = Date.now() + policy.organizations.newRoleHold * 1000
    expect(await withdraw(tab, desk.organizationId)).toEqual(heldUntil(end))
    clock.advance(policy.organizations.newRoleHold - 1)
    expect(await withdraw(tab, desk.organizationId)).toEqual(heldUntil(end))
    clock.advance(1)
    expect(await withdraw(tab, desk.organizationId)).toEqual(free)
  })
})

test('a person with a higher role withdraws nothing for the organization for three days, and one with a lower role does', async () => {
  const tab = await app.signedIn()
  const { owner, organizationId } = await openDesk(tab)
  const memberId = await memberIdOf(app, organizationId, tab)
  const give = async (role: string) =>
    expect(outcome(await owner.post('/auth/organization/update-member-role', { organizationId, memberId, role }))).toEqual(done)
  expect(await withdraw(tab, organizationId)).toEqual(free)
  await give('admin')
  expect(await withdraw(tab, organizationId)).toMatchObject({ answer: [403, 'INSUFFICIENT_SCOPE'] })
  await app.db.member.update({ where: { id: memberId }, data: { heldUntil: null } })
  await give('member')
  expect(await withdraw(tab, organizationId)).toEqual(free)
})

test('who founds an organization withdraws for it at once', async () => {
  const tab = await app.signedIn()
  expect(await withdraw(tab, (await found(tab)).id)).toEqual(free)
})

test('a new role holds no withdrawals of the person, nor for another organization', async () => {
  const tab = await app.signedIn()
  const desk = await openDesk()
  const { id } = await found(tab)
  await tab.post('/auth/organization/accept-invitation', { invitationId: await invite(desk, tab) })
  expect(await withdraw(tab, id)).toEqual(free)
  await tab.post('/auth/organization/set-active', { organizationId: null })
  expect((await tab.get('/auth/verify')).headers.get('x-auth-scopes')).toContain('withdrawal:create')
})

test('the hold of the person counts when it ends later', async () => {
  const tab = await app.signedIn()
  const { organizationId } = await openDesk(tab)
  const [sooner, later] = [new Date(Date.now() + 60_000), new Date(Date.now() + 120_000)]
  await app.db.member.updateMany({ where: { userId: tab.userId }, data: { heldUntil: sooner } })
  await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: later } })
  expect(await withdraw(tab, organizationId)).toEqual(heldUntil(later.getTime()))
})

test('a key of the organization cannot withdraw while the role of its creator is new', async () => {
  const tab = await app.signedIn()
  const { organizationId } = await openDesk(tab)
  await app.db.member.updateMany({ where: { userId: tab.userId }, data: { role: 'admin' } })
  const { body } = await tab.post('/auth/api-key/create', { name: 'Payouts', configId: 'default', organizationId })
  const { id, key } = body as { id: string; key: string }
  await app.db.apiKey.update({ where: { id }, data: { scopes: ['account:read', 'withdrawal:create'] } })
  const permissions = async () => (await askAboutKey(app.browser(), { key })).key?.permissions
  expect(await permissions()).toEqual({ account: ['read'], withdrawal: ['create'] })
  await app.db.member.updateMany({ where: { userId: tab.userId }, data: { heldUntil: new Date(Date.now() + 60_000) } })
  expect(await permissions()).toEqual({ account: ['read'] })
})

describe('the mail about a new role', () => {
  const mailsTo = async ({ person: { email } }: SignedIn) => {
    await app.drainMail()
    return app.outbox.mails.filter(({ to, subject }) => to === email && subject.includes('Someone is now'))
  }

  test.each(['admin', 'member'] as const)('reaches the owners and who gave the role, with a panic link: %s', async (role) => {
    const [admin, other, invited] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
    const desk = await openDesk(admin, other)
    await app.db.member.updateMany({ where: { userId: admin.userId }, data: { role: 'admin' } })
    await invite({ owner: admin, organizationId: desk.organizationId }, invited, role)
    const expected = role === 'admin' ? 1 : 0
    expect(await mailsTo(desk.owner)).toHaveLength(expected)
    expect(await mailsTo(other)).toHaveLength(0)
    const mails = await mailsTo(admin)
    expect(mails).toHaveLength(expected)
    for (const { text } of mails) {
      expect(text).toContain(invited.person.email)
      expect(readPanicToken(text)).not.toBe('')
    }
  })

  test('reaches no owner of another organization, nor one who has not accepted', async () => {
    const [invited, waiting] = [await app.signedIn(), await app.signedIn()]
    const [desk, other] = [await openDesk(waiting), await openDesk()]
    await app.db.member.updateMany({ where: { userId: waiting.userId }, data: { role: 'owner', acceptedAt: null } })
    await invite(desk, invited)
    expect([await mailsTo(desk.owner), await mailsTo(other.owner), await mailsTo(waiting)].map(({ length }) => length)).toEqual([
      1, 0, 0,
    ])
  })

  test('comes with an addition and with a higher role', async () => {
    const [added, member] = [await app.signedIn(), await app.signedIn()]
    const { owner, organizationId } = await openDesk(member)
    await owner.post('/auth/organization/add-member', { organizationId, userId: added.userId, role: 'admin' })
    const memberId = await memberIdOf(app, organizationId, member)
    await owner.post('/auth/organization/update-member-role', { organizationId, memberId, role: 'admin' })
    await owner.post('/auth/organization/update-member-role', { organizationId, memberId, role: 'member' })
    expect(await mailsTo(owner)).toHaveLength(2)
  })
})

test('a locked owner removes a member whose role is new, and no other', async () => {
  const [old, added, invited] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
  const desk = await openDesk(old)
  const { owner, organizationId } = desk
  await owner.post('/auth/organization/add-member', { organizationId, userId: added.userId, role: 'admin' })
  await invited.post('/auth/organization/accept-invitation', { invitationId: await invite(desk, invited) })
  // The hold of this role has just ended.
  await app.db.member.updateMany({ where: { userId: old.userId }, data: { heldUntil: new Date(Date.now() - 1) } })
  await lockUser(app, owner.userId)
  const remove = async ({ person: { email } }: SignedIn) =>
    outcome(await owner.post('/auth/organization/remove-member', { organizationId, memberIdOrEmail: email }))
  expect(await remove(old)).toEqual([423, 'ACCOUNT_LOCKED'])
  expect(await remove(added)).toEqual(done)
  expect(await remove(invited)).toEqual(done)
})

describe('an owner whose role is new', () => {
  const openWithNewOwner = async () => {
    const tab = await app.signedIn()
    const desk = await openDesk(tab)
    const heldUntil = new Date(Date.now() + 60_000)
    await app.db.member.updateMany({ where: { userId: tab.userId }, data: { role: 'owner', heldUntil } })
    return { tab, ...desk, ownerId: await memberIdOf(app, desk.organizationId, desk.owner) }
  }

  test.each([
    ['remove an owner', 'remove-member', ({ ownerId }: { ownerId: string }) => ({ memberIdOrEmail: ownerId })],
    ['lower an owner', 'update-member-role', ({ ownerId }: { ownerId: string }) => ({ memberId: ownerId, role: 'member' })],
    ['invite an owner', 'invite-member', () => ({ email: app.person().email, role: 'owner' })],
    ['delete the organization', 'delete', () => ({})],
  ])('does not %s until its hold ends', async (_act, route, fields) => {
    const desk = await openWithNewOwner()
    const { tab, organizationId } = desk
    const act = async () => outcome(await tab.post(`/auth/organization/${route}`, { organizationId, ...fields(desk) }))
    expect(await act()).toEqual([403, 'ROLE_TOO_NEW'])
    await app.db.member.updateMany({ where: { userId: tab.userId }, data: { heldUntil: null } })
    expect(await act()).toEqual(done)
  })

  test('leaves the organization', async () => {
    const { tab, organizationId } = await openWithNewOwner()
    expect(outcome(await tab.post('/auth/organization/leave', { organizationId }))).toEqual(done)
  })
})

test('a person whose role is new does not loosen the key of another', async () => {
  const [creator, tab] = [await app.signedIn(), await app.signedIn()]
  const { organizationId } = await openDesk(creator, tab)
  await app.db.member.updateMany({ where: { userId: { in: [creator.userId, tab.userId] } }, data: { role: 'admin' } })
  const { body } = await creator.post('/auth/api-key/create', { name: 'Bot', configId: 'default', organizationId })
  const { id: keyId } = body as { id: string }
  await app.db.apiKey.update({ where: { id: keyId }, data: { enabled: false } })
  const enable = async () => outcome(await tab.post('/auth/api-key/update', { keyId, enabled: true }))
  await app.db.member.updateMany({ where: { userId: tab.userId }, data: { heldUntil: new Date(Date.now() + 60_000) } })
  expect(await enable()).toEqual([403, 'ACCOUNT_HELD'])
  await app.db.member.updateMany({ where: { userId: tab.userId }, data: { heldUntil: null } })
  expect(await enable()).toEqual(done)
})

test('a panic link cancels the invitations that its user sent', async () => {
  const desk = await openDesk()
  const [kim, ada] = [await app.signedIn(), await app.signedIn()]
  const other = await openDesk()
  const [mine, theirs] = [await invite(desk, kim), await invite(other, ada)]
  await app.browser().post('/auth/panic', { token: await panicTokenOf(app, desk.owner) })
  const statuses = await app.db.invitation.findMany({ where: { id: { in: [mine, theirs] } } })
  expect(Object.fromEntries(statuses.map(({ id, status }) => [id, status]))).toEqual({ [mine]: 'canceled', [theirs]: 'pending' })
})
