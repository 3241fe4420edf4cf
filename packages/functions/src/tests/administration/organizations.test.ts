import { randomUUIDv7 } from 'node:crypto'
import { adminOf } from '@floorpass/testing/admin-command'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { readFeed } from '@floorpass/testing/events'
import { serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const reason = 'asked by the head of support'
const done = [200, undefined]

async function administrator(role: 'admin' | 'auditor' = 'admin'): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, role)
  return tab
}

/** An organization with an owner and a member. */
async function createDesk(name = 'Desk') {
  const [owner, member] = [await app.signedIn(), await app.signedIn()]
  const { body } = await owner.post('/auth/organization/create', { name, slug: randomUUIDv7() })
  const { id, slug } = body as { id: string; slug: string }
  await app.db.member.create({ data: { organizationId: id, userId: member.userId, role: 'member', slot: 1 } })
  await app.service.deps.changes.flush()
  return { id, slug, owner, member }
}
const roleIn = async (organizationId: string, { userId }: SignedIn) =>
  (await app.db.member.findFirst({ where: { organizationId, userId } }))?.role
const eventOf = (action: string, { userId }: SignedIn) => app.db.auditEvent.findFirst({ where: { action, userId } })

describe('the list of organizations', () => {
  const list = async (tab: SignedIn, query: Record<string, string> = {}) =>
    (await tab.get(`/auth/admin/list-organizations?${new URLSearchParams(query)}`)).body as {
      organizations: { id: string }[]
      total: number
    }
  const idsOf = ({ organizations }: { organizations: { id: string }[] }) => organizations.map(({ id }) => id)

  test('is searched by id, and by the beginning of the short name and of the name', async () => {
    const tab = await administrator('auditor')
    const { id, slug } = await createDesk('Quill Rates')
    for (const searchValue of [id, slug, slug.slice(0, 30), 'quill', 'QUILL r'])
      expect(idsOf(await list(tab, { searchValue })), searchValue).toContain(id)
    expect(await list(tab, { searchValue: 'rates' })).toEqual({ organizations: [], total: 0 })
    expect(await list(tab, { searchValue: 'quill%' })).toEqual({ organizations: [], total: 0 })
  })

  test('is newest first, and its pages have no gap', async () => {
    const tab = await administrator('auditor')
    for (let count = 0; count < 3; count += 1) await createDesk()
    const all = (await app.db.organization.findMany({ orderBy: { id: 'desc' } })).map(({ id }) => id)
    const seen: string[] = []
    for (;;) {
      const after = seen.at(-1)
      const page = idsOf(await list(tab, { limit: '2', ...(after !== undefined && { after }) }))
      if (page.length === 0) break
      seen.push(...page)
    }
    expect(seen).toEqual(all)
    expect((await tab.get('/auth/admin/list-organizations?limit=100')).status).toBe(200)
    expect((await tab.get('/auth/admin/list-organizations?limit=101')).status).toBe(400)
    expect((await tab.get('/auth/admin/list-organizations?searchValue=a&after=b')).status).toBe(400)
  })
})

