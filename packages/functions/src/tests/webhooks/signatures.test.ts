import { spawnSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { policy } from '@floorpass/api'
import { createOperator, rotateWebhook } from '@floorpass/api/administration'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import {
  addEvents,
  addWebhook,
  type CreatedWebhook,
  type Delivery,
  privateTargets,
  startReceiver,
} from '@floorpass/testing/webhooks'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp(privateTargets)
const script = fileURLToPath(new URL('verify_webhook.py', import.meta.url))
/** Debian's Python is not always the first one. */
const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import cryptography']).status === 0)
if (python === undefined && process.env.CI) throw new Error('python3-cryptography is missing: apt install python3-cryptography')

type Keys = { secret: string; publicKey: string }
type Verdicts = { v1: boolean[]; v1a: boolean[] }

const namesOf = ({ headers }: Delivery) =>
  String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => signature.split(',')[0])

function verifyInPython({ headers, body }: Delivery, { secret, publicKey }: Keys): Verdicts {
  const input = JSON.stringify({ headers, body, secret, publicKey })
  const { stdout, stderr } = spawnSync(python ?? '', [script], { input, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** Throws for a signature or a time that is wrong. */
const verifyByLibrary = ({ headers, body }: Delivery, { secret }: Keys): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

function verifyInNode({ headers, body }: Delivery, { publicKey }: Keys): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  const signatures = String(headers['webhook-signature'])
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
  return signatures.some((signature) => verify(null, content, key, Buffer.from(signature.slice('v1a,'.length), 'base64')))
}

async function createHook(): Promise<{ hook: CreatedWebhook; receive(): Promise<Delivery> }> {
  const receiver = await startReceiver()
  const hook = await addWebhook(app, receiver.url)
  onTestFinished(async () => void (await app.db.webhook.deleteMany()))
  const receive = async () => {
    await addEvents(app, ['ada'])
    await app.service.deps.webhooks.drain()
    const delivery = receiver.received.at(-1)
    if (!delivery) throw new Error('nothing was received')
    return delivery
  }
  return { hook, receive }
}

describe('a delivery', () => {
  test('has a signature that the library standardwebhooks accepts, and none for another body', async () => {
    const { hook, receive } = await createHook()
    const delivery = await receive()
    expect(verifyByLibrary(delivery, hook)).toEqual(JSON.parse(delivery.body))
    expect(() => verifyByLibrary({ ...delivery, body: delivery.body.replace('ada', 'bob') }, hook)).toThrow(
      'No matching signature',
    )
  })

  test('has an Ed25519 signature that Node checks with the public key', async () => {
    const { hook, receive } = await createHook()
    const delivery = await receive()
    expect(verifyInNode(delivery, hook)).toBe(true)
    expect(verifyInNode({ ...delivery, body: `${delivery.body} ` }, hook)).toBe(false)
    expect(namesOf(delivery)).toEqual(['v1', 'v1a'])
  })

  test.skipIf(python === undefined)('has two signatures that Python checks with the documented keys', async () => {
    const { hook, receive } = await createHook()
    const delivery = await receive()
    expect(hook).toMatchObject({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      publicKey: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    })
    expect(verifyInPython(delivery, hook)).toEqual({ v1: [true], v1a: [true] })
    const other = await createHook()
    expect(verifyInPython(delivery, other.hook)).toEqual({ v1: [false], v1a: [false] })
  })

  test('has the type, the time and the data of its event, and the id only in a header', async () => {
    const { receive } = await createHook()
    const clock = holdClock(new Date('2030-01-02T03:04:05.678Z'))
    clock.advance(0)
    const { headers, body } = await receive()
    const event = await app.db.event.findFirstOrThrow({ orderBy: { position: 'desc' } })
    expect(JSON.parse(body)).toEqual({
      type: 'session.ended',
      timestamp: event.createdAt.toISOString(),
      data: { userId: 'ada', sessionId: 'a-session' },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Floorpass-Webhooks/1',
      'webhook-id': event.id,
      'webhook-timestamp': String(Date.parse('2030-01-02T03:04:05Z') / 1000),
    })
  })

  test('keeps its id in every attempt, with the time and a signature of each', async () => {
    const receiver = await startReceiver()
    const hook = await addWebhook(app, receiver.url)
    onTestFinished(async () => void (await app.db.webhook.deleteMany()))
    receiver.respond((response) => response.writeHead(500).end())
    const clock = holdClock()
    const [id] = await addEvents(app, ['ada'])
    await app.service.deps.webhooks.drain()
    clock.advance(10)
    await app.service.deps.webhooks.drain()
    expect(receiver.ids()).toEqual([id, id])
    const [first, second] = receiver.received as [Delivery, Delivery]
    expect(Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])).toBe(10)
    for (const delivery of [first, second]) expect(verifyInNode(delivery, hook)).toBe(true)
    expect(second.body).toBe(first.body)
  })
})

test('after a rotation the former keys sign too for a day, to the second', async () => {
  const { hook: former, receive } = await createHook()
  const clock = holdClock()
  const current = await rotateWebhook(createOperator(app.service.deps, 'grace'), former.id, { now: false })
  const verdicts = (delivery: Delivery) => [former, current].map((keys) => verifyInNode(delivery, keys))
  const both = await receive()
  expect([namesOf(both), verdicts(both)]).toEqual([
    ['v1', 'v1a', 'v1', 'v1a'],
    [true, true],
  ])
  for (const keys of [former, current]) expect(verifyByLibrary(both, keys)).toEqual(JSON.parse(both.body))
  clock.advance(policy.webhooks.keyOverlap - 1)
  expect(verdicts(await receive())).toEqual([true, true])
  clock.advance(1)
  const last = await receive()
  expect([namesOf(last), verdicts(last)]).toEqual([
    ['v1', 'v1a'],
    [false, true],
  ])
})
