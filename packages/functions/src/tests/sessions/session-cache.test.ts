import { setTimeout as delay } from 'node:timers/promises'
import { createSessionCache } from '@floorpass/api'
import type { ChangeListener } from '@floorpass/db'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()
const cache = app.service.deps.sessionCache

type Tab = Awaited<ReturnType<typeof app.signedIn>>
const read = (tab: Tab) => tab.get('/auth/get-session')
const activeOf = async ({ userId }: Tab) => {
  const { user, ...session } = await app.db.session.findFirstOrThrow({ where: { userId }, include: { user: true } })
  return { session, user: { ...user, suspendedAt: null } }
}
const nameIn = ({ body }: { body: unknown }) => (body as { user: { name: string } } | null)?.user.name
/** While this lasts, no session can be read from the database. */
const withoutTable = async () => {
  await app.db.$executeRawUnsafe('ALTER TABLE sessions RENAME TO sessions_away')
  const back = () => app.db.$executeRawUnsafe('ALTER TABLE IF EXISTS sessions_away RENAME TO sessions')
  onTestFinished(async () => void (await back()))
  return back
}

describe('a session in memory', () => {
  test('is read from the database once, and answers the same from memory', async () => {
    const tab = await app.signedIn()
    const first = await read(tab)
    await withoutTable()
    const second = await read(tab)
    expect([second.status, second.body, second.setCookies]).toEqual([200, first.body, []])
    expect(first.body).not.toBeNull()
  })

  test('hits and misses are counted', async () => {
    const tab = await app.signedIn()
    const before = cache.stats()
    for (let count = 0; count < 4; count += 1) await read(tab)
    const { hits, misses, size, channelUp } = cache.stats()
    expect([hits - before.hits, misses - before.misses, channelUp]).toEqual([3, 1, true])
    expect(size).toBeGreaterThan(0)
  })

  test.each<[string, (tab: Tab) => Promise<unknown>]>([
    ['a session that an operator deletes', ({ userId }) => app.db.$executeRaw`DELETE FROM sessions WHERE user_id = ${userId}`],
    [
      'a session whose end an operator moves',
      ({ userId }) => app.db.$executeRaw`UPDATE sessions SET expires_at = now() - interval '1 day' WHERE user_id = ${userId}`,
    ],
    ['all sessions, when their table is emptied', () => app.db.$executeRawUnsafe('TRUNCATE sessions')],
    ['a user who is suspended', ({ userId }) => app.db.$executeRaw`UPDATE users SET suspended_at = now() WHERE id = ${userId}`],
    ['a user who is deleted', ({ userId }) => app.db.$executeRaw`DELETE FROM users WHERE id = ${userId}`],
    ['a session that was signed out', (tab) => tab.post('/auth/sign-out')],
    ['a session that was revoked', (tab) => tab.post('/auth/revoke-sessions')],
  ])('ends at once: %s', async (_, change) => {
    const tab = await app.signedIn()
    const cookie = `floorpass_session=${tab.cookies.get('floorpass_session')}`
    const presented = () => app.browser().get('/auth/get-session', { headers: { cookie } })
    for (let count = 0; count < 2; count += 1) expect((await presented()).body).not.toBeNull()
    await change(tab)
    expect((await presented()).body).toBeNull()
  })

  test('shows every change of its user and of itself at once, whoever made it', async () => {
    const tab = await app.signedIn()
    await read(tab)
    await app.db.$executeRaw`UPDATE users SET name = 'By an operator' WHERE id = ${tab.userId}`
    expect(nameIn(await read(tab))).toBe('By an operator')
    for (let count = 0; count < 20; count += 1) {
      expect((await tab.post('/auth/update-user', { name: `Name ${count}` })).status).toBe(200)
      expect(nameIn(await read(tab))).toBe(`Name ${count}`)
    }
    const created = await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${tab.userId}` })
    expect((await read(tab)).body).toMatchObject({ session: { activeOrganizationId: (created.body as { id: string }).id } })
    await tab.post('/auth/organization/delete', { organizationId: (created.body as { id: string }).id })
    expect((await read(tab)).body).toMatchObject({ session: { activeOrganizationId: null } })
  })

  test('is not kept when it ended while its row was on the way', async () => {
    const tab = await app.signedIn()
    const cookie = `floorpass_session=${tab.cookies.get('floorpass_session')}`
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

  test('admits no change: who was suspended where nothing is heard of it writes nothing', async () => {
    const tab = await app.signedIn()
    await read(tab)
    vi.spyOn(cache, 'settle').mockResolvedValue()
    const find = vi.spyOn(cache, 'find')
    onTestFinished(() => void vi.restoreAllMocks())
    const suspend = (suspendedAt: Date | null) => app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt } })
    await suspend(new Date())
    find.mockReturnValue({ active: await activeOf(tab), staleAt: Number.POSITIVE_INFINITY })
    expect((await read(tab)).body).not.toBeNull()
    find.mockClear()
    const refused = await tab.post('/auth/update-user', { name: 'Mallory' })
    expect([refused.status, refused.body]).toEqual([401, expect.objectContaining({ code: 'UNAUTHORIZED' })])
    expect(find).not.toHaveBeenCalled()
    expect((await app.db.user.findUniqueOrThrow({ where: { id: tab.userId } })).name).not.toBe('Mallory')
  })

  test('a change of one user drops nobody else, and "last seen" drops nobody', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    for (const each of [tab, other]) await read(each)
    await app.db.user.update({ where: { id: other.userId }, data: { name: 'Changed' } })
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { lastSeenAt: new Date() } })
    await withoutTable()
    expect((await read(tab)).status).toBe(200)
    expect((await read(other)).status).toBe(500)
  })

  test('opens no moment longer than the row would: what is due is asked of the database', async () => {
    const clock = holdClock()
    const { email, password } = await app.verified()
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email, password, rememberMe: false })
    // A clock that jumped is trusted again with the next heartbeat.
    const pass = async (seconds: number) => {
      clock.advance(seconds)
      while (!cache.stats().channelUp) await delay(20)
    }
    const answered = async () => (await tab.get('/auth/get-session')).status
    // Seen a minute before its end, so that the end alone is due.
    await pass(24 * 3600 - 60)
    expect(await answered()).toBe(200)
    const back = await withoutTable()
    await pass(59)
    expect(await answered()).toBe(200)
    clock.advance(1)
    expect(await answered()).toBe(500)
    await back()
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })
})

describe('what is kept', () => {
  const listenTo = () => {
    let heard: ChangeListener | undefined
    let isCurrent = true
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const kept = createSessionCache({
      listen: (listener) => {
        heard = listener
        return { isCurrent: () => isCurrent, settle: async () => {}, close: async () => {} }
      },
      log,
      size: 3,
    })
    const loseTrack = () => {
      isCurrent = false
    }
    return { kept, log, listener: heard as ChangeListener, loseTrack }
  }
  const entryOf = (userId: string) =>
    ({ active: { session: {}, user: { id: userId } }, staleAt: Date.now() + 60_000 }) as unknown as Parameters<
      ReturnType<ReturnType<typeof createSessionCache>['read']>['commit']
    >[0]
  const keep = (kept: ReturnType<typeof createSessionCache>, id: string, userId: string) => {
    const fill = kept.read(id)
    fill.commit(entryOf(userId))
    fill.end()
  }

  test.each<[string, (listener: ChangeListener) => void, boolean]>([
    ['nothing', () => {}, true],
    ['this session', (listener) => listener.onChange('session:one'), false],
    ['another session', (listener) => listener.onChange('session:two'), true],
    ['its user', (listener) => listener.onChange('user:ada'), false],
    ['another user', (listener) => listener.onChange('user:bob'), true],
    ['everything', (listener) => listener.onChange('all'), false],
    ['the loss of the channel', (listener) => listener.onDown('cut'), false],
    ['its return', (listener) => listener.onUp(), false],
  ])('a read that %s overtakes is kept only if it still holds', (_, overtake, isKept) => {
    const { kept, listener } = listenTo()
    const fill = kept.read('one')
    overtake(listener)
    fill.commit(entryOf('ada'))
    fill.end()
    expect(kept.find('one') !== null).toBe(isKept)
  })

  test('of a change of very many users not each is remembered: what is read meanwhile is not kept', () => {
    const { kept, listener } = listenTo()
    const fills = ['one', 'two'].map((id) => kept.read(id))
    for (let count = 0; count < 1_000; count += 1) listener.onChange(`user:${count}`)
    for (const fill of fills) fill.commit(entryOf('ada'))
    expect([kept.find('one'), kept.find('two')]).toEqual([null, null])
  })

  test('beyond the bound the one that was used longest ago goes, and its user is forgotten with it', () => {
    const { kept, listener } = listenTo()
    for (const id of ['one', 'two', 'three']) keep(kept, id, 'ada')
    kept.find('one')
    keep(kept, 'four', 'bob')
    expect(['one', 'two', 'three', 'four'].map((id) => kept.find(id) !== null)).toEqual([true, false, true, true])
    listener.onChange('user:ada')
    expect([kept.find('one'), kept.find('three'), kept.stats().size]).toEqual([null, null, 1])
  })

  test('nothing answers, and nothing is kept, while it is not sure that everything was heard', () => {
    const { kept, loseTrack } = listenTo()
    keep(kept, 'one', 'ada')
    loseTrack()
    keep(kept, 'two', 'bob')
    expect([kept.find('one'), kept.find('two'), kept.stats()]).toEqual([
      null,
      null,
      expect.objectContaining({ size: 1, channelUp: false }),
    ])
  })

  test('the loss of the channel drops all, and is said once, as is its return', () => {
    const { kept, listener, log } = listenTo()
    keep(kept, 'one', 'ada')
    listener.onDown('cut')
    expect(kept.stats().size).toBe(0)
    listener.onUp()
    listener.onUp()
    expect([log.warn.mock.calls.length, log.info.mock.calls.length]).toEqual([1, 1])
  })
})