test('an organization is read with its members and the number of its invitations', async () => {
  const tab = await administrator('auditor')
  const { id, owner, member } = await createDesk()
  await owner.post('/auth/organization/invite-member', { organizationId: id, email: 'new@example.test', role: 'member' })
  expect((await tab.get(`/auth/admin/get-organization?id=${id}`)).body).toMatchObject({
    id,
    suspendedAt: null,
    pendingInvitations: 1,
    members: [
      { role: 'owner', user: { id: owner.userId, email: owner.person.email } },
      { role: 'member', user: { id: member.userId } },
    ],
  })
  expect(outcome(await tab.get('/auth/admin/get-organization?id=unknown'))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
})

test('a suspension and its end are mailed to the owners, and not to the members', async () => {
  const tab = await administrator()
  const { id, owner, member } = await createDesk()
  for (const [act, state] of [
    ['suspend', 'suspended'],
    ['restore', 'no longer suspended'],
  ]) {
    for (let time = 0; time < 2; time += 1) {
      const answer = await tab.post(`/auth/admin/${act}-organization`, { organizationId: id, reason })
      expect(outcome(answer)).toEqual(done)
    }
    await app.drainMail()
    const subject = `Desk on Floorpass is ${state}`
    expect(app.outbox.to(owner.person.email).filter((mail) => mail.subject === subject)).toHaveLength(1)
    expect(app.outbox.to(member.person.email).filter((mail) => mail.subject === subject)).toHaveLength(0)
  }
})

test('a suspended organization permits nothing, and is not deleted with its only member', async () => {
  const tab = await administrator()
  const { id, owner, member } = await createDesk()
  await app.db.member.deleteMany({ where: { userId: member.userId } })
  const may = async () =>
    (await owner.post('/auth/organization/has-permission', { organizationId: id, permissions: { organization: ['delete'] } }))
      .body
  expect(await may()).toMatchObject({ success: true })
  await tab.post('/auth/admin/suspend-organization', { organizationId: id, reason })
  expect(await may()).toMatchObject({ success: false })
  expect(outcome(await owner.post('/auth/delete-user', { password: owner.person.password }))).toEqual([
    403,
    'ORGANIZATION_SUSPENDED',
  ])
  expect(await app.db.user.count({ where: { id: owner.userId } })).toBe(1)
})

test('a session that still has a suspended organization active loses it with its next token', async () => {
  const tab = await administrator()
  const { id, owner } = await createDesk()
  await tab.post('/auth/admin/suspend-organization', { organizationId: id, reason })
  // As a renewal that has read the session before the suspension.
  await app.db.session.updateMany({ where: { userId: owner.userId }, data: { activeOrganizationId: id } })
  expect(outcome(await owner.post('/auth/reauthenticate', { password: owner.person.password }))).toEqual(done)
  expect(await app.db.session.findFirst({ where: { userId: owner.userId } })).toMatchObject({ activeOrganizationId: null })
})

test('an invitation to a suspended organization stays open, and is accepted after its end', async () => {
  const tab = await administrator()
  const { id, owner } = await createDesk()
  const invited = await app.signedIn()
  const { body } = await owner.post('/auth/organization/invite-member', {
    organizationId: id,
    email: invited.person.email,
    role: 'member',
  })
  const accept = async () =>
    outcome(await invited.post('/auth/organization/accept-invitation', { invitationId: (body as { id: string }).id }))
  await tab.post('/auth/admin/suspend-organization', { organizationId: id, reason })
  expect(await accept()).toEqual([403, 'ORGANIZATION_SUSPENDED'])
  expect(await roleIn(id, invited)).toBeUndefined()
  await tab.post('/auth/admin/restore-organization', { organizationId: id, reason })
  expect(await accept()).toEqual(done)
})

describe('a change of the owner', () => {
  const change = async (tab: SignedIn, organizationId: string, userId: string) =>
    tab.post('/auth/admin/change-organization-owner', { organizationId, userId, reason })

  test('makes a member the only owner, and is mailed and recorded for both', async () => {
    const tab = await administrator()
    const { id, owner, member } = await createDesk()
    expect(outcome(await change(tab, id, member.userId))).toEqual(done)
    expect([await roleIn(id, owner), await roleIn(id, member)]).toEqual(['admin', 'owner'])
    const actor = { actorId: tab.userId, organizationId: id }
    expect(await eventOf('change-organization-owner', owner)).toMatchObject({
      ...actor,
      details: { from: 'owner', to: 'admin', reason },
    })
    expect(await eventOf('change-organization-owner', member)).toMatchObject({
      ...actor,
      details: { from: 'member', to: 'owner', reason },
    })
    await app.drainMail()
    expect(app.outbox.lastTo(owner.person.email).subject).toBe('You’re no longer the owner of Desk on Floorpass')
    expect(app.outbox.lastTo(member.person.email).subject).toBe('You’re now the owner of Desk on Floorpass')
    // The activity of the organization names support, not the administrator.
    const { body } = await member.get(`/auth/organization/list-activity?organizationId=${id}`)
    const { events } = body as { events: { action: string; actor: unknown }[] }
    expect(events.filter(({ action }) => action === 'change-organization-owner').map(({ actor }) => actor)).toEqual([null, null])
  })

  test('leaves only the named one of two owners, and records the other alone', async () => {
    const tab = await administrator()
    const { id, owner, member } = await createDesk()
    await app.db.member.updateMany({ where: { userId: member.userId }, data: { role: 'owner' } })
    expect(outcome(await change(tab, id, member.userId))).toEqual(done)
    expect([await roleIn(id, owner), await roleIn(id, member)]).toEqual(['admin', 'owner'])
    expect(await eventOf('change-organization-owner', owner)).toMatchObject({ details: { from: 'owner', to: 'admin', reason } })
    expect(await eventOf('change-organization-owner', member)).toBeNull()
  })

  test('makes no suspended member the owner', async () => {
    const tab = await administrator()
    const { id, member } = await createDesk()
    await app.db.user.update({ where: { id: member.userId }, data: { suspendedAt: new Date() } })
    expect(outcome(await change(tab, id, member.userId))).toEqual([400, 'USER_SUSPENDED'])
  })

  test('is not for the administrator who makes it', async () => {
    const tab = await administrator()
    const { id, owner } = await createDesk()
    await app.db.member.create({ data: { organizationId: id, userId: tab.userId, role: 'member', slot: 1 } })
    expect(outcome(await change(tab, id, tab.userId))).toEqual([400, 'YOU_CANNOT_ADMINISTER_YOURSELF'])
    expect(await roleIn(id, owner)).toBe('owner')
  })

  test('holds withdrawals of the new owner, and cancels the invitations of owners that the former one sent', async () => {
    const tab = await administrator()
    const { id, owner, member } = await createDesk()
    await app.db.user.update({ where: { id: owner.userId }, data: { heldUntil: null } })
    const { status } = await owner.post('/auth/organization/invite-member', {
      organizationId: id,
      email: 'accomplice@example.test',
      role: 'owner',
    })
    expect(status).toBe(200)
    await change(tab, id, member.userId)
    const row = await app.db.member.findFirstOrThrow({ where: { organizationId: id, userId: member.userId } })
    expect(Number(row.heldUntil)).toBeGreaterThan(Date.now() + 71 * 3_600_000)
    expect(await app.db.invitation.findFirst({ where: { organizationId: id } })).toMatchObject({ status: 'canceled' })
    expect(await eventOf('cancel-invitation', owner)).toMatchObject({ actorId: tab.userId, organizationId: id })
  })

  test('is refused for a person who is no member, or has not accepted', async () => {
    const tab = await administrator()
    const { id, owner, member } = await createDesk()
    expect(outcome(await change(tab, id, (await app.signedIn()).userId))).toEqual([400, 'MEMBER_NOT_FOUND'])
    expect(outcome(await change(tab, id, 'unknown'))).toEqual([400, 'MEMBER_NOT_FOUND'])
    expect(outcome(await change(tab, 'unknown', member.userId))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    await app.db.member.updateMany({ where: { userId: member.userId }, data: { acceptedAt: null } })
    expect(outcome(await change(tab, id, member.userId))).toEqual([403, 'MEMBER_HAS_NOT_ACCEPTED'])
    expect(await roleIn(id, owner)).toBe('owner')
  })

  test('changes nothing when the user is the only owner', async () => {
    const tab = await administrator()
    const { id, owner } = await createDesk()
    expect(outcome(await change(tab, id, owner.userId))).toEqual(done)
    expect(await eventOf('change-organization-owner', owner)).toBeNull()
  })
})

test('the command line finds, suspends and restores an organization, and changes its owner', async () => {
  const command = adminOf(app)
  const { id, slug, owner, member } = await createDesk()
  expect((await command('find-organization', slug, '--json')).json).toMatchObject([{ id, slug }])
  expect((await command('show-organization', id)).stdout).toContain(owner.person.email)
  const { stdout } = await command('suspend-organization', id, '--reason', reason, '--yes')
  expect(stdout).toBe(`The organization ${slug} is suspended.\n`)
  expect(await app.db.organization.count({ where: { id, suspendedAt: { not: null } } })).toBe(1)
  await command('restore-organization', id, '--reason', reason)
  expect(await app.db.organization.count({ where: { id, suspendedAt: null } })).toBe(1)
  const change = ['change-organization-owner', id, '--user', member.person.email, '--reason', reason, '--yes']
  expect((await command(...change)).stdout).toBe(`${member.person.email} is the owner of ${slug}.\n`)
  expect([await roleIn(id, owner), await roleIn(id, member)]).toEqual(['admin', 'owner'])
  expect(await eventOf('suspend-organization', owner)).toMatchObject({ actorId: expect.stringMatching(/^operator:/) })
  expect(await command('show-organization', 'unknown')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No organization has this id'),
  })
})

describe('a suspended organization', () => {
  const suspend = (tab: SignedIn, organizationId: string) =>
    tab.post('/auth/admin/suspend-organization', { organizationId, reason })
  const restore = (tab: SignedIn, organizationId: string) =>
    tab.post('/auth/admin/restore-organization', { organizationId, reason })

  test('is active in no session, and cannot be made active until it is restored', async () => {
    const tab = await administrator()
    const { id, owner } = await createDesk()
    const activeId = async () =>
      ((await owner.get('/auth/get-session')).body as { session: { activeOrganizationId: string | null } }).session
        .activeOrganizationId
    const activate = () => owner.post('/auth/organization/set-active', { organizationId: id })
    await activate()
    expect(await activeId()).toBe(id)

    const answer = await suspend(tab, id)
    expect(answer.body).toMatchObject({ organization: { id, suspendedAt: expect.any(String) } })
    expect(await activeId()).toBeNull()
    expect(outcome(await activate())).toEqual([403, 'ORGANIZATION_SUSPENDED'])
    expect(await eventOf('suspend-organization', owner)).toMatchObject({
      actorId: tab.userId,
      organizationId: id,
      details: { reason },
    })

    expect((await restore(tab, id)).body).toMatchObject({ organization: { suspendedAt: null } })
    expect(outcome(await activate())).toEqual(done)
    expect(await activeId()).toBe(id)
    expect(await eventOf('restore-organization', owner)).toMatchObject({ actorId: tab.userId, details: { reason } })
  })

  test('gives no role to a gateway, also where the session named it before', async () => {
    const tab = await administrator()
    const { id, owner } = await createDesk()
    const verify = async () => (await owner.get(`/auth/verify?org=${id}`)).status
    const setActive = () => app.db.session.updateMany({ where: { userId: owner.userId }, data: { activeOrganizationId: id } })
    expect(await verify()).toBe(200)
    await suspend(tab, id)
    await setActive()
    await app.service.deps.changes.flush()
    expect(await verify()).toBe(403)
    expect((await owner.get('/auth/verify')).headers.get('x-auth-org')).toBe('')
  })

  test('has API keys that are refused as disabled, until it is restored', async () => {
    const tab = await administrator()
    const { id, owner } = await createDesk()
    const { body } = await owner.post('/auth/api-key/create', { organizationId: id, name: 'Bot' })
    const { key } = body as { key: string }
    const check = async () =>
      (await app.browser().post('/auth/api-key/verify', { key }, { headers: { authorization: `Bearer ${serviceKey}` } }))
        .body as { valid: boolean; error: { code: string } | null }
    expect(await check()).toMatchObject({ valid: true })
    await suspend(tab, id)
    expect(await check()).toMatchObject({ valid: false, error: { code: 'KEY_DISABLED' } })
    await restore(tab, id)
    expect(await check()).toMatchObject({ valid: true })
  })

  test('is still seen by its members, who can leave it but not change it', async () => {
    const tab = await administrator()
    const { id, owner, member } = await createDesk()
    await suspend(tab, id)
    expect(outcome(await owner.get(`/auth/organization/get-full-organization?organizationId=${id}`))).toEqual(done)
    const changes = [
      ['update', { data: { name: 'Other' } }],
      ['invite-member', { email: 'new@example.test', role: 'member' }],
      ['delete', {}],
    ] as const
    for (const [act, fields] of changes)
      expect(outcome(await owner.post(`/auth/organization/${act}`, { organizationId: id, ...fields })), act).toEqual([
        403,
        'ORGANIZATION_SUSPENDED',
      ])
    expect(outcome(await member.post('/auth/organization/leave', { organizationId: id }))).toEqual(done)
  })

  test('ends its memberships for the services that follow the events, and begins them again', async () => {
    const tab = await administrator()
    const { id, owner, member } = await createDesk()
    const start = (await readFeed(app, { limit: '500' })).cursor
    await suspend(tab, id)
    await restore(tab, id)
    await app.service.deps.events.flush()
    const { events } = await readFeed(app, { after: start, types: 'membership.ended,membership.changed' })
    const users = [owner.userId, member.userId].sort()
    expect(events.map(({ type, data }) => [type, (data as { userId: string }).userId])).toEqual([
      ...users.map((userId) => ['membership.ended', userId]),
      ...users.map((userId) => ['membership.changed', userId]),
    ])
  })

  test('is recorded once, and an unknown one is refused', async () => {
    const tab = await administrator()
    const { id, owner } = await createDesk()
    await suspend(tab, id)
    await suspend(tab, id)
    expect(await app.db.auditEvent.count({ where: { action: 'suspend-organization', userId: owner.userId } })).toBe(1)
    expect(outcome(await suspend(tab, 'unknown'))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    expect(outcome(await restore(tab, 'unknown'))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    const withoutReason = await tab.post('/auth/admin/suspend-organization', { organizationId: id })
    expect(outcome(withoutReason)).toEqual([400, 'VALIDATION_ERROR'])
  })
})
