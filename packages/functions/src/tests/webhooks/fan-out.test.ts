import { createEventFeed, type EventType } from '@floorpass/api'
import { createOperator, dropWebhook, pauseWebhook } from '@floorpass/api/administration'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { testDatabase } from '@floorpass/testing/test-database'
import { addEvents, addWebhook, createQueue, privateTargets, startReceiver } from '@floorpass/testing/webhooks'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp(privateTargets)
const { webhooks, events } = app.service.deps
const operator = createOperator(app.service.deps, 'grace')
const nowhere = 'http://127.0.0.1:1/'

beforeEach(async () => {
  await app.db.webhook.deleteMany()
})

const typesFor = async (webhookId: string) =>
  (await app.db.webhookDelivery.findMany({ where: { webhookId }, orderBy: { position: 'asc' } })).map(({ type }) => type)

test('an event waits for the webhooks of its type and for those of all types, and not for a paused one', async () => {
  const types: EventType[] = ['user.deleted', 'activity.sign-in']
  const all = await addWebhook(app, nowhere)
  const some = await addWebhook(app, nowhere, types)
  const other = await addWebhook(app, nowhere, ['key.ended'])
  const paused = await addWebhook(app, nowhere)
  await pauseWebhook(operator, paused.id)
  for (const type of [...types, 'session.ended'] as const) await addEvents(app, ['ada'], type)
  expect(await typesFor(all.id)).toEqual([...types, 'session.ended'])
  expect(await typesFor(some.id)).toEqual(types)
  expect(await typesFor(other.id)).toEqual([])
  expect(await typesFor(paused.id)).toEqual([])
})

test('a delivery keeps the order of its user, or else of its organization', async () => {
  await addWebhook(app, nowhere)
  await app.db.$executeRaw`
    INSERT INTO outbox_events (type, user_id, organization_id, data)
    VALUES ('key.ended', 'ada', 'desk', '{}'), ('key.ended', NULL, 'desk', '{}'), ('activity.sign-in', NULL, NULL, '{}')`
  await events.flush()
  const rows = await app.db.webhookDelivery.findMany({ orderBy: { position: 'asc' } })
  expect(rows.map(({ orderKey }) => orderKey)).toEqual(['ada', 'desk', ''])
})

test('what a user does reaches the receiver, without personal data', async () => {
  const receiver = await startReceiver()
  await addWebhook(app, receiver.url, ['session.ended', 'activity.sign-out'])
  const tab = await app.signedIn()
  await tab.post('/auth/sign-out', {})
  await events.flush()
  await webhooks.drain()
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
    { type: 'session.ended', timestamp: expect.any(String), data: { userId: tab.userId, sessionId: expect.any(String) } },
    {
      type: 'activity.sign-out',
      timestamp: expect.any(String),
      data: { userId: tab.userId, succeeded: true, actor: `user:${tab.userId}` },
    },
  ])
  expect(receiver.received.map(({ body }) => body).join()).not.toContain('@')
})

test('no event is lost or queued twice when two processes add to the feed at once', async () => {
  const { id } = await addWebhook(app, nowhere)
  const { position } = await app.db.eventFeed.findFirstOrThrow()
  const feeds = [1, 2].map(() => createEventFeed(app.service.deps))
  for (let round = 0; round < 5; round += 1) {
    await app.db.$executeRaw`
      INSERT INTO outbox_events (type, user_id, data) SELECT 'session.ended', 'ada', '{}'::jsonb FROM generate_series(1, 120)`
    await Promise.all([...feeds, ...feeds].map((feed) => feed.flush()))
  }
  const placed = await app.db.event.findMany({ where: { position: { gt: position } }, orderBy: { position: 'asc' } })
  const queued = await app.db.webhookDelivery.findMany({ where: { webhookId: id }, orderBy: { position: 'asc' } })
  expect(placed).toHaveLength(600)
  expect(queued.map(({ eventId }) => eventId)).toEqual(placed.map((event) => event.id))
})

test('a webhook that is removed while events come takes its deliveries along, and no other is harmed', async () => {
  const receiver = await startReceiver()
  await addWebhook(app, receiver.url)
  const work = async () => {
    for (let round = 0; round < 15; round += 1) {
      await addEvents(app, [`ada-${round}`])
      await webhooks.drain()
    }
  }
  const churn = async () => {
    for (let round = 0; round < 15; round += 1) {
      const { id } = await addWebhook(app, receiver.url.replace('hook', 'removed'))
      await new Promise((resolve) => setImmediate(resolve))
      await dropWebhook(operator, id)
    }
  }
  await Promise.all([work(), churn(), churn()])
  await webhooks.drain()
  expect(receiver.received.filter(({ path }) => path === '/hook')).toHaveLength(15)
  expect(await app.db.webhookDelivery.count()).toBe(15)
  expect(app.warnings()).toEqual([])
})

test('a service without webhooks reads nothing when events come', async () => {
  const findMany = vi.spyOn(app.service.deps.db.webhook, 'findMany')
  onTestFinished(() => findMany.mockRestore())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const listeners: (() => void)[] = []
  const queue = createQueue(app, { events: { onGrow: (call) => void listeners.push(call) } })
  queue.start()
  await queue.drain()
  const reads = findMany.mock.calls.length
  for (const call of listeners) call()
  await queue.stop()
  expect(reads).toBeGreaterThan(0)
  expect(findMany).toHaveBeenCalledTimes(reads)
})

test('a queue that cannot be read says why, and the next look reads it', async () => {
  const { id } = await addWebhook(app, nowhere)
  await addEvents(app, ['ada'])
  const { db, sql } = app.service.deps
  for (const [source, method, webhookId] of [
    [db.webhook, 'findMany', undefined],
    [sql, 'transaction', id],
  ] as const) {
    app.logs.length = 0
    const read = vi.spyOn(source as typeof sql, method as 'transaction').mockRejectedValueOnce(new Error('the disk is gone'))
    await webhooks.drain()
    read.mockRestore()
    const failures = app.logs.filter(({ msg }) => msg === 'webhook queue read failed')
    expect(failures).toMatchObject([{ level: 50, err: { message: 'the disk is gone' } }])
    expect(failures[0]?.webhookId).toBe(webhookId)
  }
  await webhooks.drain()
  expect(await app.db.webhookDelivery.findFirstOrThrow()).toMatchObject({ webhookId: id, attempts: 1 })
})

test.runIf(testDatabase.kind === 'postgres')('a pause begins after the events that are being added', async () => {
  const { id } = await addWebhook(app, nowhere)
  const before = (await app.db.eventFeed.findFirstOrThrow()).position
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const adding = app.db.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE event_feed SET position = position + 5`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const pausing = pauseWebhook(operator, id)
  await eventually(async () => {
    const waiting = await app.db.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    expect(waiting).toHaveLength(1)
  })
  release.resolve()
  await Promise.all([adding, pausing])
  expect((await app.db.webhook.findUniqueOrThrow({ where: { id } })).pausedAfter).toBe(before + 5n)
})
