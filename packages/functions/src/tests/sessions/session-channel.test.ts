import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type CachedSession, createChangeFeed, createSessionCache, type SessionCache } from '@floorpass/api'
import { type ChannelTimes, channelTimes, type OpenDatabase, openDatabase } from '@floorpass/db'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { databaseProxy } from '@floorpass/testing/database-proxy'
import { eventually } from '@floorpass/testing/eventually'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

/** ADR 012: an ended session opens nothing in any process after this many milliseconds, even with a silent channel. */
const hardBound = 3_000

describe.runIf(testDatabase.kind === 'postgres')('cached sessions of several processes', async () => {
  // describe.runIf still runs the body of a skipped suite.
  if (testDatabase.kind !== 'postgres') return
  const { DATABASE_URL: url = '' } = await databaseEnvironment()
  const server = async (databaseUrl = url) =>
    startServer({ DATABASE_URL: databaseUrl, DATA_DIR: await temporaryFolder(), RATE_LIMIT: 'off' })
  const [one, other] = await Promise.all([server(), server()])
  const { db, close } = await openDatabase({ kind: 'postgres', url })
  afterAll(close)

  const post = (path: string, body: unknown, cookie?: string) =>
    fetch(one.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: one.url.replace('127.0.0.1', 'localhost'),
        ...(cookie && { cookie }),
      },
      body: JSON.stringify(body),
    })
  const person = { name: 'Ada', email: 'ada@example.test', password: 'plum kettle orbit' }
  await post('/auth/sign-up/email', person)
  await db.user.updateMany({ data: { emailVerified: true } })
  const signInForCookie = async () => {
    const answer = await post('/auth/sign-in/email', person)
    expect(answer.status).toBe(200)
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
  const opens = async (at: { url: string }, cookie: string) =>
    (await (await fetch(`${at.url}/auth/get-session`, { headers: { cookie } })).json()) !== null
  /** Signs out in one process. Returns the requests to the other that still opened the session, in milliseconds after the sign-out. */
  const measureLateRequests = async (at: { url: string }, cookie: string) => {
    for (let warm = 0; warm < 3; warm += 1) expect(await opens(at, cookie)).toBe(true)
    expect((await post('/auth/sign-out', {}, cookie)).status).toBe(200)
    const ended = performance.now()
    const late: number[] = []
    await eventually(async () => {
      const sent = performance.now() - ended
      const isOpen = await opens(at, cookie)
      if (isOpen) late.push(sent)
      expect(isOpen).toBe(false)
    })
    expect(await opens(one, cookie)).toBe(false)
    return late
  }
  /** A request is answered after it was sent, so a slow machine cannot exceed the bound. */
  const expectWithinBound = (late: number[]) => expect(Math.max(0, ...late)).toBeLessThan(hardBound)

  test('end in every process before its next request or the one after', async () => {
    const counts: number[] = []
    for (let count = 0; count < 11; count += 1) counts.push((await measureLateRequests(other, await signInForCookie())).length)
    expect(counts.toSorted((left, right) => left - right)[5]).toBeLessThanOrEqual(1)
  })

  test('end within the hard bound when the channel is open but silent, and the channel recovers', async () => {
    const proxy = await databaseProxy(url)
    const silenced = await server(proxy.url)
    const cookie = await signInForCookie()
    expect(await opens(silenced, cookie)).toBe(true)
    proxy.silence()
    expectWithinBound(await measureLateRequests(silenced, cookie))
    await eventually(() => expect(silenced.stdout()).toContain('session invalidation channel down'))
    const meanwhile = await signInForCookie()
    expectWithinBound(await measureLateRequests(silenced, meanwhile))
    proxy.restore()
    await eventually(() => expect(silenced.stdout()).toContain('session invalidation channel up'))
    expectWithinBound(await measureLateRequests(silenced, await signInForCookie()))
  })
})

