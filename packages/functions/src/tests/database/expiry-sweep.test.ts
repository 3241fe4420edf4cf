import { createExpirySweep, policy } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { askForEvents, readFeed } from '@floorpass/testing/events'
import { eventually } from '@floorpass/testing/eventually'
import { serviceKey } from '@floorpass/testing/route-samples'
import { testDatabase } from '@floorpass/testing/test-database'
import { expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const { db, log } = app.service.deps

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
const soon = ago(-3600)
const { keepLinks, keepAuditEvents, keepRefusedMails } = policy.sweep

const startOfMonth = (time: Date) => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()))

/** Inserts six rows into each table: five expired, one just not. */
async function fill() {
  const { id: userId } = await db.user.create({ data: { name: 'Ada', email: app.person().email } })
  const { id: organizationId } = await db.organization.create({ data: { name: 'Desk', slug: userId } })
  for (let index = 0; index < 6; index += 1) {
    const isOver = index < 5
    const secretHash = `${userId}-${index}`
    const spent = isOver ? ago(1) : soon
    const old = ago(keepLinks + (isOver ? 60 : -60))
    await db.session.create({ data: { id: secretHash, handle: secretHash, userId, expiresAt: spent } })
    await db.verification.create({ data: { purpose: 'verify-email', secretHash, userId, expiresAt: old } })
    await db.trustedDevice.create({ data: { secretHash, userId, expiresAt: spent } })
    const late = isOver ? ago(policy.apiKeys.longestWindow + 1) : ago(policy.apiKeys.longestWindow - 60)
    await db.signatureNonce.create({ data: { keyId: userId, nonce: secretHash, expiresAt: late } })
    const confirmation = {
      sessionHandle: secretHash,
      type: 'order',
      canonical: '{}',
      audience: '',
      createdAt: ago(keepLinks + 360),
    }
    await db.confirmation.create({ data: { ...confirmation, userId, expiresAt: old } })
    await db.invitation.create({ data: { organizationId, email: `${index}@x.test`, role: 'member', secretHash, expiresAt: old } })
    const firstKept = startOfMonth(ago(keepAuditEvents))
    await db.auditEvent.create({ data: { userId, action: 'sign-in', createdAt: new Date(+firstKept - (isOver ? 1 : 0)) } })
    const createdAt = ago(keepRefusedMails + (isOver ? 60 : -60))
    await db.queuedMail.create({ data: { mailSealed: 'x', nextAttemptAt: null, createdAt } })
  }
  await db.queuedMail.create({ data: { mailSealed: 'x', nextAttemptAt: soon, createdAt: ago(10 * keepRefusedMails) } })
}

const counts = () =>
  Promise.all([
    db.session.count(),
    db.verification.count(),
    db.trustedDevice.count(),
    db.invitation.count(),
    db.auditEvent.count(),
    db.queuedMail.count(),
    db.signatureNonce.count(),
    db.confirmation.count(),
  ])
/** Counts expired sessions and audit events. */
const countOverdue = async () =>
  (await db.session.count({ where: { expiresAt: { lt: new Date() } } })) +
  (await db.auditEvent.count({ where: { createdAt: { lt: startOfMonth(ago(keepAuditEvents)) } } }))
const tables = [
  'sessions',
  'verifications',
  'trusted_devices',
  'invitations',
  'audit_events',
  'queued_mails',
  'signature_nonces',
  'confirmations',
]

test('a sweep removes only expired rows, in batches, and parallel sweeps remove each row once', async () => {
  await fill()
  const sweeps = [2, 3].map((batchSize) => createExpirySweep({ db, log, batchSize }).sweep())
  const [one, other] = await Promise.all(sweeps)
  for (const table of tables) expect((one?.[table] ?? 0) + (other?.[table] ?? 0), table).toBe(5)
  expect(await counts()).toEqual([1, 1, 1, 1, 1, 2, 1, 1])
  expect(await app.service.expirySweep.sweep()).toEqual({})
})

