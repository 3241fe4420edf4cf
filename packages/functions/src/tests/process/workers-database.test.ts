import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@floorpass/db'
import { eventually } from '@floorpass/testing/eventually'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { countStarts, startWorkers, type WorkerService, workersOf } from '@floorpass/testing/worker-service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.runIf(testDatabase.kind === 'postgres')('two workers', async () => {
  const { options, drop, hide } = await createTestDatabase()
  let server: WorkerService
  beforeAll(async () => {
    server = await startWorkers(options.kind === 'postgres' ? { DATABASE_URL: options.url } : {})
  })
  afterAll(drop)

  test('a crashed worker is replaced even while the database is down', async () => {
    const back = await hide?.()
    const [first] = workersOf(server)
    process.kill(first ?? 0, 'SIGKILL')
    await eventually(() => expect(countStarts(server)).toBe(3), 60_000)
    expect(server.logs().filter(({ msg }) => String(msg).startsWith('worker exited'))).toHaveLength(1)
    await back?.()
  })

  // Last, because it ends the service of the test above.
  test('a new worker refuses an older database, and the service ends', async () => {
    const starts = countStarts(server)
    const { db, close } = await openDatabase(options)
    await db.$executeRaw`DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`
    await close()
    for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL')
    const ended = await Promise.race([server.exited, delay(60_000, null)])
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('The database schema is older than this version:') })
    expect(countStarts(server)).toBe(starts)
  })
})
