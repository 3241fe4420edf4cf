import { type Database, openDatabase, openReadReplica } from '@floorpass/db'
import { findPostgres, startPostgresCluster } from '@floorpass/reliability'
import { eventually } from '@floorpass/testing/eventually'
import { testDatabase } from '@floorpass/testing/test-database'
import { describe, expect, onTestFinished, test } from 'vitest'

const binaries = findPostgres()

const isStandby = async (db: Database): Promise<boolean> => {
  const [row] = await db.$queryRaw<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`
  return row?.standby ?? false
}

async function startPair() {
  const primary = await startPostgresCluster(binaries ?? '')
  onTestFinished(() => primary.remove())
  const url = await primary.createDatabase()
  const standby = await primary.createStandby()
  onTestFinished(() => standby.remove())
  const database = await openDatabase({ kind: 'postgres', url })
  onTestFinished(database.close)
  const reasons: string[] = []
  const replicaUrl = url.replace(`:${primary.port}/`, `:${standby.port}/`)
  const replica = await openReadReplica(database.db, replicaUrl, (reason) => void reasons.push(reason))
  onTestFinished(replica.close)
  const commit = () => database.db.$executeRaw`SELECT pg_notify('unused', '')`
  return { standby, url, replicaUrl, replica, reasons, commit }
}

// Once: the embedded run has no PostgreSQL, but this file brings its own.
describe.runIf(binaries && testDatabase.kind === 'postgres')('a DATABASE_REPLICA_URL', () => {
  test('serves reads from the standby', async () => {
    const { replica, reasons, commit } = await startPair()
    await commit()
    await eventually(async () => expect(await replica.read(isStandby)).toBe(true))
    reasons.length = 0
    expect(await replica.read(isStandby)).toBe(true)
    expect(reasons).toEqual([])
  })

  test('serves reads from the primary while the standby is away', async () => {
    const { standby, replica, reasons } = await startPair()
    await standby.stop('fast')
    reasons.length = 0
    expect(await replica.read(isStandby)).toBe(false)
    expect(reasons).toHaveLength(1)
  })

  test('serves reads from the primary while the standby is frozen', async () => {
    const { standby, replica, reasons } = await startPair()
    await replica.read(isStandby)
    standby.freeze()
    onTestFinished(standby.thaw)
    expect(await replica.read(isStandby)).toBe(false)
    expect(reasons.at(-1)).toBe('no answer in two seconds')
  })

  test('serves reads from the primary while the standby is more than ten seconds behind', async () => {
    const { replica, replicaUrl, reasons, commit } = await startPair()
    const standby = await openDatabase({ kind: 'postgres', url: replicaUrl, poolSize: 1 })
    onTestFinished(standby.close)
    await commit()
    await eventually(async () => expect(await replica.read(isStandby)).toBe(true))
    await standby.db.$executeRaw`SELECT pg_wal_replay_pause()`
    await eventually(async () => {
      await commit()
      expect(await replica.read(isStandby)).toBe(false)
    })
    expect(reasons.at(-1)).toMatch(/^1\d s behind$/)
    await standby.db.$executeRaw`SELECT pg_wal_replay_resume()`
    await eventually(async () => expect(await replica.read(isStandby)).toBe(true))
  })

  test('serves reads from the primary when the standby is older than this version', async () => {
    const { replica, reasons, commit } = await startPair()
    await commit()
    await eventually(async () => expect(await replica.read(isStandby)).toBe(true))
    reasons.length = 0
    const read = replica.read(async (db) => {
      const standby = await isStandby(db)
      if (standby) await db.$queryRaw`SELECT id FROM a_table_of_the_next_version`
      return standby
    })
    expect(await read).toBe(false)
    expect(reasons).toEqual([expect.stringContaining('a_table_of_the_next_version')])
  })

  test('is reported at once when it names no standby', async () => {
    const { url } = await startPair()
    const database = await openDatabase({ kind: 'postgres', url })
    onTestFinished(database.close)
    const reasons: string[] = []
    const wrong = await openReadReplica(database.db, url, (reason) => void reasons.push(reason))
    onTestFinished(wrong.close)
    await eventually(() => expect(reasons).toEqual(['not a standby']))
  })

  test('reports an error of the read itself, and does not repeat it', async () => {
    const { replica } = await startPair()
    let calls = 0
    const failing = replica.read(async (db) => {
      calls += 1
      await db.$queryRawUnsafe('SELECT 1/0')
    })
    await expect(failing).rejects.toThrow(/division by zero/)
    expect(calls).toBe(1)
  })
})
