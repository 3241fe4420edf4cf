import { outcome } from '@floorpass/testing/browser'
import { activeOrganizationOf, assemble, memberIdOf, roleOf } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'
import { app, differs } from './suite.ts'

type Tab = Awaited<ReturnType<typeof app.signedIn>>
const call = (tab: Tab, path: string, body: object = {}) => tab.post(`/auth/organization/${path}`, body)

const [owner, admin, member] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
/** A new organization of these three. */
const assembleAll = () => assembleWith()
async function assembleWith(...more: Tab[]) {
  await app.db.member.deleteMany({ where: { userId: { in: [owner.userId, admin.userId, member.userId] } } })
  return assemble(app, [[owner, 'owner'], [admin, 'admin'], [member, 'member'], ...more.map((tab) => [tab, 'owner'] as const)])
}
const setRole = async (tab: Tab, organizationId: string, of: Tab, role: unknown) =>
  call(tab, 'update-member-role', { organizationId, memberId: await memberIdOf(app, organizationId, of), role })

describe('the list of members (routes/crud-members)', async () => {
  const [head, outsider] = [await app.signedIn(), await app.signedIn()]
  const people = await Promise.all(Array.from({ length: 4 }, () => app.signedIn()))
  const desk = await assemble(app, [[head, 'owner'], ...people.map((tab) => [tab, 'member'] as const)])
  const single = await assemble(app, [[head, 'owner']])
  await call(head, 'set-active', { organizationId: desk.id })
  const list = async (query: string) => {
    const { body } = await head.get(`/auth/organization/list-members?${query}`)
    const { members, total } = body as { members: { id: string; role: string }[]; total: number }
    return { members, total, count: members.length }
  }
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString()

  test.each([
    ['of the active organization', '', 5, 5],
    ['of the organization with a slug', `organizationSlug=${single.slug}`, 1, 1],
    ['of the organization with an id', `organizationId=${single.id}`, 1, 1],
    ['up to a limit', 'limit=2', 2, 5],
    ['from an offset', 'offset=2', 3, 5],
    ['since a date', `filterField=createdAt&filterOperator=gt&filterValue=${since}`, 5, 5],
    ['without a role', 'filterField=role&filterOperator=ne&filterValue=owner', 4, 4],
    ['with one of two roles', 'filterField=role&filterOperator=in&filterValue=member&filterValue=owner', 5, 5],
    ['with none of the roles', 'filterField=role&filterOperator=not_in&filterValue=owner', 4, 4],
    ['with the beginning of a role', 'filterField=role&filterOperator=starts_with&filterValue=mem', 4, 4],
  ])('is read %s', async (_, query, count, total) => {
    expect(await list(query)).toMatchObject({ count, total })
  })

  test('is sorted by date', async () => {
    const [, oldest, newest] = (await list('')).members
    const move = (id = '', days: number) =>
      app.db.member.update({ where: { id }, data: { createdAt: new Date(Date.now() + days * 86_400_000) } })
    await Promise.all([move(oldest?.id, -20), move(newest?.id, 20)])
    const { members } = await list('sortBy=createdAt&sortDirection=asc')
    expect([members[0]?.id, members.at(-1)?.id]).toEqual([oldest?.id, newest?.id])
  })

  test('tells the own role and that of another member', async () => {
    const roleBy = async (query: string) => (await head.get(`/auth/organization/get-active-member-role?${query}`)).body
    expect([await roleBy(''), await roleBy(`userId=${people[0]?.userId}`)]).toEqual([{ role: 'owner' }, { role: 'member' }])
    expect((await head.get('/auth/organization/get-active-member')).body).toMatchObject({ role: 'owner', userId: head.userId })
    expect(await activeOrganizationOf(outsider)).toBeNull()
  })
})

