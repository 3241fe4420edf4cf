import { policy } from '@floorpass/api'
import { createOperator, pauseWebhook, resumeWebhook } from '@floorpass/api/administration'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addEvents, addWebhook, deliveryOf, privateTargets, type Receiver, startReceiver } from '@floorpass/testing/webhooks'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp(privateTargets)
const { webhooks } = app.service.deps
const { firstRetry, retryFactor, longestRetry, mostAttempts, pauseAfter } = policy.webhooks
const threeDays = 3 * 24 * 3600

beforeEach(async () => {
  await app.db.webhook.deleteMany()
})

const findWebhook = (id: string) => app.db.webhook.findUniqueOrThrow({ where: { id } })
const answer = (receiver: Receiver, status: number) => receiver.respond((response) => response.writeHead(status).end())

async function createHook(status: number) {
  const receiver = await startReceiver()
  answer(receiver, status)
  const { id } = await addWebhook(app, receiver.url)
  return { receiver, id }
}

/** The seconds between the attempts of a delivery that always fails. */
async function collectWaits(random: number): Promise<number[]> {
  const spy = vi.spyOn(Math, 'random').mockReturnValue(random)
  onTestFinished(() => spy.mockRestore())
  const clock = holdClock()
  const { id, receiver } = await createHook(500)
  await addEvents(app, ['ada'])
  const waits: number[] = []
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    await webhooks.drain()
    const { attempts, nextAttemptAt } = await deliveryOf(app, id)
    expect([attempts, receiver.received.length]).toEqual([attempt, attempt])
    if (!nextAttemptAt) break
    const wait = (Number(nextAttemptAt) - Date.now()) / 1000
    waits.push(Math.round(wait * 1000) / 1000)
    clock.advance(wait - 0.001)
    await webhooks.drain()
    expect(receiver.received).toHaveLength(attempt)
    clock.advance(0.001)
  }
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'failed', attempts: mostAttempts, finishedAt: new Date() })
  const attempted = app.logs.filter(({ webhookId, attempts }) => webhookId === id && attempts !== undefined)
  expect(attempted.map(({ msg }) => msg)).toEqual([
    ...Array<string>(mostAttempts - 1).fill('webhook delivery failed: retry scheduled'),
    'webhook delivery failed permanently',
  ])
  clock.advance(threeDays)
  await webhooks.drain()
  expect(receiver.received).toHaveLength(mostAttempts)
  return waits
}

describe('a delivery that always fails', () => {
  test('is tried ten times within three days, with growing pauses', async () => {
    const waits = await collectWaits(0.5)
    expect(waits).toEqual([5, 30, 180, 1080, 6480, 38_880, 72_000, 72_000, 72_000])
    expect(waits).toEqual(waits.map((_, index) => Math.min(firstRetry * retryFactor ** index, longestRetry)))
    const total = waits.reduce((sum, wait) => sum + wait, 0)
    expect(total / threeDays).toBeCloseTo(1, 1)
  })

  test.each([
    [0, 0.8],
    [1, 1.2],
  ])('has pauses that vary by a fifth (%d)', async (random, factor) => {
    const waits = await collectWaits(random)
    expect(waits).toEqual(
      [5, 30, 180, 1080, 6480, 38_880, 72_000, 72_000, 72_000].map((wait) => Math.round(wait * factor * 1000) / 1000),
    )
  })
})

