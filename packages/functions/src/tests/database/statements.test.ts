import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  findSessionWithUser,
  findSignInAccount,
  isDatabaseUnavailable,
  isUniqueViolation,
  type OpenDatabase,
  openDatabase,
  type Queryable,
} from '@floorpass/db'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { databaseProxy } from '@floorpass/testing/database-proxy'
import { eventually } from '@floorpass/testing/eventually'
import { createTestDatabase, type TestDatabase, testDatabase } from '@floorpass/testing/test-database'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSessionFastPath } from '../../session-fast-path.ts'

afterEach(() => vi.unstubAllEnvs())

describe('statements without Prisma', () => {
  let own: TestDatabase
  let database: OpenDatabase
  beforeAll(async () => {
    own = await createTestDatabase()
    database = await openDatabase(own.options)
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
  })
  const newUser = (id: string) => database.db.user.create({ data: { id, name: 'Ada', email: `${id}@example.test` } })
  const nameOf = async (id: string) => (await database.db.user.findUniqueOrThrow({ where: { id } })).name

  test.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'])(
    'read every column of a session, an account and their user as Prisma does, in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone)
      const { db, sql } = database
      const at = (day: number) => new Date(Date.UTC(2026, 2, day, 2, 30, 0, 123))
      const name = zone.toLowerCase().replace(/\W|_/g, '-')
      const user = await db.user.create({
        data: {
          name: 'Ada',
          email: `${name}@example.test`,
          emailVerified: true,
          image: 'https://example.test/ada.png',
          locale: 'fr',
          tradingEnabled: true,
          riskLevel: 'aggressive',
          twoFactorEnabled: true,
          unlinkedProviders: ['google', 'git"hub, {}'],
          suspendedAt: at(1),
          importedAt: at(2),
          createdAt: at(3),
          updatedAt: at(4),
        },
      })
      const organization = await db.organization.create({ data: { name, slug: name } })
      await db.member.create({ data: { organizationId: organization.id, userId: user.id, role: 'owner', slot: 1 } })
      const added = await db.organization.create({ data: { name, slug: `${name}-added` } })
      await db.member.create({
        data: { organizationId: added.id, userId: user.id, role: 'admin', slot: 2, acceptedAt: null },
      })
      const device = await db.trustedDevice.create({ data: { userId: user.id, secretHash: name, expiresAt: at(5) } })
      await db.session.create({
        data: {
          id: name,
          userId: user.id,
          remember: false,
          ipAddress: '192.0.2.1',
          userAgent: 'a “browser”',
          activeOrganizationId: organization.id,
          trustedDeviceId: device.id,
          createdAt: at(6),
          updatedAt: at(7),
          authenticationMethods: ['pwd', 'otp'],
          secondFactorAt: at(11),
          lastSeenAt: at(8),
          expiresAt: at(9),
        },
      })
      await db.account.create({ data: { userId: user.id, providerId: 'github', accountId: name } })
      const { id, userId, passwordHash, deviceEpoch } = await db.account.create({
        data: { userId: user.id, providerId: 'credential', accountId: user.id, passwordHash: 'a hash', deviceEpoch: 7 },
      })
      const { user: owner, ...session } = await db.session.findUniqueOrThrow({ where: { id: name }, include: { user: true } })
      expect(await findSessionWithUser(sql, name)).toEqual({
        session,
        user: owner,
        memberships: { [organization.id]: { role: 'owner', heldUntil: null } },
      })
      expect(await findSignInAccount(sql, user.email)).toEqual({ id, userId, passwordHash, deviceEpoch, user })
      expect([await findSessionWithUser(sql, 'none'), await findSignInAccount(sql, 'none')]).toEqual([null, null])

      await sql.$queryRaw`UPDATE users SET suspended_at = ${at(10)} WHERE id = ${userId}`
      expect((await db.user.findUniqueOrThrow({ where: { id: userId } })).suspendedAt).toEqual(at(10))
    },
  )

  test('commit or roll back together in a transaction, and the connection returns to the pool either way', async () => {
    const { sql } = database
    await newUser('whole')
    for (let count = 0; count < 15; count += 1) {
      const failing = sql.transaction(async (tx) => {
        await tx.$queryRaw`UPDATE users SET name = 'Half' WHERE id = 'whole'`
        throw new Error('refused by a rule')
      })
      await expect(failing).rejects.toThrow('refused by a rule')
    }
    expect(await nameOf('whole')).toBe('Ada')
    const kept = await sql.transaction(async (tx) => {
      await tx.$queryRaw`UPDATE users SET name = 'Grace' WHERE id = 'whole'`
      return 'kept'
    })
    expect([kept, await nameOf('whole')]).toEqual(['kept', 'Grace'])
  })

  test('run in the order of their calls, and never after the transaction ended', async () => {
    const { sql } = database
    await newUser('in-order')
    const late = await sql.transaction(async (tx) => {
      const names = ['one', 'two', 'three']
      const rows = await Promise.all([
        tx.$queryRaw`SELECT name FROM users WHERE id = 'in-order' FOR NO KEY UPDATE`,
        ...names.flatMap((name) => [
          tx.$queryRaw`UPDATE users SET name = ${name} WHERE id = 'in-order' RETURNING name`,
          tx.$queryRaw`SELECT name FROM users WHERE id = 'in-order'`,
        ]),
      ])
      expect(rows.flat()).toEqual(['Ada', ...names.flatMap((name) => [name, name])].map((name) => ({ name })))
      return () => tx.$queryRaw`UPDATE users SET name = 'late' WHERE id = 'in-order'`
    })
    await expect(late()).rejects.toThrow()
    expect(await nameOf('in-order')).toBe('three')
  })

  test('never run after a failed one, and run at the next attempt', async () => {
    const { db, sql } = database
    await newUser('counted')
    await db.$executeRaw`CREATE SEQUENCE tries`
    const divide = (by: number) =>
      sql.transaction((tx) =>
        Promise.all([
          tx.$queryRaw`UPDATE users SET name = 'Half' WHERE id = 'counted'`,
          tx.$queryRaw`SELECT 1 / ${by}::int AS quotient`,
          // A sequence survives a rollback.
          tx.$queryRaw`SELECT nextval('tries')::int AS number`,
        ]),
      )
    await expect(divide(0)).rejects.toThrow('division by zero')
    expect(await nameOf('counted')).toBe('Ada')
    expect((await divide(1)).slice(1)).toEqual([[{ quotient: 1 }], [{ number: 1 }]])
    expect(await nameOf('counted')).toBe('Half')
  })

  test('never run when a rule throws before they are sent', async () => {
    const { sql } = database
    await newUser('waiting')
    const rename = (tx: Queryable, name: string) => tx.$queryRaw`UPDATE users SET name = ${name} WHERE id = 'waiting'`
    let late: Promise<unknown> = Promise.resolve()
    const failing = sql.transaction(async (tx) => {
      const first = rename(tx, 'first')
      await setImmediate()
      late = Promise.allSettled([first, rename(tx, 'second')])
      throw new Error('refused by a rule')
    })
    await expect(failing).rejects.toThrow('refused by a rule')
    await late
    await sql.transaction((tx) => tx.$queryRaw`SELECT 1`)
    expect(await nameOf('waiting')).toBe('Ada')
  })

  test("fail with the same errors as Prisma's, and a swallowed failure fails the transaction", async () => {
    const { sql } = database
    await newUser('once')
    const again = sql.$queryRaw`INSERT INTO users (id, name, email, updated_at) VALUES ('once', 'Eve', 'eve@example.test', now())`
    expect(isUniqueViolation(await again.catch((error: unknown) => error))).toBe(true)
    const swallowing = sql.transaction(async (tx) => {
      await tx.$queryRaw`UPDATE users SET name = 'Eve' WHERE id = 'once'`
      await tx.$queryRaw`SELECT 1 / 0`.catch(() => {})
    })
    await expect(swallowing).rejects.toThrow()
    expect(await nameOf('once')).toBe('Ada')
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'stay prepared on a direct connection, and are never prepared behind a transaction pooler',
    async () => {
      if (own.options.kind !== 'postgres') throw new Error('not PostgreSQL')
      const kept = async (url: string) => {
        const { db, sql, close } = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
        onTestFinished(close)
        for (let count = 0; count < 3; count += 1) {
          await findSessionWithUser(sql, 'none')
          await db.session.findUnique({ where: { id: 'none' } })
        }
        return db.$queryRaw<{ name: string }[]>`SELECT name FROM pg_prepared_statements WHERE name <> '' ORDER BY name`
      }
      const names = [/^floorpass_/, /^prisma_/].map((name) => ({ name: expect.stringMatching(name) }))
      expect(await kept(own.options.url)).toEqual(names)
      expect(await kept((await databaseProxy(own.options.url, { pooling: true })).url)).toEqual([])
    },
  )
})

