import { makeAdministrator } from '@floorpass/testing/administrators'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { createAuthClient } from 'better-auth/client'
import { adminClient } from 'better-auth/client/plugins'
import { expect, test } from 'vitest'

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

test('a ban without a reason, or with an end, is refused and not half done', async () => {
  const { admin } = await administratorClient()
  const { userId } = await app.signedIn()
  for (const fields of [{ userId }, { userId, banReason: 'a stolen card was used', banExpiresIn: 60 }])
    expect((await admin.banUser(fields)).error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  expect(await app.db.user.findUnique({ where: { id: userId } })).toMatchObject({ suspendedAt: null })
})
