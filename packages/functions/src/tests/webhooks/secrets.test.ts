import { createSecretBox, createSecretResealer, type SecretBox } from '@floorpass/api'
import { createOperator, findWebhooks, rotateWebhook } from '@floorpass/api/administration'
import type { Database } from '@floorpass/db'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { testSecret } from '@floorpass/testing/unbound-seal'
import { addEvents, addWebhook, createQueue, deliveryOf, privateTargets, startReceiver } from '@floorpass/testing/webhooks'
import { beforeEach, expect, test } from 'vitest'

const app = await createTestApp(privateTargets)
const { db, log, secretBox, webhooks } = app.service.deps
const operator = createOperator(app.service.deps, 'grace')
const nextSecret = 'another secret that only tests know, also long'

beforeEach(async () => {
  await app.db.webhook.deleteMany()
})

const findWebhook = (id: string) => app.db.webhook.findUniqueOrThrow({ where: { id } })

/** What signs for a webhook, as its row keeps it. */
async function openRow(id: string, box = secretBox): Promise<{ secret: string; privateKey: string }[]> {
  const { keysSealed, formerKeysSealed } = await findWebhook(id)
  return [keysSealed, formerKeysSealed ?? ''].map((sealed) => JSON.parse(box.open(sealed, ['webhooks.keys_sealed', id])))
}

test('the keys are in no row and no log line', async () => {
  const receiver = await startReceiver()
  const former = await addWebhook(app, receiver.url)
  const current = await rotateWebhook(operator, former.id, { now: false })
  const statuses = [500, 410]
  receiver.respond((response) => response.writeHead(statuses.shift() ?? 204).end())
  await addEvents(app, ['ada', 'bob'])
  await webhooks.drain()
  await app.drainMail()
  const keys = await openRow(former.id)
  expect(keys.map(({ secret }) => secret)).toEqual([current.secret, former.secret])
  const secrets = keys.flatMap(({ secret, privateKey }) => [secret.slice('whsec_'.length), privateKey])
  expect(app.warnings().length).toBeGreaterThan(1)
  const texts = [await app.readAllRows(), app.logs, await findWebhooks(operator), app.outbox.mails].map((value) =>
    JSON.stringify(value),
  )
  for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret)
})

test('keys that do not open fail the delivery without a word of them', async () => {
  const receiver = await startReceiver()
  const { id } = await addWebhook(app, receiver.url)
  const other = await addWebhook(app, receiver.url)
  // Sealed for another webhook.
  await app.db.webhook.update({ where: { id }, data: { keysSealed: (await findWebhook(other.id)).keysSealed } })
  await app.db.webhook.delete({ where: { id: other.id } })
  await addEvents(app, ['ada'])
  await webhooks.drain()
  expect(receiver.received).toEqual([])
  expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting', lastError: 'altered, or sealed for another place' })
})

test('a new AUTH_SECRET reseals the keys of webhooks, former ones too, so that the old secret can be removed', async () => {
  const receiver = await startReceiver()
  const { id } = await addWebhook(app, receiver.url)
  const other = await addWebhook(app, 'https://other.example.test/', ['key.ended'])
  const ids = [id, other.id]
  for (const each of ids) await rotateWebhook(operator, each, { now: false })
  const open = (box?: SecretBox) => Promise.all(ids.map((each) => openRow(each, box)))
  const before = await open()
  const both = createSecretBox([nextSecret, testSecret])
  expect(await createSecretResealer({ db, log, secretBox: both }).reseal()).toBe(4)
  expect(await createSecretResealer({ db, log, secretBox: both }).reseal()).toBe(0)
  expect(await open(createSecretBox([nextSecret]))).toEqual(before)
  await addEvents(app, ['ada'])
  await createQueue(app, { secretBox: createSecretBox([nextSecret]) }).drain()
  expect(receiver.received).toHaveLength(1)
  expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(4)
})

test('the resealer keeps keys that it cannot open, and keys that rotate while it runs', async () => {
  const lost = await addWebhook(app, 'https://lost.example.test/')
  const keysSealed = createSecretBox(['a secret that is gone, and long enough']).seal('{}', ['webhooks.keys_sealed', lost.id])
  await app.db.webhook.update({ where: { id: lost.id }, data: { keysSealed } })
  const rotated = await addWebhook(app, 'https://rotated.example.test/')
  const overtaken = db.$extends({
    query: {
      webhook: {
        async updateMany({ args, query }) {
          await rotateWebhook(operator, rotated.id, { now: true })
          return query(args)
        },
      },
    },
  }) as unknown as Database
  const both = createSecretBox([nextSecret, testSecret])
  expect(await createSecretResealer({ db: overtaken, log, secretBox: both }).reseal()).toBe(0)
  expect((await findWebhook(lost.id)).keysSealed).toBe(keysSealed)
  expect(app.logs.filter(({ msg }) => msg === 'sealed values cannot be opened')).toEqual([
    expect.objectContaining({ level: 40, what: 'webhook keys', count: 1 }),
  ])
  expect(secretBox.isCurrent((await findWebhook(rotated.id)).keysSealed)).toBe(true)
})
