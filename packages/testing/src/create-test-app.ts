import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Database } from '@floorpass/db'
import { openDatabase } from '@floorpass/db'
import { loadConfig } from '@floorpass/env'
import { createEdge, type Edge } from '@floorpass/functions'
import { composeService, describeError, openTracing, type Service } from '@floorpass/service'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { vi } from 'vitest'
import { type Browser, createBrowser } from './browser.ts'
import { closeAfterFile } from './close-after-file.ts'
import { gatewayEdge, type Payload } from './gateway-edge.ts'
import { createTestOutbox, type TestOutbox } from './outbox.ts'
import { createTestDatabase } from './test-database.ts'

/** A person with a mailbox and a password. Each test makes its own. */
export type Person = { name: string; email: string; password: string }

export type TestApp = {
  edge: Edge
  service: Service
  db: Database
  outbox: TestOutbox
  baseUrl: string
  /** Every line that was logged, parsed. */
  logs: Record<string, unknown>[]
  /** Warnings and worse, but for a heartbeat that a busy machine was late with: sessions are read from the database then. */
  unforeseen(): Record<string, unknown>[]
  /** Of itself it stops after the file's last test. */
  stop(): Promise<void>
  browser(options?: { origin?: string | null; ip?: string }): Browser
  /** A new person that no other test knows. */
  person(overrides?: Partial<Person>): Person
  /** Signs up; the mail is in the outbox when it resolves. */
  signUp(person?: Person): Promise<Person>
  /** Signs up and proves the address. */
  verified(person?: Person): Promise<Person>
  /** A verified person's signed-in browser. */
  signedIn(person?: Person): Promise<Browser & { person: Person; userId: string }>
  /** Waits until every queued mail has left. */
  mailed(): Promise<void>
  /** Every row of every table: what a thief of the database holds. */
  everyRow(): Promise<Record<string, unknown>[]>
  /** For each table, its number of rows and a digest of all that they hold. */
  digests(): Promise<{ table: string; digest: string }[]>
  /** Takes the database away under the running service; `back` returns it (PostgreSQL only). */
  loseDatabase(): Promise<{ back(): Promise<void> }>
  close(): Promise<void>
}

let persons = 0

/**
 * The real edge, router and rules on a fresh database (embedded, or PostgreSQL when DATABASE_URL is set), with a mail server that
 * keeps what it gets, a cheap password hash, no wait before quiet answers and little patience in smoke tests. Limits are off unless asked for: `{ RATE_LIMIT: 'on' }`. Closes itself.
 */
