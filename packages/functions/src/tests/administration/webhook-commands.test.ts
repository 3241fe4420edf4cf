import { policy } from '@floorpass/api'
import { adminOf } from '@floorpass/testing/admin-command'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const command = adminOf(app)
const contact = ['--contact', 'desk@example.com']
const target = 'https://hooks.example.com/floorpass'
const create = async (...options: string[]) =>
  (await command('create-webhook', target, ...contact, ...options, '--json')).json as {
    id: string
    secret: string
    publicKey: string
  }
const refused = { code: 2, stdout: '', stderr: expect.stringMatching(/\n {2}Why: .+/) }
const unknown = { code: 1, stdout: '', stderr: expect.stringContaining('WEBHOOK_NOT_FOUND') }
const waitingOf = (webhookId: string) =>
  app.db.webhookDelivery.findMany({ where: { webhookId, status: 'waiting' }, orderBy: { position: 'asc' } })
/** Adds events to the feed. */
async function addEvents(count: number, type = 'session.ended') {
  await app.db.$executeRaw`
    INSERT INTO outbox_events (type, user_id, data, created_at)
    SELECT ${type}, 'user-' || n, '{}'::jsonb, ${new Date()} FROM generate_series(1, ${count}::int) n`
  await app.service.deps.events.flush()
}

describe('create-webhook', () => {
  test('prints the secret once and the public key, and keeps both sealed', async () => {
    const { code, stdout } = await command(
      'create-webhook',
      target,
      ...contact,
      '--types',
      'session.ended, key.ended',
      '--locale',
      'fr',
      '--operator',
      'grace',
    )
    const [secret = ''] = stdout.match(/whsec_[\w+/]{43}=/) ?? []
    expect([code, stdout.match(/whpk_[\w+/]{43}=/)?.length]).toEqual([0, 1])
    const row = await app.db.webhook.findFirstOrThrow({ where: { createdBy: 'grace' } })
    expect(row).toMatchObject({
      url: target,
      types: ['session.ended', 'key.ended'],
      contact: 'desk@example.com',
      locale: 'fr',
      pausedAt: null,
    })
    expect(secret).not.toBe('')
    expect(JSON.stringify(await app.readAllRows())).not.toContain(secret.slice(6))
  })

  test('prints the secret alone with --quiet, and takes all types when none is named', async () => {
    const { stdout } = await command('create-webhook', target, ...contact, '--quiet')
    expect(stdout).toMatch(/^whsec_[\w+/]{43}=\n$/)
    const { id } = await create()
    expect((await app.db.webhook.findUniqueOrThrow({ where: { id } })).types).toEqual([])
    const { id: activity } = await create('--types', 'activity.*')
    expect((await app.db.webhook.findUniqueOrThrow({ where: { id: activity } })).types).toContain('activity.sign-in')
  })

  test.each([
    ['http', 'http://hooks.example.com/', contact],
    ['a private address', 'https://10.0.0.7/', contact],
    ['the address of this machine in another form', 'https://2130706433/', contact],
    ['a password in the URL', 'https://ada:secret@hooks.example.com/', contact],
    ['a fragment', 'https://hooks.example.com/#a', contact],
    ['no URL', 'hooks.example.com', contact],
    ['an unknown type', target, [...contact, '--types', 'session.ended,session.started']],
    ['no contact', target, []],
    ['a contact that is no address', target, ['--contact', 'desk']],
    ['an unknown language', target, [...contact, '--locale', 'xx']],
  ])('refuses %s', async (_, url, options) => {
    const before = await app.db.webhook.count()
    const answer = await command('create-webhook', url, ...options)
    expect(answer).toMatchObject(refused)
    expect(answer.stderr).not.toContain('secret@')
    expect(await app.db.webhook.count()).toBe(before)
  })
})

