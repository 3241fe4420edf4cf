import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDatabaseUnavailable, type OpenDatabase, openDatabase } from '@floorpass/db'
import { openSchemaEngine } from '@floorpass/db/schema-engine'
import { createTestDatabase, type TestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const shippedFolder = fileURLToPath(new URL('../../../../db/prisma/migrations/', import.meta.url))
const initial = '20261121000000_init'
const shipped = (await readdir(shippedFolder)).filter((name) => /^\d/.test(name)).sort()

type HistoryRow = {
  id: string
  migration_name: string
  checksum: string
  finished_at: Date | null
  started_at: Date
  rolled_back_at: Date | null
  logs: string | null
  applied_steps_count: number
}

const historyOf = ({ db }: OpenDatabase) => db.$queryRaw<HistoryRow[]>`SELECT * FROM _prisma_migrations ORDER BY migration_name`
const tableExists = async ({ db }: OpenDatabase, table: string) => {
  const [row] = await db.$queryRaw<{ exists: boolean }[]>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  return row?.exists
}

let testDb: TestDatabase
let database: OpenDatabase
let folder: string

beforeEach(async () => {
  testDb = await createTestDatabase({ empty: true })
  database = await openDatabase(testDb.options)
  folder = await mkdtemp(join(tmpdir(), 'floorpass-migrations-'))
})

afterEach(async () => {
  await database.close()
  await testDb.drop()
  await rm(folder, { recursive: true })
})

const writeMigration = async (name: string, sql: string) => {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'migration.sql'), sql)
}

const rememberLocks = `
  CREATE TABLE seen_locks AS
  SELECT relname::text COLLATE "C" AS "table", min(CASE mode WHEN 'AccessExclusiveLock' THEN 'reads and writes' ELSE 'writes' END) AS blocks
  FROM pg_locks JOIN pg_class ON pg_class.oid = relation
  WHERE pid = pg_backend_pid() AND relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
    AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  GROUP BY 1`