export async function createTestApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const testDatabase = await createTestDatabase()
  const config = loadConfig({ RATE_LIMIT: 'off', ...environment })
  const database = await openDatabase(testDatabase.options)
  const outbox = createTestOutbox()
  const logs: Record<string, unknown>[] = []
  const redis = process.env.REDIS_URL
    ? new Redis(process.env.REDIS_URL, { keyPrefix: `${randomBytes(8).toString('hex')}:` })
    : null
  // Until then limits are counted in memory, and twice as many tries pass.
  if (redis) await once(redis, 'ready')
  const service = composeService({
    config,
    secrets: config.authSecrets ?? ['a secret that only tests know, long enough'],
    database,
    transport: outbox,
    outbox: null,
    redis,
    tracing: config.tracing && openTracing(config.tracing),
    log: pino(
      { level: 'trace', base: null, serializers: { err: describeError } },
      { write: (line) => void logs.push(JSON.parse(line)) },
    ),
    responseFloorMs: 0,
    smokeTimes: { check: 3, suite: 12, slowestAnswer: 1, clockTolerance: 5 },
    hashCost: { memoryCost: 64, timeCost: 1, parallelism: 1 },
  })
  const heardOf = async <Result>(result: Promise<Result>): Promise<Result> => {
    await result
    await service.deps.sessionCache.settle()
    return result
  }
  // Within milliseconds of an operator's change the service has heard of it; a test goes on when it has.
  const db = database.db.$extends({ query: { $allOperations: ({ args, query }) => heardOf(query(args)) } }) as unknown as Database
  await vi.waitFor(
    () => service.deps.sessionCache.stats().channelUp || Promise.reject(new Error('the channel is not up')),
    10_000,
  )
  const baseUrl = config.baseUrl
  // The suite can run as if behind API Gateway: TEST_GATEWAY=1.0 or 2.0 names the payload.
  const payload = process.env.TEST_GATEWAY as Payload | undefined
  const edge = payload ? gatewayEdge(createEdge(service), baseUrl, payload) : createEdge(service)
  const browser: TestApp['browser'] = (options) => createBrowser(edge, baseUrl, options)

  const person: TestApp['person'] = (overrides) => {
    persons += 1
    return {
      name: `Ada ${persons}`,
      email: `ada-${persons}@example.test`,
      password: `plum kettle orbit ${persons}`,
      ...overrides,
    }
  }
  const mailed = () => service.deps.mail.drain()
  const expectOk = (status: number, body: unknown) => {
    if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  }
  const signUp: TestApp['signUp'] = async (somebody = person()) => {
    const answer = await browser().post('/auth/sign-up/email', somebody)
    expectOk(answer.status, answer.body)
    await mailed()
    return somebody
  }
  const verified: TestApp['verified'] = async (somebody = person()) => {
    await signUp(somebody)
    const answer = await browser().post('/auth/verify-email', { token: outbox.lastTo(somebody.email).token })
    expectOk(answer.status, answer.body)
    return somebody
  }
  const signedIn: TestApp['signedIn'] = async (somebody) => {
    const known = await verified(somebody)
    const tab = browser()
    const answer = await tab.post('/auth/sign-in/email', { email: known.email, password: known.password })
    expectOk(answer.status, answer.body)
    return { ...tab, person: known, userId: (answer.body as { user: { id: string } }).user.id }
  }
  const tableNames = async () => {
    const tables = await database.db.$queryRaw<
      { name: string }[]
    >`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
    return tables.map(({ name }) => name)
  }
  const digests: TestApp['digests'] = async () => {
    const selects = (await tableNames()).map(
      (name) =>
        `SELECT '${name}' AS table, count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) AS digest FROM "${name}" t`,
    )
    return database.db.$queryRawUnsafe<{ table: string; digest: string }[]>(selects.join(' UNION ALL '))
  }
  const everyRow: TestApp['everyRow'] = async () => {
    const rows = (await tableNames()).map((name) =>
      database.db.$queryRawUnsafe<{ row: string }[]>(`SELECT to_json("${name}")::text AS row FROM "${name}"`),
    )
    return (await Promise.all(rows)).flat().map(({ row }) => JSON.parse(row))
  }
  const unforeseen: TestApp['unforeseen'] = () =>
    logs
      .filter(({ level }) => Number(level) >= 40)
      .filter(({ msg, reason }) => !(/^session invalidation channel down/.test(String(msg)) && /in time$/.test(String(reason))))
  let lost = false
  const loseDatabase: TestApp['loseDatabase'] = async () => {
    lost = testDatabase.hide === null
    if (testDatabase.hide) return { back: await testDatabase.hide() }
    await database.close()
    return { back: () => Promise.reject(new Error('a closed embedded database does not come back')) }
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= service.stop()
    return stopped
  }
  const close = async () => {
    await stop().catch((error: unknown) => {
      if (!lost) throw error
    })
    await testDatabase.drop()
  }
  closeAfterFile(close)
  return {
    edge,
    service,
    db,
    outbox,
    baseUrl,
    logs,
    unforeseen,
    stop,
    browser,
    person,
    signUp,
    verified,
    signedIn,
    mailed,
    everyRow,
    digests,
    loseDatabase,
    close,
  }
}
