import { createOperator, createService, pauseWebhook } from '@floorpass/api/administration'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { createApiKey } from '@floorpass/testing/api-keys'
import { outcome } from '@floorpass/testing/browser'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { assemble } from '@floorpass/testing/organization'
import { refuseMail } from '@floorpass/testing/refused-mails'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { addEvents, addWebhook } from '@floorpass/testing/webhooks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const reason = 'asked by the head of support'

async function administrator(role: 'admin' | 'support' | 'auditor' = 'admin'): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, role)
  return tab
}
const lastEvent = (action: string, userId: string) =>
  app.db.auditEvent.findFirst({ where: { action, userId }, orderBy: { id: 'desc' } })

describe('refused mails', () => {
  type Listed = { mails: { id: string; to: string | null; subject: string | null }[] }
  const list = async (tab: SignedIn, query = '') =>
    ((await tab.get(`/auth/admin/list-refused-mails${query}`)).body as Listed).mails

  test('are listed oldest first, page by page, with the recipient and never with the text', async () => {
    const [tab, user] = [await administrator('auditor'), await app.signedIn()]
    await app.db.queuedMail.deleteMany()
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) ids.push(await refuseMail(app, user.person.email))
    // Two ids of one millisecond have no order.
    ids.sort()
    const { body } = await tab.get('/auth/admin/list-refused-mails?limit=2')
    expect(body).toMatchObject({
      mails: [{ id: ids[0], to: user.person.email, subject: 'Welcome', lastError: '550 no such mailbox' }, { id: ids[1] }],
    })
    expect(JSON.stringify(body)).not.toContain('a text')
    expect((await list(tab, `?limit=2&after=${ids[1]}`)).map(({ id }) => id)).toEqual(ids.slice(2, 4))
    expect((await list(tab, `?limit=2&after=${ids[3]}`)).map(({ id }) => id)).toEqual(ids.slice(4))
    expect((await tab.get('/auth/admin/list-refused-mails?limit=100')).status).toBe(200)
    expect((await tab.get('/auth/admin/list-refused-mails?limit=101')).status).toBe(400)
  })

  test('that no secret opens are listed without a recipient', async () => {
    const tab = await administrator('auditor')
    await app.db.queuedMail.deleteMany()
    await app.db.queuedMail.create({ data: { mailSealed: '2.unknown.x', nextAttemptAt: null } })
    expect(await list(tab)).toMatchObject([{ to: null, subject: null }])
  })

  test('are sent again, which the recipient sees with the name of the administrator', async () => {
    const [tab, user] = [await administrator('support'), await app.signedIn()]
    const id = await refuseMail(app, user.person.email)
    expect(outcome(await tab.post('/auth/admin/retry-refused-mail', { id }))).toEqual([200, undefined])
    await app.drainMail()
    expect(app.outbox.lastTo(user.person.email).subject).toBe('Welcome')
    expect(await lastEvent('retry-mail', user.userId)).toMatchObject({ actorId: tab.userId, details: { subject: 'Welcome' } })
    expect(outcome(await tab.post('/auth/admin/retry-refused-mail', { id }))).toEqual([404, 'NOT_FOUND'])
  })

  test('whose link has expired are not sent again', async () => {
    const [tab, user] = [await administrator('support'), await app.signedIn()]
    const id = await refuseMail(app, user.person.email, new Date(Date.now() - 1000))
    expect(outcome(await tab.post('/auth/admin/retry-refused-mail', { id }))).toEqual([404, 'NOT_FOUND'])
    expect(await app.db.queuedMail.count({ where: { id, nextAttemptAt: null } })).toBe(1)
  })

  test('are deleted by an admin', async () => {
    const [tab, user] = [await administrator(), await app.signedIn()]
    const [id, other] = [await refuseMail(app, user.person.email), await refuseMail(app, 'other@example.test')]
    expect(outcome(await tab.post('/auth/admin/drop-refused-mail', { id }))).toEqual([200, undefined])
    expect(await app.db.queuedMail.findMany({ where: { id: { in: [id, other] } }, select: { id: true } })).toEqual([
      { id: other },
    ])
    expect(await lastEvent('drop-mail', user.userId)).toMatchObject({ actorId: tab.userId })
    expect(outcome(await tab.post('/auth/admin/drop-refused-mail', { id }))).toEqual([404, 'NOT_FOUND'])
  })

  test('to an administrator cannot be retried by support', async () => {
    const [tab, other] = [await administrator('support'), await administrator('auditor')]
    const id = await refuseMail(app, other.person.email)
    expect(outcome(await tab.post('/auth/admin/retry-refused-mail', { id }))).toEqual([403, 'ADMINISTRATOR_ROLE_REQUIRED'])
    expect(await app.db.queuedMail.count({ where: { id, nextAttemptAt: null } })).toBe(1)
  })

  test.runIf(testDatabase.kind === 'postgres')('stay when the role is revoked while the request waits', async () => {
    const tab = await administrator()
    const id = await refuseMail(app, 'unknown@example.test')
    const { answer } = await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${tab.userId} FOR UPDATE`
      const sent = tab.post('/auth/admin/drop-refused-mail', { id })
      await waitForLocks(app)
      await tx.user.update({ where: { id: tab.userId }, data: { role: null } })
      return { answer: sent }
    })
    expect(outcome(await answer)).toEqual([403, 'ADMINISTRATOR_ROLE_REQUIRED'])
    expect(await app.db.queuedMail.count({ where: { id } })).toBe(1)
  })
})

describe('webhooks', () => {
  test('are listed with their state, and without a secret', async () => {
    const tab = await administrator('auditor')
    const { id, secret } = await addWebhook(app, 'https://hooks.example.com/in', ['key.ended'])
    await addEvents(app, [tab.userId, tab.userId], 'key.ended')
    await pauseWebhook(createOperator(app.service.deps, 'grace'), id)
    const { body } = await tab.get('/auth/admin/list-webhooks')
    const { webhooks } = body as { webhooks: { id: string }[] }
    expect(webhooks.find((webhook) => webhook.id === id)).toMatchObject({
      url: 'https://hooks.example.com/in',
      waiting: 2,
      pauseReason: 'operator',
    })
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(JSON.stringify(body)).not.toContain('Sealed')
  })

  test('count what waits up to five hundred', async () => {
    const tab = await administrator('auditor')
    const { id } = await addWebhook(app, 'https://hooks.example.com/in')
    const waiting = async () =>
      ((await tab.get('/auth/admin/list-webhooks')).body as { webhooks: { id: string; waiting: number }[] }).webhooks.find(
        (webhook) => webhook.id === id,
      )?.waiting
    const add = (from: number, to: number) => app.db.$executeRaw`
      INSERT INTO webhook_deliveries (id, webhook_id, position, event_id, type, order_key, next_attempt_at, created_at)
      SELECT 'delivery-' || n, ${id}, n, 'evt', 'key.ended', '', now() + interval '1 day', now()
      FROM generate_series(${from}::int, ${to}::int) n`
    await add(1, 500)
    expect(await waiting()).toBe(500)
    await add(501, 600)
    expect(await waiting()).toBe(501)
  })

  test('show their newest deliveries', async () => {
    const tab = await administrator('auditor')
    const { id } = await addWebhook(app, 'https://hooks.example.com/in')
    const events = await addEvents(app, [tab.userId, tab.userId, tab.userId])
    const { body } = await tab.get(`/auth/admin/list-webhook-deliveries?webhookId=${id}&limit=2`)
    const newest = [events[2], events[1]].map((event) => ({ event, type: 'session.ended', status: 'waiting' }))
    expect(body).toMatchObject({ deliveries: newest })
    expect(outcome(await tab.get('/auth/admin/list-webhook-deliveries?webhookId=unknown'))).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    expect((await tab.get(`/auth/admin/list-webhook-deliveries?webhookId=${id}&limit=101`)).status).toBe(400)
  })
})

test('services are listed with the uses of their secrets, and without the secrets', async () => {
  const tab = await administrator('auditor')
  const created = await createService(createOperator(app.service.deps, 'grace'), 'gateway', ['session:verify'])
  const { body } = await tab.get('/auth/admin/list-services')
  expect(body).toMatchObject({ services: [{ name: 'gateway', createdBy: 'grace', secrets: [{ uses: 0, lastUsedAt: null }] }] })
  expect(JSON.stringify(body)).not.toContain(String(created?.secret))
})

describe('the API keys of a user', () => {
  test('are listed without their secret, and end at once when an admin deletes them', async () => {
    const [tab, user, another] = [await administrator(), await app.signedIn(), await app.signedIn()]
    await another.post('/auth/api-key/create', { name: 'Of another user' })
    const { body } = await user.post('/auth/api-key/create', { name: 'Bot' })
    const { id, key } = body as { id: string; key: string }
    const read = () => app.browser().get('/auth/verify', { headers: { 'x-api-key': key } })
    expect((await read()).status).toBe(200)
    const listed = await tab.get(`/auth/admin/list-user-api-keys?userId=${user.userId}`)
    expect(listed.body).toMatchObject({ apiKeys: [{ id, name: 'Bot' }] })
    expect(JSON.stringify(listed.body)).not.toContain(key)

    expect(outcome(await tab.post('/auth/admin/revoke-user-api-key', { keyId: id }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await tab.post('/auth/admin/revoke-user-api-key', { keyId: id, reason }))).toEqual([200, undefined])
    expect((await read()).status).toBe(401)
    expect(await lastEvent('delete-api-key', user.userId)).toMatchObject({ actorId: tab.userId, details: { key: 'Bot', reason } })
    expect(outcome(await tab.post('/auth/admin/revoke-user-api-key', { keyId: id, reason }))).toEqual([404, 'KEY_NOT_FOUND'])
  })

  test('of an organization end too, and its activity shows it', async () => {
    const [tab, owner] = [await administrator(), await app.signedIn()]
    const { id: organizationId } = await assemble(app, [[owner, 'owner']])
    const { id } = await createApiKey(owner, { organizationId })
    expect(outcome(await tab.post('/auth/admin/revoke-user-api-key', { keyId: id, reason }))).toEqual([200, undefined])
    expect(await lastEvent('delete-api-key', owner.userId)).toMatchObject({ organizationId })
    const { body } = await owner.get(`/auth/organization/list-activity?organizationId=${organizationId}`)
    expect((body as { events: { action: string }[] }).events.map(({ action }) => action)).toContain('delete-api-key')
  })

  test('of an unknown user are refused', async () => {
    const tab = await administrator('auditor')
    expect(outcome(await tab.get('/auth/admin/list-user-api-keys?userId=unknown'))).toEqual([400, 'USER_NOT_FOUND'])
  })
})

test('counts say how much there is', async () => {
  const [tab, user] = [await administrator('auditor'), await app.signedIn()]
  await app.db.user.update({ where: { id: user.userId }, data: { suspendedAt: new Date() } })
  await app.db.session.updateMany({ where: { userId: user.userId }, data: { expiresAt: new Date(0) } })
  await app.db.organization.create({ data: { name: 'Desk', slug: 'counted-desk' } })
  await refuseMail(app, user.person.email)
  await app.db.webhook.updateMany({ data: { failingSince: new Date() } })
  expect((await tab.get('/auth/admin/counts')).body).toEqual({
    users: await app.db.user.count(),
    suspendedUsers: await app.db.user.count({ where: { suspendedAt: { not: null } } }),
    organizations: await app.db.organization.count(),
    sessions: await app.db.session.count({ where: { expiresAt: { gt: new Date() } } }),
    refusedMails: await app.db.queuedMail.count({ where: { nextAttemptAt: null } }),
    failingWebhooks: await app.db.webhook.count(),
  })
})

test('counts beyond five hundred are the estimates of the planner, by the index of the rare rows', async () => {
  const tab = await administrator('auditor')
  await app.db.$executeRaw`
    INSERT INTO users (id, name, email, updated_at, suspended_at)
    SELECT 'many-' || n, 'Many', 'many-' || n || '@counts.test', now(), now() FROM generate_series(1, 900) n`
  await app.db.$executeRaw`
    INSERT INTO queued_mails (id, mail_sealed) SELECT 'many-' || n, '' FROM generate_series(1, 800) n`
  await app.db.$executeRawUnsafe('UPDATE queued_mails SET next_attempt_at = NULL')
  await app.db.$executeRawUnsafe('ANALYZE users')
  await app.db.$executeRawUnsafe('ANALYZE queued_mails')
  const { body } = await tab.get('/auth/admin/counts')
  const { users, suspendedUsers, refusedMails } = body as Record<string, number>
  for (const [count, least] of [
    [users, 850],
    [suspendedUsers, 850],
    [refusedMails, 750],
  ] as const)
    expect(count).toBeGreaterThan(least)
  await app.db.user.deleteMany({ where: { name: 'Many' } })
  await app.db.queuedMail.deleteMany({ where: { id: { startsWith: 'many-' } } })
})
