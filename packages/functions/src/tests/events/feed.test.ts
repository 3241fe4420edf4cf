import { createEventFeed, createRareLog, policy } from '@floorpass/api'
import { createOperator, suspendUser } from '@floorpass/api/administration'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { askForEvents, endOfFeed, readAllAfter, readFeed } from '@floorpass/testing/events'
import { eventually } from '@floorpass/testing/eventually'
import { found, memberIdOf } from '@floorpass/testing/organization'
import { handleOf, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const access = 'session.ended,key.changed,key.ended,membership.changed,membership.ended,user.access-changed,user.deleted'

/** Runs an act, and returns the type and the data of the access events that it causes. */
async function accessEventsOf(act: () => Promise<unknown>) {
  const cursor = await endOfFeed(app)
  await act()
  return (await readAllAfter(app, cursor, access)).map(({ type, data }) => [type, data])
}
const createKey = async (tab: SignedIn) =>
  (await tab.post('/auth/api-key/create', { name: 'Bot', permissions: { order: ['read'] } })).body as { id: string }

describe('the feed', () => {
  test('publishes session.ended when a user signs out', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const sessionId = await handleOf(tab)
    const cursor = await endOfFeed(app)
    await tab.post('/auth/sign-out', {})
    const events = await readAllAfter(app, cursor)
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['session.ended', { userId, sessionId }],
      ['activity.sign-out', { userId, succeeded: true, actor: `user:${userId}` }],
    ])
    const { createdAt } = await app.db.auditEvent.findFirstOrThrow({ where: { userId, action: 'sign-out' } })
    expect(events[1]?.timestamp).toBe(createdAt.toISOString())
  })

  test('publishes session.ended for each session that a new password ends', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn({ ...tab.person }).catch(() => null)
    expect(other).toBe(null)
    const browser = app.browser()
    await browser.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
    const handles = (await app.db.session.findMany({ where: { userId: tab.userId } })).map(({ handle }) => handle)
    expect(handles).toHaveLength(2)
    const kept = await handleOf(tab)
    const events = await accessEventsOf(() =>
      tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'basil lantern 44 quarry' }),
    )
    const ended = events.filter(([type]) => type === 'session.ended').map(([, data]) => (data as { sessionId: string }).sessionId)
    expect(ended).toEqual(expect.arrayContaining(handles.filter((handle) => handle !== kept)))
    expect(events).toContainEqual([
      'user.access-changed',
      {
        userId: tab.userId,
        suspended: false,
        locked: false,
        unlockAt: null,
        tradingEnabled: false,
        heldUntil: expect.any(String),
      },
    ])
  })

  test('publishes an event when a key is disabled, enabled or deleted, and no event when a key is created or used', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const cursor = await endOfFeed(app)
    const { id: keyId } = await createKey(tab)
    await tab.post('/auth/api-key/update', { keyId, enabled: false })
    await tab.post('/auth/api-key/update', { keyId, enabled: true })
    await app.db.$executeRaw`UPDATE api_keys SET last_used_at = now(), uses = 3, last_used_ip = '192.0.2.1' WHERE id = ${keyId}`
    await tab.post('/auth/api-key/delete', { keyId })
    expect((await readAllAfter(app, cursor, 'key.changed,key.ended')).map(({ type, data }) => [type, data])).toEqual([
      ['key.changed', { userId, keyId, enabled: false, expiresAt: null }],
      ['key.changed', { userId, keyId, enabled: true, expiresAt: null }],
      ['key.ended', { userId, keyId }],
    ])
  })

  test('publishes an event when a membership begins, gets another role or ends with its organization', async () => {
    const [owner, member] = [await app.signedIn(), await app.signedIn()]
    const cursor = await endOfFeed(app)
    const { id: organizationId } = await found(owner)
    await app.db.member.create({ data: { organizationId, userId: member.userId, role: 'member', slot: 1 } })
    const memberId = await memberIdOf(app, organizationId, member)
    await owner.post('/auth/organization/update-member-role', { organizationId, memberId, role: 'admin' })
    await owner.post('/auth/organization/delete', { organizationId })
    const events = await readAllAfter(app, cursor, 'membership.changed,membership.ended')
    const of = (userId: string) => events.filter(({ data }) => data.userId === userId).map(({ type, data }) => [type, data.role])
    expect(of(member.userId)).toEqual([
      ['membership.changed', 'member'],
      ['membership.changed', 'admin'],
      ['membership.ended', undefined],
    ])
    expect(of(owner.userId).at(-1)).toEqual(['membership.ended', undefined])
    expect(events.every(({ data }) => data.organizationId === organizationId)).toBe(true)
  })

  test('publishes a suspension by an operator without the name and the reason of the operator', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const sessionId = await handleOf(tab)
    const cursor = await endOfFeed(app)
    await suspendUser(createOperator(app.service.deps, 'grace'), userId, 'a secret suspicion')
    const events = await readAllAfter(app, cursor)
    expect(events.map(({ type }) => type)).toEqual(['user.access-changed', 'session.ended', 'activity.suspend-user'])
    expect(events[0]?.data.suspended).toBe(true)
    expect(events[1]?.data.sessionId).toBe(sessionId)
    expect(events[2]?.data).toEqual({ userId, succeeded: true, actor: 'operator', details: { sessions: 1 } })
    expect(JSON.stringify(events)).not.toMatch(/grace|suspicion/)
  })

  test('publishes a lock, and the time at which it ends', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const lock = { lockKind: 'owner', lockedAt: new Date(), unlockDays: 3 }
    const unlockAt = new Date('2031-02-03T04:05:06.789Z')
    const locked = { userId, suspended: false, tradingEnabled: false, heldUntil: null, locked: true, unlockAt: null }
    expect(await accessEventsOf(() => app.db.user.update({ where: { id: userId }, data: lock }))).toEqual([
      ['user.access-changed', locked],
    ])
    expect(await accessEventsOf(() => app.db.user.update({ where: { id: userId }, data: { unlockAt } }))).toEqual([
      ['user.access-changed', { ...locked, unlockAt: unlockAt.toISOString() }],
    ])
  })

  test('publishes a deleted user, and the sessions, keys and memberships that end with the user', async () => {
    const tab = await app.signedIn()
    await createKey(tab)
    await found(tab)
    const events = await accessEventsOf(() => app.db.user.delete({ where: { id: tab.userId } }))
    expect(events.map(([type]) => type).sort()).toEqual(['key.ended', 'membership.ended', 'session.ended', 'user.deleted'])
    expect(events.every(([, data]) => (data as { userId: string }).userId === tab.userId)).toBe(true)
  })

  test('publishes no event for an expired session that the sweep deletes', async () => {
    const tab = await app.signedIn()
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { expiresAt: new Date(Date.now() - 1000) } })
    expect(await accessEventsOf(() => app.service.expirySweep.sweep())).toEqual([])
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('publishes no event for a rolled-back change', async () => {
    const tab = await app.signedIn()
    const cursor = await endOfFeed(app)
    const failing = app.db.$transaction(async (tx) => {
      await tx.session.deleteMany({ where: { userId: tab.userId } })
      await tx.auditEvent.create({ data: { userId: tab.userId, action: 'sign-out' } })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await readAllAfter(app, cursor)).toEqual([])
  })
})

