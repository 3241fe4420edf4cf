import { randomUUID } from 'node:crypto'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { activeOrganizationOf, assemble, found, memberIdOf, roleOf } from '@floorpass/testing/organization'
import { testDatabase } from '@floorpass/testing/test-database'
import { beforeEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
const [owner, admin, member, outsider] = [await app.signedIn(), await app.signedIn(), await app.signedIn(), await app.signedIn()]

let id: string
beforeEach(async () => {
  await app.db.organization.deleteMany()
  id = (
    await assemble(app, [
      [owner, 'owner'],
      [admin, 'admin'],
      [member, 'member'],
    ])
  ).id
})
const post = (tab: typeof owner, path: string, fields: object) =>
  tab.post(`/auth/organization/${path}`, { organizationId: id, ...fields })

describe('member/add', () => {
  test('T134: adds an existing user and notifies them', async () => {
    const answer = await post(owner, 'member/add', { userId: outsider.userId, role: ['admin'] })
    expect(answer.body).toMatchObject({ organizationId: id, userId: outsider.userId, role: 'admin' })
    await app.drainMail()
    const { subject, text, link } = app.outbox.lastTo(outsider.person.email)
    expect(subject).toBe('You were added to Desk on Floorpass')
    expect(text).toContain(`${owner.person.name} added your Floorpass account`)
    expect(link.pathname).toBe('/settings/organizations')
  })

  test('voids an open invitation to the same user', async () => {
    await post(owner, 'invite-member', { email: outsider.person.email, role: 'owner' })
    await app.drainMail()
    const { token } = app.outbox.lastTo(outsider.person.email)
    await post(admin, 'member/add', { userId: outsider.userId, role: 'member' })
    expect(await app.db.auditEvent.findMany({ where: { organizationId: id, action: 'cancel-invitation' } })).toMatchObject([
      { userId: owner.userId, actorId: admin.userId },
    ])
    await post(owner, 'member/remove', { memberIdOrEmail: outsider.person.email })
    expect((await outsider.post('/auth/organization/accept-invitation', { invitationId: token })).code).toBe(
      'INVITATION_NOT_FOUND',
    )
  })

  test('refuses members, unknown, suspended and unverified users, and invalid roles', async () => {
    const add = async (userId: string, role: unknown = 'member') => outcome(await post(owner, 'member/add', { userId, role }))
    expect(await add(member.userId)).toEqual([400, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
    expect(await add(owner.userId)).toEqual([400, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
    expect(await add(randomUUID())).toEqual([400, 'USER_NOT_FOUND'])
    const suspended = await app.signedIn()
    await app.db.user.update({ where: { id: suspended.userId }, data: { suspendedAt: new Date() } })
    expect(await add(suspended.userId)).toEqual([400, 'USER_NOT_FOUND'])
    const { email } = await app.signUp()
    expect(await add((await app.db.user.findUniqueOrThrow({ where: { email } })).id)).toEqual([400, 'USER_NOT_FOUND'])
    for (const role of ['wizard', 'Owner', 'owner,admin', 'constructor'])
      expect(await add(outsider.userId, role)).toEqual([400, 'ROLE_NOT_FOUND'])
    for (const role of [[], ['owner', 'admin'], '', 7, null])
      expect(await add(outsider.userId, role)).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('T127: refuses a sixth organization of the added user', async () => {
    const busy = await app.signedIn()
    for (let count = 0; count < 5; count += 1) await found(busy)
    expect(outcome(await post(owner, 'member/add', { userId: busy.userId, role: 'member' }))).toEqual([
      403,
      'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    ])
    expect(await app.db.member.count({ where: { userId: busy.userId } })).toBe(5)
  })
})

describe('member/remove', () => {
  test('removes by id or by email in any case, ends the active organization in every session, and notifies the member', async () => {
    const other = app.browser()
    await other.post('/auth/sign-in/email', member.person)
    for (const tab of [member, other]) await tab.post('/auth/organization/set-active', { organizationId: id })
    const answer = await post(owner, 'member/remove', { memberIdOrEmail: member.person.email.toUpperCase() })
    expect(answer.body).toMatchObject({ member: { userId: member.userId, role: 'member' } })
    expect(await activeOrganizationOf(member)).toBeNull()
    expect((await other.get('/auth/get-session')).body).toMatchObject({ session: { activeOrganizationId: null } })
    await app.drainMail()
    expect(app.outbox.lastTo(member.person.email).subject).toBe('You’re no longer a member of Desk on Floorpass')
    const { status } = await post(owner, 'member/remove', { memberIdOrEmail: await memberIdOf(app, id, admin) })
    expect([status, await roleOf(app, id, admin)]).toEqual([200, null])
  })

  test('a member who removes themselves is the actor on record and gets no mail', async () => {
    await app.drainMail()
    const before = app.outbox.to(admin.person.email).length
    expect((await post(admin, 'member/remove', { memberIdOrEmail: admin.person.email })).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(admin.person.email)).toHaveLength(before)
    expect(await app.db.auditEvent.findFirst({ where: { organizationId: id, action: 'remove-member' } })).toMatchObject({
      userId: admin.userId,
      actorId: null,
    })
  })

  test.runIf(testDatabase.kind === 'postgres')('an outsider never waits for a lock of the organization', async () => {
    const fields = [
      ['member/remove', { memberIdOrEmail: member.person.email }],
      ['member/update-role', { memberId: await memberIdOf(app, id, member), role: 'admin' }],
      ['member/add', { userId: member.userId, role: 'admin' }],
      ['delete', {}],
    ] as const
    await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${member.userId} FOR UPDATE`
      for (const [path, input] of fields)
        expect([path, (await post(outsider, path, input)).code]).toEqual([path, 'ORGANIZATION_NOT_FOUND'])
    })
  })

  test('T130: the last owner cannot be removed, leave or be demoted', async () => {
    const only = [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER']
    expect(outcome(await post(owner, 'member/remove', { memberIdOrEmail: owner.person.email }))).toEqual(only)
    expect(outcome(await post(owner, 'leave', {}))).toEqual(only)
    for (const role of ['admin', 'member'])
      expect(outcome(await post(owner, 'member/update-role', { memberId: await memberIdOf(app, id, owner), role }))).toEqual([
        400,
        'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER',
      ])
    expect(await roleOf(app, id, owner)).toBe('owner')
  })

  test('T133: never changes a member of another organization', async () => {
    const { id: theirs } = await assemble(app, [
      [outsider, 'owner'],
      [owner, 'member'],
    ])
    const memberId = await memberIdOf(app, theirs, outsider)
    expect(outcome(await post(owner, 'member/remove', { memberIdOrEmail: memberId }))).toEqual([400, 'MEMBER_NOT_FOUND'])
    expect(outcome(await post(owner, 'member/update-role', { memberId, role: 'member' }))).toEqual([400, 'MEMBER_NOT_FOUND'])
    expect(outcome(await post(owner, 'member/remove', { memberIdOrEmail: outsider.person.email }))).toEqual([
      400,
      'MEMBER_NOT_FOUND',
    ])
    expect(await roleOf(app, theirs, outsider)).toBe('owner')
  })

  test('removing or demoting a member cancels the invitations that exceed their new role', async () => {
    const second = await app.signedIn()
    await post(owner, 'member/add', { userId: second.userId, role: 'admin' })
    await post(second, 'accept-membership', {})
    await post(owner, 'member/update-role', { memberId: await memberIdOf(app, id, second), role: 'owner' })
    await app.db.member.updateMany({ where: { userId: second.userId }, data: { heldUntil: null } })
    const [high, low] = [app.person().email, app.person().email]
    await post(second, 'invite-member', { email: high, role: 'owner' })
    await post(second, 'invite-member', { email: low, role: 'member' })
    const statuses = async () =>
      (await app.db.invitation.findMany({ where: { organizationId: id }, orderBy: { createdAt: 'asc' } })).map(
        ({ status }) => status,
      )
    await post(owner, 'member/update-role', { memberId: await memberIdOf(app, id, second), role: 'admin' })
    expect(await statuses()).toEqual(['canceled', 'pending'])
    await post(owner, 'member/remove', { memberIdOrEmail: second.person.email })
    expect(await statuses()).toEqual(['canceled', 'canceled'])
    // The audit event belongs to the user who sent the invitation.
    expect(await app.db.auditEvent.findMany({ where: { organizationId: id, action: 'cancel-invitation' } })).toMatchObject([
      { userId: second.userId, actorId: owner.userId },
      { userId: second.userId, actorId: owner.userId },
    ])
  })
})

describe('member/update-role', () => {
  test('sets the role once, with the actor on record', async () => {
    const memberId = await memberIdOf(app, id, member)
    for (let round = 0; round < 2; round += 1)
      expect((await post(owner, 'member/update-role', { memberId, role: 'admin' })).body).toMatchObject({
        id: memberId,
        role: 'admin',
      })
    expect(await app.db.auditEvent.findMany({ where: { organizationId: id } })).toMatchObject([
      { userId: member.userId, actorId: owner.userId, action: 'update-member-role', details: { from: 'member', to: 'admin' } },
    ])
    expect((await post(owner, 'member/update-role', { memberId, role: 'wizard' })).code).toBe('ROLE_NOT_FOUND')
  })
})

describe('leave', () => {
  test('ends the membership and returns it', async () => {
    await member.post('/auth/organization/set-active', { organizationId: id })
    expect((await post(member, 'leave', {})).body).toMatchObject({
      organizationId: id,
      role: 'member',
      user: { id: member.userId, email: member.person.email },
    })
    expect([await roleOf(app, id, member), await activeOrganizationOf(member)]).toEqual([null, null])
    expect((await post(member, 'leave', {})).code).toBe('ORGANIZATION_NOT_FOUND')
  })
})

describe('list-members', () => {
  const list = async (query: string) => (await owner.get(`/auth/organization/list-members?organizationId=${id}&${query}`)).body
  test('sorts, filters and pages, with the total number', async () => {
    const rolesOf = (body: unknown) => (body as { members: { role: string }[] }).members.map(({ role }) => role)
    expect(rolesOf(await list('sortBy=role&sortDirection=desc'))).toEqual(['owner', 'member', 'admin'])
    expect(await list('sortBy=role&limit=1&offset=1')).toMatchObject({ members: [{ role: 'member' }], total: 3 })
    expect(await list('filterField=role&filterValue=admin')).toMatchObject({
      members: [{ user: { id: admin.userId } }],
      total: 1,
    })
    expect(await list('filterField=role&filterValue=admin&filterOperator=ne')).toMatchObject({ total: 2 })
    const memberId = await memberIdOf(app, id, admin)
    for (const filter of [`filterField=id&filterValue=${memberId}`, `filterField=userId&filterValue=${admin.userId}`])
      expect(await list(filter)).toMatchObject({ members: [{ id: memberId, userId: admin.userId }], total: 1 })
  })

  test('filters by any date that the database knows', async () => {
    const filter = (date: string, operator: string) =>
      list(`filterField=createdAt&filterOperator=${operator}&filterValue=${encodeURIComponent(date)}`)
    expect(await filter('0001-01-01T00:00:00Z', 'gt')).toMatchObject({ total: 3 })
    expect(await filter('9999-12-31T23:59:59-23:59', 'lt')).toMatchObject({ total: 3 })
    for (const date of ['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+00:01', '2026-02-30T00:00:00Z', 'yesterday'])
      expect([date, await filter(date, 'gt')]).toMatchObject([date, { code: 'VALIDATION_ERROR' }])
  })

  test('refuses other columns and more than a hundred rows', async () => {
    for (const query of ['sortBy=user', 'filterField=user.email&filterValue=x', 'limit=101', 'offset=-1', 'filterOperator=like'])
      expect([query, await list(query)]).toMatchObject([query, { code: 'VALIDATION_ERROR' }])
  })
})

describe('the active member', () => {
  test('is the caller in the active organization, and the role can be that of another member', async () => {
    const get = (path: string) => admin.get(`/auth/organization/${path}`)
    for (const path of ['get-active-member', 'get-active-member-role', 'list-members', 'list-invitations'])
      expect(outcome(await get(path))).toEqual([400, 'NO_ACTIVE_ORGANIZATION'])
    await admin.post('/auth/organization/set-active', { organizationId: id })
    expect((await get('get-active-member')).body).toMatchObject({ role: 'admin', user: { id: admin.userId } })
    expect((await get('get-active-member-role')).body).toEqual({ role: 'admin' })
    expect((await get(`get-active-member-role?userId=${member.userId}`)).body).toEqual({ role: 'member' })
    expect((await get(`get-active-member-role?userId=${outsider.userId}`)).code).toBe('MEMBER_NOT_FOUND')
  })
})