test('removes an expired sign-in attempt at once, because anyone can start one and each takes space', async () => {
  const { id: userId } = await db.user.create({ data: { name: 'Ada', email: app.person().email } })
  for (const purpose of ['social-sign-in', 'two-factor', 'reset-password'])
    for (const expiresAt of [ago(1), soon])
      await db.verification.create({ data: { purpose, secretHash: `${userId} ${purpose} ${+expiresAt}`, userId, expiresAt } })
  expect(await createExpirySweep({ db, log }).sweep()).toEqual({ verifications: 2 })
  const left = await db.verification.findMany({ where: { userId, expiresAt: { lt: new Date() } } })
  expect(left.map(({ purpose }) => purpose)).toEqual(['reset-password'])
  await db.user.delete({ where: { id: userId } })
})

test('removes more expired links than a batch beside expired sign-in attempts', async () => {
  const { id: userId } = await db.user.create({ data: { name: 'Ada', email: app.person().email } })
  const expiresAt = ago(keepLinks + 60)
  const purposes = ['two-factor', 'reset-password', 'reset-password', 'reset-password']
  const data = purposes.map((purpose, index) => ({ purpose, secretHash: `${userId} ${index}`, userId, expiresAt }))
  await db.verification.createMany({ data })
  expect(await createExpirySweep({ db, log, batchSize: 2 }).sweep()).toEqual({ verifications: 4 })
  await db.user.delete({ where: { id: userId } })
})

const { keepEvents } = policy.sweep

/** Places five old events and two recent ones in the empty feed. Returns their ids. */
async function fillFeed(): Promise<string[]> {
  await app.service.deps.events.flush()
  await app.service.expirySweep.sweep()
  await db.event.deleteMany()
  const { position } = await db.eventFeed.findFirstOrThrow()
  const data = Array.from({ length: 7 }, (_, index) => {
    const place = position + BigInt(index + 1)
    const id = `evt_${String(place).padStart(16, '0')}_0000000a`
    const createdAt = ago(keepEvents + (index < 5 ? 1 : -60))
    return { position: place, id, type: 'session.ended', userId: 'ada', data: {}, createdAt, appendedAt: createdAt }
  })
  await db.event.createMany({ data })
  const ids = data.map(({ id }) => id)
  await db.eventFeed.updateMany({ data: { position: position + 7n, lastId: ids[6] ?? '' } })
  return ids
}

test('removes old events from the front of the feed in batches, and expires the cursors before them', async () => {
  const ids = await fillFeed()
  const [, , , before = '', edge = '', first = '', last = ''] = ids
  expect((await readFeed(app, { after: before })).events).toHaveLength(3)
  const sizes: number[] = []
  const onSwept = ({ events = 0 }: Record<string, number>) => void (events > 0 && sizes.push(events))
  await createExpirySweep({ db, log, batchSize: 2, onSwept }).sweep()
  expect(sizes).toEqual([2, 2, 1])
  expect((await db.event.findMany({ orderBy: { position: 'asc' } })).map(({ id }) => id)).toEqual([first, last])
  expect((await db.eventFeed.findFirstOrThrow()).swept).toBe(BigInt(edge.slice(4, 20)))
  const expired = await askForEvents(app, { after: before })
  expect([expired.status, expired.code]).toEqual([410, 'CURSOR_EXPIRED'])
  expect((await readFeed(app, { after: edge })).events.map(({ id }) => id)).toEqual([first, last])
  expect((await readFeed(app)).events.map(({ id }) => id)).toEqual([first, last])
  expect(await app.service.expirySweep.sweep()).toEqual({})
  expect((await db.eventFeed.findFirstOrThrow()).swept).toBe(BigInt(edge.slice(4, 20)))
})

test('parallel sweeps remove each old event once', async () => {
  await fillFeed()
  const [one, other] = await Promise.all([2, 3].map((batchSize) => createExpirySweep({ db, log, batchSize }).sweep()))
  expect((one?.events ?? 0) + (other?.events ?? 0)).toBe(5)
})

