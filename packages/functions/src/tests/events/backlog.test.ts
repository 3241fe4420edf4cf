import { policy } from '@floorpass/api'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { askForEvents, endOfFeed, readAllAfter, readFeed } from '@floorpass/testing/events'
import { serviceKey } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

const { batchSize, batchesAtOnce } = policy.events
const open = () => createTestApp({ SERVICE_KEYS: serviceKey })
const addToOutbox = (app: TestApp, count: number, createdAt = new Date()) => app.db.$executeRaw`
  INSERT INTO outbox_events (type, data, created_at)
  SELECT 'activity.sign-in', jsonb_build_object('n', n), ${createdAt} FROM generate_series(1, ${count}::int) n`
const waiting = (app: TestApp) => app.db.outboxEvent.count()

test('a reader waits for four batches of a backlog, and knows that there is more', async () => {
  const app = await open()
  const start = await endOfFeed(app)
  await addToOutbox(app, batchesAtOnce * batchSize + 1)
  const page = await readFeed(app, { after: start, types: 'user.deleted' })
  expect([page.events, page.caughtUp, await waiting(app)]).toEqual([[], false, 1])
  expect(await readFeed(app, { after: page.cursor, types: 'user.deleted' })).toMatchObject({ caughtUp: true })
  expect(await readAllAfter(app, start)).toHaveLength(batchesAtOnce * batchSize + 1)
})

test('a reader who begins at a moment, or at the oldest event, gets changes that were committed late', async () => {
  const app = await open()
  await addToOutbox(app, 20)
  await app.service.deps.events.flush()
  // Older, and appended later: the transaction took five seconds.
  await addToOutbox(app, 1500, new Date(Date.now() - 5000))
  const of = async (parameters: Record<string, string>) =>
    (await readFeed(app, { limit: '500', ...parameters })).events[0]?.id.slice(0, 20)
  const first = 'evt_0000000000000001'
  expect(await of({})).toBe(first)
  expect(await of({ since: new Date(Date.now() - 4000).toISOString() })).toBe(first)
  expect(await of({ since: '0001-01-01T00:00:00Z' })).toBe(first)
  expect(await of({ since: '0000-01-01T00:00:00Z' })).toBe(first)
})

test('a clock that steps back puts no event before an earlier one', async () => {
  const app = await open()
  const ahead = new Date(Date.now() + 3_600_000)
  await app.db.eventFeed.updateMany({ data: { appendedAt: ahead } })
  await addToOutbox(app, 2)
  await app.service.deps.events.flush()
  expect((await app.db.event.findMany()).map(({ appendedAt }) => appendedAt)).toEqual([ahead, ahead])
})

test('events stay in the outbox while the feed has lost its row', async () => {
  const app = await open()
  await addToOutbox(app, 3)
  await app.db.eventFeed.deleteMany()
  await expect(app.service.deps.events.flush()).rejects.toThrow('event_feed has no row')
  expect(await waiting(app)).toBe(3)
  await app.db.$executeRaw`INSERT INTO event_feed DEFAULT VALUES`
  expect((await readFeed(app)).events).toHaveLength(3)
})

test('odd details of an entry break no change, and show nothing that is not a short word or number', async () => {
  const app = await open()
  const { userId } = await app.signedIn()
  const start = await endOfFeed(app)
  for (const details of [
    'null',
    '[]',
    '"x"',
    '5',
    '{"to":{"email":"ada@example.test"},"role":["owner"],"count":2,"fields":null}',
  ])
    await app.db.$executeRaw`
      INSERT INTO audit_events (id, user_id, action, details) VALUES (gen_random_uuid()::text, ${userId}, 'sign-in', ${details}::jsonb)`
  await app.db.$executeRaw`
    INSERT INTO audit_events (id, user_id, action, details)
    VALUES (gen_random_uuid()::text, ${userId}, 'sign-in', jsonb_build_object('to', repeat('x', 1000), 'count', 3))`
  const details = (await readAllAfter(app, start)).map(({ data }) => data.details)
  expect(details).toEqual([undefined, undefined, undefined, undefined, { count: 2 }, { count: 3 }])
})

test('a moment before 1970 is the beginning, and one that is none is refused', async () => {
  const app = await open()
  expect((await askForEvents(app, { since: '0000-01-01T00:00:00Z' })).status).toBe(200)
  expect(outcome(await askForEvents(app, { since: '-000001-01-01T00:00:00Z' }))).toEqual([400, 'VALIDATION_ERROR'])
})
