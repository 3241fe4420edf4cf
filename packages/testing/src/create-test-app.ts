import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import type { Database } from '@floorpass/db'
import { openDatabase } from '@floorpass/db'
import { describeSettings, loadConfig } from '@floorpass/env'
import { createEdge, type Edge } from '@floorpass/functions'
import { composeService, describeError, openBrand, openPlaces, openTracing, type Service } from '@floorpass/service'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { type Browser, createBrowser } from './browser.ts'
import { closeAfterUse } from './close-after-file.ts'
import { eventually } from './eventually.ts'
import { gatewayEdge, type Payload } from './gateway-edge.ts'
import { createTestOutbox, type TestOutbox } from './outbox.ts'
import { borrowTestDatabase } from './test-database.ts'

/** A user with a mailbox and a password. Each test creates its own. */
export type Person = { name: string; email: string; password: string }

export type SignedIn = Browser & { person: Person; userId: string }

export type TestApp = {
  edge: Edge
  service: Service
  db: Database
  outbox: TestOutbox
  baseUrl: string
  /** Every log line, parsed. */
  logs: Record<string, unknown>[]
  /** Log lines of level warn and above, except late heartbeats of the session channel, which a busy machine causes. */
  warnings(): Record<string, unknown>[]
  /** Called when the test or the file ends, unless the test calls it. */
  stop(): Promise<void>
  browser(options?: { origin?: string | null; ip?: string }): Browser
  /** A new user with a unique email. */
  person(overrides?: Partial<Person>): Person
  /** Signs up. The verification email is in the outbox on return. */
  signUp(person?: Person): Promise<Person>
  /** Inserts a user with a verified email and a password, which is much faster than a sign-up. */
  verified(person?: Person): Promise<Person>
  /** The signed-in browser of a verified user. */
  signedIn(person?: Person): Promise<SignedIn>
  /** Signs up, verifies the email and signs in: this user has the mails and the events of it. */
  registered(person?: Person): Promise<SignedIn>
  /** Waits until the mail queue is empty. */
  drainMail(): Promise<void>
  /** Every row of every table: what a thief of the database gets. */
  readAllRows(): Promise<Record<string, unknown>[]>
  /** The row count of each table and the transactions that wrote its rows: every write changes one or the other. */
  digests(): Promise<{ table: string; digest: string }[]>
  /** Makes the database unavailable under the running service. `back` restores it (PostgreSQL only). */
  loseDatabase(): Promise<{ back(): Promise<void> }>
  close(): Promise<void>
}

let persons = 0

/**
 * The real edge, router and rules on a fresh database: embedded, or PostgreSQL when DATABASE_URL is set. Mail goes to an in-memory
 * outbox, hashes are cheap, delays are short, and rate limits are off unless `{ RATE_LIMIT: 'on' }`. Closes when
 * the test ends that calls this, or else after the file.
 */
