import { setImmediate as immediate } from 'node:timers/promises'
import { policy } from '@floorpass/api'
import { createOperator, replayEvents } from '@floorpass/api/administration'
import type { Sql } from '@floorpass/db'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import {
  addEvents,
  addWebhook,
  createQueue,
  type Delivery,
  deliveryOf,
  privateTargets,
  type Receiver,
  startReceiver,
} from '@floorpass/testing/webhooks'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp(privateTargets)
const { webhooks } = app.service.deps
const { atOnce, lease } = policy.webhooks

beforeEach(async () => {
  await app.db.webhook.deleteMany()
})

const userOf = ({ body }: Delivery): string => JSON.parse(body).data.userId
const usersOf = ({ received }: Receiver) => received.map(userOf)
const usersFrom = (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`)

/** Answers only when it is released. */
function holdAnswers(receiver: Receiver, holds: (delivery: Delivery) => boolean = () => true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.respond(async (response, delivery) => {
    if (holds(delivery)) await promise
    response.writeHead(204).end()
  })
  return resolve
}

describe('events of one user', () => {
  test('come one after another in the order of the feed, with two processes and 200 events of 20 users', async () => {
    const receiver = await startReceiver()
    await addWebhook(app, receiver.url)
    const inFlight = new Map<string, number>()
    let most = 0
    receiver.respond(async (response, delivery) => {
      const user = userOf(delivery)
      const count = (inFlight.get(user) ?? 0) + 1
      inFlight.set(user, count)
      most = Math.max(most, count)
      await immediate()
      inFlight.set(user, count - 1)
      response.writeHead(204).end()
    })
    const users = usersFrom(20)
    const ids = await addEvents(
      app,
      Array.from({ length: 200 }, (_, index) => users[(index * 7) % 20] ?? ''),
    )
    await Promise.all([createQueue(app).drain(), createQueue(app).drain()])
    expect(most).toBe(1)
    expect(await app.db.webhookDelivery.count({ where: { status: 'delivered' } })).toBe(200)
    const received = receiver.received.map((delivery) => [userOf(delivery), String(delivery.headers['webhook-id'])] as const)
    expect(received.map(([, id]) => id).toSorted()).toEqual(ids)
    for (const user of users) {
      const own = received.filter(([to]) => to === user).map(([, id]) => id)
      expect(own).toEqual(own.toSorted())
      expect(own).toHaveLength(10)
    }
  })

  test('wait while an earlier one fails, and go at once when it succeeds', async () => {
    const receiver = await startReceiver()
    await addWebhook(app, receiver.url)
    let isBroken = true
    receiver.respond((response, delivery) => response.writeHead(isBroken && userOf(delivery) === 'ada' ? 500 : 204).end())
    const clock = holdClock()
    const ids = await addEvents(app, ['ada', 'bob', 'ada', 'bob', 'ada'])
    await webhooks.drain()
    expect(usersOf(receiver).toSorted()).toEqual(['ada', 'bob', 'bob'])
    isBroken = false
    receiver.received.length = 0
    await webhooks.drain()
    expect(receiver.received).toEqual([])
    clock.advance(6)
    await webhooks.drain()
    expect(receiver.ids()).toEqual([ids[0], ids[2], ids[4]])
  })

  test('go at once when an earlier one fails for good', async () => {
    const receiver = await startReceiver()
    const { id } = await addWebhook(app, receiver.url)
    const [first] = await addEvents(app, ['ada', 'ada'])
    receiver.respond((response, { headers }) => response.writeHead(headers['webhook-id'] === first ? 500 : 204).end())
    await app.db.webhookDelivery.updateMany({
      where: { eventId: first ?? '' },
      data: { attempts: policy.webhooks.mostAttempts - 1 },
    })
    await webhooks.drain()
    const rows = await app.db.webhookDelivery.findMany({ where: { webhookId: id }, orderBy: { position: 'asc' } })
    expect(rows.map(({ status }) => status)).toEqual(['failed', 'delivered'])
  })

  test('keep their order when an operator replays earlier ones', async () => {
    const receiver = await startReceiver()
    const { id } = await addWebhook(app, receiver.url)
    const [old = ''] = await addEvents(app, ['ada'])
    await webhooks.drain()
    const release = holdAnswers(receiver)
    const [next = ''] = await addEvents(app, ['ada'])
    receiver.received.length = 0
    const sending = webhooks.drain()
    await eventually(() => expect(receiver.ids()).toEqual([next]))
    expect(await replayEvents(createOperator(app.service.deps, 'grace'), id, { event: old })).toBe(1)
    const other = createQueue(app)
    await other.drain()
    expect(receiver.ids()).toEqual([next])
    release()
    await sending
    expect(receiver.ids()).toEqual([next, old])
  })
})

describe('a slow delivery', () => {
  test('delays no other webhook, and at most eight of one webhook are under way', async () => {
    const [slow, quick] = [await startReceiver(), await startReceiver()]
    await addWebhook(app, slow.url)
    await addWebhook(app, quick.url)
    const release = holdAnswers(slow)
    await addEvents(app, [...usersFrom(2 * atOnce), 'user-0'])
    const draining = webhooks.drain()
    await eventually(() => expect(quick.received).toHaveLength(2 * atOnce + 1))
    expect(slow.received).toHaveLength(atOnce)
    release()
    await draining
    expect(slow.received).toHaveLength(2 * atOnce + 1)
  })

  test('delays no later event of another user', async () => {
    const receiver = await startReceiver()
    await addWebhook(app, receiver.url)
    const release = holdAnswers(receiver, (delivery) => userOf(delivery) === 'ada')
    const queue = createQueue(app)
    await addEvents(app, ['ada'])
    // Without the poll, so that only the new events wake the queue.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    queue.start()
    await eventually(() => expect(usersOf(receiver)).toEqual(['ada']))
    await addEvents(app, ['ada', 'bob'])
    await eventually(() => expect(usersOf(receiver)).toEqual(['ada', 'bob']))
    release()
    await eventually(() => expect(usersOf(receiver)).toEqual(['ada', 'bob', 'ada']))
    await queue.stop()
  })

  test('is awaited by a stop, after which nothing is sent', async () => {
    const receiver = await startReceiver()
    const { id } = await addWebhook(app, receiver.url)
    const release = holdAnswers(receiver)
    const queue = createQueue(app)
    await addEvents(app, ['ada', 'ada'])
    queue.start()
    await eventually(() => expect(receiver.received).toHaveLength(1))
    const stopping = queue.stop()
    release()
    await stopping
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'delivered' })
    await addEvents(app, ['bob'])
    await queue.drain()
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a lease', () => {
  test('of a process that ended runs out, and another sends the event again with its id', async () => {
    const receiver = await startReceiver()
    const { id } = await addWebhook(app, receiver.url)
    const [event] = await addEvents(app, ['ada'])
    const clock = holdClock()
    const { sql } = app.service.deps
    let isEnded = false
    const ending: Sql = {
      ...sql,
      async transaction(work) {
        if (isEnded) throw new Error('the process ended')
        isEnded = true
        return sql.transaction(work)
      },
    }
    await createQueue(app, { sql: ending }).drain()
    expect(receiver.ids()).toEqual([event])
    clock.advance(lease - 1)
    await webhooks.drain()
    expect(receiver.ids()).toEqual([event])
    clock.advance(1)
    await webhooks.drain()
    expect(receiver.ids()).toEqual([event, event])
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'delivered', attempts: 2 })
  })

  test.each([
    ['the later answer is a success', [500, 204]],
    ['the earlier answer is a success', [204, 500]],
    ['both are', [204, 204]],
  ])('that ran out before the answer has one result: %s', async (_, statuses) => {
    const receiver = await startReceiver()
    const { id } = await addWebhook(app, receiver.url)
    const answers = statuses.map(() => Promise.withResolvers<void>())
    let count = 0
    receiver.respond(async (response) => {
      const place = count
      count += 1
      await answers[place]?.promise
      response.writeHead(statuses[place] ?? 204).end()
    })
    await addEvents(app, ['ada', 'ada'])
    const clock = holdClock()
    const slow = createQueue(app).drain()
    await eventually(() => expect(count).toBe(1))
    clock.advance(lease)
    const other = createQueue(app).drain()
    await eventually(() => expect(count).toBe(2))
    answers[0]?.resolve()
    if (statuses[0] === 500) {
      await slow
      expect(await app.db.webhookDelivery.findMany({ orderBy: { position: 'asc' } })).toMatchObject([
        { status: 'waiting', attempts: 2, lastStatus: null },
        { status: 'waiting', attempts: 0 },
      ])
    } else await eventually(() => expect(count).toBe(3))
    answers[1]?.resolve()
    await Promise.all([slow, other])
    const rows = await app.db.webhookDelivery.findMany({ where: { webhookId: id }, orderBy: { position: 'asc' } })
    expect(rows).toMatchObject([
      { status: 'delivered', attempts: 2, lastStatus: 204 },
      { status: 'delivered', attempts: 1, lastStatus: 204 },
    ])
    expect(await app.db.webhook.findUniqueOrThrow({ where: { id } })).toMatchObject({ failingSince: null })
    expect(count).toBe(3)
  })
})

test.runIf(testDatabase.kind === 'postgres')('a result waits for a claim of the same webhook', async () => {
  const receiver = await startReceiver()
  const { id } = await addWebhook(app, receiver.url)
  const answer = holdAnswers(receiver)
  await addEvents(app, ['ada'])
  const draining = webhooks.drain()
  await eventually(() => expect(receiver.received).toHaveLength(1))
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const claiming = app.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT FROM webhooks WHERE id = ${id} FOR NO KEY UPDATE`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  answer()
  await waitForLocks(app)
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting' })
  release.resolve()
  await Promise.all([claiming, draining])
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'delivered' })
})

test('a user with many due deliveries delays no other user', async () => {
  const receiver = await startReceiver()
  const answer = holdAnswers(receiver, (delivery) => userOf(delivery) === 'busy')
  await addWebhook(app, receiver.url)
  await addEvents(app, [...Array.from({ length: 200 }, () => 'busy'), 'quiet'])
  const claim = vi.spyOn(app.service.deps.sql, 'transaction')
  onTestFinished(() => claim.mockRestore())
  const draining = webhooks.drain()
  await eventually(() => expect(usersOf(receiver)).toContain('quiet'))
  // One claim that looks at eight would be repeated 25 times before.
  expect(claim.mock.calls.length).toBeLessThan(5)
  answer()
  await app.db.webhookDelivery.deleteMany({ where: { orderKey: 'busy', attempts: 0 } })
  await draining
})
