import { isDatabaseUnavailable, isUniqueViolation, type OpenDatabase, openDatabase } from '@floorpass/db'
import { eventually } from '@floorpass/testing/eventually'
import { createTestDatabase, type TestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

let testDb: TestDatabase
let database: OpenDatabase

beforeAll(async () => {
  testDb = await createTestDatabase()
  database = await openDatabase(testDb.options)
})

afterAll(async () => {
  await database.close()
  await testDb.drop()
})

afterEach(() => vi.unstubAllEnvs())

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )
const newUser = (email: string) => ({ name: 'Ada', email })

describe('a unique violation', () => {
  it('is recognised on the client, in a transaction and in raw SQL', async () => {
    const { db } = database
    await db.user.create({ data: newUser('unique@example.test') })

    const again = { data: newUser('unique@example.test') }
    const failures = [
      await failureOf(db.user.create(again)),
      await failureOf(db.$transaction((tx) => tx.user.create(again))),
      await failureOf(
        db.$executeRaw`INSERT INTO users (id, name, email, updated_at) VALUES ('1', 'Ada', 'unique@example.test', now())`,
      ),
    ]
    expect(failures.map(isUniqueViolation)).toEqual([true, true, true])
    expect(failures.map(isDatabaseUnavailable)).toEqual([false, false, false])
    expect(failures).toMatchObject([{ code: 'P2002' }, { code: 'P2002' }, { code: 'P2010' }])
  })

  it('is not confused with a failed check or a missing row', async () => {
    const failures = [
      await failureOf(database.db.user.create({ data: newUser('Upper@example.test') })),
      await failureOf(database.db.user.update({ where: { id: 'unknown' }, data: { name: 'Eve' } })),
    ]
    expect(failures.map(isUniqueViolation)).toEqual([false, false])
    expect(failures.map(isDatabaseUnavailable)).toEqual([false, false])
  })
})

describe('the constraints that exist only in the database', () => {
  const refused = (constraint: string) => ({ code: 'P2039', message: expect.stringContaining(constraint) })

  it('refuse an email that is empty, too long or not in lower case', async () => {
    const longest = `${'a'.repeat(254 - '@example.test'.length)}@example.test`
    await database.db.user.create({ data: newUser(longest) })
    for (const email of ['', `a${longest}`, 'Ada@example.test']) {
      expect(await failureOf(database.db.user.create({ data: newUser(email) }))).toMatchObject(refused('users_email_check'))
    }
  })

  it('refuse a slot below one, an unknown role or status, and an invalid slug or name', async () => {
    const { db } = database
    const { id: userId } = await db.user.create({ data: newUser('member@example.test') })
    const { id: organizationId } = await db.organization.create({ data: { name: 'Desk', slug: 'checks' } })
    const member = { organizationId, userId, role: 'owner', slot: 1 }
    const invitation = { organizationId, email: 'bob@example.test', role: 'member', secretHash: 'checks', expiresAt: new Date() }

    expect(await failureOf(db.member.create({ data: { ...member, slot: 0 } }))).toMatchObject(refused('members_slot_check'))
    for (const odd of ['', 'king', 'Owner', 'owner,admin']) {
      expect(await failureOf(db.member.create({ data: { ...member, role: odd } }))).toMatchObject(refused('members_role_check'))
      expect(await failureOf(db.invitation.create({ data: { ...invitation, role: odd } }))).toMatchObject(
        refused('invitations_role_check'),
      )
      expect(await failureOf(db.invitation.create({ data: { ...invitation, status: odd } }))).toMatchObject(
        refused('invitations_status_check'),
      )
    }
    expect(await failureOf(db.invitation.create({ data: { ...invitation, email: 'Bob@example.test' } }))).toMatchObject(
      refused('invitations_email_check'),
    )
    for (const slug of ['', 'Desk', '-desk', 'desk-', 'de sk', 'dësk', 'a'.repeat(65)])
      expect(await failureOf(db.organization.create({ data: { name: 'Desk', slug } }))).toMatchObject(
        refused('organizations_slug_check'),
      )
    for (const name of ['', 'x'.repeat(101)])
      expect(await failureOf(db.organization.create({ data: { name, slug: 'desk' } }))).toMatchObject(
        refused('organizations_name_check'),
      )
  })

  it('allow one open invitation per email, and any number of answered ones', async () => {
    const { db } = database
    const { id: organizationId } = await db.organization.create({ data: { name: 'Desk', slug: 'open-ones' } })
    const invitation = { organizationId, email: 'bob@example.test', role: 'member', expiresAt: new Date() }
    const create = (secretHash: string, status: string) => db.invitation.create({ data: { ...invitation, secretHash, status } })
    for (const status of ['canceled', 'canceled', 'rejected', 'accepted', 'pending']) await create(crypto.randomUUID(), status)
    expect(isUniqueViolation(await failureOf(create('one too many', 'pending')))).toBe(true)
  })
})

