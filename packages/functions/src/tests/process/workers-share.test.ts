import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { outboxOf, signedInPerson } from '@floorpass/reliability'
import { eventually } from '@floorpass/testing/eventually'
import { testDatabase } from '@floorpass/testing/test-database'
import {
  askWorker,
  isAlive,
  metricOf,
  oneConnection,
  scrape,
  signUpAt,
  startWorkers,
  type WorkerService,
  workersOf,
} from '@floorpass/testing/worker-service'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

describe.runIf(testDatabase.kind === 'postgres')('two workers', () => {
  let server: WorkerService
  beforeAll(async () => {
    server = await startWorkers()
  })

  test('a session that ends on one ends on the other', async () => {
    const target = { url: server.url, origin: `http://localhost:${server.port}` }
    const { cookie } = await signedInPerson(target, outboxOf(server.dataDir))
    const connections = [oneConnection(), oneConnection()]
    const seen = () =>
      Promise.all(
        connections.map(
          async (agent) => (await askWorker(server, { path: '/auth/get-session', headers: { cookie }, agent })).body,
        ),
      )
    // Each worker reads the session once and then serves it from memory.
    const before = await metricOf(server, 'floorpass_session_reads_total{from="database"}')
    for (let count = 0; count < 3; count += 1) for (const body of await seen()) expect(body).toContain('example.test')
    expect(await metricOf(server, 'floorpass_session_reads_total{from="database"}')).toBe(before + 2)
    expect(await metricOf(server, 'floorpass_sessions_in_memory')).toBeGreaterThanOrEqual(2)

    const [agent] = connections
    await askWorker(server, { method: 'POST', path: '/auth/sign-out', headers: { cookie }, ...(agent && { agent }) })
    await eventually(async () => expect(await seen()).toEqual(['null', 'null']))
    for (const connection of connections) connection.destroy()
  })

  test('send each mail once', async () => {
    const signUp = async (email: string) => expect((await signUpAt(server, email)).status).toBe(200)
    const addresses = Array.from({ length: 8 }, (_, place) => `once-${place}@example.test`)
    await Promise.all(addresses.map(signUp))
    // A second copy would have left before the mail of a later sign-up.
    for (const address of ['later@example.test', 'last@example.test']) {
      await eventually(async () => expect(await metricOf(server, 'floorpass_mails{state="waiting"}')).toBe(0))
      await signUp(address)
    }
    const outbox = join(server.dataDir, 'outbox')
    const files = (await readdir(outbox)).filter((name) => name.endsWith('.json'))
    const mails = await Promise.all(files.map((name) => readFile(join(outbox, name), 'utf8')))
    expect(mails.filter((mail) => mail.includes('once-'))).toHaveLength(8)
  })

  test('export metrics as one service, even while one of them hangs', async () => {
    const count = 'floorpass_http_requests_total{route="/healthz",method="GET",status="2xx"}'
    const before = (await metricOf(server, count)) || 0
    for (let asked = 0; asked < 6; asked += 1) await askWorker(server, { path: '/healthz' })
    expect([await metricOf(server, count), await metricOf(server, 'floorpass_workers')]).toEqual([before + 6, 2])
    expect(await metricOf(server, 'floorpass_workers_configured')).toBe(2)
    expect(await metricOf(server, 'floorpass_errors_total{code="INTERNAL_SERVER_ERROR"}')).toBe(0)
    expect(await metricOf(server, 'floorpass_session_channel_up')).toBe(1)
    expect(await metricOf(server, 'floorpass_database_up')).toBe(1)

    const agents = [oneConnection(), oneConnection()]
    await Promise.all(agents.map((agent) => scrape(server, agent)))
    const [, hanging] = workersOf(server)
    process.kill(hanging ?? 0, 'SIGSTOP')
    // Also when an assertion fails, so that the tests below have both workers.
    onTestFinished(() => void process.kill(hanging ?? 0, 'SIGCONT'))
    const scrapes = agents.map((agent) => scrape(server, agent).catch(() => null))
    const first = await Promise.race(scrapes)
    expect(first?.body).toContain('floorpass_workers 1\n')
    expect(first?.body).toContain(`${count} ${before + 6}\n`)
    process.kill(hanging ?? 0, 'SIGCONT')
    await Promise.all(scrapes)
    for (const agent of agents) agent.destroy()
  })

  test('a scrape that the primary does not answer is 503, and the log names the cause', async () => {
    const agent = oneConnection()
    expect((await scrape(server, agent)).status).toBe(200)
    process.kill(server.pid, 'SIGSTOP')
    const refused = await scrape(server, agent).finally(() => process.kill(server.pid, 'SIGCONT'))
    agent.destroy()
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    const requestId = refused.headers['x-request-id']
    await eventually(() =>
      expect(server.logs().filter((line) => line.msg === 'request failed' && line.requestId === requestId)).toMatchObject([
        { level: 50, err: { message: 'no answer to scrape in 6000 ms' } },
      ]),
    )
  })

  // Last, because it kills the primary of the tests above.
  test('stop after answering their requests when the primary is killed', async () => {
    const workers = workersOf(server)
    expect(workers).toHaveLength(2)
    // Opens the connections first: those that the primary has not handed over die with it.
    const connections = Array.from({ length: 8 }, oneConnection)
    await Promise.all(connections.map((agent) => askWorker(server, { path: '/healthz', agent })))
    const underWay = connections.map((agent, place) => signUpAt(server, `orphan-${place}@example.test`, agent))
    await Promise.race(underWay)
    // The workers share the output pipes, so `exited` waits for all of them.
    const ended = server.end('SIGKILL')
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    await ended
    await eventually(() => expect(workers.filter(isAlive)).toEqual([]))
  })

  test('wait for a balancer whose polls are spread over them', async () => {
    const polled = await startWorkers()
    const ready = () => askWorker(polled, { path: '/readyz' }).then(({ status }) => status)
    // Each new connection goes to the next worker.
    for (let poll = 0; poll < 2; poll += 1) expect(await ready()).toBe(200)
    const ended = polled.end('SIGTERM')
    // Longer than the quiet second that the service waits for.
    await delay(2_000)
    expect((await askWorker(polled, { path: '/healthz' })).status).toBe(200)
    expect(await ready()).toBe(503)
    expect((await ended).code).toBe(0)
  })
})