test('removes old deliveries that are over, and keeps those that wait', async () => {
  const webhook = { url: 'https://hooks.example.test/', contact: 'ops@example.test', keysSealed: 'x', createdBy: 'grace' }
  const { id: webhookId } = await db.webhook.create({ data: webhook })
  for (const isOld of [true, false])
    for (const status of ['delivered', 'failed', 'waiting'])
      await db.webhookDelivery.create({
        data: {
          webhookId,
          position: 1n,
          eventId: 'evt',
          type: 'session.ended',
          orderKey: 'ada',
          status,
          nextAttemptAt: status === 'waiting' ? soon : null,
          createdAt: ago(keepEvents + (isOld ? 1 : -60)),
        },
      })
  expect(await createExpirySweep({ db, log, batchSize: 1 }).sweep()).toEqual({ webhook_deliveries: 2 })
  const left = await db.webhookDelivery.findMany({ orderBy: [{ createdAt: 'asc' }, { status: 'asc' }] })
  expect(left.map(({ status }) => status)).toEqual(['waiting', 'delivered', 'failed', 'waiting'])
  await db.webhook.deleteMany()
})

test('passes a row that another transaction holds, removes the others, and removes it later', async ({ skip }) => {
  // The embedded database has one connection: no second transaction can hold a row.
  if (testDatabase.kind === 'embedded') skip()
  await db.session.deleteMany()
  const { id: userId } = await db.user.create({ data: { name: 'Ada', email: app.person().email } })
  for (const id of ['held', 'free']) await db.session.create({ data: { id, userId, expiresAt: ago(1) } })
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM sessions WHERE id = 'held' FOR UPDATE`
    expect(await app.service.expirySweep.sweep()).toEqual({ sessions: 1 })
    expect(await tx.session.findMany({ where: { userId }, select: { id: true } })).toEqual([{ id: 'held' }])
  })
  expect(await app.service.expirySweep.sweep()).toEqual({ sessions: 1 })
})

test('a stopped sweep starts no batch', async () => {
  await fill()
  const before = await counts()
  const stopped = createExpirySweep({ db, log })
  await stopped.stop()
  expect(await stopped.sweep()).toEqual({})
  expect(await counts()).toEqual(before)
})

test('sweeps every table in batches, including audit events', async () => {
  await fill()
  const batches: Record<string, number[]> = {}
  const onSwept = (gone: Record<string, number>) => {
    for (const [table, count] of Object.entries(gone)) batches[table] = [...(batches[table] ?? []), count]
  }
  const before = await counts()
  await createExpirySweep({ db, log, batchSize: 2, onSwept }).sweep()
  for (const table of tables) {
    const sizes = batches[table] ?? []
    expect(sizes.length, table).toBeGreaterThan(2)
    expect(Math.max(...sizes), table).toBe(2)
  }
  const gone = before.map((count, index) => count - (batches[tables[index] ?? ''] ?? []).reduce((sum, size) => sum + size, 0))
  expect(await counts()).toEqual(gone)
})

test('sweeps soon after the start, and a stop before that prevents it', async () => {
  await fill()
  const sweep = createExpirySweep({ db, log, firstWithin: 0.02 })
  sweep.start()
  await eventually(async () => expect(await countOverdue()).toBe(0))
  await sweep.stop()

  await fill()
  const before = await counts()
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const stopped = createExpirySweep({ db, log })
  stopped.start()
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  await stopped.stop()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  expect(await counts()).toEqual(before)
})

test('logs a failing table once per sweep and continues with the others', async () => {
  await app.service.expirySweep.sweep()
  await fill()
  await db.$executeRaw`ALTER TABLE verifications RENAME TO verifications_away`
  app.logs.length = 0
  const gone = await createExpirySweep({ db, log, batchSize: 2 }).sweep()
  await db.$executeRaw`ALTER TABLE verifications_away RENAME TO verifications`
  for (const table of tables) expect(gone[table] ?? 0, table).toBe(table === 'verifications' ? 0 : 5)
  expect(app.logs.filter(({ msg }) => msg === 'expired row removal failed')).toEqual([
    expect.objectContaining({ table: 'verifications', level: 50 }),
  ])
})

test('logs a failing listener and continues with every table', async () => {
  await app.service.expirySweep.sweep()
  await fill()
  app.logs.length = 0
  const onSwept = () => {
    throw new Error('the counter is broken')
  }
  const gone = await createExpirySweep({ db, log, onSwept }).sweep()
  for (const table of tables) expect(gone[table], table).toBe(5)
  const logged = app.logs.filter(({ msg }) => msg === 'expired row removal failed').map(({ table }) => table)
  expect(logged).toEqual(tables)
})