describe('dates', () => {
  const instants = [
    '2026-03-08T02:30:00.123Z',
    '2026-03-08T07:00:00.001Z',
    '2026-10-25T01:15:00.999Z',
    '2026-11-01T05:59:59.000Z',
    '1969-12-31T23:59:59.999Z',
    '2024-02-29T12:00:00.010Z',
  ]

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'])('keep their milliseconds in %s', async (zone) => {
    vi.stubEnv('TZ', zone)
    const { id } = await database.db.user.create({ data: newUser(`${zone.toLowerCase()}@example.test`) })
    for (const instant of instants) {
      await database.db.user.update({ where: { id }, data: { suspendedAt: new Date(instant) } })
      const found = await database.db.user.findFirstOrThrow({ where: { id, suspendedAt: { equals: new Date(instant) } } })
      expect(found.suspendedAt?.toISOString()).toBe(instant)

      const [row] = await database.db.$queryRaw<{ at: Date; text: string }[]>`
        SELECT suspended_at AS at, to_char(suspended_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS text FROM users WHERE id = ${id}`
      expect(row).toEqual({ at: new Date(instant), text: instant })
    }
  })

  it('are UTC where SQL says now(), whatever the time zone of the server', async () => {
    let own = await createTestDatabase()
    const first = await openDatabase(own.options)
    await first.db.$executeRawUnsafe(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone TO ''America/New_York''', current_database()); END $$`,
    )
    if (first.dump) own = { ...own, options: { kind: 'embedded', directory: null, template: await first.dump() } }
    await first.close()

    const { db, close } = await openDatabase(own.options)
    await db.$executeRaw`INSERT INTO users (id, name, email, updated_at) VALUES ('now', 'Ada', 'now@example.test', now())`
    const user = await db.user.findUniqueOrThrow({ where: { id: 'now' } })
    expect(Math.abs(Number(user.createdAt) - Date.now())).toBeLessThan(10_000)
    expect(Math.abs(Number(user.updatedAt) - Date.now())).toBeLessThan(10_000)
    await close()
    await own.drop()
  })
})

describe('transactions', () => {
  it('complete when fifty run at once', async () => {
    const { db } = database
    const { id } = await db.user.create({ data: newUser('counter@example.test') })
    const { id: challenge } = await db.verification.create({
      data: { purpose: 'test', secretHash: 'counter', userId: id, expiresAt: new Date() },
    })

    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        db.$transaction(async (tx) => {
          await tx.verification.update({ where: { id: challenge }, data: { attempts: { increment: 1 } } })
          await tx.auditEvent.create({ data: { userId: id, action: `attempt ${index}` } })
        }),
      ),
    )
    expect(await db.verification.findUnique({ where: { id: challenge } })).toMatchObject({ attempts: 50 })
    expect(await db.auditEvent.count({ where: { userId: id } })).toBe(50)
  })

  it('let an outside query run before or after them', async () => {
    const { db } = database
    const [created, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const open = db.$transaction(async (tx) => {
      await tx.user.create({ data: newUser('inside@example.test') })
      created.resolve()
      await mayCommit.promise
      return tx.user.count({ where: { email: 'inside@example.test' } })
    })
    await created.promise
    const outside = Promise.all(Array.from({ length: 20 }, () => db.user.count({ where: { email: 'inside@example.test' } })))
    // The embedded database has one connection, so the queries outside wait for the commit.
    if (testDatabase.kind === 'postgres') await outside
    mayCommit.resolve()
    expect(new Set(await outside)).toEqual(new Set([testDatabase.kind === 'embedded' ? 1 : 0]))
    expect(await open).toBe(1)
  })

  it('keep nothing when they throw', async () => {
    const failure = await failureOf(
      database.db.$transaction(async (tx) => {
        await tx.user.create({ data: newUser('thrown@example.test') })
        throw new Error('changed my mind')
      }),
    )
    expect(failure).toMatchObject({ message: 'changed my mind' })
    expect(await database.db.user.count({ where: { email: 'thrown@example.test' } })).toBe(0)
  })

  it('never succeed when a failed statement inside was swallowed', async () => {
    const { db } = database
    await db.user.create({ data: newUser('taken@example.test') })
    const failure = await failureOf(
      db.$transaction(async (tx) => {
        await tx.user.create({ data: newUser('lost@example.test') })
        await failureOf(tx.user.create({ data: newUser('taken@example.test') }))
      }),
    )
    expect(failure).toMatchObject({ message: 'Transaction was rolled back instead of committed' })
    expect(await db.user.count({ where: { email: 'lost@example.test' } })).toBe(0)
  })

  it('release the database after their timeout', async () => {
    const { db } = database
    const failures = await Promise.all([
      failureOf(
        db.$transaction(
          async (tx) => {
            await tx.user.create({ data: newUser('slow@example.test') })
            await pause(400)
            await tx.user.count()
          },
          { timeout: 150 },
        ),
      ),
      ...Array.from({ length: 10 }, () => failureOf(db.$transaction((tx) => tx.user.count(), { maxWait: 50 }))),
    ])
    const real = failures.filter((failure) => failure !== 'no failure')
    expect(real.length).toBeGreaterThanOrEqual(1)
    expect(real.every(isDatabaseUnavailable)).toBe(true)
    expect(await db.user.count({ where: { email: 'slow@example.test' } })).toBe(0)
  })
})

describe('an unavailable database', () => {
  it('is recognised when nothing listens', async () => {
    const nowhere = await openDatabase({ kind: 'postgres', url: 'postgres://root@127.0.0.1:1/none' })
    const failures = [
      await failureOf(nowhere.db.user.count()),
      await failureOf(nowhere.db.$transaction((tx) => tx.user.count())),
      await failureOf(nowhere.ping()),
      await failureOf(nowhere.migrate()),
    ]
    await nowhere.close()
    expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true, true])
  })

  it('is recognised when it was closed', async () => {
    const own = await createTestDatabase()
    const { db, ping, close } = await openDatabase(own.options)
    await ping()
    await close()
    const failures = [
      await failureOf(db.user.count()),
      await failureOf(db.$transaction((tx) => tx.user.count())),
      await failureOf(ping()),
    ]
    await own.drop()
    expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true])
  })

  const codes = [
    // Prisma
    'P1000 P1001 P1002 P1003 P1008 P1010 P1011 P1017 P2024 P2028 P2034 P2037',
    // The operating system
    'EAI_AGAIN ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH ENOSPC ENOTFOUND EROFS EPROTO EPIPE ETIMEDOUT',
    // PostgreSQL
    '08000 08006 28000 28P01 3D000 40001 40P01 42501 53100 53300 55P03 57014 57P01 57P03 25006 55000 58030',
    // TLS
    'ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_WRONG_VERSION_NUMBER CERT_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  ].flatMap((line) => line.split(' '))
  it.each(codes)('is recognised by the code %s, at any depth', (code) => {
    const failure = Object.assign(new Error('failed'), { code })
    const wrapped = [
      failure,
      new Error('query failed', { cause: failure }),
      { meta: { driverAdapterError: failure } },
      new AggregateError([new Error('another'), failure]),
    ]
    expect(wrapped.map(isDatabaseUnavailable)).toEqual([true, true, true, true])
  })

  it.each(['08006', '28P01', '57P01'])(
    'is recognised by the SQLSTATE %s that an adapter keeps as the original code',
    (originalCode) => {
      expect(isDatabaseUnavailable({ cause: { originalCode } })).toBe(true)
    },
  )

  it.each(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections', 'TlsConnectionError'])(
    'is recognised by the kind %s of an adapter',
    (kind) => {
      expect(isDatabaseUnavailable({ cause: { kind } })).toBe(true)
    },
  )

  it.each([
    'Connection terminated unexpectedly',
    'timeout expired',
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
    'The server does not support SSL connections',
    'There was an error establishing an SSL connection',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'PGlite is closed',
  ])('is recognised by the message "%s", and only at its start', (message) => {
    expect([new Error(message), new Error(`A name: ${message}`)].map(isDatabaseUnavailable)).toEqual([true, false])
  })

  it.each([
    'P2002',
    'P2025',
    'XP1001',
    '23505',
    '42P01',
    '080',
    '080061',
    'X42501',
    '5',
    'ENOENT',
    'EACCES',
    'A_CERT_HAS_EXPIRED',
  ])('is not what the code %s means', (code) => {
    expect([{ code }, { cause: { code } }].map(isDatabaseUnavailable)).toEqual([false, false])
  })

  it('is not confused with a bug', () => {
    expect(
      [new Error('boom'), new TypeError('x is not a function'), null, 'P1001', { code: 'P2025' }].map(isDatabaseUnavailable),
    ).toEqual(Array(5).fill(false))
  })

  it('is recognised by SQLSTATE and by the error names of the drivers when it fails during use', () => {
    const driverError = (cause: object) => Object.assign(new Error('DriverAdapterError'), { cause })
    expect(
      [
        driverError({ kind: 'ConnectionClosed' }),
        driverError({ kind: 'postgres', originalCode: '55000' }),
        // The embedded database on a file system that became read-only.
        driverError({ kind: 'postgres', originalCode: '42501' }),
        { code: 'P2010', meta: { driverAdapterError: driverError({ kind: 'SocketTimeout' }) } },
      ].map(isDatabaseUnavailable),
    ).toEqual([true, true, true, true])
  })

  describe.runIf(testDatabase.kind === 'postgres')('on a server', () => {
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`

    it('is recognised when the server ends the connections, and works again at the next query', async () => {
      const lost: string[] = []
      const { db, close } = await openDatabase(testDb.options, { onConnectionLost: (error) => lost.push(error.message) })
      /** Waits longer than a busy machine needs, and less than the client's own timeout. */
      const isAsleep = async () => {
        const [row] = await database.db.$queryRaw<{ count: bigint }[]>`
          SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
          AND query LIKE '%pg_sleep(8)%' AND pid <> pg_backend_pid()`
        expect(Number(row?.count)).toBe(1)
      }
      const cutAsleep = async (work: Promise<unknown>) => {
        const failure = failureOf(work)
        await eventually(isAsleep)
        await database.db.$executeRawUnsafe(terminate)
        return failure
      }
      const cutBetween = async () => {
        const [first, cut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const work = db.$transaction(async (tx) => {
          await tx.user.count()
          first.resolve()
          await cut.promise
          await tx.user.count()
        })
        const failure = failureOf(work)
        await first.promise
        await database.db.$executeRawUnsafe(terminate)
        cut.resolve()
        return failure
      }

      const failures = [
        await cutAsleep(db.$queryRaw`SELECT pg_sleep(8)::text`),
        await cutAsleep(db.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(8)::text`)),
        await cutBetween(),
      ]
      expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true])
      expect(await db.user.count()).toBeGreaterThanOrEqual(0)

      await close()

      // Losing an idle connection must be reported and must not end the process.
      const idle = await openDatabase(testDb.options, { onConnectionLost: (error) => lost.push(error.message) })
      await idle.ping()
      lost.length = 0
      await database.db.$executeRawUnsafe(terminate)
      await eventually(() => expect(lost).toContain('terminating connection due to administrator command'))
      await idle.ping()
      await idle.close()
    })

    it('is recognised when it accepts no more connections', async () => {
      const role = `floorpass_test_${process.pid}`
      const url = new URL(testDb.options.kind === 'postgres' ? testDb.options.url : '')
      url.username = role
      url.password = role
      await database.db.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT 0`)
      const { db, close } = await openDatabase({ kind: 'postgres', url: url.href })
      const failures = [
        await failureOf(db.user.count()),
        await failureOf(db.$transaction((tx) => tx.user.count())),
        await failureOf(db.$queryRaw`SELECT 1`),
      ]
      await close()
      await database.db.$executeRawUnsafe(`DROP ROLE ${role}`)
      expect(failures).toMatchObject([{ code: 'P2037' }, { code: 'P2037' }, { code: 'P2010' }])
      expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true])
    })
  })
})

describe('deleting a user', () => {
  it('leaves no orphan in any table', async () => {
    const { db } = database
    const tables = await db.$queryRaw<{ table_name: string; column_name: string }[]>`
      SELECT DISTINCT child.table_name, child.column_name
      FROM information_schema.referential_constraints AS reference
      JOIN information_schema.key_column_usage AS child ON child.constraint_name = reference.constraint_name
      JOIN information_schema.key_column_usage AS parent ON parent.constraint_name = reference.unique_constraint_name
      WHERE parent.table_name = 'users' AND NOT (SELECT relispartition FROM pg_class WHERE oid = child.table_name::regclass)`
    const textColumns = await db.$queryRaw<{ table_name: string; column_name: string }[]>`
      SELECT columns.table_name, column_name FROM information_schema.columns
      JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type = 'text'
        -- Events outlive their users.
        AND table_name NOT IN ('outbox_events', 'events', 'webhook_deliveries')
        AND NOT (SELECT relispartition FROM pg_class WHERE oid = table_name::regclass)`
    const mentions = async (userId: string) => {
      const found: string[] = []
      for (const { table_name, column_name } of textColumns) {
        const [row] = await db.$queryRawUnsafe<{ count: bigint }[]>(
          `SELECT count(*) FROM "${table_name}" WHERE "${column_name}" = $1`,
          userId,
        )
        if (row?.count) found.push(`${table_name}.${column_name}`)
      }
      return found.sort()
    }

    const expiresAt = new Date(Date.now() + 60_000)
    const { id: organizationId } = await db.organization.create({ data: { name: 'Desk', slug: 'orphans' } })
    const { id: userId } = await db.user.create({
      data: {
        ...newUser('orphans@example.test'),
        accounts: { create: { providerId: 'credential', accountId: 'orphans' } },
        sessions: { create: { id: 'orphans', expiresAt, activeOrganizationId: organizationId } },
        verifications: { create: { purpose: 'reset', secretHash: 'orphans', expiresAt } },
        memberships: { create: { organizationId, role: 'owner', slot: 1 } },
        invitationsSent: {
          create: { organizationId, email: 'bob@example.test', role: 'member', secretHash: 'orphans', expiresAt },
        },
        twoFactor: { create: { secretSealed: 'sealed' } },
        backupCodes: { create: { codeHash: 'orphans' } },
        trustedDevices: { create: { secretHash: 'orphans', expiresAt } },
        passkeys: {
          create: {
            name: 'Phone',
            credentialId: 'orphans',
            publicKey: new Uint8Array(1),
            isSyncable: false,
            backedUp: false,
            aaguid: '',
          },
        },
        passkeyHandle: { create: { handle: 'orphans' } },
        profilePicture: { create: { name: 'orphans', content: new Uint8Array(1) } },
        apiKeys: { create: { secretHash: 'orphans' } },
        holds: { create: { reason: 'panic', startedAt: expiresAt, endsAt: expiresAt } },
        allowList: { create: { enabledAt: expiresAt } },
        allowListEntries: { create: { kind: 'wallet', value: 'orphans', createdAt: expiresAt, usableFrom: expiresAt } },
        confirmations: {
          create: { sessionHandle: 'orphans', type: 'order', canonical: '{}', audience: '', createdAt: expiresAt, expiresAt },
        },
        auditEvents: { create: { action: 'signed up' } },
      },
    })

    await db.approval.create({ data: { userId, requestedBy: userId, action: 'remove-user', detail: '', reason: '', expiresAt } })

    const references = tables.map(({ table_name, column_name }) => `${table_name}.${column_name}`)
    // A new table with a user id needs a row in this test and a real foreign key.
    expect(await mentions(userId)).toEqual([...references, 'users.id'].sort())
    expect(
      textColumns
        .filter(({ column_name }) => column_name === 'user_id')
        .map(({ table_name }) => `${table_name}.user_id`)
        .sort(),
    ).toEqual(references.filter((reference) => reference.endsWith('.user_id')).sort())

    await db.user.delete({ where: { id: userId } })
    expect(await mentions(userId)).toEqual([])
    expect(await db.invitation.findUnique({ where: { secretHash: 'orphans' } })).toMatchObject({ inviterId: null })
  })
})

describe('a change channel', () => {
  it('reports changes until it closes, and a second one goes on', async () => {
    const heard: string[] = []
    const open = (name: string) =>
      database.listen({ onChange: (change) => heard.push(`${name} ${change}`), onUp: () => {}, onDown: () => {} })
    const [first, second] = [open('first'), open('second')]
    const send = async (change: string) => {
      await database.db.$executeRaw`SELECT pg_notify('floorpass_sessions', ${change})`
      await second.flush()
    }
    await eventually(() => (first.isCurrent() && second.isCurrent()) || Promise.reject(new Error('no channel yet')))
    await send('session:1')
    await first.flush()
    await first.close()
    await send('session:2')
    await second.close()
    expect(heard.toSorted()).toEqual(['first session:1', 'second session:1', 'second session:2'])
  })
})
