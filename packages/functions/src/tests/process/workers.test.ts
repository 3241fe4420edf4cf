import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@floorpass/db'
import { outboxOf, signedInPerson } from '@floorpass/reliability'
import { eventually } from '@floorpass/testing/eventually'
import {
  databaseEnvironment,
  failToStart,
  freePort,
  type ServerProcess,
  startServer,
  temporaryFolder,
} from '@floorpass/testing/server-process'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const token = 'what-only-prometheus-knows'
/** Each service gets its own database, because another secret cannot open what it sealed. */
const environment = async (more: Record<string, string> = {}) => ({
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  RATE_LIMIT: 'off',
  METRICS_TOKEN: token,
  WEB_CONCURRENCY: '2',
  ...more,
})

/** Starts a service and waits until all of its workers listen. */
async function startWorkers(more: Record<string, string> = {}): Promise<ServerProcess & { dataDir: string }> {
  const settings = await environment(more)
  const server = await startServer(settings)
  while (listening(server) < Number(settings.WEB_CONCURRENCY)) await server.nextOutput()
  return { ...server, dataDir: settings.DATA_DIR }
}

const listening = (server: ServerProcess) => server.logs().filter(({ msg }) => msg === 'listening').length

const workersOf = (server: ServerProcess): number[] =>
  spawnSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .filter(Boolean)
    .map(Number)

/** Every process with this DATA_DIR, including orphans. */
async function processesOn(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Boolean)
  const found = pids.map(async (pid) => {
    const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    return variables.split('\0').includes(`DATA_DIR=${dataDir}`) ? [pid] : []
  })
  return (await Promise.all(found)).flat()
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

type Reply = { status: number; body: string; headers: IncomingMessage['headers'] }
type Ask = { method?: string; path: string; body?: unknown; headers?: Record<string, string>; agent?: Agent | false }

/** Sends a request over a new connection, or that of the agent. Connections go to the workers in turn. */
const ask = (server: ServerProcess, { method = 'GET', path, body, headers = {}, agent = false }: Ask): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: server.port,
        method,
        path,
        agent,
        headers: {
          ...(method === 'POST' && { 'content-type': 'application/json', origin: `http://localhost:${server.port}` }),
          ...headers,
        },
      },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers })
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

const oneConnection = () => new Agent({ keepAlive: true, maxSockets: 1 })

const metricOf = async (server: ServerProcess, line: string): Promise<number> => {
  const { body } = await ask(server, { path: '/metrics', headers: { authorization: `Bearer ${token}` } })
  return Number(
    body
      .split('\n')
      .find((candidate) => candidate.startsWith(`${line} `))
      ?.slice(line.length + 1),
  )
}

const signUp = (server: ServerProcess, email: string, agent: Agent | false = false) =>
  ask(server, { method: 'POST', path: '/auth/sign-up/email', body: { name: 'Ada', email, password: 'plum kettle orbit' }, agent })

test('more than one process needs PostgreSQL, and the error appears once', async () => {
  const { code, stderr, stdout } = await failToStart({ WEB_CONCURRENCY: '2', DATA_DIR: await temporaryFolder(), PORT: '0' })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.match(/WEB_CONCURRENCY must be 1 with the embedded database\. Set DATABASE_URL/g)).toHaveLength(1)
})