describe('a webhook that fails', () => {
  test('remembers since when, until a delivery succeeds', async () => {
    const clock = holdClock()
    const { receiver, id } = await createHook(500)
    const start = new Date()
    await addEvents(app, ['ada'])
    await webhooks.drain()
    expect((await findWebhook(id)).failingSince).toEqual(start)
    clock.advance(60)
    await addEvents(app, ['bob'])
    await webhooks.drain()
    expect((await findWebhook(id)).failingSince).toEqual(start)
    answer(receiver, 204)
    clock.advance(60)
    await webhooks.drain()
    expect((await findWebhook(id)).failingSince).toBe(null)
    answer(receiver, 500)
    await addEvents(app, ['cyd'])
    await webhooks.drain()
    expect((await findWebhook(id)).failingSince).toEqual(new Date())
  })

  test('pauses after three days without a success, to the second, with one mail in the language of its contact', async () => {
    const clock = holdClock()
    const { receiver, id } = await createHook(500)
    const contact = 'contact@example.test'
    const failingSince = new Date(Date.now() - (pauseAfter - 1) * 1000)
    await app.db.webhook.update({ where: { id }, data: { contact, locale: 'fr', failingSince } })
    await addEvents(app, ['ada'])
    await webhooks.drain()
    expect(await findWebhook(id)).toMatchObject({ pausedAt: null, pauseReason: null, failingSince })
    clock.advance(1)
    await addEvents(app, ['bob', 'cyd'])
    await webhooks.drain()
    await app.drainMail()
    const { position } = await app.db.eventFeed.findFirstOrThrow()
    expect(await findWebhook(id)).toMatchObject({ pausedAt: new Date(), pauseReason: 'failing', pausedAfter: position })
    const mails = app.outbox.to(contact)
    expect(mails.map(({ subject }) => subject)).toEqual([`Floorpass n’envoie plus d’événements à ${new URL(receiver.url).host}`])
    expect(mails[0]?.text).toContain('depuis trois jours')
    expect(mails[0]?.text).toContain('\n\nBonjour,\n')
    expect(app.logs.filter(({ msg, webhookId }) => msg === 'webhook paused' && webhookId === id)).toMatchObject([
      { webhookId: id, reason: 'failing', level: 50 },
    ])
  })

  test('gets nothing while it is paused, and what waited when it resumes', async () => {
    const clock = holdClock()
    const { receiver, id } = await createHook(500)
    const contact = 'paused@example.test'
    await app.db.webhook.update({ where: { id }, data: { contact } })
    const operator = createOperator(app.service.deps, 'grace')
    const ids = await addEvents(app, ['ada', 'bob'])
    await webhooks.drain()
    answer(receiver, 204)
    receiver.received.length = 0
    await pauseWebhook(operator, id)
    clock.advance(24 * 3600)
    await addEvents(app, ['cyd'])
    await webhooks.drain()
    expect(receiver.received).toEqual([])
    expect(await app.db.webhookDelivery.findMany({ where: { webhookId: id } })).toMatchObject([
      { status: 'waiting', attempts: 1 },
      { status: 'waiting', attempts: 1 },
    ])
    expect(await resumeWebhook(operator, id)).toMatchObject({ missed: 1 })
    await webhooks.drain()
    await app.drainMail()
    expect(receiver.ids().toSorted()).toEqual(ids)
    expect(app.outbox.to(contact)).toEqual([])
  })
})

test('an event that the sweep removed fails at once, delays no other and is no failure of the receiver', async () => {
  holdClock()
  const { receiver, id } = await createHook(204)
  const [old = '', next] = await addEvents(app, ['ada', 'ada'])
  await app.db.event.deleteMany({ where: { id: old } })
  await webhooks.drain()
  expect(receiver.ids()).toEqual([next])
  const rows = await app.db.webhookDelivery.findMany({ where: { webhookId: id }, orderBy: { position: 'asc' } })
  expect(rows).toMatchObject([
    { status: 'failed', attempts: 1, lastStatus: null, lastError: 'the event is no longer kept', nextAttemptAt: null },
    { status: 'delivered' },
  ])
  expect(app.logs.filter(({ webhookId }) => webhookId === id)).toMatchObject([
    { msg: 'webhook delivery failed permanently', reason: 'the event is no longer kept' },
  ])
  answer(receiver, 500)
  const [gone = ''] = await addEvents(app, ['bob'])
  await app.db.event.deleteMany({ where: { id: gone } })
  await webhooks.drain()
  expect((await findWebhook(id)).failingSince).toBe(null)
})
