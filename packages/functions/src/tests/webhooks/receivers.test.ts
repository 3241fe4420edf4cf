import { mkdtemp, readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policy } from '@floorpass/api'
import { createAuthority } from '@floorpass/testing/certificates'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { holdTimeouts, shortenTimeouts } from '@floorpass/testing/timeouts'
import { addEvents, addWebhook, createQueue, deliveryOf, privateTargets, startReceiver } from '@floorpass/testing/webhooks'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp(privateTargets)
const { webhooks } = app.service.deps
const { timeout, longestRetry, firstRetry } = policy.webhooks

beforeEach(async () => {
  await app.db.webhook.deleteMany()
})

/** Sends one event to a URL, and returns the id of the webhook. */
async function send(url: string): Promise<string> {
  const { id } = await addWebhook(app, url)
  await addEvents(app, ['ada'])
  await webhooks.drain()
  return id
}

describe('a receiver', () => {
  test.each([200, 201, 202, 204, 299])('that answers %i has the event', async (status) => {
    const receiver = await startReceiver()
    receiver.respond((response) => response.writeHead(status).end())
    const id = await send(receiver.url)
    expect(await deliveryOf(app, id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      lastStatus: status,
      lastError: null,
      nextAttemptAt: null,
      finishedAt: expect.any(Date),
    })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook'])
  })

  test.each([300, 304, 400, 404, 429, 500, 503])('that answers %i gets it again', async (status) => {
    const receiver = await startReceiver()
    receiver.respond((response) => response.writeHead(status).end())
    const id = await send(receiver.url)
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting', attempts: 1, lastStatus: status, finishedAt: null })
    expect(receiver.received).toHaveLength(1)
  })

  test.each([301, 302, 307, 308])('cannot lead a delivery elsewhere with status %i', async (status) => {
    const [receiver, target] = [await startReceiver(), await startReceiver()]
    receiver.respond((response) => response.writeHead(status, { location: target.url }).end())
    const id = await send(receiver.url)
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting', lastStatus: status })
    expect([receiver.received.length, target.received.length]).toEqual([1, 0])
  })

  test('that answers 410 gets no further event, and its contact one mail', async () => {
    const receiver = await startReceiver()
    receiver.respond((response) => response.writeHead(410).end())
    const { id } = await addWebhook(app, receiver.url)
    await app.db.webhook.update({ where: { id }, data: { contact: 'gone@example.test' } })
    await addEvents(app, ['ada'])
    await webhooks.drain()
    await app.drainMail()
    expect(await app.db.webhook.findUniqueOrThrow({ where: { id } })).toMatchObject({ pauseReason: 'gone' })
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'failed', attempts: 1, lastStatus: 410 })
    await addEvents(app, ['ada', 'bob'])
    await webhooks.drain()
    await app.drainMail()
    expect(await app.db.webhookDelivery.count()).toBe(1)
    expect(receiver.received).toHaveLength(1)
    expect(app.outbox.to('gone@example.test').map(({ subject }) => subject)).toEqual([
      `Floorpass no longer sends events to ${new URL(receiver.url).host}`,
    ])
    expect(app.outbox.lastTo('gone@example.test').text).toContain('status 410')
  })

  test('that answers 410 gets nothing of what waited for it', async () => {
    const receiver = await startReceiver()
    receiver.respond((response) => response.writeHead(410).end())
    const { id } = await addWebhook(app, receiver.url)
    const users = Array.from({ length: 3 * policy.webhooks.atOnce }, (_, index) => `user-${index}`)
    await addEvents(app, users)
    await webhooks.drain()
    expect(receiver.received.length).toBeLessThanOrEqual(policy.webhooks.atOnce)
    expect(await app.db.webhookDelivery.count({ where: { webhookId: id, status: 'waiting' } })).toBe(
      users.length - receiver.received.length,
    )
  })

  const noAnswer = `no answer within ${timeout} s`
  test.each<[string, (response: ServerResponse) => unknown, { lastStatus: null; lastError?: unknown }]>([
    ['hangs before it answers', () => {}, { lastStatus: null, lastError: noAnswer }],
    [
      'hangs within a header',
      ({ socket }) => socket?.write('HTTP/1.1 200 OK\r\nContent-Ty'),
      { lastStatus: null, lastError: noAnswer },
    ],
    ['hangs after an early hint', (response) => response.writeProcessing(), { lastStatus: null, lastError: noAnswer }],
    [
      'announces another protocol',
      ({ socket }) => socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      { lastStatus: null },
    ],
    ['does not speak HTTP', ({ socket }) => socket?.end('220 mail.example.test ESMTP\r\n'), { lastStatus: null }],
    ['hangs up', ({ socket }) => socket?.destroy(), { lastStatus: null, lastError: 'ECONNRESET: socket hang up' }],
    [
      'sends a header without an end',
      (response) => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
      { lastStatus: null, lastError: expect.stringContaining('HPE_HEADER_OVERFLOW') },
    ],
  ])('that %s gets the event again, after ten seconds at most', async (_, respond, expected) => {
    const timeouts = holdTimeouts()
    const receiver = await startReceiver()
    let socket: Socket | null = null
    receiver.respond((response) => {
      socket = response.socket
      respond(response)
      if (expected.lastError === undefined || expected.lastError === noAnswer) setTimeout(timeouts.fire, 20)
    })
    const id = await send(receiver.url)
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting', attempts: 1, ...expected })
    expect(timeouts.mock.calls).toEqual([[timeout * 1000]])
    await eventually(() => expect(socket?.destroyed).toBe(true))
  })

  test('that accepts connections and never reads gets the event again', async () => {
    shortenTimeouts()
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.pause()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const id = await send(`https://127.0.0.1:${(server.address() as { port: number }).port}/hook`)
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting', lastError: noAnswer })
  })

  test('that streams a body without an end is not read, and nothing of it is stored', async () => {
    const receiver = await startReceiver()
    const closed = Promise.withResolvers<void>()
    let written = 0
    receiver.respond((response) => {
      response.on('close', closed.resolve).on('error', () => {})
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && written < 100e6 && response.write('a secret of the receiver'.repeat(1000)))
          written += 24_000
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    })
    const id = await send(receiver.url)
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'delivered', lastStatus: 200 })
    await closed.promise
    expect(written).toBeLessThan(20e6)
    expect(JSON.stringify([await app.readAllRows(), app.logs])).not.toContain('a secret of the receiver')
  })

  test('that refuses connections gets the event again', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    const id = await send(`http://127.0.0.1:${port}/`)
    expect(await deliveryOf(app, id)).toMatchObject({
      status: 'waiting',
      lastStatus: null,
      lastError: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('whose failure has a long text leaves 500 characters of it', async () => {
    const { id } = await addWebhook(app, 'https://hooks.example.test/')
    await addEvents(app, ['ada'])
    const resolve = () => Promise.reject(new Error(`${'x'.repeat(499)}yz`))
    await createQueue(app, { resolve }).drain()
    expect(await deliveryOf(app, id)).toMatchObject({ status: 'waiting', lastError: `${'x'.repeat(499)}y` })
  })

  test('with a certificate of an unknown authority sees no event', async () => {
    const authority = await createAuthority(await mkdtemp(join(tmpdir(), 'floorpass-webhooks-')), 'unknown')
    const files = await authority.issue('receiver', 'localhost')
    const read = (file: string) => readFile(file, 'utf8')
    const receiver = await startReceiver({ key: await read(files.key), cert: await read(files.certificate) })
    const id = await send(receiver.url.replace('127.0.0.1', 'localhost'))
    expect(await deliveryOf(app, id)).toMatchObject({
      status: 'waiting',
      lastStatus: null,
      lastError: expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    })
    expect(receiver.received).toEqual([])
  })
})

describe('Retry-After', () => {
  const waitAfter = async (retryAfter: string): Promise<number> => {
    const receiver = await startReceiver()
    receiver.respond((response) => response.writeHead(503, { 'retry-after': retryAfter }).end())
    const { nextAttemptAt } = await deliveryOf(app, await send(receiver.url))
    return Math.round((Number(nextAttemptAt) - Date.now()) / 1000)
  }
  const usual = (wait: number) => {
    expect(wait).toBeGreaterThanOrEqual(firstRetry * 0.8)
    expect(wait).toBeLessThanOrEqual(firstRetry * 1.2)
  }

  test('is honoured in seconds and as a date', async () => {
    holdClock(new Date('2030-01-01T00:00:00Z'))
    expect(await waitAfter('120')).toBe(120)
    expect(await waitAfter('Tue, 01 Jan 2030 01:00:00 GMT')).toBe(3600)
  })

  test.each(['72001', '999999999', 'Fri, 01 Jan 2100 00:00:00 GMT'])(
    'of %s waits the longest pause between two attempts and no longer',
    async (value) => {
      holdClock(new Date('2030-01-01T00:00:00Z'))
      expect(await waitAfter(value)).toBe(longestRetry)
    },
  )

  test.each(['', '0', '1', '-5', 'soon', '1e9', '12345678901234567890', 'Mon, 01 Jan 1990 00:00:00 GMT', '\u00ff'])(
    'of %j changes nothing',
    async (value) => {
      holdClock(new Date('2030-01-01T00:00:00Z'))
      usual(await waitAfter(value))
    },
  )
})