describe('migrate', () => {
  it('applies every migration to an empty database, and nothing the second time', async () => {
    expect(await database.migrate()).toEqual({ applied: shipped })
    expect(await database.db.user.count()).toBe(0)
    expect(await database.migrate()).toEqual({ applied: [] })
    expect(await historyOf(database)).toHaveLength(shipped.length)
  })

  it('keeps languages when they become text, and takes the statements of the version before', async () => {
    const change = '20261125095341_locale_as_text'
    for (const name of shipped.filter((each) => each < change))
      await cp(join(shippedFolder, name), join(folder, name), { recursive: true })
    await database.migrate({ folder })
    await database.db.$executeRaw`
      INSERT INTO users (id, name, email, locale, updated_at)
      VALUES ('1', 'Ada', 'ada@example.com', 'fr', now()), ('2', 'Grace', 'grace@example.com', 'en', now())`

    expect(await database.migrate()).toMatchObject({ applied: expect.arrayContaining([change]) })
    const read = () => database.db.user.findMany({ select: { id: true, locale: true }, orderBy: { id: 'asc' } })
    expect(await read()).toEqual([
      { id: '1', locale: 'fr' },
      { id: '2', locale: 'en' },
    ])
    await database.db.$executeRaw`UPDATE users SET locale = coalesce(CAST(${'fr'}::text AS locale), locale) WHERE id = '2'`
    await database.db.$executeRaw`
      INSERT INTO users (id, name, email, locale, updated_at)
      VALUES ('3', 'Alan', 'alan@example.com', CAST(${'fr'}::text AS "public"."locale"), now())`
    expect((await read()).map(({ locale }) => locale)).toEqual(['fr', 'fr', 'fr'])
  })

  it('records the history like Prisma', async () => {
    await database.migrate()

    const sql = await readFile(join(shippedFolder, initial, 'migration.sql'))
    const [row] = await historyOf(database)
    expect(row).toMatchObject({
      migration_name: initial,
      checksum: createHash('sha256').update(sql).digest('hex'),
      applied_steps_count: 1,
      logs: null,
      rolled_back_at: null,
    })
    expect(row?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(Number(row?.finished_at)).toBeGreaterThanOrEqual(Number(row?.started_at))
  })

  it('applies only new migrations, in the order of their names', async () => {
    await writeMigration('20300101000000_first', 'CREATE TABLE first (id int)')
    expect(await database.migrate({ folder })).toEqual({ applied: ['20300101000000_first'] })

    await writeMigration('20300103000000_third', 'ALTER TABLE second ADD COLUMN name text')
    await writeMigration('20300102000000_second', 'CREATE TABLE second (id int); INSERT INTO first VALUES (1)')
    expect(await database.migrate({ folder })).toEqual({ applied: ['20300102000000_second', '20300103000000_third'] })
  })

  it('plans the locks that PostgreSQL takes, for every migration', async () => {
    expect(await database.findPendingMigrations()).toMatchObject({
      isNew: true,
      pending: shipped.map((name) => ({ name, locks: [] })),
    })
    for (const name of shipped) {
      const tables = (await database.db.$queryRaw<{ name: string }[]>`SELECT tablename AS name FROM pg_tables`).map(
        (row) => row.name,
      )
      await writeMigration(name, `${await readFile(join(shippedFolder, name, 'migration.sql'), 'utf8')};\n${rememberLocks}`)
      const { pending } = await database.findPendingMigrations(folder)
      await database.migrate({ folder })
      const seen = await database.db.$queryRaw<
        { table: string; blocks: string }[]
      >`SELECT "table", blocks FROM seen_locks ORDER BY 1`
      await database.db.$executeRaw`DROP TABLE seen_locks`
      const planned = pending.flatMap(({ locks }) => locks.map(({ table, blocks }) => ({ table, blocks })))
      const byTable = (one: { table: string }, other: { table: string }) => (one.table < other.table ? -1 : 1)
      expect(planned.sort(byTable), name).toEqual(seen.filter(({ table }) => tables.includes(table)))
    }
  })

  it('plans the locks of statements on several lines and in small letters', async () => {
    await writeMigration('20300101000000_first', 'CREATE TABLE first (id int); CREATE TABLE second (id int)')
    await database.migrate({ folder })
    const sql = 'alter table\n  first\n  add column x int;\ncreate index x\n  on second (id)'
    await writeMigration('20300102000000_small', sql)
    const { pending } = await database.findPendingMigrations(folder)
    expect(pending.flatMap(({ locks }) => locks)).toMatchObject([
      { table: 'first', blocks: 'reads and writes' },
      { table: 'second', blocks: 'writes' },
    ])
  })

  it('has no time limit for a migration', async () => {
    await writeMigration('20300101000000_long', `CREATE TABLE long AS SELECT current_setting('statement_timeout') AS patience`)
    await database.migrate({ folder })
    expect(await database.db.$queryRaw`SELECT patience FROM long`).toEqual([{ patience: '0' }])
  })

  it('refuses an edited migration', async () => {
    await cp(shippedFolder, folder, { recursive: true })
    await database.migrate({ folder })
    const sql = await readFile(join(folder, initial, 'migration.sql'), 'utf8')
    await writeMigration(initial, `${sql}\n-- edited`)

    await expect(database.migrate({ folder })).rejects.toMatchObject({
      name: 'MigrationError',
      message: expect.stringContaining(`${initial} was edited after it had been applied`),
    })
  })

  it('accepts Windows line endings in an applied migration', async () => {
    await writeMigration('20300101000000_lines', 'CREATE TABLE lines (\n  id int\n)')
    await database.migrate({ folder })
    await writeMigration('20300101000000_lines', 'CREATE TABLE lines (\r\n  id int\r\n)')
    expect(await database.migrate({ folder })).toEqual({ applied: [] })
  })

  it('rolls back a failing migration, and applies it after it is repaired', async () => {
    await writeMigration('20300101000000_good', 'CREATE TABLE good (id int)')
    await writeMigration('20300102000000_bad', 'CREATE TABLE half (id int); CREATE TABLE good (id int)')

    const failure = await database.migrate({ folder }).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'MigrationError',
      message: expect.stringMatching(/20300102000000_bad failed: relation "good" already exists.*start again/),
    })
    expect(isDatabaseUnavailable(failure)).toBe(false)
    expect(await tableExists(database, 'half')).toBe(false)
    expect((await historyOf(database)).map((row) => row.migration_name)).toEqual(['20300101000000_good'])

    await writeMigration('20300102000000_bad', 'CREATE TABLE half (id int)')
    expect(await database.migrate({ folder })).toEqual({ applied: ['20300102000000_bad'] })
  })

  it('refuses to continue after a migration that `prisma migrate deploy` left half-done', async () => {
    await database.migrate()
    await database.db
      .$executeRaw`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', 'x', '20300101000000_broken')`
    await expect(database.migrate()).rejects.toMatchObject({
      name: 'MigrationError',
      message: expect.stringContaining('20300101000000_broken failed half-way'),
    })

    await database.db.$executeRaw`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = '1'`
    expect(await database.migrate()).toEqual({ applied: [] })
  })

  it('leaves a database alone that a newer release migrated', async () => {
    await cp(shippedFolder, folder, { recursive: true })
    await writeMigration('20990101000000_future', 'CREATE TABLE future (id int)')
    await database.migrate({ folder })
    expect(await database.migrate()).toEqual({ applied: [] })
  })
})

