import { makeAdministrator } from '@floorpass/testing/administrators'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()

async function administrator() {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, 'auditor')
  return tab
}
type Administrator = Awaited<ReturnType<typeof administrator>>

const read = async (tab: Administrator, query: Record<string, string>) => {
  const { status, body, headers } = await tab.get(`/auth/admin/audit-events.csv?${new URLSearchParams(query)}`)
  return { status, headers, rows: String(body).split('\r\n').slice(0, -1) }
}

test('the file of the audit log has a row for each event, newest first, by the same filters as the list', async () => {
  const [tab, user] = [await administrator(), await app.signedIn()]
  await user.post('/auth/update-user', { name: 'Grace' })
  const { headers, rows } = await read(tab, { userId: user.userId })
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-events-\d{4}-\d\d-\d\d\.csv"$/)
  const events = await app.db.auditEvent.findMany({ where: { userId: user.userId }, orderBy: { id: 'desc' } })
  expect(rows[0]).toBe('id,createdAt,action,succeeded,userId,actorId,organizationId,ipAddress,userAgent,details')
  expect(rows.slice(1).map((row) => row.split(',')[0])).toEqual(events.map(({ id }) => id))
  expect((await read(tab, { userId: user.userId, action: 'update-user' })).rows).toHaveLength(2)
  expect((await read(tab, { userId: user.userId, before: String(events[0]?.id) })).rows.slice(1)).toEqual(rows.slice(2))
})

test('the file runs no formula in a spreadsheet', async () => {
  const [tab, user] = [await administrator(), await app.signedIn()]
  await app.db.auditEvent.create({
    data: { userId: user.userId, action: 'sign-in', userAgent: '=HYPERLINK("https://evil.example")' },
  })
  const { rows } = await read(tab, { userId: user.userId, action: 'sign-in' })
  expect(rows.join('\n')).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
})

test('a download of the audit log is an event itself', async () => {
  const [tab, user] = [await administrator(), await app.signedIn()]
  const { rows } = await read(tab, { userId: user.userId, action: 'sign-up' })
  expect(await app.db.auditEvent.findFirst({ where: { userId: tab.userId, action: 'export-audit-log' } })).toMatchObject({
    actorId: null,
    details: { count: rows.length - 1, user: user.userId, type: 'sign-up' },
  })
})

test('the file has ten thousand events at most, and the next one goes on', async () => {
  const [tab, user] = [await administrator(), await app.signedIn()]
  await app.db.auditEvent.deleteMany({ where: { userId: user.userId } })
  await app.db.$executeRaw`
    INSERT INTO audit_events (id, user_id, action) SELECT 'event-' || lpad(n::text, 5, '0'), ${user.userId}, 'sign-in'
    FROM generate_series(1, 10001) n`
  const { rows } = await read(tab, { userId: user.userId })
  expect(rows).toHaveLength(10_001)
  const next = await read(tab, { userId: user.userId, before: 'event-00002' })
  expect(next.rows.slice(1).map((row) => row.split(',')[0])).toEqual(['event-00001'])
})

test('an unknown event before is refused', async () => {
  const tab = await administrator()
  expect((await read(tab, { before: 'unknown' })).status).toBe(404)
})

test('the eleventh file in ten minutes is refused', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await limited.signedIn()
  await makeAdministrator(limited, tab, 'auditor')
  for (let count = 0; count < 10; count += 1) expect((await tab.get('/auth/admin/audit-events.csv')).status).toBe(200)
  expect((await tab.get('/auth/admin/audit-events.csv')).status).toBe(429)
})
