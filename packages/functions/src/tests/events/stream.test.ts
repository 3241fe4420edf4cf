import { policy } from '@floorpass/api'
import { openDatabase } from '@floorpass/db'
import { eventually } from '@floorpass/testing/eventually'
import { serviceKey } from '@floorpass/testing/route-samples'
import { databaseEnvironment, type ServerProcess, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { describe, expect, onTestFinished, test } from 'vitest'

const settings = { RATE_LIMIT: 'off', SERVICE_KEYS: serviceKey }
const asService = { authorization: `Bearer ${serviceKey}` }
const start = async (environment: Record<string, string> = {}) =>
  startServer({ ...settings, DATA_DIR: await temporaryFolder(), ...environment })

type Message = { id: string; event: string; data: Record<string, unknown> }

/** Reads Server-Sent Events until the stream ends. */
async function follow(server: { url: string }, query = '', headers: Record<string, string> = {}) {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const response = await fetch(`${server.url}/auth/events/stream${query}`, {
    headers: { ...asService, ...headers },
    signal: closing.signal,
  })
  const messages: Message[] = []
  let isOver = false
  const read = async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? ''
        if (field('data') !== '') messages.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) })
      }
    }
  }
  const reading = read()
    .then(
      () => 'ended',
      () => 'cut off',
    )
    .finally(() => {
      isOver = true
    })
  const events = () => messages.filter(({ event }) => event !== 'heartbeat')
  return { response, messages, events, isOver: () => isOver, ended: reading, close: () => closing.abort() }
}

