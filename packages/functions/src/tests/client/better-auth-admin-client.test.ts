import { makeAdministrator } from '@floorpass/testing/administrators'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { createAuthClient } from 'better-auth/client'
import { adminClient } from 'better-auth/client/plugins'
import { beforeEach, expect, test } from 'vitest'

const app = await createTestApp()

/** better-auth's own client with its plugin for administrators. */
async function administratorClient() {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab)
  const client = createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [adminClient()],
    fetchOptions: { customFetchImpl: tab.fetch },
  })
  return { tab, client, admin: client.admin }
}

test("better-auth's client for administrators completes the calls that have a route", async () => {
  const { tab, client, admin } = await administratorClient()
  const user = await app.signedIn()
  const { email } = user.person
  expect((await client.getSession()).data?.user.role).toBe('admin')
  const found = await admin.listUsers({
    query: { searchValue: email, searchField: 'email', searchOperator: 'contains', limit: 10 },
  })
  expect(found.error).toBeNull()
  expect(found.data).toMatchObject({
    total: 1,
    limit: 10,
    offset: 0,
    users: [{ id: user.userId, email, role: 'user', banned: false }],
  })
  expect(found.data?.users[0]?.createdAt).toBeInstanceOf(Date)
  expect((await admin.getUser({ query: { id: user.userId } })).data).toMatchObject({ id: user.userId, banned: false })
  const token = await handleOf(user)
  expect((await admin.listUserSessions({ userId: user.userId })).data).toMatchObject({
    sessions: [{ token, userId: user.userId }],
  })
  expect((await admin.revokeUserSession({ sessionToken: token })).data).toMatchObject({ success: true, revoked: 1 })
  expect((await admin.revokeUserSession({ sessionToken: token })).data).toMatchObject({ success: true, revoked: 0 })
  expect((await admin.revokeUserSessions({ userId: user.userId })).data).toMatchObject({ success: true })
  const banned = await admin.banUser({ userId: user.userId, banReason: 'a stolen card was used' })
  expect(banned.data).toMatchObject({ user: { id: user.userId, banned: true } })
  expect((await admin.hasPermission({ permissions: { user: ['list', 'ban'] } })).data).toEqual({ error: null, success: true })
  expect((await admin.banUser({ userId: tab.userId, banReason: 'a stolen card was used' })).error).toMatchObject({
    status: 400,
    code: 'YOU_CANNOT_BAN_YOURSELF',
  })
})

beforeEach(async () => void (await app.db.user.updateMany({ data: { role: null } })))

test("better-auth's client creates, changes, suspends, restores and deletes users", async () => {
  const { client, admin } = await administratorClient()
  const created = await admin.createUser({
    email: 'grace@client.example',
    name: 'Grace',
    password: 'velvet harbor anchor 9',
    role: 'user',
  })
  expect(created.data).toMatchObject({ user: { email: 'grace@client.example', role: 'user', banned: false } })
  const userId = String(created.data?.user.id)
  const updated = await admin.updateUser({ userId, data: { name: 'Grace Hopper' } })
  expect(updated.data).toMatchObject({ id: userId, name: 'Grace Hopper' })
  expect((await admin.setUserPassword({ userId, newPassword: 'cobalt lantern river 4' })).data).toEqual({ status: true })
  const banned = await admin.banUser({ userId, banReason: 'a stolen card was used', banExpiresIn: 3600 })
  expect(banned.data).toMatchObject({ user: { banned: true, banExpires: expect.any(Date) } })
  expect((await admin.unbanUser({ userId })).data).toMatchObject({ user: { banned: false, banExpires: null } })
  await app.db.user.update({ where: { id: userId }, data: { twoFactorEnabled: true, emailVerified: true } })
  // The client's types know the roles `user` and `admin`.
  expect((await admin.setRole({ userId, role: 'support' as 'admin' })).data).toMatchObject({ user: { role: 'support' } })
  expect((await admin.setRole({ userId, role: 'user' })).data).toMatchObject({ user: { role: 'user' } })
  expect((await admin.removeUser({ userId })).data).toEqual({ success: true })
  expect((await client.admin.getUser({ query: { id: userId } })).error).toMatchObject({ code: 'USER_NOT_FOUND' })
})

test('an act that needs a second administrator answers 409 to the first', async () => {
  const [one, two] = [await administratorClient(), await administratorClient()]
  const { userId } = await app.signedIn()
  expect((await one.admin.removeUser({ userId })).error).toMatchObject({ status: 409, code: 'APPROVAL_REQUIRED' })
  expect((await two.admin.removeUser({ userId })).data).toEqual({ success: true })
})

test('a ban without a reason, or for less than a minute, is refused and not half done', async () => {
  const { admin } = await administratorClient()
  const { userId } = await app.signedIn()
  for (const fields of [{ userId }, { userId, banReason: 'a stolen card was used', banExpiresIn: 59 }])
    expect((await admin.banUser(fields)).error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  expect(await app.db.user.findUnique({ where: { id: userId } })).toMatchObject({ suspendedAt: null })
})

test("better-auth's client for administrators opens an account with a reason, and returns to its own session", async () => {
  const { tab, client, admin } = await administratorClient()
  const user = await app.signedIn()
  const { userId } = user
  expect((await admin.impersonateUser({ userId })).error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  // Its types know no reason.
  const withReason = { userId, reason: 'asked in ticket 4711' } as { userId: string }
  const opened = await admin.impersonateUser(withReason)
  expect(opened.data).toMatchObject({ session: { userId, impersonatedBy: tab.userId }, user: { id: userId } })
  expect((await client.getSession()).data?.session).toMatchObject({ userId, impersonatedBy: tab.userId })
  expect((await client.listSessions()).data).toHaveLength(2)
  expect((await client.updateUser({ name: 'Grace' })).error).toMatchObject({ status: 403, code: 'IMPERSONATION_READ_ONLY' })
  const stopped = await admin.stopImpersonating()
  expect(stopped.data).toMatchObject({ session: { userId: tab.userId, impersonatedBy: null }, user: { id: tab.userId } })
  expect((await client.getSession()).data?.user.role).toBe('admin')
  expect((await admin.stopImpersonating()).error).toMatchObject({ status: 400, code: 'NOT_IMPERSONATING' })
})
