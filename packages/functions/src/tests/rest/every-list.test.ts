import { adminOf } from '@floorpass/testing/admin-command'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { everyProvider } from '@floorpass/testing/route-samples'
import { beforeAll, expect, test } from 'vitest'

const app = await createTestApp(everyProvider)
const tab = await app.signedIn()
const { userId } = tab
const { id: organizationId } = await found(tab)

/** Neither in the order of their ids nor the other way round. The third and the fourth row have the same time. */
const times = [3, 1, 2, 2].map((hours) => new Date(Date.now() - hours * 3_600_000))
const rows = <Row>(row: (n: number, createdAt: Date) => Row): Row[] => times.map((time, n) => row(n, time))
const expiresAt = new Date(Date.now() + 1e9)
const reasons = ['change-factor', 'remove-passkey', 'new-passkey', 'password']

beforeAll(async () => {
  const { db } = app
  // The ids fall while the rows are added.
  const id = (n: number) => `${9 - n}-of-${userId}`
  for (const [n, createdAt] of times.entries()) {
    const member = await app.signedIn()
    await db.member.create({ data: { id: id(n), organizationId, userId: member.userId, role: 'member', slot: 1, createdAt } })
    const members = { create: { id: `other-${id(n)}`, userId, role: 'owner', slot: n + 2, createdAt } }
    await db.organization.create({ data: { name: 'Desk', slug: `desk-${n}-${userId}`, createdAt, members } })
  }
  await db.invitation.createMany({
    data: rows((n, createdAt) => ({
      id: id(n),
      organizationId,
      email: `${n}@example.test`,
      role: 'member',
      secretHash: id(n),
      inviterId: userId,
      createdAt,
      expiresAt,
    })),
  })
  await db.invitation.createMany({
    data: (await db.member.findMany({ where: { userId, organizationId: { not: organizationId } } })).map((member, n) => ({
      organizationId: member.organizationId,
      email: tab.person.email,
      role: 'member',
      secretHash: `own ${n}`,
      inviterId: userId,
      createdAt: times[n] ?? expiresAt,
      expiresAt,
    })),
  })
  const model = { userId, publicKey: new Uint8Array(1), isSyncable: false, backedUp: false, aaguid: '' }
  await db.passkey.createMany({
    data: rows((n, createdAt) => ({ ...model, id: id(n), name: `Key ${n}`, credentialId: id(n), createdAt })),
  })
  await db.trustedDevice.createMany({
    data: rows((n, time) => ({ userId, secretHash: id(n), createdAt: new Date(+time + n), expiresAt })),
  })
  await db.session.createMany({
    data: rows((n, time) => ({ id: id(n), userId, createdAt: new Date(+time + n), lastSeenAt: time, expiresAt })),
  })
  await db.apiKey.createMany({
    data: rows((n, createdAt) => ({ id: id(n), userId, name: 'Bot', secretHash: id(n), scopes: ['order:read'], createdAt })),
  })
  await db.allowListEntry.createMany({
    data: rows((n, createdAt) => ({ id: id(n), userId, kind: 'bitcoin', value: id(n), createdAt, usableFrom: createdAt })),
  })
  await db.account.createMany({
    data: ['github', 'google'].map((providerId, n) => ({
      userId,
      providerId,
      accountId: id(n),
      createdAt: times[n] ?? expiresAt,
    })),
  })
  await db.auditEvent.createMany({
    data: rows((n, createdAt) => ({ userId, organizationId, action: 'update-organization', details: { n }, createdAt })),
  })
  await db.user.updateMany({ where: { id: { not: userId } }, data: { role: 'support' } })
  await db.webhook.createMany({
    data: rows((n, createdAt) => ({
      id: id(n),
      url: 'https://hooks.example.test',
      contact: '',
      keysSealed: '',
      createdBy: '',
      createdAt,
    })),
  })
  for (const [n, createdAt] of times.entries()) {
    const secrets = { create: rows((m, time) => ({ secretHash: `${id(n)} ${m}`, createdAt: new Date(+time + m) })) }
    await db.service.create({ data: { name: `desk-${9 - n}`, createdBy: '', createdAt, secrets } })
  }
  await db.hold.createMany({
    data: rows((n, time) => ({ userId, reason: reasons[n] ?? '', startedAt: new Date(+time + n), endsAt: expiresAt })),
  })
  await db.confirmation.createMany({
    data: rows((n, createdAt) => ({
      id: id(n),
      userId,
      sessionHandle: 'one',
      type: 'withdrawal',
      canonical: JSON.stringify({ authorization_details: [{ type: 'withdrawal' }], sub: userId }),
      audience: app.baseUrl,
      createdAt,
      expiresAt,
    })),
  })
})

