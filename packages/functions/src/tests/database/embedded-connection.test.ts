import { openAsBlob } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenDatabase, openDatabase } from '@floorpass/db'
import { startEngine } from '@floorpass/db/embedded'
import { eventually } from '@floorpass/testing/eventually'
import { expect, inject, onTestFinished, test, vi } from 'vitest'

const templates = inject('testTemplates')
const newEngine = async () => startEngine(null, templates.kind === 'embedded' ? await openAsBlob(templates.migrated) : undefined)
const engine = await newEngine()

async function open(): Promise<OpenDatabase> {
  const database = await openDatabase({ kind: 'embedded', directory: null, engine })
  onTestFinished(() => database.close())
  return database
}
const read = (database: OpenDatabase) => database.sql.$queryRaw<{ value: string }[]>`SELECT 'here' AS value`
const here = [{ value: 'here' }]

test('a listener that throws fails its statement, and the next one works', async () => {
  const database = await open()
  const channel = database.listen({
    onChange: () => {
      throw new Error('this listener fails')
    },
    onUp: () => {},
    onDown: () => {},
  })
  await eventually(() => channel.isCurrent() || Promise.reject(new Error('no channel yet')))
  await expect(database.sql.$queryRaw`SELECT pg_notify('floorpass_sessions', 'all')`).rejects.toThrow('this listener fails')
  await channel.close()
  expect(await read(database)).toEqual(here)
})

test('statements that wait when the database closes are answered', async () => {
  const database = await openDatabase({ kind: 'embedded', directory: null, engine })
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transaction = database.sql.transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1`
    started.resolve()
    await released.promise
  })
  await started.promise
  const waiting = [read(database), read(database)]
  const closed = database.close()
  await new Promise(setImmediate)
  const late = read(database)
  released.resolve()
  await Promise.all([transaction, closed])
  expect(await Promise.all([...waiting, late])).toEqual([here, here, here])
  await expect(read(database)).rejects.toThrow('Cannot use a pool after calling end on the pool')
})

test('the environment of a PostgreSQL client does not matter', async () => {
  vi.stubEnv('PGSSLMODE', 'require')
  vi.stubEnv('PGSSLNEGOTIATION', 'direct')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await read(await open())).toEqual(here)
})

test('a new client finds no setting, lock or temporary table of the one before it', async () => {
  const { sql } = await open()
  await sql.$queryRaw`SELECT set_config('statement_timeout', '5s', false), pg_advisory_lock(1)::text`
  await sql.$queryRaw`CREATE TEMPORARY TABLE left_over (id text)`
  // A failed statement outside a transaction ends its client.
  await expect(sql.$queryRaw`SELECT 1 / 0`).rejects.toThrow('division by zero')
  expect(
    await sql.$queryRaw`SELECT current_setting('statement_timeout') AS timeout, to_regclass('left_over')::text AS "table",
                        (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks`,
  ).toEqual([{ timeout: '0', table: null, locks: 0 }])
})

test('a failed migration leaves no open transaction', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, '20990101000000_fails'))
  await writeFile(join(folder, '20990101000000_fails', 'migration.sql'), 'SELECT 1 / 0')
  const database = await open()
  await expect(database.migrate({ folder })).rejects.toThrow()
  await eventually(() => !engine.isInTransaction() || Promise.reject(new Error('the transaction is open')))
})

test('a trap of the engine ends the process, since no statement would be answered', async () => {
  const trapped = await openDatabase({ kind: 'embedded', directory: null, engine: await newEngine() })
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('the process ends here')
  })
  onTestFinished(() => void vi.restoreAllMocks())
  void trapped.sql.$queryRaw(Object.assign([`SELECT ('${'['.repeat(20_000)}')::json`], { raw: [] })).catch(() => {})
  await eventually(() => exit.mock.calls.length > 0 || Promise.reject(new Error('the process goes on')))
  expect(exit).toHaveBeenCalledWith(1)
  expect(written.join('')).toMatch(/^The embedded database stopped \(RangeError.*Then start again\.\n/)
})