describe('the role of a member (routes/crud-members, organization)', () => {
  test('is changed by an owner', async () => {
    const { id } = await assembleAll()
    expect((await setRole(owner, id, member, 'admin')).body).toMatchObject({ role: 'admin' })
    expect((await setRole(owner, id, member, ['member'])).body).toMatchObject({ role: 'member' })
  })

  test('of an owner is not changed by an administrator', async () => {
    const { id } = await assembleAll()
    expect(outcome(await setRole(admin, id, owner, 'admin'))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'])
  })

  test('is given up by an owner while another one is left', async () => {
    const other = await app.signedIn()
    const { id } = await assembleWith(other)
    await app.db.member.updateMany({ where: { organizationId: id }, data: { acceptedAt: new Date() } })
    expect((await setRole(owner, id, owner, 'member')).body).toMatchObject({ role: 'member' })
    expect(outcome(await setRole(other, id, other, 'member'))).toEqual([
      400,
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER',
    ])
  })

  test.each(['superadmin', ',', []])('is never %j', async (role) => {
    const { id } = await assembleAll()
    expect((await setRole(owner, id, member, role)).status).toBe(400)
    expect(await roleOf(app, id, member)).toBe('member')
  })

  const several = 'Several roles for one member'
  differs(several, 'is never a list of two', async () => {
    const { id } = await assembleAll()
    expect(outcome(await setRole(owner, id, member, ['member', 'admin']))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await setRole(owner, id, owner, ['owner', 'admin']))).toEqual([400, 'VALIDATION_ERROR'])
  })
  differs(several, 'is not found when an administrator names two in one text', async () => {
    const { id } = await assembleAll()
    expect(outcome(await setRole(admin, id, admin, 'admin,owner'))).toEqual([400, 'ROLE_NOT_FOUND'])
    expect(await roleOf(app, id, admin)).toBe('admin')
  })
})

test('a membership is one of a hundred at most (organization)', async () => {
  const { id } = await assembleAll()
  const people = Array.from({ length: 97 }, (_, index) => ({
    id: `crowd-${index}`,
    name: 'Crowd',
    email: `crowd-${index}@example.test`,
  }))
  await app.db.user.createMany({ data: people })
  await app.db.member.createMany({ data: people.map((one) => ({ organizationId: id, userId: one.id, role: 'member', slot: 1 })) })
  const { userId } = await app.signedIn()
  const answer = await call(owner, 'add-member', { organizationId: id, userId, role: 'member' })
  expect(outcome(answer)).toEqual([403, 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED'])
})

describe('ending a membership (organization)', () => {
  test('is chosen by the member', async () => {
    const { id } = await assembleAll()
    expect((await call(member, 'leave', { organizationId: id })).body).toMatchObject({ userId: member.userId })
    expect(await roleOf(app, id, member)).toBeNull()
  })

  test('is chosen by an owner, by the email of the member', async () => {
    const { id } = await assembleAll()
    const answer = await call(owner, 'remove-member', { organizationId: id, memberIdOrEmail: admin.person.email })
    expect([answer.status, await roleOf(app, id, admin)]).toEqual([200, null])
  })

  test('never leaves the organization without an owner', async () => {
    const { id } = await assembleAll()
    const memberIdOrEmail = await memberIdOf(app, id, owner)
    const answers = [
      await call(owner, 'remove-member', { organizationId: id, memberIdOrEmail }),
      await call(owner, 'leave', { organizationId: id }),
    ]
    for (const answer of answers) expect(outcome(answer)).toEqual([400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
  })

  test('needs a session', async () => {
    const answer = await app.browser().post('/auth/organization/remove-member', { memberIdOrEmail: 'x' })
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED'])
  })
})

differs('May `member/add` add a person unasked', 'offers add-member, to members only', async () => {
  const { id } = await assembleAll()
  const body = { userId: (await app.signedIn()).userId, role: 'owner', organizationId: id }
  expect(outcome(await app.browser().post('/auth/organization/add-member', body))).toEqual([401, 'UNAUTHORIZED'])
  expect(outcome(await call(await app.signedIn(), 'add-member', body))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
  expect(outcome(await call(member, 'add-member', body))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'])
})
