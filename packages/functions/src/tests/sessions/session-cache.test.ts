import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type CachedSession, createChangeFeed, createSessionCache, type SessionCache } from '@floorpass/api'
import type { ChangeListener } from '@floorpass/db'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()
const cache = app.service.deps.sessionCache

type Tab = Awaited<ReturnType<typeof app.signedIn>>
const getSession = (tab: Tab) => tab.get('/auth/get-session')
const getActiveSession = async ({ userId }: Tab) => {
  const { user, ...session } = await app.db.session.findFirstOrThrow({ where: { userId }, include: { user: true } })
  return { session, user: { ...user, suspendedAt: null } }
}
const getName = ({ body }: { body: unknown }) => (body as { user: { name: string } } | null)?.user.name
/** Renames the sessions table until `restore` runs or the test ends, so that no session can be read. */
const hideSessionsTable = async () => {
  await app.db.$executeRawUnsafe('ALTER TABLE sessions RENAME TO sessions_away')
  const restore = () => app.db.$executeRawUnsafe('ALTER TABLE IF EXISTS sessions_away RENAME TO sessions')
  onTestFinished(async () => void (await restore()))
  return restore
}

describe('a cached session', () => {
  test('is read from the database once and answers the same from the cache', async () => {
    const tab = await app.signedIn()
    const first = await getSession(tab)
    await hideSessionsTable()
    const second = await getSession(tab)
    expect([second.status, second.body, second.setCookies]).toEqual([200, first.body, []])
    expect(first.body).not.toBeNull()
  })

  test('counts hits and misses', async () => {
    const tab = await app.signedIn()
    const before = cache.stats()
    for (let count = 0; count < 4; count += 1) await getSession(tab)
    const { hits, misses, size, channelUp } = cache.stats()
    expect([hits - before.hits, misses - before.misses, channelUp]).toEqual([3, 1, true])
    expect(size).toBeGreaterThan(0)
  })

  test.each<[string, (tab: Tab) => Promise<unknown>]>([
    ['a session that an operator deletes', ({ userId }) => app.db.$executeRaw`DELETE FROM sessions WHERE user_id = ${userId}`],
    [
      'a session that an operator expires',
      ({ userId }) => app.db.$executeRaw`UPDATE sessions SET expires_at = now() - interval '1 day' WHERE user_id = ${userId}`,
    ],
    ['every session, when the table is truncated', () => app.db.$executeRawUnsafe('TRUNCATE sessions')],
    ['a user who is suspended', ({ userId }) => app.db.$executeRaw`UPDATE users SET suspended_at = now() WHERE id = ${userId}`],
    ['a user who is deleted', ({ userId }) => app.db.$executeRaw`DELETE FROM users WHERE id = ${userId}`],
    ['a session that was signed out', (tab) => tab.post('/auth/sign-out')],
    ['a session that was revoked', (tab) => tab.post('/auth/revoke-sessions')],
  ])('stops at once after a change: %s', async (_, change) => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const presented = () => app.browser().get('/auth/get-session', { headers: { cookie } })
    for (let count = 0; count < 2; count += 1) expect((await presented()).body).not.toBeNull()
    await change(tab)
    expect((await presented()).body).toBeNull()
  })

  test('shows every change of its user and itself at once, whether by a request or in the database', async () => {
    const tab = await app.signedIn()
    await getSession(tab)
    await app.db.$executeRaw`UPDATE users SET name = 'By an operator' WHERE id = ${tab.userId}`
    expect(getName(await getSession(tab))).toBe('By an operator')
    for (let count = 0; count < 20; count += 1) {
      expect((await tab.post('/auth/update-user', { name: `Name ${count}` })).status).toBe(200)
      expect(getName(await getSession(tab))).toBe(`Name ${count}`)
    }
    const created = await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${tab.userId}` })
    expect((await getSession(tab)).body).toMatchObject({ session: { activeOrganizationId: (created.body as { id: string }).id } })
    await tab.post('/auth/organization/delete', { organizationId: (created.body as { id: string }).id })
    expect((await getSession(tab)).body).toMatchObject({ session: { activeOrganizationId: null } })
  })

  test('is not cached when it ends while its row is being read', async () => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const { deps } = app.service
    const { sql } = deps
    onTestFinished(() => void Object.assign(deps, { sql }))
    const wasRead = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const $queryRaw: typeof sql.$queryRaw = async (...statement) => {
      const rows = await sql.$queryRaw(...statement)
      wasRead.resolve()
      await ended.promise
      return rows as never
    }
    Object.assign(deps, { sql: { ...sql, $queryRaw } })
    const late = app.browser().get('/auth/get-session', { headers: { cookie } })
    await wasRead.promise
    await app.db.session.deleteMany({ where: { userId: tab.userId } })
    ended.resolve()
    expect((await late).status).toBe(200)
    expect((await app.browser().get('/auth/get-session', { headers: { cookie } })).body).toBeNull()
  })

  test('cannot write for a suspended user, even when no invalidation arrives', async () => {
    const tab = await app.signedIn()
    await getSession(tab)
    vi.spyOn(app.service.deps.changes, 'flush').mockResolvedValue()
    const find = vi.spyOn(cache, 'find')
    onTestFinished(() => void vi.restoreAllMocks())
    const suspend = (suspendedAt: Date | null) => app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt } })
    await suspend(new Date())
    const never = Number.POSITIVE_INFINITY
    find.mockReturnValue({ active: { ...(await getActiveSession(tab)), memberships: {} }, staleAt: never, extendAt: never })
    expect((await getSession(tab)).body).not.toBeNull()
    find.mockClear()
    const refused = await tab.post('/auth/update-user', { name: 'Mallory' })
    expect([refused.status, refused.body]).toEqual([401, expect.objectContaining({ code: 'UNAUTHORIZED' })])
    expect(find).not.toHaveBeenCalled()
    expect((await app.db.user.findUniqueOrThrow({ where: { id: tab.userId } })).name).not.toBe('Mallory')
  })

  test('stays cached when another user changes or only "last seen" moves', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    for (const each of [tab, other]) await getSession(each)
    await app.db.user.update({ where: { id: other.userId }, data: { name: 'Changed' } })
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { lastSeenAt: new Date() } })
    await hideSessionsTable()
    expect((await getSession(tab)).status).toBe(200)
    expect((await getSession(other)).status).toBe(500)
  })

  test('expires when its row does', async () => {
    const clock = holdClock()
    const { email, password } = await app.verified()
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email, password, rememberMe: false })
    // After a clock jump the cache waits for the next heartbeat.
    const pass = async (seconds: number) => {
      clock.advance(seconds)
      await eventually(() => expect(cache.stats().channelUp).toBe(true))
    }
    const answered = async () => (await tab.get('/auth/get-session')).status
    // Read a minute before the end, so that only the end is due.
    await pass(24 * 3600 - 60)
    expect(await answered()).toBe(200)
    const restore = await hideSessionsTable()
    await pass(59)
    expect(await answered()).toBe(200)
    clock.advance(1)
    expect(await answered()).toBe(500)
    await restore()
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })
})

describe('the session cache', () => {
  const createCache = () => {
    let registered: ChangeListener | undefined
    let isCurrent = true
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const changes = createChangeFeed({
      listen: (listener) => {
        registered = listener
        return { isCurrent: () => isCurrent, flush: async () => {}, close: async () => {} }
      },
      log,
    })
    const cache = createSessionCache({ changes, size: 3 })
    const stopHeartbeat = () => {
      isCurrent = false
    }
    return { cache, log, listener: registered as ChangeListener, stopHeartbeat }
  }
  const createEntry = (userId: string) =>
    ({ active: { session: {}, user: { id: userId } }, staleAt: Date.now() + 60_000 }) as unknown as CachedSession
  const keepEntry = (cache: SessionCache, id: string, userId: string) => cache.read(id, async (keep) => keep(createEntry(userId)))
  type Load = () => Promise<null>
  /** The bytes in use after a full collection. */
  const measureHeap = () => {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return process.memoryUsage().heapUsed
  }
  /** Starts a read that lasts until the returned function runs. */
  const startRead = (cache: SessionCache, id: string) => {
    const database = Promise.withResolvers<void>()
    const reading = cache.read(id, async (keep) => {
      await database.promise
      keep(createEntry('ada'))
    })
    return () => {
      database.resolve()
      return reading
    }
  }

  test.each<[string, (listener: ChangeListener) => void, boolean]>([
    ['no change', () => {}, true],
    ['a change of this session', (listener) => listener.onChange('session:one'), false],
    ['a change of another session', (listener) => listener.onChange('session:two'), true],
    ['a change of its user', (listener) => listener.onChange('user:ada'), false],
    ['a change of another user', (listener) => listener.onChange('user:bob'), true],
    ['a change of everything', (listener) => listener.onChange('all'), false],
    ['channel down', (listener) => listener.onDown('cut'), false],
    ['channel up', (listener) => listener.onUp(), false],
  ])('keeps what was read only if it is still valid after %s', async (_, invalidate, isKept) => {
    const { cache, listener } = createCache()
    const endRead = startRead(cache, 'one')
    invalidate(listener)
    await endRead()
    expect(cache.find('one') !== null).toBe(isKept)
  })

  test('keeps nothing of the reads in progress when very many users change', async () => {
    const { cache, listener } = createCache()
    const reads = ['one', 'two'].map((id) => startRead(cache, id))
    for (let count = 0; count < 1_000; count += 1) listener.onChange(`user:${count}`)
    for (const endRead of reads) await endRead()
    expect([cache.find('one'), cache.find('two')]).toEqual([null, null])
  })

  test('holds no memory for reads that have ended, well or badly', async () => {
    const { cache } = createCache()
    const loads = [async () => null, () => Promise.reject(new Error('the database is away'))]
    const readMany = async (count: number) => {
      for (let done = 0; done < count; done += 1) await cache.read(`session ${done}`, loads[done % 2] as Load).catch(() => {})
    }
    await readMany(1_000)
    const before = measureHeap()
    await readMany(50_000)
    expect((measureHeap() - before) / 50_000).toBeLessThan(50)
  })

  test('drops the least recently used entry when it is full', async () => {
    const { cache, listener } = createCache()
    for (const id of ['one', 'two', 'three']) await keepEntry(cache, id, 'ada')
    cache.find('one')
    await keepEntry(cache, 'four', 'bob')
    expect(['one', 'two', 'three', 'four'].map((id) => cache.find(id) !== null)).toEqual([true, false, true, true])
    listener.onChange('user:ada')
    expect([cache.find('one'), cache.find('three'), cache.stats().size]).toEqual([null, null, 1])
  })

  test('answers and keeps nothing while the channel is not current', async () => {
    const { cache, stopHeartbeat } = createCache()
    await keepEntry(cache, 'one', 'ada')
    stopHeartbeat()
    await keepEntry(cache, 'two', 'bob')
    expect([cache.find('one'), cache.find('two'), cache.stats()]).toEqual([
      null,
      null,
      expect.objectContaining({ size: 1, channelUp: false }),
    ])
  })

  test('drops everything when the channel goes down, and logs each change of the channel once', async () => {
    const { cache, listener, log } = createCache()
    await keepEntry(cache, 'one', 'ada')
    listener.onDown('cut')
    expect(cache.stats().size).toBe(0)
    listener.onUp()
    listener.onUp()
    expect([log.warn.mock.calls.length, log.info.mock.calls.length]).toEqual([1, 1])
  })
})
