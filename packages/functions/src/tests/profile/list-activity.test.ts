import { eventTypes } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>
type Page = {
  events: { id: string; action: string; byAnother: boolean; ipAddress: string; browser: string | null }[]
  nextCursor: string | null
}

const list = async (tab: Pick<Tab, 'get'>, query = '') => {
  const { status, body } = await tab.get(`/auth/list-activity${query}`)
  expect(status).toBe(200)
  return body as Page
}

describe('list-activity', () => {
  test('lists events, newest first, with device and IP address', async () => {
    const tab = await app.registered()
    await tab.post('/auth/update-user', { name: 'Zoë' })
    const { events, nextCursor } = await list(tab)
    expect(events.map(({ action }) => action)).toEqual(['update-user', 'sign-in', 'verify-email', 'sign-up'])
    expect(events[0]).toMatchObject({ succeeded: true, byAnother: false, details: { fields: 'name' }, ipAddress: '127.0.0.1' })
    expect(nextCursor).toBeNull()
  })

  test('pages by cursor: every event once, in order', async () => {
    const tab = await app.registered()
    for (const name of ['a', 'b', 'c']) await tab.post('/auth/update-user', { name })
    const whole = (await list(tab)).events.map(({ id }) => id)
    const paged: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { events, nextCursor } = await list(tab, query)
      paged.push(...events.map(({ id }) => id))
      if (nextCursor === null) break
      query = `?limit=2&cursor=${nextCursor}`
    }
    expect(whole).toHaveLength(6)
    expect(paged).toEqual(whole)
  })

  test('never shows events of another user, whatever the cursor', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    const own = new Set((await list(tab)).events.map(({ id }) => id))
    const [newest] = (await list(other)).events
    for (const { id } of (await list(tab, `?cursor=${newest?.id}`)).events) expect(own.has(id)).toBe(true)
  })

  test('hides the device and IP address of another actor', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    await app.db.auditEvent.create({
      data: { userId: tab.userId, actorId: other.userId, action: 'add-member', ipAddress: '203.0.113.9', userAgent: 'curl/8' },
    })
    expect((await list(tab)).events[0]).toMatchObject({ action: 'add-member', byAnother: true, ipAddress: '', browser: null })
    expect(JSON.stringify((await tab.get('/auth/export-data')).body)).not.toContain('203.0.113.9')
  })

  test.each(['?limit=0', '?limit=101', '?limit=x', '?cursor='])('refuses %s', async (query) => {
    const tab = await app.signedIn()
    const { status, body } = await tab.get(`/auth/list-activity${query}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
  })

  test('needs a session', async () => {
    expect((await app.browser().get('/auth/list-activity')).status).toBe(401)
  })
})

/** Ids of events sort by time. */
const idAt = (time: string, suffix: number) => {
  const hex = Date.parse(time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(suffix).padStart(12, '0')}`
}

let written = 0
const write = async (tab: Tab, action: string, time: string) => {
  written += 1
  await app.db.auditEvent.create({ data: { id: idAt(time, written), userId: tab.userId, action, createdAt: new Date(time) } })
}
const actionsIn = async (tab: Tab, query: string) => (await list(tab, query)).events.map(({ action }) => action)

describe('the filter of list-activity', () => {
  test('shows one kind, newest first, in pages that hold every event once', async () => {
    const tab = await app.registered()
    for (const [day, action] of [
      'add-passkey',
      'update-user',
      'change-password',
      'leave-organization',
      'remove-passkey',
    ].entries())
      await write(tab, action, `2026-01-0${day + 1}T12:00:00.000Z`)
    expect(await actionsIn(tab, '?kind=security')).toEqual(['verify-email', 'remove-passkey', 'change-password', 'add-passkey'])
    expect(await actionsIn(tab, '?kind=organizations')).toEqual(['leave-organization'])
    expect(await actionsIn(tab, '?kind=support')).toEqual([])
    const first = await list(tab, '?kind=security&limit=3')
    const last = await list(tab, `?kind=security&limit=3&cursor=${first.nextCursor}`)
    expect([...first.events, ...last.events].map(({ action }) => action)).toEqual(await actionsIn(tab, '?kind=security'))
    expect(last.nextCursor).toBeNull()
  })

  test('shows events from one moment up to another, with and without a kind', async () => {
    const tab = await app.signedIn()
    await write(tab, 'sign-out', '2026-01-01T23:59:59.999Z')
    await write(tab, 'sign-in', '2026-01-02T00:00:00.000Z')
    await write(tab, 'add-passkey', '2026-01-02T23:59:59.999Z')
    await write(tab, 'sign-in', '2026-01-03T00:00:00.000Z')
    const days = 'since=2026-01-02T00:00:00Z&until=2026-01-03T00:00:00Z'
    expect(await actionsIn(tab, `?${days}`)).toEqual(['add-passkey', 'sign-in'])
    expect(await actionsIn(tab, `?${days}&kind=sign-ins`)).toEqual(['sign-in'])
    expect(await actionsIn(tab, '?until=2026-01-02T00:00:00Z')).toEqual(['sign-out'])
    expect(await actionsIn(tab, '?since=2026-01-04T00:00:00Z&until=2026-01-01T00:00:00Z')).toEqual([])
    expect(await actionsIn(tab, '?until=0001-01-01T00:00:00Z')).toEqual([])
    expect(await actionsIn(tab, '?since=9999-12-31T00:00:00Z')).toEqual([])
  })

  test('never shows events of another user', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    await write(other, 'add-passkey', '2026-01-01T00:00:00.000Z')
    expect(await actionsIn(tab, '?kind=security&until=2026-02-01T00:00:00Z')).toEqual([])
  })

  test.each(['?kind=everything', '?kind=', '?since=yesterday', '?until=2026-13-01T00:00:00Z'])('refuses %s', async (query) => {
    const tab = await app.signedIn()
    const { status, body } = await tab.get(`/auth/list-activity${query}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
  })

  test('gives every action one kind', async () => {
    const tab = await app.signedIn()
    const actions = eventTypes.flatMap((type) => /^activity\.(.+)$/.exec(type)?.[1] ?? [])
    expect(actions.length).toBeGreaterThan(50)
    await app.db.auditEvent.deleteMany({ where: { userId: tab.userId } })
    for (const action of actions) await write(tab, action, '2026-01-01T00:00:00.000Z')
    const kinds = ['sign-ins', 'security', 'profile', 'organizations', 'support']
    const shown = await Promise.all(kinds.map((kind) => actionsIn(tab, `?limit=100&kind=${kind}`)))
    expect(shown.flat().sort()).toEqual(actions.sort())
  })
})

describe('a file of the activity', () => {
  const exportOf = (tab: Tab, input: object) =>
    tab.get(`/trpc/profile.exportActivity?input=${encodeURIComponent(JSON.stringify(input))}`)

  test('holds what the filter shows, in one answer', async () => {
    const tab = await app.signedIn()
    for (let count = 0; count < 120; count += 1) await write(tab, 'add-passkey', '2026-01-01T00:00:00.000Z')
    const { status, body } = await exportOf(tab, { kind: 'security', until: '2026-02-01T00:00:00Z' })
    const { data } = (body as { result: { data: Page['events'] } }).result
    expect([status, data.length, new Set(data.map(({ action }) => action))]).toEqual([200, 120, new Set(['add-passkey'])])
  })

  test('holds at most the newest 5,000 events', async () => {
    const tab = await app.signedIn()
    await app.db.$executeRaw`
      INSERT INTO audit_events (id, user_id, action, created_at)
      SELECT '01900000-0000-7001-8000-' || lpad(n::text, 12, '0'), ${tab.userId}, 'sign-in', now() FROM generate_series(1, 5000) n`
    for (const filter of [{}, { kind: 'sign-ins' }]) {
      const { data } = ((await exportOf(tab, filter)).body as { result: { data: Page['events'] } }).result
      expect([data.length, data.at(-1)?.id.slice(-4)]).toEqual([5000, expect.not.stringMatching('0001')])
    }
  })

  test('is limited to ten in ten minutes for each user', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    const answers = []
    for (let count = 0; count < 11; count += 1) answers.push((await exportOf(tab, {})).status)
    expect(answers).toEqual([...Array(10).fill(200), 429])
  })
})