/** Writes the rows of every table in the opposite order. Without ORDER BY, an answer then turns round too. */
async function turnTables(): Promise<void> {
  const columns = await app.db.$queryRaw<{ table: string; names: string }[]>`
    SELECT quote_ident(relname) AS table, string_agg(quote_ident(attname), ', ') AS names
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition GROUP BY relname`
  await app.db.$transaction(async (tx) => {
    // Without triggers and foreign keys.
    await tx.$executeRawUnsafe(`SET LOCAL session_replication_role = replica`)
    for (const { table, names } of columns) {
      await tx.$executeRawUnsafe(
        `CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT *, row_number() OVER () AS place FROM ${table}`,
      )
      await tx.$executeRawUnsafe(`DELETE FROM ${table}`)
      await tx.$executeRawUnsafe(
        `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM moved ORDER BY place DESC`,
      )
      await tx.$executeRawUnsafe('DROP TABLE moved')
    }
  })
}

const lists = [
  '/organization/list',
  `/organization/get-full-organization?organizationId=${organizationId}`,
  `/organization/list-members?organizationId=${organizationId}`,
  `/organization/list-members?organizationId=${organizationId}&sortBy=role`,
  `/organization/list-invitations?organizationId=${organizationId}`,
  `/organization/list-activity?organizationId=${organizationId}`,
  '/organization/list-user-invitations',
  '/passkey/list-user-passkeys',
  '/two-factor/list-trusted-devices',
  '/list-sessions',
  '/list-user-accounts',
  '/list-activity',
  '/allow-list/list',
  '/api-key/list',
  '/protection/get',
  '/export-data',
]
const commands = [
  ['find', 'ada'],
  ['show', userId],
  ['sessions', userId],
  ['audit', '--user', userId],
  ['find-organization', 'desk'],
  ['show-organization', organizationId],
  ['list-administrators'],
  ['list-services'],
  ['list-webhooks'],
]

test.each([
  ...lists.map((path): [string, () => Promise<unknown>] => [path, async () => (await tab.get(`/auth${path}`)).body]),
  ...commands.map((words): [string, () => Promise<unknown>] => [
    words.join(' '),
    async () => {
      const { json, stderr } = await adminOf(app)(...words, '--json')
      expect(stderr).toBe('')
      return json
    },
  ]),
])('%s keeps its order whatever the order of the rows on disk', async (_, read) => {
  // The times of the read itself, and the entry that an export writes.
  const toComparable = (body: unknown) =>
    JSON.stringify(body).replace(/"(?:exportedAt|lastSeenAt)":"[^"]*"|\{"id":"[^"]*","action":"export-data".*?\},/g, '')
  const before = toComparable(await read())
  expect(before).toMatch(/\},\{/)
  await turnTables()
  expect(toComparable(await read())).toBe(before)
})

test('members are listed from the oldest, and invitations from the newest', async () => {
  const { body } = await tab.get(`/auth/organization/get-full-organization?organizationId=${organizationId}`)
  const { members, invitations } = body as Record<'members' | 'invitations', { createdAt: string }[]>
  const timesOf = (listed: { createdAt: string }[]) => listed.map(({ createdAt }) => createdAt)
  expect(timesOf(members)).toEqual(timesOf(members).toSorted())
  expect(timesOf(invitations)).toEqual(timesOf(invitations).toSorted().toReversed())
})