describe.runIf(testDatabase.kind === 'postgres')('the session invalidation channel', () => {
  const open = async (url: string, times?: Partial<ChannelTimes>) => {
    const database = await openDatabase({ kind: 'postgres', url })
    const downs: string[] = []
    const log = {
      info: () => {},
      warn: ({ reason }: { reason?: string }) => void downs.push(reason ?? ''),
      error: () => {},
    }
    const listen: OpenDatabase['listen'] = (listener) => database.listen(listener, { ...channelTimes, ...times })
    const changes = createChangeFeed({ listen, log })
    const cache = createSessionCache({ changes })
    onTestFinished(async () => {
      await changes.close()
      await database.close()
    })
    return { cache, changes, db: database.db, downs, isUp: () => cache.stats().channelUp }
  }
  const openAndWaitUntilUp = async (url: string, times?: Partial<ChannelTimes>) => {
    const channel = await open(url, times)
    await eventually(() => expect(channel.isUp()).toBe(true))
    return channel
  }
  const createDatabaseUrl = async () => (await databaseEnvironment()).DATABASE_URL ?? ''
  const endListener = (db: OpenDatabase['db']) => db.$queryRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'floorpass sessions'`
  const entry = { active: { session: {}, user: { id: 'ada' } }, staleAt: Number.POSITIVE_INFINITY } as unknown as CachedSession
  const keepEntry = (cache: SessionCache) => cache.read('one', async (keep) => keep(entry))

  test('reconnects after the server closed its connection, and misses no change', async () => {
    const app = await createTestApp()
    const { sessionCache } = app.service.deps
    const tab = await app.signedIn()
    await tab.get('/auth/get-session')
    await endListener(app.db)
    await eventually(() => expect(sessionCache.stats()).toMatchObject({ channelUp: false, size: 0 }))
    await app.db.user.update({ where: { id: tab.userId }, data: { name: 'Meanwhile' } })
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { name: 'Meanwhile' } })
    await eventually(() => expect(sessionCache.stats().channelUp).toBe(true))
    await tab.get('/auth/get-session')
    const { hits } = sessionCache.stats()
    await tab.get('/auth/get-session')
    expect(sessionCache.stats().hits).toBe(hits + 1)
  })

  test('stays up when the server ends idle sessions, and so does the pool', async () => {
    const url = new URL(await createDatabaseUrl())
    url.searchParams.set('options', '-c idle_session_timeout=300ms')
    const lost: string[] = []
    const database = await openDatabase(
      { kind: 'postgres', url: url.href },
      { onConnectionLost: ({ message }) => lost.push(message) },
    )
    onTestFinished(database.close)
    const { isUp, downs } = await openAndWaitUntilUp(url.href)
    const idle = new pg.Client(url.href)
    const ended = new Promise((resolve) => idle.on('error', () => {}).once('end', resolve))
    await idle.connect()
    await database.ping()
    // The server has ended a connection that was idle for no longer than ours.
    await ended
    await database.ping()
    expect([lost, downs, isUp()]).toEqual([[], [], true])
  })

  test('reconnects while every connection for requests is busy', async () => {
    const url = await createDatabaseUrl()
    const { db, cache, isUp } = await openAndWaitUntilUp(url)
    const { db: admin, close } = await openDatabase({ kind: 'postgres', url })
    onTestFinished(close)
    await keepEntry(cache)
    const blocker = new pg.Client(url)
    await blocker.connect()
    await blocker.query('SELECT pg_advisory_lock(22)')
    let free = 0
    const waitForBlocker = async () => {
      await db.$queryRaw`SELECT pg_advisory_xact_lock(22)::text`
      free += 1
    }
    const busy = Promise.all(Array.from({ length: 20 }, waitForBlocker))
    await waitForLocks({ db: admin }, 10)
    await endListener(admin)
    await eventually(() => expect(cache.stats().size).toBe(0))
    await eventually(() => expect(isUp()).toBe(true))
    expect(free).toBe(0)
    await blocker.end()
    await busy
  })

  test('stays up when the process is busy for longer than the timeout of an answer', async () => {
    const { changes, downs } = await openAndWaitUntilUp(await createDatabaseUrl(), { settling: 100 })
    // From here the event loop runs its timers before it reads.
    await new Promise(setImmediate)
    const settled = changes.flush()
    const until = performance.now() + 400
    while (performance.now() < until);
    await settled
    expect(downs).toEqual([])
  })

  test('delays a mutation by less than the hard bound when it is silent, and then counts as down', async () => {
    const proxy = await databaseProxy(await createDatabaseUrl())
    const { changes, isUp } = await openAndWaitUntilUp(proxy.url, { settling: 200 })
    proxy.silence()
    await changes.flush()
    expect(isUp()).toBe(false)
    expect([channelTimes.settling < hardBound, channelTimes.silence <= hardBound]).toEqual([true, true])
  })

  test('is current no longer than the hard bound after a heartbeat, and keeps its entries until the next', async () => {
    const { cache, downs, isUp } = await openAndWaitUntilUp(await createDatabaseUrl(), { silence: 300 })
    await eventually(() => expect(isUp()).toBe(false))
    await eventually(() => expect(isUp()).toBe(true))
    await keepEntry(cache)
    await eventually(() => expect(isUp()).toBe(false))
    expect(cache.find('one')).toBeNull()
    await eventually(() => expect(isUp()).toBe(true))
    expect(cache.find('one')).not.toBeNull()
    expect(downs).toEqual([])
  })

  test("is not kept current by a mutation's barrier", async () => {
    const { changes, isUp } = await openAndWaitUntilUp(await createDatabaseUrl(), { heartbeat: 60_000, silence: 60_000 })
    const clock = holdClock()
    clock.advance(50)
    await changes.flush()
    expect(isUp()).toBe(true)
    clock.advance(50)
    expect(isUp()).toBe(false)
  })

  test('is not current after a frozen process resumes until the next heartbeat', async () => {
    const { isUp } = await openAndWaitUntilUp(await createDatabaseUrl())
    const clock = holdClock()
    clock.advance(3600)
    expect(isUp()).toBe(false)
    await eventually(() => expect(isUp()).toBe(true))
  })

  test('goes down within the hard bound when the address leads to another server, and then follows', async () => {
    const [old, other] = [await createDatabaseUrl(), await createDatabaseUrl()]
    const proxy = await databaseProxy(old)
    const { cache, changes, downs, isUp } = await openAndWaitUntilUp(proxy.url)
    await keepEntry(cache)
    proxy.lead(other)
    const switched = performance.now()
    // A busy service keeps getting answers from the old server.
    let lastUp = switched
    await eventually(async () => {
      await changes.flush()
      const asked = performance.now()
      if (isUp()) lastUp = asked
      expect(isUp()).toBe(false)
    })
    expect(lastUp - switched).toBeLessThanOrEqual(hardBound)
    await eventually(() => expect(isUp()).toBe(true))
    expect(downs).toEqual([expect.stringContaining('another server is in its place')])
    const { db, close } = await openDatabase({ kind: 'postgres', url: other })
    await keepEntry(cache)
    await db.$executeRaw`SELECT pg_notify('floorpass_sessions', 'session:one')`
    await changes.flush()
    expect(cache.find('one')).toBeNull()
    await close()
  })

  test('stays down when LISTEN succeeds but no notification arrives, as behind a transaction pooler', async () => {
    const proxy = await databaseProxy(await createDatabaseUrl(), { deaf: true })
    const { isUp, downs } = await open(proxy.url, { patience: 500 })
    let wasUp = false
    await eventually(() => {
      wasUp ||= isUp()
      expect(downs).toEqual([expect.stringContaining('a pooler')])
    })
    expect(wasUp).toBe(false)
  })

  test('closes the connection of a heartbeat that PostgreSQL does not answer', async () => {
    const url = await createDatabaseUrl()
    const proxy = await databaseProxy(url)
    const { downs } = await openAndWaitUntilUp(proxy.url, { patience: 500, retry: { first: 60_000, longest: 60_000 } })
    const blocker = new pg.Client(url)
    onTestFinished(() => blocker.end())
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE pg_trigger')
    await eventually(() => expect(downs).toEqual(['heartbeat not sent in time']))
    await eventually(() => expect(proxy.connectionsOf('floorpass heartbeat')).toBe(0))
  })

  test.each(['ALTER TABLE users DISABLE TRIGGER ALL', 'DROP FUNCTION tell_session_change CASCADE'])(
    'goes down with a reason when the database stops sending notifications: %s',
    async (change) => {
      const { db, downs, isUp, cache } = await openAndWaitUntilUp(await createDatabaseUrl())
      await keepEntry(cache)
      await db.$executeRawUnsafe(change)
      await eventually(() => expect(isUp()).toBe(false))
      await eventually(() => expect(downs).toEqual([expect.stringMatching(/missing or disabled|tell_session_change/)]))
      expect(cache.stats().size).toBe(0)
    },
  )

  test('receives changes that a replication role writes', async () => {
    const { db, cache, changes } = await openAndWaitUntilUp(await createDatabaseUrl())
    const user = await db.user.create({ data: { id: 'ada', name: 'Ada', email: 'ada@example.test' } })
    await keepEntry(cache)
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL session_replication_role = replica`
      await tx.user.update({ where: { id: user.id }, data: { suspendedAt: new Date() } })
    })
    await changes.flush()
    expect(cache.find('one')).toBeNull()
  })

  test('releases the memory of finished barriers', async () => {
    const { changes } = await openAndWaitUntilUp(await createDatabaseUrl())
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const settle = async (times: number) => {
      for (let count = 0; count < times; count += 1) await changes.flush()
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = await settle(5_000)
    expect((await settle(20_000)) - before).toBeLessThan(1_500_000)
  })
})