describe('a page', () => {
  const signOut = async () => (await app.signedIn()).post('/auth/sign-out', {})

  test('has at most `limit` events, and its cursor leads to the next page', async () => {
    const start = await endOfFeed(app)
    for (let count = 0; count < 3; count += 1) await signOut()
    const all = await readAllAfter(app, start)
    expect(all).toHaveLength(9)
    let [cursor, sizes, ids] = [start, [] as [number, boolean][], [] as string[]]
    for (let caughtUp = false; !caughtUp; ) {
      const page = await readFeed(app, { after: cursor, limit: '4' })
      sizes = [...sizes, [page.events.length, page.caughtUp]]
      ids = [...ids, ...page.events.map(({ id }) => id)]
      ;({ cursor, caughtUp } = page)
    }
    expect(sizes).toEqual([
      [4, false],
      [4, false],
      [1, true],
    ])
    expect(ids).toEqual(all.map(({ id }) => id))
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(9)
  })

  test('has a hundred events unless asked otherwise, and at most 500', async () => {
    await app.db.$executeRaw`
      INSERT INTO outbox_events (type, data) SELECT 'activity.sign-in', '{}'::jsonb FROM generate_series(1, 1200)`
    const { pageSize, longestPage } = policy.events
    expect((await readFeed(app)).events).toHaveLength(pageSize)
    expect((await readFeed(app, { limit: String(longestPage) })).events).toHaveLength(longestPage)
    expect(outcome(await askForEvents(app, { limit: String(longestPage + 1) }))).toEqual([400, 'VALIDATION_ERROR'])
    // In several batches, without a gap.
    const positions = (await app.db.event.findMany({ orderBy: { position: 'asc' } })).map(({ position }) => Number(position))
    expect(positions).toEqual(positions.map((_, index) => index + (positions[0] ?? 0)))
  })

  test('has only the requested types, and its cursor passes the others', async () => {
    const start = await endOfFeed(app)
    await signOut()
    const page = await readFeed(app, { after: start, types: 'session.ended,activity.change-password' })
    expect(page.events.map(({ type }) => type)).toEqual(['session.ended'])
    expect(page.cursor).toBe((await readFeed(app, { after: start })).events.at(-1)?.id)
    const activity = await readFeed(app, { after: start, types: 'activity.*' })
    expect(activity.events.map(({ type }) => type)).toEqual(['activity.sign-in', 'activity.sign-out'])
  })

  test('starts at the first event at or after `since`, or at the oldest', async () => {
    const [oldest] = (await readFeed(app, { limit: '1' })).events
    expect(oldest?.id).toMatch(/^evt_0000000000000001_/)
    const from = new Date().toISOString()
    const start = await endOfFeed(app)
    await signOut()
    const expected = (await readAllAfter(app, start)).map(({ id }) => id)
    expect((await readFeed(app, { since: from, limit: '500' })).events.map(({ id }) => id).slice(-expected.length)).toEqual(
      expected,
    )
    expect((await readFeed(app, { since: from, limit: '500' })).events.length).toBeLessThan(expected.length + 50)
    // `after` wins over `since`.
    const [first = ''] = expected
    expect((await readFeed(app, { after: first, since: '2020-01-01T00:00:00Z' })).events.map(({ id }) => id)).toEqual(
      expected.slice(1),
    )
  })

  test.each([
    ['an unknown type', { types: 'session.started' }],
    ['an unknown type among known ones', { types: 'session.ended,session.started' }],
    ['no type', { types: '' }],
    ['an unknown wildcard', { types: 'session.*' }],
    ['a malformed cursor', { after: '42' }],
    ['a cursor with a sign', { after: 'evt_-000000000000001_00000000' }],
    ['an invalid time', { since: 'yesterday' }],
    ['a limit of 0', { limit: '0' }],
    ['a wait of 31 seconds', { wait: '31' }],
    ['a negative wait', { wait: '-1' }],
    ['an unknown parameter', { type: 'session.ended' }],
  ])('refuses %s', async (_, parameters) => {
    expect(outcome(await askForEvents(app, parameters as never))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test.each([
    ['a cursor past the newest event', 'evt_0000000009999999_00000000'],
    ['another event at its position', 'evt_0000000000000001_00000000'],
    ['the largest cursor', 'evt_9999999999999999_ffffffff'],
  ])('answers CURSOR_EXPIRED for %s, as after a restore', async (_, after) => {
    expect(outcome(await askForEvents(app, { after }))).toEqual([410, 'CURSOR_EXPIRED'])
  })
})

test('a feed that cannot write says so once a minute, not once a second', async () => {
  const lines: string[] = []
  let tries = 0
  const feed = createEventFeed({
    sql: {
      ...app.service.deps.sql,
      $queryRaw: async () => {
        tries += 1
        throw new Error('the database is away')
      },
    },
    changes: app.service.deps.changes,
    logRarely: createRareLog({ info() {}, error() {}, warn: (_fields, message) => void lines.push(message) }),
  })
  onTestFinished(() => feed.stop())
  feed.start()
  await eventually(() => {
    feed.scheduleFlush()
    expect(tries).toBeGreaterThan(2)
  })
  expect(lines).toEqual(['events not added to the feed: retry scheduled'])
})

test('a started feed adds a long backlog without another change, and a stopped one leaves it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { batchSize, batchesAtOnce, batchPause } = policy.events
  let batches = 0
  let backlog = 3 * batchesAtOnce
  const sql = {
    ...app.service.deps.sql,
    $queryRaw: async () => [{}],
    transaction: async () => {
      batches += 1
      return batches <= backlog ? batchSize : 0
    },
  } as never
  const feed = createEventFeed({ sql, changes: app.service.deps.changes, logRarely: app.service.deps.logRarely })
  feed.start()
  feed.scheduleFlush()
  for (let turn = 0; turn < 4; turn += 1) await vi.advanceTimersByTimeAsync(batchPause * 1000)
  expect(batches).toBe(backlog + 1)
  expect(vi.getTimerCount()).toBe(1)

  backlog = Number.POSITIVE_INFINITY
  feed.scheduleFlush()
  vi.advanceTimersByTime(batchPause * 1000)
  await feed.stop()
  expect(vi.getTimerCount()).toBe(0)
})