test('only these files use statements without Prisma', () => {
  const rules = fileURLToPath(new URL('../../../../api/src/', import.meta.url))
  const files = readdirSync(rules, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  // Matches `ctx.sql` and a destructured `sql`.
  const users = files.filter((file) => /\bsql\b/.test(readFileSync(rules + file, 'utf8')))
  expect(users.sort()).toEqual([
    'administration/import-users.ts',
    'allow-list/check-entry.ts',
    'api-key-checks/check-key.ts',
    'api-key-checks/key-store.ts',
    'context.ts',
    'event-feed/event-feed.ts',
    'event-feed/read-events.ts',
    'events/stream-events.ts',
    'password-guesses/password-guesses.ts',
    'profile/update-user.ts',
    'service-credentials/require-service.ts',
    'sessions/session-store.ts',
    'sign-in/sign-in-email.ts',
    'webhooks/claim-deliveries.ts',
    'webhooks/deliver-webhook.ts',
    'webhooks/finish-delivery.ts',
    'webhooks/webhook-queue.ts',
  ])
})

describe.runIf(testDatabase.kind === 'postgres')('the connection of a transaction', () => {
  let own: TestDatabase
  let database: OpenDatabase
  beforeAll(async () => {
    own = await createTestDatabase()
    if (own.options.kind !== 'postgres') throw new Error('not PostgreSQL')
    database = await openDatabase({ ...own.options, poolSize: 1 })
    await database.db.$executeRaw`CREATE TABLE notes (note varchar(20))`
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
  })
  const backend = async () => (await database.sql.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`)[0]?.pid
  const failureOf = (work: (tx: Queryable) => Promise<unknown>) =>
    database.sql.transaction(work).then(
      () => null,
      (error: unknown) => error,
    )

  test('is closed after 15 seconds and rolled back', async () => {
    const before = await backend()
    onTestFinished(() => void vi.restoreAllMocks())
    for (const isLast of [false, true]) {
      const failure = await failureOf(async (tx) => {
        await tx.$queryRaw`INSERT INTO notes VALUES ('too late')`
        const now = performance.now()
        vi.spyOn(performance, 'now').mockReturnValue(now + 15_001)
        if (!isLast) await tx.$queryRaw`SELECT 1`
      })
      vi.restoreAllMocks()
      expect([failure, isDatabaseUnavailable(failure)]).toEqual([expect.any(Error), true])
    }
    expect(await database.sql.$queryRaw`SELECT note FROM notes`).toEqual([])
    expect(await backend()).not.toBe(before)
  })

  test('is closed when a migration invalidates a prepared statement', async () => {
    const read = () => database.sql.transaction((tx) => tx.$queryRaw`SELECT note AS kept FROM notes`)
    await read()
    await database.db.$executeRaw`ALTER TABLE notes ALTER COLUMN note TYPE text`
    await expect(read()).rejects.toThrow('cached plan')
    expect(await read()).toEqual([])
  })

  test.each([
    ['another service', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['a deadlock that the server broke', Object.assign(new Error('deadlock detected'), { code: '40P01' })],
  ])('returns to the pool after a failure that leaves it healthy: %s', async (_, failure) => {
    const before = await backend()
    expect(await failureOf(() => Promise.reject(failure))).toBe(failure)
    expect(await backend()).toBe(before)
  })

  const unwritable = {
    toPostgres() {
      throw new Error('no value')
    },
  }
  const pointType = 600 as number as Parameters<typeof pg.types.setTypeParser>[0]

  test('returns to the pool after a parameter that cannot be encoded, with nothing committed', async () => {
    const before = await backend()
    const failure = await failureOf((tx) =>
      Promise.all([
        tx.$queryRaw`INSERT INTO notes VALUES ('before')`,
        tx.$queryRaw`INSERT INTO notes VALUES (${unwritable})`,
        tx.$queryRaw`INSERT INTO notes VALUES ('behind')`,
      ]),
    )
    expect(failure).toEqual(new Error('no value'))
    expect(await database.sql.$queryRaw`SELECT note FROM notes`).toEqual([])
    expect(await backend()).toBe(before)
  })

  test.each([
    ['fails', (tx: Queryable) => tx.$queryRaw`SELECT 1 / 0`],
    ['cannot be encoded', (tx: Queryable) => tx.$queryRaw`INSERT INTO notes VALUES (${unwritable})`],
    ['cannot be decoded', (tx: Queryable) => tx.$queryRaw`SELECT point(1, 2) FROM generate_series(1, 3)`],
    ['is not awaited', async (tx: Queryable) => void tx.$queryRaw`INSERT INTO notes VALUES ('alone')`.catch(() => {})],
  ])('rolls everything back when a statement %s, even if the error is swallowed', async (_, unlucky) => {
    pg.types.setTypeParser(pointType, () => {
      throw new Error('no point')
    })
    onTestFinished(() => pg.types.setTypeParser(pointType, String))
    const failure = await failureOf(async (tx) => {
      await tx.$queryRaw`INSERT INTO notes VALUES ('beside')`
      await Promise.allSettled([unlucky(tx)])
    })
    expect(failure).toMatchObject({ message: expect.stringContaining('rolled back') })
    expect(await database.sql.$queryRaw`SELECT note FROM notes`).toEqual([])
  })

  test('reports rows that cannot be decoded', async () => {
    pg.types.setTypeParser(pointType, () => {
      throw new Error('no point')
    })
    onTestFinished(() => pg.types.setTypeParser(pointType, String))
    expect(await failureOf((tx) => tx.$queryRaw`SELECT point(1, 2) FROM generate_series(1, 3)`)).toEqual(new Error('no point'))
  })

  test('reports the error of a rule before that of a later statement', async () => {
    const failure = await failureOf((tx) => {
      const rule = async () => {
        await tx.$queryRaw`SELECT 1`
        for (let step = 0; step < 10; step += 1) await null
        throw new Error('refused by a rule')
      }
      return Promise.all([rule(), tx.$queryRaw`SELECT 1 / 0`])
    })
    expect(failure).toEqual(new Error('refused by a rule'))
  })

  test('answers an empty statement and the next one', async () => {
    const answers = await database.sql.transaction((tx) => Promise.all([tx.$queryRaw``, tx.$queryRaw`SELECT 1 AS one`]))
    expect(answers).toEqual([[], [{ one: 1 }]])
  })

  test('is not reused while Prisma failed to end its transaction', async () => {
    if (own.options.kind !== 'postgres') throw new Error('not PostgreSQL')
    const proxy = await databaseProxy(own.options.url)
    const { db, sql, close } = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 1 })
    onTestFinished(close)
    const failing = db.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO notes VALUES ('lost')`
      proxy.stall()
      await tx.$executeRaw`SELECT 1`
    })
    await expect(failing).rejects.toThrow()
    proxy.flow()
    await sql.$queryRaw`INSERT INTO notes VALUES ('kept')`
    expect(await database.sql.$queryRaw`SELECT note FROM notes`).toEqual([{ note: 'kept' }])
    await database.sql.$queryRaw`TRUNCATE notes`
  })

  test('gives up waiting at the server and says when to retry', async () => {
    const [row] = await database.sql.$queryRaw<{ statement_timeout: string }[]>`SHOW statement_timeout`
    expect(row).toEqual({ statement_timeout: '9s' })
    const failure = await failureOf(async (tx) => {
      await tx.$queryRaw`SELECT set_config('statement_timeout', '1ms', true)`
      const blocker = new pg.Client(own.options.kind === 'postgres' ? own.options.url : '')
      await blocker.connect()
      onTestFinished(() => blocker.end())
      await blocker.query('BEGIN')
      await blocker.query('LOCK TABLE notes')
      return tx.$queryRaw`SELECT note FROM notes`
    })
    expect(isDatabaseUnavailable(failure)).toBe(true)
  })

  test('is replaced within the hour', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timer.mockRestore())
    const { sql, close } = await openDatabase(own.options)
    onTestFinished(close)
    await sql.$queryRaw`SELECT 1`
    expect(timer.mock.calls.map(([, ms]) => ms)).toContain(3_600_000)
  })
})

