import { randomUUID } from 'node:crypto'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, found, memberIdOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { beforeEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
type Person = { id: string; name: string } | null
type Event = {
  id: string
  action: string
  actor: Person
  member: Person
  invitedEmail: string | null
  details: Record<string, string>
}

let owner: SignedIn
let id: string
beforeEach(async () => {
  owner = await app.signedIn()
  id = (await found(owner)).id
})

const post = async (tab: SignedIn, path: string, fields: object = {}) => {
  const answer = await tab.post(`/auth/organization/${path}`, { organizationId: id, ...fields })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body as { id: string }
}
const read = (tab: Pick<SignedIn, 'get'>, query = '') => tab.get(`/auth/organization/list-activity?organizationId=${id}${query}`)
const list = async (tab: SignedIn = owner, query = '') => {
  const { status, body } = await read(tab, query)
  expect(status).toBe(200)
  return body as { events: Event[]; nextCursor: string | null }
}
const person = (tab: SignedIn) => ({ id: tab.userId, name: tab.person.name })
const join = async (tab: SignedIn, role = 'member') => {
  const { id: invitationId } = await post(owner, 'invite-member', { email: tab.person.email, role })
  await post(tab, 'accept-invitation', { invitationId })
}

describe('organization/list-activity', () => {
  test('lists who did what to whom, newest first', async () => {
    const member = await app.signedIn()
    await join(member)
    await post(owner, 'member/update-role', { memberId: await memberIdOf(app, id, member), role: 'admin' })
    await post(member, 'update', { data: { name: 'Renamed' } })
    await post(owner, 'member/remove', { memberIdOrEmail: member.person.email })
    const { events, nextCursor } = await list()
    expect(events).toMatchObject([
      { action: 'remove-member', actor: person(owner), member: person(member), details: { role: 'admin' } },
      { action: 'update-organization', actor: person(member), member: null, details: { fields: 'name' } },
      { action: 'update-member-role', actor: person(owner), member: person(member), details: { from: 'member', to: 'admin' } },
      {
        action: 'accept-invitation',
        actor: person(member),
        member: person(member),
        invitedEmail: null,
        details: { role: 'member' },
      },
      { action: 'invite-member', actor: person(owner), member: null, invitedEmail: member.person.email },
      { action: 'create-organization', actor: person(owner), member: null },
    ])
    expect(nextCursor).toBeNull()
  })

  test('shows no device, no IP address and no event of an account', async () => {
    const member = await app.signedIn()
    await join(member)
    await member.post('/auth/update-user', { name: 'Zoë' })
    for (const action of ['sign-in', 'change-password', 'delete-organization'])
      await app.db.auditEvent.create({ data: { userId: member.userId, organizationId: id, action, ipAddress: '203.0.113.9' } })
    const answer = await list()
    expect(answer.events.map(({ action }) => action)).toEqual(['accept-invitation', 'invite-member', 'create-organization'])
    expect(JSON.stringify(answer)).not.toMatch(/203\.0\.113\.9|127\.0\.0\.1|ipAddress|userAgent|browser|@.*@/)
  })

  test('refuses members, outsiders, former administrators and administrators of another organization', async () => {
    const [admin, member, outsider, other] = [
      await app.signedIn(),
      await app.signedIn(),
      await app.signedIn(),
      await app.signedIn(),
    ]
    await join(admin, 'admin')
    await join(member)
    const another = await assemble(app, [[other, 'admin']])
    expect((await list(admin)).events).toHaveLength(5)
    expect(outcome(await read(member))).toEqual([403, 'ROLE_REQUIRED'])
    expect(outcome(await read(outsider))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    expect(outcome(await read(other))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    expect((await read(app.browser())).status).toBe(401)
    await post(admin, 'leave')
    expect(outcome(await read(admin))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    // The cursor is an id of another organization's event.
    const [newest] = (await list()).events
    const page = await other.get(`/auth/organization/list-activity?organizationId=${another.id}&cursor=${newest?.id}`)
    expect(page.body).toEqual({ events: [], nextCursor: null })
  })

  test('keeps the name of a person who declines from the organization', async () => {
    const invited = await app.signedIn()
    const { id: invitationId } = await post(owner, 'invite-member', { email: invited.person.email, role: 'member' })
    await post(invited, 'reject-invitation', { invitationId })
    const [declined] = (await list()).events
    expect(declined).toMatchObject({
      action: 'reject-invitation',
      actor: null,
      member: null,
      invitedEmail: invited.person.email,
      details: {},
    })
  })

  test('hides the email of an invited owner from administrators, as list-invitations does', async () => {
    const [admin, { email }] = [await app.signedIn(), app.person()]
    await join(admin, 'admin')
    await post(owner, 'invite-member', { email, role: 'owner' })
    expect((await list()).events[0]).toMatchObject({ action: 'invite-member', invitedEmail: email })
    const seen = await list(admin)
    expect(seen.events[0]).toMatchObject({ action: 'invite-member', invitedEmail: null })
    expect(JSON.stringify(seen)).not.toContain(email)
  })

  test('shows no email of an invitation to another organization', async () => {
    const { id: another } = await found(owner)
    const { email } = app.person()
    const { id: invitationId } = await post(owner, 'invite-member', { email, role: 'member', organizationId: another })
    const details = { invitationId, role: 'member' }
    await app.db.auditEvent.create({ data: { userId: owner.userId, organizationId: id, action: 'invite-member', details } })
    expect((await list()).events[0]).toMatchObject({ action: 'invite-member', invitedEmail: null })
  })

  test('names no one for an operator and no email once the invitation is deleted', async () => {
    const { email } = app.person()
    const { id: invitationId } = await post(owner, 'invite-member', { email, role: 'member' })
    await post(owner, 'cancel-invitation', { invitationId })
    await app.db.auditEvent.updateMany({ where: { action: 'cancel-invitation' }, data: { actorId: 'operator:root' } })
    expect((await list()).events[0]).toMatchObject({ action: 'cancel-invitation', actor: null, invitedEmail: email })
    await app.db.invitation.deleteMany({ where: { id: invitationId } })
    expect((await list()).events.slice(0, 2)).toMatchObject([
      { action: 'cancel-invitation', invitedEmail: null },
      { action: 'invite-member', invitedEmail: null, actor: person(owner) },
    ])
  })

  test('lists an ended membership once, though its owners have a copy', async () => {
    const member = await app.signedIn()
    await post(owner, 'member/add', { userId: member.userId, role: 'member' })
    for (let count = 0; count < 4; count += 1) await found(member)
    await found(member)
    const { events } = await list()
    expect(events.map(({ action }) => action)).toEqual(['drop-membership', 'add-member', 'create-organization'])
    expect(events[0]).toMatchObject({ actor: person(member), member: person(member) })
  })

  test('pages by cursor: every event once, in order', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await post(owner, 'update', { data: { name } })
    const whole = (await list()).events.map((event) => event.id)
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list(owner, `&limit=2${cursor && `&cursor=${cursor}`}`)
      paged.push(...page.events.map((event) => event.id))
      cursor = page.nextCursor
    }
    expect(whole).toHaveLength(5)
    expect(paged).toEqual(whole)
  })

  test.each(['&limit=0', '&limit=101', '&limit=x', '&cursor='])('refuses %s', async (query) => {
    expect(outcome(await read(owner, query))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('finds the organization by slug too, or the active one', async () => {
    const { id: other, slug } = await found(owner, { slug: randomUUID() })
    for (const query of ['', `?organizationSlug=${slug}`, `?organizationId=${other}`]) {
      const { body } = await owner.get(`/auth/organization/list-activity${query}`)
      expect((body as { events: Event[] }).events).toMatchObject([{ action: 'create-organization' }])
    }
  })
})
