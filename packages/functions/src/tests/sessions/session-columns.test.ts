import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()

/** What every column of a session promises. A new column needs a row here, and then the tests below hold it to it. */
const promises: Record<string, { keptBy: ('new token' | 'new sign-in')[]; exportedAs: string[] }> = {
  id: { keptBy: [], exportedAs: [] },
  handle: { keptBy: [], exportedAs: ['id', 'token'] },
  user_id: { keptBy: ['new token', 'new sign-in'], exportedAs: ['userId'] },
  expires_at: { keptBy: [], exportedAs: ['expiresAt'] },
  created_at: { keptBy: ['new token'], exportedAs: ['createdAt'] },
  updated_at: { keptBy: [], exportedAs: ['updatedAt'] },
  ip_address: { keptBy: [], exportedAs: ['ipAddress'] },
  user_agent: { keptBy: [], exportedAs: ['userAgent', 'browser', 'os', 'device'] },
  active_organization_id: { keptBy: ['new token', 'new sign-in'], exportedAs: ['activeOrganizationId'] },
  nickname: { keptBy: ['new token', 'new sign-in'], exportedAs: ['nickname'] },
  remember: { keptBy: ['new token', 'new sign-in'], exportedAs: [] },
  trusted_device_id: { keptBy: ['new token'], exportedAs: ['trusted'] },
  authentication_methods: { keptBy: ['new token', 'new sign-in'], exportedAs: [] },
  second_factor_at: { keptBy: ['new token', 'new sign-in'], exportedAs: [] },
  passkey_at: { keptBy: ['new token', 'new sign-in'], exportedAs: [] },
  authenticated_at: { keptBy: [], exportedAs: [] },
  impersonated_by: { keptBy: ['new token', 'new sign-in'], exportedAs: ['impersonatedBy'] },
  impersonated_from: { keptBy: ['new token', 'new sign-in'], exportedAs: [] },
  last_seen_at: { keptBy: [], exportedAs: ['lastSeenAt'] },
}

type Row = Record<string, unknown>
const readSession = async (userId: string): Promise<Row> => {
  const [row = {}] = await app.db.$queryRaw<Row[]>`SELECT * FROM sessions WHERE user_id = ${userId}`
  return row
}

/** Signs in and gives every column of the session a value that no default has. */
async function signInWithFullSession() {
  const tab = await app.signedIn()
  const { userId } = tab
  const { body } = await tab.post('/auth/organization/create', { name: 'Desk', slug: userId })
  const device = await app.db.trustedDevice.create({
    data: { userId, secretHash: userId, expiresAt: new Date(Date.now() + 3_600_000) },
  })
  const columns = await app.db.$queryRaw<{ name: string; type: string }[]>`
    SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_name = 'sessions' AND table_schema = current_schema()`
  const filled: Record<string, string> = {
    active_organization_id: `'${(body as { id: string }).id}'`,
    trusted_device_id: `'${device.id}'`,
    created_at: 'created_at',
    second_factor_at: 'created_at',
    passkey_at: 'created_at',
    // Such a session cannot be renewed: administration/impersonation.test.ts.
    impersonated_by: 'NULL',
    impersonated_from: 'NULL',
  }
  const byType: Record<string, string> = { text: `'filled'`, boolean: 'false', integer: '7' }
  const settable = columns.filter(({ name }) => !['id', 'handle', 'user_id'].includes(name))
  const assignments = settable.map(({ name, type }) => `${name} = ${filled[name] ?? byType[type] ?? name}`)
  await app.db.$executeRawUnsafe(`UPDATE sessions SET ${assignments.join(', ')} WHERE user_id = '${userId}'`)
  return { tab, columns: columns.map(({ name }) => name), before: await readSession(userId) }
}

test('every column of a session says which renewals keep it and how the export names it', async () => {
  const { columns } = await signInWithFullSession()
  expect(Object.keys(promises).sort()).toEqual(columns.sort())
})

test.each([
  ['new token', '/reauthenticate'],
  ['new sign-in', '/change-password'],
] as const)('a %s keeps the promised columns: %s', async (renewal, path) => {
  const { tab, before } = await signInWithFullSession()
  const { password } = tab.person
  const body = path === '/reauthenticate' ? { password } : { currentPassword: password, newPassword: 'violet harbor ladder' }
  expect((await tab.post(`/auth${path}`, body)).status).toBe(200)
  const after = await readSession(tab.userId)
  const kept = Object.keys(promises).filter((name) => promises[name]?.keptBy.includes(renewal))
  expect(pick(after, kept)).toEqual(pick(before, kept))
})

test('the export has the promised fields and no other', async () => {
  const { tab } = await signInWithFullSession()
  const { sessions } = (await tab.get('/auth/export-data')).body as { sessions: Row[] }
  const fields = Object.values(promises).flatMap(({ exportedAs }) => exportedAs)
  expect(Object.keys(sessions[0] ?? {}).sort()).toEqual(fields.sort())
})

const pick = (row: Row, names: string[]): Row => Object.fromEntries(names.map((name) => [name, row[name]]))
