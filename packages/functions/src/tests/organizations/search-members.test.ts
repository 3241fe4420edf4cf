import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble } from '@floorpass/testing/organization'
import { expect, test } from 'vitest'

const app = await createTestApp()
const [ada, grace, percent, outsider] = [
  await app.signedIn({ ...app.person(), name: 'Ada Lovelace', email: 'ada.lovelace@example.test' }),
  await app.signedIn({ ...app.person(), name: 'Grace Hopper', email: 'hopper@navy.example.test' }),
  await app.signedIn({ ...app.person(), name: '100% Éloïse_', email: 'eloise@example.test' }),
  await app.signedIn({ ...app.person(), name: 'Ada Outsider', email: 'ada.outsider@example.test' }),
]
const { id } = await assemble(app, [
  [ada, 'owner'],
  [grace, 'admin'],
  [percent, 'member'],
])
const { id: another } = await assemble(app, [[outsider, 'owner']])

const find = (tab: typeof ada, query: Record<string, string>) =>
  tab.get(`/auth/organization/list-members?${new URLSearchParams({ organizationId: id, ...query })}`)
const names = async (query: Record<string, string>) => {
  const { members, total } = (await find(ada, query)).body as { members: { user: { name: string } }[]; total: number }
  return [members.map(({ user }) => user.name), total]
}

test('finds members by a part of the name or email, in any case', async () => {
  expect(await names({ search: 'aDA' })).toEqual([['Ada Lovelace'], 1])
  expect(await names({ search: ' navy.EXAMPLE ' })).toEqual([['Grace Hopper'], 1])
  expect(await names({ search: 'example.test', limit: '2' })).toEqual([['Ada Lovelace', 'Grace Hopper'], 3])
  expect(await names({ search: 'example.test', limit: '2', offset: '2' })).toEqual([['100% Éloïse_'], 3])
  expect(await names({ search: 'nothing' })).toEqual([[], 0])
})

test('combines the search with a role', async () => {
  expect(await names({ search: 'example', filterField: 'role', filterValue: 'admin' })).toEqual([['Grace Hopper'], 1])
})

test('takes several values of a filter', async () => {
  const query = `organizationId=${id}&filterField=role&filterOperator=in&filterValue=owner&filterValue=admin`
  const { body } = await ada.get(`/auth/organization/list-members?${query}`)
  expect((body as { members: { role: string }[] }).members.map(({ role }) => role)).toEqual(['owner', 'admin'])
})

test.each(['%', '_', '100%', 'loïse_'])('takes %s literally', async (search) => {
  expect(await names({ search })).toEqual([['100% Éloïse_'], 1])
})

test.each(['%', '_', '\\', 'adm_n', 'a%n'])('takes %s literally in a filter', async (filterValue) => {
  for (const filterOperator of ['contains', 'starts_with', 'ends_with'])
    expect(await names({ filterField: 'role', filterOperator, filterValue })).toEqual([[], 0])
})

test('refuses an empty or endless search, and outsiders', async () => {
  for (const search of ['', ' ', 'x'.repeat(400)]) expect(outcome(await find(ada, { search }))).toEqual([400, 'VALIDATION_ERROR'])
  expect(outcome(await find(outsider, { search: 'ada' }))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
})

test('reads members from an index of their organization', async () => {
  const plan = await app.db.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL enable_seqscan = off`
    return tx.$queryRaw<{ 'QUERY PLAN': string }[]>`
      EXPLAIN SELECT m.* FROM members m JOIN users u ON u.id = m.user_id
      WHERE m.organization_id = 'desk' AND (u.name ILIKE '%ada%' OR u.email ILIKE '%ada%')
      ORDER BY m.created_at, m.id LIMIT 20`
  })
  const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
  expect(lines).toContain('members_organization_id_user_id_key')
  expect(lines).toContain('users_pkey')
})

test('lists invitations of one status, and none of another organization', async () => {
  const invite = async (email: string) =>
    (await ada.post('/auth/organization/invite-member', { organizationId: id, email, role: 'member' })).body as { id: string }
  const [open, canceled] = [await invite('one@example.test'), await invite('two@example.test')]
  await ada.post('/auth/organization/cancel-invitation', { invitationId: canceled.id })
  const elsewhere = { organizationId: another, email: 'three@example.test', role: 'member' }
  expect((await outsider.post('/auth/organization/invite-member', elsewhere)).status).toBe(200)
  const list = async (query: string) =>
    (await ada.get(`/auth/organization/list-invitations?organizationId=${id}${query}`)).body as { id: string }[]
  expect((await list('&status=pending')).map((invitation) => invitation.id)).toEqual([open.id])
  expect((await list('&status=canceled')).map((invitation) => invitation.id)).toEqual([canceled.id])
  expect(await list('')).toHaveLength(2)
  expect(await list('&status=lost')).toMatchObject({ code: 'VALIDATION_ERROR' })
})
