import { policy } from '@floorpass/api'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { askForEvents, endOfFeed, readFeed } from '@floorpass/testing/events'
import { serviceKey } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

const { longestWait, readersAtOnce, poll } = policy.events

test('a long poll answers when a change is committed, and not before', async () => {
  const app = await createTestApp({ SERVICE_KEYS: serviceKey })
  const tab = await app.signedIn()
  const after = await endOfFeed(app)
  let isAnswered = false
  const waiting = readFeed(app, { after, wait: String(longestWait) }).finally(() => {
    isAnswered = true
  })
  await new Promise((resolve) => setTimeout(resolve, 2 * poll * 1000))
  expect(isAnswered).toBe(false)
  await tab.post('/auth/sign-out', {})
  expect((await waiting).events.map(({ type }) => type)).toEqual(['session.ended', 'activity.sign-out'])
})

test('a long poll for one type waits past events of other types', async () => {
  const app = await createTestApp({ SERVICE_KEYS: serviceKey })
  const tab = await app.signedIn()
  const after = await endOfFeed(app)
  const waiting = readFeed(app, { after, types: 'key.ended', wait: String(longestWait) })
  await tab.post('/auth/sign-out', {})
  await app.db.$executeRaw`INSERT INTO outbox_events (type, data) VALUES ('key.ended', '{}')`
  const { events, cursor } = await waiting
  expect(events.map(({ type }) => type)).toEqual(['key.ended'])
  expect(cursor).toBe(events[0]?.id)
})

test('a long poll without an event returns the current cursor after its wait', async () => {
  const app = await createTestApp({ SERVICE_KEYS: serviceKey })
  await app.signedIn()
  const after = await endOfFeed(app)
  expect(await readFeed(app, { after, wait: '1' })).toEqual({ events: [], cursor: after, caughtUp: true })
})

test('refuses the 201st reader with SERVICE_BUSY, and counts no reader of another service', async () => {
  const other = await createTestApp({ SERVICE_KEYS: serviceKey })
  const elsewhere = askForEvents(other, { after: await endOfFeed(other), wait: String(longestWait) })
  const app = await createTestApp({ SERVICE_KEYS: serviceKey })
  const after = await endOfFeed(app)
  const waits = Array.from({ length: readersAtOnce + 1 }, () => askForEvents(app, { after, wait: String(longestWait) }))
  expect(outcome(await Promise.race(waits))).toEqual([503, 'SERVICE_BUSY'])
  app.service.drain()
  const statuses = (await Promise.all(waits)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(readersAtOnce)
  expect((await askForEvents(app, { after })).status).toBe(200)
  other.service.drain()
  expect((await elsewhere).status).toBe(200)
})