// Each statement costs a round trip and processor time on both sides, so this counts them. ADR 024.
describe.runIf(testDatabase.kind === 'postgres')('the statements of a request', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await createTestApp()
  })

  /** The statements of each round trip, as verb and table. */
  const roundTripsOf = async (request: () => Promise<{ status: number }>): Promise<string[][]> => {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    expect((await request()).status).toBe(200)
    const roundTrips = query.mock.calls.map(([sent]: unknown[]) => {
      if (typeof sent === 'string') return [sent]
      const { statements, text } = sent as { statements?: pg.QueryConfig[]; text: string }
      return statements?.map((statement) => statement.text) ?? [text]
    })
    query.mockRestore()
    return roundTrips
      .filter((texts) => !/pg_notify|pg_backend_pid|queued_mails/.test(texts.join()))
      .map((texts) =>
        texts.map((text) =>
          [/\w+/.exec(text)?.[0], /\b(?:FROM|INTO|UPDATE)\s+"?(\w+)/.exec(text)?.[1]].filter(Boolean).join(' '),
        ),
      )
  }

  test('get-session takes one round trip the first time', async () => {
    const tab = await app.signedIn()
    expect(await roundTripsOf(() => tab.get('/auth/get-session'))).toEqual([['SELECT sessions']])
  })

  describe('get-session over Node’s own server', () => {
    const edge = vi.fn((_: IncomingMessage, response: ServerResponse) => void response.end())
    let server: Server
    beforeAll(async () => {
      server = createServer(createSessionFastPath(app.service, edge)).listen(0, '127.0.0.1')
      await once(server, 'listening')
    })
    afterAll(() => server.close())
    const ask = (token: string) => {
      const { port } = server.address() as AddressInfo
      return fetch(`http://127.0.0.1:${port}/auth/get-session`, { headers: { cookie: `local-floorpass_session=${token}` } })
    }

    test.each([
      ['a live session', '', ['SELECT sessions']],
      ['an unknown session', 'DELETE FROM sessions', ['SELECT sessions']],
      ['a session of a suspended user', 'UPDATE users SET suspended_at = now()', ['SELECT sessions']],
      [
        'an expired session',
        "UPDATE sessions SET expires_at = now() - interval '1 second'",
        ['SELECT sessions', 'DELETE sessions'],
      ],
      [
        'a session not seen for a day',
        "UPDATE sessions SET last_seen_at = now() - interval '1 day'",
        ['SELECT sessions', 'UPDATE sessions'],
      ],
    ])('%s is read once, without calling the edge', async (_, change, expected) => {
      const tab = await app.signedIn()
      if (change) await app.db.$executeRawUnsafe(change)
      expect(await roundTripsOf(() => ask(tab.cookies.get('local-floorpass_session') ?? ''))).toEqual(
        expected.map((one) => [one]),
      )
      expect(edge).not.toHaveBeenCalled()
      await app.db.user.updateMany({ data: { suspendedAt: null } })
    })

    test('asks an unavailable database once, answers 503 with Retry-After, and logs one error', async () => {
      const tab = await app.signedIn()
      const connect = vi.spyOn(app.service.deps.sql, '$queryRaw')
      onTestFinished(() => connect.mockRestore())
      const { back } = await app.loseDatabase()
      app.logs.length = 0
      const answer = await ask(tab.cookies.get('local-floorpass_session') ?? '').finally(back)
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('vary')]).toEqual([503, '1', 'Origin'])
      expect(await answer.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(connect).toHaveBeenCalledOnce()
      expect(app.logs.filter(({ level }) => level === 50)).toEqual([
        expect.objectContaining({ msg: 'procedure failed', requestId: answer.headers.get('x-request-id') }),
      ])
      expect(edge).not.toHaveBeenCalled()
      await eventually(() => expect(app.service.deps.sessionCache.stats().channelUp).toBe(true))
    })
  })

  test('sign-in/email takes two round trips before the hash, three in its transaction and one notification', async () => {
    const { email, password } = await app.verified()
    expect(await roundTripsOf(() => app.browser().post('/auth/sign-in/email', { email, password }))).toEqual([
      ['SELECT users'],
      ['UPDATE accounts'],
      ['BEGIN', 'SELECT users', 'UPDATE accounts', 'SELECT users'],
      ['INSERT audit_events', 'INSERT sessions', 'DELETE sessions'],
      ['COMMIT'],
      ['SELECT'],
    ])
  })

  test('update-user takes one round trip for the caller, two in its transaction and one notification', async () => {
    const tab = await app.signedIn()
    expect(await roundTripsOf(() => tab.post('/auth/update-user', { name: 'Grace' }))).toEqual([
      ['SELECT sessions'],
      ['BEGIN', 'SELECT users', 'UPDATE users', 'SELECT sessions', 'INSERT audit_events'],
      ['COMMIT'],
      ['SELECT'],
    ])
  })
})

test.runIf(process.platform === 'linux')('hashing threads run at a lower priority than the event loop', async () => {
  const niceness = (thread: string | number) =>
    Number(readFileSync(`/proc/self/task/${thread}/stat`, 'latin1').split(') ')[1]?.split(' ')[16])
  const own = niceness(process.pid)
  const hashing = () =>
    readdirSync('/proc/self/task').filter((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').startsWith('libuv-worker'))
  const app = await createTestApp()
  await app.service.deps.passwords.hash('plum kettle orbit')
  await eventually(() => {
    expect(hashing().length).toBeGreaterThan(0)
    expect(new Set(hashing().map(niceness))).toEqual(new Set([10]))
  })
  expect(niceness(process.pid)).toBe(own)
})
