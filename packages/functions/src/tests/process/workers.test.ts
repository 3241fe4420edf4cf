import { readdir, readFile } from 'node:fs/promises'
import { failToStart, freePort, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import {
  askWorker,
  isAlive,
  signUpAt,
  startWorkers,
  type WorkerService,
  warningsOf,
  workerEnvironment,
  workersOf,
} from '@floorpass/testing/worker-service'
import { beforeAll, describe, expect, test } from 'vitest'

/** Every process with this DATA_DIR, including orphans. */
async function processesOn(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Boolean)
  const found = pids.map(async (pid) => {
    const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    return variables.split('\0').includes(`DATA_DIR=${dataDir}`) ? [pid] : []
  })
  return (await Promise.all(found)).flat()
}

test('more than one process needs PostgreSQL, and the error appears once', async () => {
  const { code, stderr, stdout } = await failToStart({ WEB_CONCURRENCY: '2', DATA_DIR: await temporaryFolder(), PORT: '0' })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.match(/WEB_CONCURRENCY must be 1 with the embedded database\. Set DATABASE_URL/g)).toHaveLength(1)
})

describe.runIf(testDatabase.kind === 'postgres')('two workers', () => {
  let server: WorkerService
  beforeAll(async () => {
    server = await startWorkers({ RATE_LIMIT: 'on' })
  })

  test('count the attempts of a caller together', async () => {
    const body = { email: 'unknown@example.test', password: 'plum kettle orbit' }
    const tries: number[] = []
    for (let count = 0; count < 14; count += 1)
      tries.push((await askWorker(server, { method: 'POST', path: '/auth/sign-in/email', body })).status)
    expect(tries).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
  })

  test('report an error once, and leave no process behind', async () => {
    expect(await processesOn(server.dataDir)).toHaveLength(3)
    const occupied = await workerEnvironment({ PORT: String(server.port) })
    const nowhere = await workerEnvironment({ PORT: String(await freePort()), DATABASE_URL: 'postgres://127.0.0.1:1/none' })
    const [second, away] = await Promise.all([failToStart(occupied), failToStart(nowhere)])
    expect(await processesOn(occupied.DATA_DIR)).toEqual([])
    expect([second.code, second.stderr]).toEqual([
      1,
      `Port ${server.port} is in use by another program. Stop that program, or choose another port: PORT=${server.port + 1} npm start\n`,
    ])
    expect(away.code).toBe(1)
    expect(await processesOn(nowhere.DATA_DIR)).toEqual([])
    expect(away.stderr.match(/The database at DATABASE_URL cannot be used/g)).toHaveLength(1)
  })

  // Last, because it stops the service of the tests above.
  test('are announced once, and stop with code 0 after the requests under way got their answers', async () => {
    const workers = workersOf(server)
    expect(workers).toHaveLength(2)
    expect(server.stdout().match(/runs at/g)).toHaveLength(1)

    // Password hashes: most are queued when the signal arrives.
    const underWay = Array.from({ length: 8 }, (_, place) => signUpAt(server, `under-way-${place}@example.test`))
    await Promise.race(underWay)
    const ended = server.end('SIGTERM')
    // npm delivers Ctrl-C twice, and the terminal sends it to every process.
    void server.end('SIGINT')
    for (const pid of workers) process.kill(pid, 'SIGTERM')
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { code, signal, stderr } = await ended
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
    expect(workers.filter(isAlive)).toEqual([])
    expect(warningsOf(server)).toEqual([])
  })
})
