import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createExpirySweep, policy } from '@floorpass/api'
import { type OpenDatabase, openDatabase } from '@floorpass/db'
import { createTestDatabase, type TestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

let testDb: TestDatabase
let database: OpenDatabase
const open = async (options?: { empty: boolean }) => {
  testDb = await createTestDatabase(options)
  database = await openDatabase(testDb.options)
}
afterEach(async () => {
  vi.useRealTimers()
  await database.close()
  await testDb.drop()
})

const errors: string[] = []
const messages: string[] = []
const log = {
  info: (_fields: unknown, message: string) => void messages.push(message),
  warn() {},
  error: (_fields: unknown, message: string) => void errors.push(message),
}
const counted: Record<string, number>[] = []
const sweep = (db = database.db) => createExpirySweep({ db, log, onSwept: (gone) => void counted.push(gone) }).sweep()
const setTime = (time: string) => vi.useFakeTimers({ now: new Date(time), toFake: ['Date'] })

const idAt = (time: string, digit = 1) => {
  const hex = Date.parse(time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-00000000000${digit}`
}
/** In plain SQL: a schema before the latest has fewer columns. */
async function createUser(email = 'ada@example.test'): Promise<string> {
  const id = randomUUID()
  await database.db.$executeRaw`INSERT INTO users (id, name, email, updated_at) VALUES (${id}, 'Ada', ${email}, now())`
  return id
}
const record = (userId: string, time: string, digit = 1) =>
  database.db.auditEvent.create({ data: { id: idAt(time, digit), userId, action: 'sign-in', createdAt: new Date(time) } })
const eventTimes = async () =>
  (await database.db.auditEvent.findMany({ orderBy: { id: 'asc' } })).map(({ createdAt }) => createdAt.toISOString().slice(0, 10))
const partitions = async () =>
  (await database.db.$queryRaw<{ name: string }[]>`SELECT tableoid::regclass::text AS name FROM audit_events ORDER BY id`).map(
    ({ name }) => name,
  )
const months = async () =>
  (await database.db.$queryRaw<{ name: string }[]>`SELECT name FROM audit_months() ORDER BY lower_id`).map(({ name }) => name)

/** PostgreSQL drops no month of the last year, so tests move the partitions to the past. */
const endFirstPartition = async (time: string) => {
  for (const name of (await months()).slice(1)) await database.db.$executeRawUnsafe(`DROP TABLE ${name}`)
  await database.db.$executeRawUnsafe('ALTER TABLE audit_events DETACH PARTITION audit_events_before_months')
  await database.db.$executeRawUnsafe(
    `ALTER TABLE audit_events ATTACH PARTITION audit_events_before_months FOR VALUES FROM (MINVALUE) TO ('${idAt(time, 0)}')`,
  )
}

describe('the partitions of audit events', () => {
  beforeEach(async () => {
    await open()
    await endFirstPartition('2019-01-01T00:00:00Z')
  })

  test('a sweep creates those of the next four months, once', async () => {
    setTime('2020-01-20T12:00:00Z')
    await sweep()
    expect((await months()).slice(-5)).toEqual([1, 2, 3, 4, 5].map((month) => `audit_events_2020_0${month}`))
    const before = await months()
    await sweep()
    expect(await months()).toEqual(before)
  })

  test('each event goes to the partition of its month', async () => {
    setTime('2020-01-20T12:00:00Z')
    await sweep()
    const userId = await createUser()
    for (const time of [
      '2020-01-31T23:59:59.999Z',
      '2020-02-01T00:00:00.000Z',
      '2020-02-28T23:59:59.999Z',
      '2020-05-31T23:00:00Z',
    ])
      await record(userId, time)
    expect(await partitions()).toEqual([1, 2, 2, 5].map((month) => `audit_events_2020_0${month}`))
  })

  test('an event of a month without a partition is kept, and moves to the partition when it is created', async () => {
    const userId = await createUser()
    await record(userId, '2021-07-04T00:00:00Z')
    expect(await partitions()).toEqual(['audit_events_default'])
    setTime('2021-07-05T00:00:00Z')
    await sweep()
    expect(await partitions()).toEqual(['audit_events_2021_07'])
    expect(await eventTimes()).toEqual(['2021-07-04'])
  })

  test('a month that already has many events in the default partition stays there', async () => {
    const userId = await createUser()
    await database.db.$executeRaw`
      INSERT INTO audit_events (id, user_id, action, created_at)
      SELECT ${idAt('2021-07-04T00:00:00Z').slice(0, 24)} || lpad(n::text, 12, '0'), ${userId}, 'sign-in', '2021-07-04'
      FROM generate_series(1, 1001) n`
    setTime('2021-07-05T00:00:00Z')
    await sweep()
    expect(await months()).not.toContain('audit_events_2021_07')
    expect(await months()).toContain('audit_events_2021_08')
    expect(await database.db.auditEvent.count()).toBe(1001)
  })

  test('a sweep drops a month whole when its last event is older than the policy keeps, and no day earlier', async () => {
    const userId = await createUser()
    for (const time of ['2020-01-10T00:00:00Z', '2020-02-10T00:00:00Z', '2020-03-10T00:00:00Z']) {
      setTime(time)
      await sweep()
      await record(userId, time)
    }
    const kept = policy.sweep.keepAuditEvents * 1000
    setTime(new Date(Date.parse('2020-02-01T00:00:00Z') + kept - 1).toISOString())
    await sweep()
    expect(await eventTimes()).toEqual(['2020-01-10', '2020-02-10', '2020-03-10'])
    counted.length = 0
    setTime(new Date(Date.parse('2020-02-01T00:00:00Z') + kept).toISOString())
    await sweep()
    expect(await eventTimes()).toEqual(['2020-02-10', '2020-03-10'])
    expect(await months()).not.toContain('audit_events_2020_01')
    expect(messages).toContain('audit months dropped')
    expect(counted).toEqual([expect.objectContaining({ audit_months: 1 })])
  })

  // The embedded database has the clock of its process.
  test.runIf(testDatabase.kind === 'postgres')(
    'a sweep whose clock runs years ahead drops no month of the last year, and deletes no event',
    async () => {
      const userId = await createUser()
      await sweep()
      await record(userId, new Date().toISOString())
      const before = await months()
      errors.length = 0
      setTime('2040-01-20T12:00:00Z')
      await sweep()
      expect(errors).toEqual(['expired row removal failed'])
      expect(await months()).toEqual(expect.arrayContaining(before.slice(1)))
      expect(await database.db.auditEvent.count()).toBe(1)
    },
  )

  test('deletes old events one by one where a partition holds more than a month', async () => {
    const userId = await createUser()
    await record(userId, '2018-01-10T00:00:00Z')
    await record(userId, '2018-12-10T00:00:00Z')
    setTime('2019-06-01T00:00:00Z')
    expect(await partitions()).toEqual(['audit_events_before_months', 'audit_events_before_months'])
    await sweep()
    expect(await partitions()).toEqual(['audit_events_before_months'])
  })

  test('two processes that sweep at once create and drop each month once, without a failure', async () => {
    const other = testDatabase.kind === 'postgres' ? await openDatabase(testDb.options) : database
    setTime('2020-01-20T12:00:00Z')
    errors.length = 0
    await Promise.all([sweep(), sweep(other.db), sweep(), sweep(other.db)])
    setTime('2023-01-20T12:00:00Z')
    await Promise.all([sweep(), sweep(other.db), sweep(), sweep(other.db)])
    if (other !== database) await other.close()
    expect((await months()).map((name) => name.slice(-7))).toEqual(['2023_01', '2023_02', '2023_03', '2023_04', '2023_05'])
    expect(errors).toEqual([])
  })

  test('a process that dies half-way leaves nothing behind: the next sweep does all of it', async () => {
    setTime('2020-01-20T12:00:00Z')
    const before = await months()
    const crash = database.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT create_audit_months(${new Date()}::timestamptz, 4)`
      await tx.$queryRaw`SELECT drop_audit_months('2019-01-01'::timestamptz)`
      throw new Error('died')
    })
    await expect(crash).rejects.toThrow('died')
    expect(await months()).toEqual(before)
    await sweep()
    expect((await months()).at(-1)).toBe('audit_events_2020_05')
  })

  test('deleting a user deletes the events in every partition', async () => {
    const userId = await createUser()
    const otherId = await createUser('bob@example.test')
    setTime('2020-01-20T12:00:00Z')
    await sweep()
    for (const id of [userId, otherId])
      for (const time of ['2018-01-01T00:00:00Z', '2020-01-21T00:00:00Z', '2020-03-01T00:00:00Z', '2044-01-01T00:00:00Z'])
        await record(id, time, id === userId ? 1 : 2)
    await database.db.user.delete({ where: { id: userId } })
    expect(await database.db.auditEvent.count({ where: { userId } })).toBe(0)
    expect(await database.db.auditEvent.count({ where: { userId: otherId } })).toBe(4)
    await expect(record('no-such-user', '2020-01-22T00:00:00Z')).rejects.toMatchObject({ code: 'P2003' })
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'a role that can only read and write rows sweeps; one that can only read turns no month',
    async () => {
      const { db } = database
      const name = `months_${process.pid}`
      await db.$executeRawUnsafe(
        `CREATE ROLE ${name} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`,
      )
      const url = new URL((testDb.options as { url: string }).url)
      url.username = name
      const asRole = await openDatabase({ kind: 'postgres', url: url.href })
      try {
        setTime('2020-01-20T12:00:00Z')
        errors.length = 0
        await sweep(asRole.db)
        expect(errors).toEqual([])
        expect(await months()).toContain('audit_events_2020_05')
        await expect(asRole.db.$queryRaw`SELECT drop_audit_months(now() - interval '11 months')`).rejects.toThrow(
          /those of the last year are kept/,
        )
        await db.$executeRawUnsafe(`REVOKE INSERT, DELETE ON audit_events FROM ${name}`)
        for (const call of [`drop_audit_months('2020-01-01')`, `create_audit_months('2020-01-01', 0)`])
          await expect(asRole.db.$queryRawUnsafe(`SELECT ${call}`), call).rejects.toThrow(/permission denied for the months/)
      } finally {
        await asRole.close()
        await db.$executeRawUnsafe(`DROP OWNED BY ${name}; DROP ROLE ${name}`)
      }
    },
  )
})