describe.runIf(testDatabase.kind === 'postgres')('two workers', () => {
  let shared: Awaited<ReturnType<typeof startWorkers>>
  beforeAll(async () => {
    shared = await startWorkers({ RATE_LIMIT: 'on' })
  }, 180_000)

  test('are announced once, and stop with code 0 after the requests under way got their answers', async () => {
    const server = await startWorkers({ RATE_LIMIT: 'on' })
    const workers = workersOf(server)
    expect(workers).toHaveLength(2)
    expect(server.stdout().match(/runs at/g)).toHaveLength(1)

    // Password hashes: most are queued when the signal arrives.
    const underWay = Array.from({ length: 8 }, (_, place) => signUp(server, `under-way-${place}@example.test`))
    await Promise.race(underWay)
    const ended = server.end('SIGTERM')
    // npm delivers Ctrl-C twice, and the terminal sends it to every process.
    void server.end('SIGINT')
    for (const pid of workers) process.kill(pid, 'SIGTERM')
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { code, signal, stderr } = await ended
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
    expect(workers.filter(isAlive)).toEqual([])
    expect(server.logs().filter(({ level }) => Number(level) > 30)).toEqual([])
  })

  test('report an error once, and leave no process behind', async () => {
    const first = await startWorkers()
    expect(await processesOn(first.dataDir)).toHaveLength(3)
    const occupied = await environment({ PORT: String(first.port) })
    const second = await failToStart(occupied)
    expect(await processesOn(occupied.DATA_DIR)).toEqual([])
    expect([second.code, second.stderr]).toEqual([
      1,
      `Port ${first.port} is in use by another program. Stop that program, or choose another port: PORT=${first.port + 1} npm start\n`,
    ])
    const nowhere = await environment({ PORT: String(await freePort()), DATABASE_URL: 'postgres://127.0.0.1:1/none' })
    const away = await failToStart(nowhere)
    expect(away.code).toBe(1)
    expect(await processesOn(nowhere.DATA_DIR)).toEqual([])
    expect(away.stderr.match(/The database at DATABASE_URL cannot be used/g)).toHaveLength(1)
    await first.end('SIGTERM')
  })

  test('a session that ends on one ends on the other', async () => {
    const server = shared
    const target = { url: server.url, origin: `http://localhost:${server.port}` }
    const { cookie } = await signedInPerson(target, outboxOf(server.dataDir))
    const connections = [oneConnection(), oneConnection()]
    const seen = () =>
      Promise.all(
        connections.map(async (agent) => (await ask(server, { path: '/auth/get-session', headers: { cookie }, agent })).body),
      )
    // Each worker reads the session once and then serves it from memory.
    const before = await metricOf(server, 'floorpass_session_reads_total{from="database"}')
    for (let count = 0; count < 3; count += 1) for (const body of await seen()) expect(body).toContain('example.test')
    expect(await metricOf(server, 'floorpass_session_reads_total{from="database"}')).toBe(before + 2)
    expect(await metricOf(server, 'floorpass_sessions_in_memory')).toBeGreaterThanOrEqual(2)

    const [agent] = connections
    await ask(server, { method: 'POST', path: '/auth/sign-out', headers: { cookie }, ...(agent && { agent }) })
    await eventually(async () => expect(await seen()).toEqual(['null', 'null']))
    for (const connection of connections) connection.destroy()
  })

  test('count the attempts of a caller together', async () => {
    const server = shared
    const body = { email: 'unknown@example.test', password: 'plum kettle orbit' }
    const tries: number[] = []
    for (let count = 0; count < 14; count += 1)
      tries.push((await ask(server, { method: 'POST', path: '/auth/sign-in/email', body })).status)
    expect(tries).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
  })

  test('send each mail once', async () => {
    const server = shared
    const addresses = Array.from({ length: 8 }, (_, place) => `once-${place}@example.test`)
    await Promise.all(addresses.map((address) => signUp(server, address)))
    // A second copy would have left before the mail of a later sign-up.
    for (const address of ['later@example.test', 'last@example.test']) {
      await eventually(async () => expect(await metricOf(server, 'floorpass_mails{state="waiting"}')).toBe(0))
      await signUp(server, address)
    }
    const outbox = join(server.dataDir, 'outbox')
    const files = (await readdir(outbox)).filter((name) => name.endsWith('.json'))
    const mails = await Promise.all(files.map((name) => readFile(join(outbox, name), 'utf8')))
    expect(mails.filter((mail) => mail.includes('once-'))).toHaveLength(8)
  })

  test('export metrics as one service, even while one of them hangs', async () => {
    const server = shared
    const count = 'floorpass_http_requests_total{route="/healthz",method="GET",status="2xx"}'
    const before = (await metricOf(server, count)) || 0
    for (let asked = 0; asked < 6; asked += 1) await ask(server, { path: '/healthz' })
    expect([await metricOf(server, count), await metricOf(server, 'floorpass_workers')]).toEqual([before + 6, 2])
    expect(await metricOf(server, 'floorpass_workers_configured')).toBe(2)
    expect(await metricOf(server, 'floorpass_errors_total{code="INTERNAL_SERVER_ERROR"}')).toBe(0)
    expect(await metricOf(server, 'floorpass_session_channel_up')).toBe(1)
    expect(await metricOf(server, 'floorpass_database_up')).toBe(1)

    const agents = [oneConnection(), oneConnection()]
    const headers = { authorization: `Bearer ${token}` }
    await Promise.all(agents.map((agent) => ask(server, { path: '/metrics', headers, agent })))
    const [, hanging] = workersOf(server)
    process.kill(hanging ?? 0, 'SIGSTOP')
    const scrapes = agents.map((agent) => ask(server, { path: '/metrics', headers, agent }).catch(() => null))
    const first = await Promise.race(scrapes)
    expect(first?.body).toContain('floorpass_workers 1\n')
    expect(first?.body).toContain(`${count} ${before + 6}\n`)
    process.kill(hanging ?? 0, 'SIGCONT')
    await Promise.all(scrapes)
    for (const agent of agents) agent.destroy()
  })

  test('a scrape that the primary does not answer is 503, and the log names the cause', async () => {
    const server = shared
    const agent = oneConnection()
    const scrape = { path: '/metrics', headers: { authorization: `Bearer ${token}` }, agent }
    expect((await ask(server, scrape)).status).toBe(200)
    process.kill(server.pid, 'SIGSTOP')
    const refused = await ask(server, scrape).finally(() => process.kill(server.pid, 'SIGCONT'))
    agent.destroy()
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    const requestId = refused.headers['x-request-id']
    await eventually(() =>
      expect(server.logs().filter((line) => line.msg === 'request failed' && line.requestId === requestId)).toMatchObject([
        { level: 50, err: { message: 'no answer to scrape in 6000 ms' } },
      ]),
    )
  })

  test('a crashed worker is replaced while the other serves on, and no counter falls', async () => {
    const server = await startWorkers()
    const count = 'floorpass_http_requests_total{route="/healthz",method="GET",status="2xx"}'
    for (let asked = 0; asked < 4; asked += 1) await ask(server, { path: '/healthz' })
    expect(await metricOf(server, count)).toBe(4)
    const [first] = workersOf(server)
    process.kill(first ?? 0, 'SIGKILL')
    await eventually(() => expect(isAlive(first ?? 0)).toBe(false))
    expect((await ask(server, { path: '/healthz' })).status).toBe(200)
    await eventually(async () => expect(await listening(server)).toBe(3), 60_000)
    expect(await metricOf(server, 'floorpass_workers')).toBe(2)
    expect(await metricOf(server, count)).toBe(5)
    expect(server.logs().filter(({ msg }) => String(msg).startsWith('worker exited'))).toMatchObject([
      { level: 40, pid: first, code: null, signal: 'SIGKILL' },
    ])
    expect(server.stdout().match(/runs at/g)).toHaveLength(1)
    expect((await server.end('SIGINT')).code).toBe(0)
  })

  test('a hanging worker is killed and replaced while the other serves on', async () => {
    const server = await startWorkers()
    const [hanging] = workersOf(server)
    process.kill(hanging ?? 0, 'SIGSTOP')
    await eventually(async () => expect(await listening(server)).toBe(3), 90_000)
    expect(workersOf(server)).not.toContain(hanging)
    expect(server.logs().filter(({ level }) => Number(level) > 30)).toMatchObject([
      { level: 50, pid: hanging, msg: 'worker unresponsive: killing it' },
      { level: 40, pid: hanging, signal: 'SIGKILL', msg: 'worker exited: starting a replacement' },
    ])
    expect((await server.end('SIGINT')).code).toBe(0)
  })

  test('a crashed worker is replaced even while the database is down', async () => {
    const { options, drop, hide } = await createTestDatabase()
    onTestFinished(drop)
    const server = await startWorkers(options.kind === 'postgres' ? { DATABASE_URL: options.url } : {})
    const back = await hide?.()
    const [first] = workersOf(server)
    process.kill(first ?? 0, 'SIGKILL')
    await eventually(async () => expect(await listening(server)).toBe(3), 60_000)
    expect(server.logs().filter(({ msg }) => String(msg).startsWith('worker exited'))).toHaveLength(1)
    await server.end('SIGINT')
    await back?.()
  })

  test('a new worker refuses an older database, and the service ends', async () => {
    const { options, drop } = await createTestDatabase()
    onTestFinished(drop)
    if (options.kind !== 'postgres') return
    const server = await startWorkers({ DATABASE_URL: options.url })
    const { db, close } = await openDatabase(options)
    await db.$executeRaw`DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`
    await close()
    for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL')
    const ended = await Promise.race([server.exited, delay(60_000, null)])
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('The database schema is older than this version:') })
    expect(listening(server)).toBe(2)
  })

  test('workers that keep crashing end the service with a message', async () => {
    const server = await startWorkers()
    const killed = new Set<number>()
    const isOver = server.exited.then(() => true)
    while (!(await Promise.race([isOver, delay(50, false)]))) {
      const [victim] = workersOf(server).filter((pid) => !killed.has(pid))
      if (victim === undefined) continue
      process.kill(victim, 'SIGKILL')
      killed.add(victim)
    }
    const { code, stderr } = await server.exited
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Floorpass stops: 5 workers died .+ by SIGKILL\..+\n$/)])
    // On a busy machine some of them die too far apart to count together.
    expect(killed.size).toBeGreaterThanOrEqual(5)
    expect(workersOf(server)).toEqual([])
  })

  test('stop after answering their requests when the primary is killed', async () => {
    const server = await startWorkers()
    const workers = workersOf(server)
    // Opens the connections first: those that the primary has not handed over die with it.
    const connections = Array.from({ length: 8 }, oneConnection)
    await Promise.all(connections.map((agent) => ask(server, { path: '/healthz', agent })))
    const underWay = connections.map((agent, place) => signUp(server, `orphan-${place}@example.test`, agent))
    await Promise.race(underWay)
    // The workers share the output pipes, so `exited` waits for all of them.
    const ended = server.end('SIGKILL')
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    await ended
    await eventually(() => expect(workers.filter(isAlive)).toEqual([]))
  })

  test('wait for a balancer whose polls are spread over them', async () => {
    const server = await startWorkers()
    const ready = () => ask(server, { path: '/readyz' }).then(({ status }) => status)
    // Each new connection goes to the next worker.
    for (let poll = 0; poll < 2; poll += 1) expect(await ready()).toBe(200)
    const ended = server.end('SIGTERM')
    // Longer than the quiet second that the service waits for.
    await delay(2_000)
    expect((await ask(server, { path: '/healthz' })).status).toBe(200)
    expect(await ready()).toBe(503)
    expect((await ended).code).toBe(0)
  })
})