const post = (server: ServerProcess, path: string, body: object, cookie = '') =>
  fetch(`${server.url}/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url.replace('127.0.0.1', 'localhost'), cookie },
    body: JSON.stringify(body),
  })
let people = 0
async function signUp(server: ServerProcess) {
  people += 1
  const email = `ada-${people}@example.test`
  return post(server, '/sign-up/email', { name: 'Ada', email, password: 'plum kettle orbit' })
}

describe('the stream of events', async () => {
  const server = await start()

  test('sends each event as it is committed, and a heartbeat each second', async () => {
    await signUp(server)
    const stream = await follow(server)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.response.headers.get('cache-control')).toBe('no-store')
    await eventually(() => expect(stream.events().map(({ event }) => event)).toContain('activity.sign-up'))
    const before = stream.events().length
    await signUp(server)
    await eventually(() => expect(stream.events().length).toBeGreaterThan(before))
    for (const { id, event, data } of stream.events()) expect([data.id, data.type]).toEqual([id, event])
    const beats = () => stream.messages.filter(({ event }) => event === 'heartbeat').length
    const counted = beats()
    await eventually(() => expect(beats()).toBeGreaterThan(counted + 1))
    expect(stream.messages.at(-1)?.data.caughtUp).toBe(true)
  })

  test('continues after the event in Last-Event-ID', async () => {
    await signUp(server)
    const all = await follow(server)
    await eventually(() => expect(all.messages.at(-1)?.event).toBe('heartbeat'))
    all.close()
    const [first, second] = all.events()
    const rest = await follow(server, '', { 'last-event-id': first?.id ?? '' })
    await eventually(() => expect(rest.events()[0]?.id).toBe(second?.id))
    // A client that reconnects repeats its first URL.
    const again = await follow(server, `?after=${first?.id}`, { 'last-event-id': second?.id ?? '' })
    await eventually(() => expect(again.messages.length).toBeGreaterThan(0))
    expect(again.events().map(({ id }) => id)).not.toContain(second?.id)
    const filtered = await follow(server, `?types=activity.sign-up&after=${first?.id}`)
    await eventually(() => expect(filtered.messages.length).toBeGreaterThan(0))
    expect(new Set(filtered.events().map(({ event }) => event))).toEqual(new Set(['activity.sign-up']))
  })

  test.each([
    ['no secret', { authorization: '' }, '', 401],
    ['an unknown parameter', {}, '?typ=x', 400],
    ['an expired cursor', {}, '?after=evt_0000000009999999_00000000', 410],
    ['an expired Last-Event-ID', { 'last-event-id': 'evt_0000000009999999_00000000' }, '', 410],
    ['a malformed Last-Event-ID', { 'last-event-id': 'x' }, '', 400],
  ])('responds with an error status to %s', async (_, headers, query, status) => {
    const answer = await fetch(`${server.url}/auth/events/stream${query}`, {
      headers: { ...asService, ...headers } as HeadersInit,
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8'])
  })

  test('answers HEAD without a body, and holds no reader for it', async () => {
    for (let count = 0; count <= policy.events.readersAtOnce; count += 1) {
      const answer = await fetch(`${server.url}/auth/events/stream`, { method: 'HEAD', headers: asService })
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    }
  })

  test('frees the place of a long poll whose client is gone', async () => {
    const after = (await (await fetch(`${server.url}/auth/events?since=2100-01-01T00:00:00Z`, { headers: asService })).json())
      .cursor
    const wait = () => {
      const closing = new AbortController()
      const poll = fetch(`${server.url}/auth/events?wait=30&after=${after}`, { headers: asService, signal: closing.signal })
      return { close: () => closing.abort(), poll: poll.then(({ status }) => status).catch(() => null) }
    }
    const polls = Array.from({ length: policy.events.readersAtOnce + 1 }, wait)
    const status = async () => (await fetch(`${server.url}/auth/events`, { headers: asService })).status
    const refused = await Promise.race(polls.map(({ poll }, index) => poll.then((answer) => ({ answer, index }))))
    expect([refused.answer, await status()]).toEqual([503, 503])
    const [kept, ...others] = polls.filter((_, index) => index !== refused.index)
    for (const { close } of others) close()
    await eventually(async () => expect(await status()).toBe(200))
    // Every wait takes 30 seconds, and this one began first.
    expect(await Promise.race([kept?.poll, 'waits'])).toBe('waits')
    kept?.close()
    await Promise.all(polls.map(({ poll }) => poll))
  })

  test('frees its place when its client goes', async () => {
    const status = async () => (await fetch(`${server.url}/auth/events`, { headers: asService })).status
    const streams = await Promise.all(Array.from({ length: policy.events.readersAtOnce }, () => follow(server)))
    expect([...new Set(streams.map(({ response }) => response.status)), await status()]).toEqual([200, 503])
    for (const { close } of streams) close()
    await eventually(async () => expect(await status()).toBe(200))
  })

  test('ends at once when the service stops, so that it does not delay the stop', async () => {
    const [stopping, waiting] = await Promise.all([start(), start()])
    const stream = await follow(stopping)
    const poll = fetch(`${waiting.url}/auth/events?wait=30`, { headers: asService })
    await eventually(() => expect(stream.messages.length).toBeGreaterThan(0))
    const ends = Promise.all([stopping, waiting].map((process) => process.end('SIGTERM')))
    expect((await poll).status).toBe(200)
    // A process that stops cuts off what is still open after 22 seconds.
    expect(await stream.ended).toBe('ended')
    for (const { code } of await ends) expect(code).toBe(0)
  })
})

describe.runIf(process.env.DATABASE_URL || process.env.TEST_DATABASE_URL)('events of two processes', () => {
  test('reach the readers of both, in one order and without a gap, though a change commits late', async () => {
    const database = await databaseEnvironment()
    const one = await start(database)
    const other = await start(database)
    const { db, close } = await openDatabase({ kind: 'postgres', url: database.DATABASE_URL ?? '' })
    onTestFinished(close)
    const streams = [await follow(one), await follow(other)]
    const late = Promise.withResolvers<void>()
    // Begins first, and commits after the others were read.
    const slow = db.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO outbox_events (type, user_id, data) VALUES ('activity.set-phrase', 'late', '{}')`
      await late.promise
    })
    await Promise.all(Array.from({ length: 20 }, (_, index) => signUp(index % 2 === 0 ? one : other)))
    const types = (stream: (typeof streams)[number]) => stream.events().map(({ event }) => event)
    await eventually(() => {
      for (const stream of streams) expect(types(stream).filter((type) => type === 'activity.sign-up')).toHaveLength(20)
    })
    late.resolve()
    await slow
    await eventually(() => {
      for (const stream of streams) expect(types(stream)).toContain('activity.set-phrase')
    })
    const [left, right] = streams.map((stream) => stream.events().map(({ id }) => id))
    expect(left).toEqual(right)
    const positions = (left ?? []).map((id) => Number(id.slice(4, 20)))
    expect(positions).toEqual(positions.map((_, index) => index + (positions[0] ?? 0)))
  })

  test('survive when the process that committed them is killed', async () => {
    const database = await databaseEnvironment()
    const [one, other] = [await start(database), await start(database)]
    const stream = await follow(other)
    await signUp(one)
    await one.end('SIGKILL')
    await eventually(() => expect(stream.events().map(({ event }) => event)).toContain('activity.sign-up'))
  })
})