describe('the migration to months', () => {
  const shipped = fileURLToPath(new URL('../../../../db/prisma/migrations/', import.meta.url))
  const migrateBefore = async (migration: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'floorpass-migrations-'))
    const names = (await readdir(shipped)).filter((name) => name < migration)
    for (const name of names) await cp(join(shipped, name), join(folder, name), { recursive: true })
    await database.migrate({ folder })
    await rm(folder, { recursive: true })
  }
  beforeEach(async () => {
    await open({ empty: true })
    await migrateBefore('20261125172200')
  })

  test('keeps the events, their indexes and the link to their user', async () => {
    const userId = await createUser()
    for (const time of ['2025-12-01T00:00:00Z', new Date().toISOString()]) await record(userId, time)
    const before = await database.db.auditEvent.findMany({ orderBy: { id: 'asc' } })
    const { applied } = await database.migrate()
    expect(applied.slice(0, 3)).toEqual([
      '20261125172200_audit_month_bound',
      '20261125172300_audit_month_check',
      '20261125172400_audit_months',
    ])
    expect(await database.db.auditEvent.findMany({ orderBy: { id: 'asc' } })).toEqual(before)
    const indexes = await database.db.$queryRaw<{ table: string; count: bigint }[]>`
      SELECT relname AS table, (SELECT count(*) FROM pg_index WHERE indrelid = pg_class.oid) AS count FROM pg_class
      WHERE relispartition AND relkind = 'r' ORDER BY relname`
    expect(indexes.length).toBeGreaterThan(2)
    expect(new Set(indexes.map(({ count }) => Number(count)))).toEqual(new Set([6]))
    await database.db.user.delete({ where: { id: userId } })
    expect(await database.db.auditEvent.count()).toBe(0)
  })

  test('keeps events of a clock that ran ahead in the first partition', async () => {
    const userId = await createUser()
    await record(userId, '2028-05-05T00:00:00Z')
    await database.migrate()
    expect(await partitions()).toEqual(['audit_events_before_months'])
    await record(userId, '2028-06-01T00:00:00Z')
    expect(await partitions()).toEqual(['audit_events_before_months', 'audit_events_default'])
  })

  test('names an event whose id has no time', async () => {
    const userId = await createUser()
    await database.db.auditEvent.create({ data: { id: 'zero', userId, action: 'sign-in' } })
    await expect(database.migrate()).rejects.toThrow(/the audit event zero has no UUIDv7 as its id/)
    expect(await database.db.auditEvent.count()).toBe(1)
  })
})