describe.runIf(testDatabase.kind === 'postgres')('migrate, from several nodes', () => {
  it('applies each migration once', async () => {
    const names = ['20300101000000_one', '20300102000000_two', '20300103000000_three']
    for (const name of names) await writeMigration(name, `SELECT pg_sleep(0.1); CREATE TABLE "${name}" (id int)`)

    const nodes = await Promise.all(Array.from({ length: 5 }, () => openDatabase(testDb.options)))
    const results = await Promise.all(nodes.map((node) => node.migrate({ folder })))
    await Promise.all(nodes.map((node) => node.close()))

    expect(results.flatMap((result) => result.applied).sort()).toEqual(names)
    expect(await historyOf(database)).toHaveLength(3)
  })

  it('yields to a request that holds a lock it needs, and neither fails', async () => {
    await writeMigration('20300101000000_tables', 'CREATE TABLE one (id int); CREATE TABLE two (id int)')
    await database.migrate({ folder })
    const lock = (table: string) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`
    await writeMigration('20300102000000_triggers', `${lock('two')}; ${lock('one')}; CREATE TABLE three (id int)`)

    const service = await openDatabase(testDb.options)
    let migrated: Promise<{ applied: string[] }> | undefined
    await service.db.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO one VALUES (1)`
      migrated = database.migrate({ folder })
      await waitForLocks(service)
      await tx.$executeRaw`INSERT INTO two VALUES (1)`
      // Longer than PostgreSQL waits before it checks for a deadlock.
      await tx.$queryRaw`SELECT pg_sleep(1.5)::text`
    })
    expect(await migrated).toEqual({ applied: ['20300102000000_triggers'] })
    await service.close()
  })

  it('waits for a running `prisma migrate deploy`', async () => {
    const prisma = await openDatabase(testDb.options)
    let released = false
    const locked = Promise.withResolvers<void>()
    const deploy = prisma.db.$transaction(async (tx) => {
      // The advisory lock of Prisma's schema engine.
      await tx.$queryRaw`SELECT pg_advisory_lock(72707369)::text`
      locked.resolve()
      // On PostgreSQL, longer than the timeout of any other statement.
      await new Promise((resolve) => setTimeout(resolve, testDatabase.kind === 'postgres' ? 10_500 : 500))
      released = true
      await tx.$queryRaw`SELECT pg_advisory_unlock(72707369)`
    })
    await locked.promise

    expect(await database.migrate()).toEqual({ applied: shipped })
    expect(released).toBe(true)
    await deploy
    await prisma.close()
  })
})

describe("Prisma's schema engine", () => {
  it('finds that the migrations produce the schema', async () => {
    const engine = await openSchemaEngine()
    expect(await engine.missingMigration()).toBe('')
    await engine.close()
  })

  it.runIf(testDatabase.kind === 'embedded')('finds nothing to deploy after our migrations', async () => {
    await database.migrate()
    const engine = await openSchemaEngine(await database.dump?.())
    expect(await engine.diagnose()).toMatchObject({
      history: null,
      hasMigrationsTable: true,
      failedMigrationNames: [],
      editedMigrationNames: [],
    })
    expect(await engine.deploy()).toEqual([])
    await engine.close()
  })

  it.runIf(testDatabase.kind === 'embedded')('deploys what our own check then finds complete', async () => {
    const engine = await openSchemaEngine()
    expect(await engine.deploy()).toEqual(shipped)
    const deployed = await openDatabase({ kind: 'embedded', directory: null, template: await engine.dump() })

    expect(await deployed.migrate()).toEqual({ applied: [] })
    await database.migrate()
    const { id, started_at, finished_at, ...ours } = (await historyOf(database))[0] as HistoryRow
    expect((await historyOf(deployed))[0]).toMatchObject(ours)
    await engine.close()
    await deployed.close()
  })
})