test('a paused webhook gets no events, and its resumption says how many it missed', async () => {
  const { id } = await create('--types', 'session.ended')
  await addEvents(2)
  expect((await command('pause-webhook', id, '--json')).json).toEqual({ id, paused: true })
  expect((await command('pause-webhook', id, '--json')).json).toEqual({ id, paused: false })
  const { lastId } = await app.db.eventFeed.findFirstOrThrow()
  await addEvents(3)
  await addEvents(4, 'key.ended')
  expect(await waitingOf(id)).toHaveLength(2)
  await app.db.webhookDelivery.updateMany({ where: { webhookId: id }, data: { attempts: 7 } })
  const resumed = (await command('resume-webhook', id, '--json')).json as { after: string }
  expect(resumed).toMatchObject({ resumed: true, missed: 3, after: expect.stringContaining(lastId.slice(0, 20)) })
  expect((await command('resume-webhook', id, '--json')).json).toEqual({ id, resumed: false })
  expect((await waitingOf(id)).map(({ attempts }) => attempts)).toEqual([0, 0])
  expect((await command('replay-webhook', id, '--after', resumed.after, '--json')).json).toEqual({ id, queued: 3 })
  expect(await waitingOf(id)).toHaveLength(5)
  const { pausedAt, pausedAfter, pauseReason } = await app.db.webhook.findUniqueOrThrow({ where: { id } })
  expect([pausedAt, pausedAfter, pauseReason]).toEqual([null, null, null])
})

describe('replay-webhook', () => {
  test('queues the events of a time again in their order, and none that waits', async () => {
    const clock = holdClock()
    const { id } = await create('--types', 'session.ended')
    await addEvents(1)
    clock.advance(60)
    const since = new Date().toISOString()
    await addEvents(1200)
    await addEvents(2, 'key.ended')
    clock.advance(60)
    const until = new Date().toISOString()
    await addEvents(1)
    await app.db.webhookDelivery.updateMany({ where: { webhookId: id }, data: { status: 'delivered', nextAttemptAt: null } })
    const replay = async (...range: string[]) => (await command('replay-webhook', id, ...range, '--json')).json
    expect(await replay('--since', since, '--until', until)).toEqual({ id, queued: 1200 })
    expect(await replay('--since', since, '--until', until)).toEqual({ id, queued: 0 })
    const waiting = await waitingOf(id)
    expect(waiting.map(({ orderKey }) => orderKey)).toEqual(Array.from({ length: 1200 }, (_, index) => `user-${index + 1}`))
    expect(await replay('--since', since)).toEqual({ id, queued: 1 })
  })

  test('queues one event again, also when two operators ask at once', async () => {
    const { id } = await create()
    await addEvents(1)
    const [{ eventId } = { eventId: '' }] = await waitingOf(id)
    await app.db.webhookDelivery.updateMany({ where: { webhookId: id }, data: { status: 'failed', nextAttemptAt: null } })
    const both = await Promise.all(
      [1, 2].map(async () => (await command('replay-webhook', id, '--event', eventId, '--json')).json),
    )
    expect(both.map((answer) => (answer as { queued: number }).queued).sort()).toEqual([0, 1])
    expect(await waitingOf(id)).toHaveLength(1)
    // Another event at the position, as before a restore.
    expect((await command('replay-webhook', id, '--event', `${eventId.slice(0, -8)}00000000`, '--json')).json).toEqual({
      id,
      queued: 0,
    })
  })

  test('queues what failed again, with new attempts', async () => {
    const { id } = await create()
    await addEvents(3)
    const [first, second] = await waitingOf(id)
    for (const delivery of [first, second])
      await app.db.webhookDelivery.update({
        where: { id: delivery?.id ?? '' },
        data: { status: 'failed', nextAttemptAt: null, attempts: 10, finishedAt: new Date() },
      })
    // Another replay has sent this one since.
    await app.db.webhookDelivery.create({
      data: {
        ...(second as typeof first & object),
        id: 'again',
        status: 'delivered',
        nextAttemptAt: null,
        createdAt: new Date(Date.now() + 1000),
      },
    })
    expect((await command('replay-webhook', id, '--failed', '--json')).json).toEqual({ id, queued: 1 })
    expect(await waitingOf(id)).toMatchObject([{ id: first?.id, attempts: 0, finishedAt: null }, { attempts: 0 }])
  })

  test.each([
    ['nothing', []],
    ['two ways', ['--after', 'evt_0000000000000042_1f9c03ab', '--event', 'evt_0000000000000042_1f9c03ab']],
    ['both', ['--event', 'evt_0000000000000042_1f9c03ab', '--since', '2026-01-01T00:00:00Z']],
    ['--until alone', ['--until', '2026-01-01T00:00:00Z']],
    ['an event that is none', ['--event', '42']],
    ['a time that is none', ['--since', 'yesterday']],
  ])('refuses %s', async (_, options) => {
    const { id } = await create()
    expect(await command('replay-webhook', id, ...options)).toMatchObject(refused)
  })
})