export async function createTestApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const testDatabase = await borrowTestDatabase()
  const config = loadConfig({ RATE_LIMIT: 'off', ...environment })
  // Three files run at once, each with several apps, and PostgreSQL takes 100 connections by default.
  const database = await openDatabase({
    ...testDatabase.options,
    ...(testDatabase.options.kind === 'postgres' && { poolSize: 5 }),
  })
  const outbox = createTestOutbox()
  const logs: Record<string, unknown>[] = []
  const redis = process.env.REDIS_URL
    ? new Redis(process.env.REDIS_URL, { keyPrefix: `${randomBytes(8).toString('hex')}:` })
    : null
  // Before Redis is ready, limits are counted in memory and twice as many attempts pass.
  if (redis) await once(redis, 'ready')
  const service = composeService({
    config,
    variables: describeSettings(environment, config),
    brand: await openBrand(config.brand),
    secrets: config.authSecrets ?? ['a secret that only tests know, long enough'],
    database,
    transport: outbox,
    outbox: null,
    redis,
    tracing: config.tracing && openTracing(config.tracing),
    ...(config.placeDatabase !== null && { findPlace: await openPlaces(config.placeDatabase) }),
    log: pino(
      { level: 'trace', base: null, serializers: { err: describeError } },
      { write: (line) => void logs.push(JSON.parse(line)) },
    ),
    responseFloorMs: 0,
    smokeTimes: { check: 3, suite: 12, slowestAnswer: 1, clockTolerance: 5 },
    hashCost: { memoryCost: 64, timeCost: 1, parallelism: 1 },
  })
  const awaitInvalidation = async <Result>(result: Promise<Result>): Promise<Result> => {
    await result
    await service.deps.changes.flush()
    return result
  }
  // Tests change rows directly: wait until the service has received the invalidations.
  const db = database.db.$extends({
    query: { $allOperations: ({ args, query }) => awaitInvalidation(query(args)) },
  }) as unknown as Database
  await eventually(
    () => service.deps.sessionCache.stats().channelUp || Promise.reject(new Error('the session invalidation channel is down')),
  )
  const baseUrl = config.baseUrl
  // TEST_GATEWAY=1.0 or 2.0 runs the suite behind API Gateway with that payload version.
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
  const drainMail = () => service.deps.mail.drain()
  const expectOk = (status: number, body: unknown) => {
    if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  }
  const signUp: TestApp['signUp'] = async (given = person()) => {
    const answer = await browser().post('/auth/sign-up/email', given)
    expectOk(answer.status, answer.body)
    await drainMail()
    return given
  }
  const verified: TestApp['verified'] = async (given = person()) => {
    const { name, password } = given
    const email = given.email.toLowerCase()
    const id = randomUUIDv7()
    const now = new Date()
    const passwordHash = await service.deps.passwords.hash(password)
    await database.db.$executeRaw`
      WITH inserted AS (
        INSERT INTO users (id, name, email, email_verified, created_at, updated_at)
        VALUES (${id}, ${name}, ${email}, true, ${now}, ${now}) RETURNING id
      )
      INSERT INTO accounts (id, user_id, provider_id, account_id, password_hash, created_at, updated_at)
      SELECT ${randomUUIDv7()}, id, 'credential', id, ${passwordHash}, ${now}, ${now} FROM inserted`
    return given
  }
  const openSession = async (user: Person): Promise<SignedIn> => {
    const tab = browser()
    const answer = await tab.post('/auth/sign-in/email', { email: user.email, password: user.password })
    expectOk(answer.status, answer.body)
    return { ...tab, person: user, userId: (answer.body as { user: { id: string } }).user.id }
  }
  const signedIn: TestApp['signedIn'] = async (given) => openSession(await verified(given))
  const registered: TestApp['registered'] = async (given) => {
    const user = await signUp(given)
    const answer = await browser().post('/auth/verify-email', { token: outbox.lastTo(user.email).token })
    expectOk(answer.status, answer.body)
    return openSession(user)
  }
  const tableNames = async () => {
    const tables = await database.db.$queryRaw<
      { name: string }[]
    >`SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`
    return tables.map(({ name }) => name)
  }
  const digests: TestApp['digests'] = async () => {
    const selects = (await tableNames()).map(
      (name) =>
        `SELECT '${name}' AS table, concat_ws(' ', count(*), sum(xmin::text::bigint), max(xmin::text::bigint)) AS digest FROM "${name}"`,
    )
    return database.db.$queryRawUnsafe<{ table: string; digest: string }[]>(selects.join(' UNION ALL '))
  }
  const readAllRows: TestApp['readAllRows'] = async () => {
    const rows = (await tableNames()).map((name) =>
      database.db.$queryRawUnsafe<{ row: string }[]>(`SELECT to_json("${name}")::text AS row FROM "${name}"`),
    )
    return (await Promise.all(rows)).flat().map(({ row }) => JSON.parse(row))
  }
  const warnings: TestApp['warnings'] = () =>
    logs
      .filter(({ level }) => Number(level) >= 40)
      .filter(({ msg, reason }) => !(/^session invalidation channel down/.test(String(msg)) && /in time$/.test(String(reason))))
  let lost = false
  const loseDatabase: TestApp['loseDatabase'] = async () => {
    if (testDatabase.hide) return { back: await testDatabase.hide() }
    lost = true
    await testDatabase.lose?.()
    return { back: () => Promise.reject(new Error('a closed embedded database cannot be restored')) }
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
  closeAfterUse(close)
  return {
    edge,
    service,
    db,
    outbox,
    baseUrl,
    logs,
    warnings,
    stop,
    browser,
    person,
    signUp,
    verified,
    signedIn,
    registered,
    drainMail,
    readAllRows,
    digests,
    loseDatabase,
    close,
  }
}
