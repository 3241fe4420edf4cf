import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, memberIdOf, roleOf } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const refused = [403, 'SESSION_NOT_FRESH']
const allowed = [200, undefined]

/** Creates two owners, an admin, a member and an outsider. Unless `recent`, the first owner signed in over 15 minutes ago. */
async function team({ recent = false } = {}) {
  const [owner, partner, admin, member, outsider] = await Promise.all(Array.from({ length: 5 }, () => app.signedIn()))
  if (!owner || !partner || !admin || !member || !outsider) throw new Error('five people signed in')
  const { id: organizationId } = await assemble(app, [
    [owner, 'owner'],
    [partner, 'owner'],
    [admin, 'admin'],
    [member, 'member'],
  ])
  if (!recent) {
    const createdAt = new Date(Date.now() - 15 * 60_000 - 1000)
    await app.db.session.updateMany({ where: { userId: owner.userId }, data: { createdAt } })
  }
  const idOf = (person: typeof owner) => memberIdOf(app, organizationId, person)
  const rows = async () => ({
    organization: await app.db.organization.findUnique({ where: { id: organizationId } }),
    members: await app.db.member.findMany({ where: { organizationId }, orderBy: { id: 'asc' } }),
    invitations: await app.db.invitation.count({ where: { organizationId } }),
  })
  const post = async (path: string, body: object) =>
    outcome(await owner.post(`/auth/organization/${path}`, { organizationId, ...body }))
  const changeEmail = async () => {
    const { email: newEmail } = app.person()
    await owner.post('/auth/change-email', { newEmail })
    await app.drainMail()
    expect((await owner.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })).status).toBe(200)
  }
  return { owner, partner, admin, member, outsider, organizationId, idOf, rows, post, changeEmail }
}
type Team = Awaited<ReturnType<typeof team>>
type Act = [string, string, (given: Team) => Promise<object>]

const sensitive: Act[] = [
  ['deletes the organization', 'delete', async () => ({})],
  [
    'makes a member an owner',
    'member/update-role',
    async ({ idOf, member }) => ({ memberId: await idOf(member), role: 'owner' }),
  ],
  [
    'makes an owner a member',
    'member/update-role',
    async ({ idOf, partner }) => ({ memberId: await idOf(partner), role: 'member' }),
  ],
  ['makes itself a member', 'member/update-role', async ({ idOf, owner }) => ({ memberId: await idOf(owner), role: 'member' })],
  ['removes an owner', 'member/remove', async ({ idOf, partner }) => ({ memberIdOrEmail: await idOf(partner) })],
  ['removes an owner by address', 'member/remove', async ({ partner }) => ({ memberIdOrEmail: partner.person.email })],
  ['invites an owner', 'invite-member', async () => ({ email: app.person().email, role: 'owner' })],
  ['leaves as an owner', 'leave', async () => ({})],
]

describe('an owner whose sign-in is older than 15 minutes', () => {
  test.each(sensitive)('%s: refused, and nothing changes', async (_, path, body) => {
    const given = await team()
    const before = await given.rows()
    expect(await given.post(path, await body(given))).toEqual(refused)
    expect(await given.rows()).toEqual(before)
  })

  test.each<Act>([
    ['adds a member', 'member/add', async ({ outsider }) => ({ userId: outsider.userId, role: 'member' })],
    [
      'makes a member an admin',
      'member/update-role',
      async ({ idOf, member }) => ({ memberId: await idOf(member), role: 'admin' }),
    ],
    ['removes a member', 'member/remove', async ({ idOf, member }) => ({ memberIdOrEmail: await idOf(member) })],
    ['invites a member', 'invite-member', async () => ({ email: app.person().email, role: 'member' })],
    ['renames the organization', 'update', async () => ({ data: { name: 'Changed' } })],
  ])('%s: allowed', async (_, path, body) => {
    const given = await team()
    expect(await given.post(path, await body(given))).toEqual(allowed)
  })
})

test.each(sensitive)('an owner with a recent sign-in %s', async (_, path, body) => {
  const given = await team({ recent: true })
  expect(await given.post(path, await body(given))).toEqual(allowed)
})

test.each(sensitive)('an owner whose email changed recently %s: refused', async (_, path, body) => {
  const given = await team({ recent: true })
  await given.changeEmail()
  const before = await given.rows()
  expect(await given.post(path, await body(given))).toEqual([403, 'EMAIL_RECENTLY_CHANGED'])
  expect(await given.rows()).toEqual(before)
})

test('a member without the permission gets the same refusal, whatever the age of the sign-in', async () => {
  const { member, organizationId, idOf, partner } = await team()
  await app.db.session.updateMany({ where: { userId: member.userId }, data: { createdAt: new Date(Date.now() - 86_400_000) } })
  const answer = await member.post('/auth/organization/member/remove', { organizationId, memberIdOrEmail: await idOf(partner) })
  expect([answer.status, answer.code === 'SESSION_NOT_FRESH']).toEqual([403, false])
  expect(await roleOf(app, organizationId, partner)).toBe('owner')
})