describe('rotate-webhook', () => {
  test('lets the former keys sign for a day, or no longer', async () => {
    holdClock()
    const { id, secret } = await create()
    const before = await app.db.webhook.findUniqueOrThrow({ where: { id } })
    const rotated = (await command('rotate-webhook', id, '--json')).json as { secret: string }
    expect(rotated.secret).not.toBe(secret)
    expect(await app.db.webhook.findUniqueOrThrow({ where: { id } })).toMatchObject({
      formerKeysSealed: before.keysSealed,
      formerKeysUntil: new Date(Date.now() + policy.webhooks.keyOverlap * 1000),
    })
    await command('rotate-webhook', id, '--now')
    expect(await app.db.webhook.findUniqueOrThrow({ where: { id } })).toMatchObject({
      formerKeysSealed: null,
      formerKeysUntil: null,
    })
  })
})

test('list-webhooks and list-deliveries show what waits and what was answered, and no secret', async () => {
  const { id, publicKey } = await create('--types', 'session.ended')
  await addEvents(2)
  const [first] = await waitingOf(id)
  await app.db.webhookDelivery.update({
    where: { id: first?.id ?? '' },
    data: { status: 'failed', nextAttemptAt: null, attempts: 10, lastStatus: 500, finishedAt: new Date() },
  })
  const { json, stdout } = await command('list-webhooks', '--json')
  expect((json as { id: string }[]).find((webhook) => webhook.id === id)).toMatchObject({
    url: target,
    waiting: 1,
    publicKey,
    pausedAt: null,
  })
  expect(stdout).not.toMatch(/whsec_|ealed/)
  expect((await command('list-deliveries', id, '--json')).json).toHaveLength(2)
  expect((await command('list-deliveries', id, '--status', 'failed', '--json')).json).toMatchObject([
    { event: first?.eventId, type: 'session.ended', status: 'failed', attempts: 10, answer: 500 },
  ])
  expect((await command('list-deliveries', id, '--limit', '1', '--json')).json).toHaveLength(1)
  expect(await command('list-deliveries', id, '--status', 'lost')).toMatchObject(refused)
  expect((await command('list-deliveries', id)).stdout).toContain('session.ended')
})

test('drop-webhook deletes the webhook and its deliveries', async () => {
  const { id } = await create()
  await addEvents(1)
  expect((await command('drop-webhook', id, '--yes')).code).toBe(0)
  expect([
    await app.db.webhook.count({ where: { id } }),
    await app.db.webhookDelivery.count({ where: { webhookId: id } }),
  ]).toEqual([0, 0])
})

test('a webhook whose keys no longer open is listed without a public key, and can be dropped', async () => {
  const { id } = await create()
  await app.db.webhook.update({ where: { id }, data: { keysSealed: '2.lost.key' } })
  const { json } = await command('list-webhooks', '--json')
  expect((json as { id: string }[]).find((webhook) => webhook.id === id)).toMatchObject({ publicKey: null })
  expect((await command('drop-webhook', id, '--yes')).code).toBe(0)
})

test('a replay after a cursor that has expired is refused', async () => {
  const { id } = await create()
  await addEvents(2)
  await app.db.eventFeed.updateMany({ data: { swept: 2 } })
  const answer = await command('replay-webhook', id, '--after', 'evt_0000000000000001_00000000')
  await app.db.eventFeed.updateMany({ data: { swept: 0 } })
  expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining('CURSOR_EXPIRED')])
})

test.each(['pause-webhook', 'resume-webhook', 'rotate-webhook', 'drop-webhook', 'list-deliveries'])(
  '%s of an unknown id changes nothing and says so',
  async (name) => {
    expect(await command(name, 'nope', '--yes')).toMatchObject(unknown)
  },
)
