import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AccessTokenClaims, createFollower, createVerifier, type FollowerOptions } from '@floorpass/server'
import { holdClock, holdMonotonicClock } from '@floorpass/testing/clock'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { eventually } from '@floorpass/testing/eventually'
import { startTokenIssuer } from '@floorpass/testing/token-issuer'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

type Sent = { type: string; data: Record<string, unknown>; timestamp?: string; id?: string }
type Answer = { status?: number; body: unknown; headers?: Record<string, string> } | 'never'

const idOf = (position: number) => `evt_${String(position).padStart(16, '0')}_0000beef`
const asEvent = (event: Sent, index: number) => ({ id: idOf(index + 1), timestamp: new Date().toISOString(), ...event })

/** A feed that answers as the test says. By default: with its events after the cursor. */
async function startFeed(...sent: Sent[]) {
  const events = sent.map(asEvent)
  const requests: { query: Record<string, string>; authorization: string | undefined }[] = []
  const closed: string[] = []
  const page = ({ after = '', limit = '500' }: Record<string, string>, most = Number(limit)) => {
    const found = events.filter(({ id }) => id > after).slice(0, most)
    const caughtUp = (found.at(-1)?.id ?? after) === (events.at(-1)?.id ?? after)
    return { body: { events: found, cursor: found.at(-1)?.id ?? (after || idOf(0)), caughtUp } }
  }
  let answer: (query: Record<string, string>) => Answer = (query) => page(query)
  const server = createServer((request, response) => {
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://feed').searchParams)
    requests.push({ query, authorization: request.headers.authorization })
    response.on('close', () => closed.push(request.url ?? ''))
    const given = answer(query)
    if (given === 'never') return
    const { status = 200, body, headers } = given
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeAfterFile(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    closed,
    page,
    add: (event: Sent) => void events.push(asEvent(event, events.length)),
    restore: () => void events.splice(0),
    answerWith: (next: typeof answer | Answer | null) => {
      answer = typeof next === 'function' ? next : (query) => next ?? page(query)
    },
  }
}
type Feed = Pick<Awaited<ReturnType<typeof startFeed>>, 'url'>

function follow({ url }: Feed, options: Partial<FollowerOptions> = {}) {
  const errors: string[] = []
  const onError = (error: Error) => void errors.push(error.message)
  const follower = createFollower({ serviceUrl: url, serviceKey: 'a secret', maxAgeMs: 20_000, onError, ...options })
  onTestFinished(() => follower.stop())
  follower.start()
  return { ...follower, errors }
}
async function caughtUp(feed: Feed, options?: Partial<FollowerOptions>) {
  const follower = follow(feed, options)
  await follower.ready()
  return follower
}

const issuer = await startTokenIssuer()
const audience = 'https://orders.example.test'
const now = () => Math.floor(Date.now() / 1000)
const claimsOf = (claims: Record<string, unknown> = {}) => ({ ...issuer.claims(), ...claims }) as AccessTokenClaims
const ended = (sessionId: string): Sent => ({ type: 'session.ended', data: { userId: 'user-1', sessionId } })
const keyEvent = (enabled: boolean, expiresAt: string | null = null): Sent => ({
  type: 'key.changed',
  data: { userId: 'user-1', keyId: 'key-1', enabled, expiresAt },
})
const access = (changed: Record<string, unknown>, timestamp: string): Sent => ({
  type: 'user.access-changed',
  timestamp,
  data: { userId: 'user-1', suspended: false, tradingEnabled: true, heldUntil: null, locked: false, unlockAt: null, ...changed },
})
const membership = (changed: Record<string, unknown>, timestamp: string): Sent => ({
  type: 'membership.changed',
  timestamp,
  data: { userId: 'user-1', organizationId: 'desk', role: 'admin', accepted: true, heldUntil: null, ...changed },
})

describe('a follower asks', () => {
  test('from ten minutes before its start, as a service, for the events of access alone', async () => {
    const clock = holdClock(new Date('2030-01-02T03:04:05Z'))
    const feed = await startFeed()
    feed.answerWith({ status: 500, body: '' })
    const follower = follow(feed)
    await eventually(() => expect(feed.requests.length).toBeGreaterThan(1))
    // Later: an event of the time in between counts.
    clock.advance(3600)
    feed.answerWith(null)
    await follower.ready()
    const { query, authorization } = feed.requests.at(-1) ?? {}
    expect(query).toEqual({
      since: '2030-01-02T02:54:05.000Z',
      types: 'session.ended,key.changed,key.ended,membership.changed,membership.ended,user.access-changed,user.deleted',
      limit: '500',
      wait: '5',
    })
    expect(authorization).toBe('Bearer a secret')
    expect(follower.state().knownSince).toBe(Date.parse('2030-01-02T02:54:05Z'))
  })

  test.each([
    [1_000, '0'],
    [5_000, '1'],
    [60_000, '15'],
    [500_000, '30'],
  ])('at a bound of %d ms, and waits %s s at most', async (maxAgeMs, wait) => {
    const feed = await startFeed()
    await caughtUp(feed, { maxAgeMs })
    expect(feed.requests[0]?.query.wait).toBe(wait)
  })

  test('for the next page at once, and is current after the last', async () => {
    const feed = await startFeed(...Array.from({ length: 5 }, (_, index) => ended(`session-${index}`)))
    const current: boolean[] = []
    feed.answerWith((query) => {
      current.push(follower.state().isCurrent)
      return feed.page(query, 2)
    })
    const follower = follow(feed)
    await follower.ready()
    expect(current.slice(0, 3)).toEqual([false, false, false])
    expect(feed.requests.slice(0, 3).map(({ query }) => query.after)).toEqual([undefined, idOf(2), idOf(4)])
    expect(follower.state()).toMatchObject({ isCurrent: true, cursor: idOf(5), entries: 5, lastError: null })
  })

  test('with a pause, when the service answers empty pages at once', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let requests = 0
    const empty = JSON.stringify({ events: [], cursor: idOf(1), caughtUp: true })
    const answer = async () => {
      requests += 1
      return new Response(empty)
    }
    await caughtUp({ url: 'http://feed' }, { maxAgeMs: 5_000, fetch: answer })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(requests).toBeGreaterThan(30)
    expect(requests).toBeLessThanOrEqual(42)
  })

  test('is refused at once with wrong options', () => {
    const creating = (options: object) => () => createFollower({ serviceUrl: 'http://feed', serviceKey: 'secret', ...options })
    expect(creating({ serviceKey: '' })).toThrow('serviceKey is missing')
    expect(creating({ serviceUrl: 'accounts' })).toThrow('Invalid URL')
    for (const maxAgeMs of [999, 600_000, Number.NaN]) expect(creating({ maxAgeMs })).toThrow('maxAgeMs must be from 1000 to')
    expect(creating({ timeoutMs: 0 })).toThrow('timeoutMs must be')
    expect(creating({ maxEntries: 0 })).toThrow('maxEntries must be')
  })
})

describe('the bound', () => {
  test('counts from the moment at which the request was sent', async () => {
    const clock = holdMonotonicClock()
    const feed = await startFeed()
    feed.answerWith((query) => {
      clock.advance(3)
      feed.answerWith('never')
      return feed.page(query)
    })
    const follower = await caughtUp(feed, { maxAgeMs: 5_000, timeoutMs: 60_000 })
    expect(follower.state()).toMatchObject({ isCurrent: true, ageMs: 3_000 })
    clock.advance(2)
    expect(follower.state().isCurrent).toBe(true)
    clock.advance(0.001)
    expect(follower.state().isCurrent).toBe(false)
  })

  test('refuses every question and every token, and says why', async () => {
    const clock = holdMonotonicClock()
    const feed = await startFeed()
    const follower = await caughtUp(feed, { maxAgeMs: 5_000 })
    const verifier = createVerifier({ issuer: issuer.url, audience, follower })
    const token = await issuer.sign()
    const ask = () => [
      follower.isSessionEnded('session-1', Date.now()),
      follower.isKeyEnded('key-1', Date.now()),
      follower.changedSince('user-1', Date.now()),
      follower.isTokenRevoked(claimsOf()),
    ]
    expect(ask()).toEqual([false, false, false, false])
    expect(await verifier.verifyToken(token)).toMatchObject({ ok: true })
    feed.answerWith({ status: 500, body: 'out of order' })
    await eventually(() => expect(follower.state().lastError).not.toBeNull())
    expect(await verifier.verifyToken(token)).toMatchObject({ ok: true })
    clock.advance(6)
    expect(ask()).toEqual([true, true, true, true])
    for (const result of [
      await verifier.verifyToken(token),
      await verifier.verifyBearer({ headers: { authorization: `Bearer ${token}` } }),
    ]) {
      expect(result).toMatchObject({ ok: false, refusal: { status: 503, code: 'SERVICE_UNAVAILABLE' } })
      const message = `GET ${feed.url}/auth/events failed. status 500: out of order`
      expect(result).toHaveProperty('refusal.cause.message', message)
    }
    feed.answerWith(null)
    await eventually(() => expect(ask()).toEqual([false, false, false, false]))
    expect(await verifier.verifyToken(token)).toMatchObject({ ok: true })
  })

  test('also counts time in which the machine was asleep and the monotonic clock stood still', async () => {
    holdMonotonicClock()
    const clock = holdClock()
    const feed = await startFeed()
    feed.answerWith((query) => {
      feed.answerWith('never')
      return feed.page(query)
    })
    const follower = await caughtUp(feed)
    clock.advance(20)
    expect(follower.state().isCurrent).toBe(true)
    clock.advance(1)
    expect(follower.state().isCurrent).toBe(false)
  })

  test('refuses before the first answer and before the start', async () => {
    const feed = await startFeed()
    feed.answerWith('never')
    const follower = follow(feed)
    expect(follower.state()).toMatchObject({ isCurrent: false, ageMs: Number.POSITIVE_INFINITY, cursor: null })
    const verifier = createVerifier({ issuer: issuer.url, audience, follower })
    expect(await verifier.verifyToken(await issuer.sign())).toMatchObject({ refusal: { status: 503 } })
    const idle = createFollower({ serviceUrl: feed.url, serviceKey: 'a secret' })
    expect(idle.isKeyEnded('key-1', Date.now())).toBe(true)
  })
})

describe('a token', () => {
  const past = now() - 60
  const at = new Date(past * 1000 + 500).toISOString()
  const hour = new Date((past + 3600) * 1000).toISOString()
  const trader = { trading: true, scope: 'account:read order:place withdrawal:create' }

  const cases: [string, Sent, Record<string, unknown>, boolean][] = [
    ['of an ended session', ended('session-1'), {}, true],
    ['of another session of the user', ended('session-2'), {}, false],
    ['of a deleted user', { type: 'user.deleted', data: { userId: 'user-1' } }, { iat: now() }, true],
    ['of another user', { type: 'user.deleted', data: { userId: 'user-2' } }, {}, false],
    ['of a suspended user', access({ suspended: true }, at), { iat: now() }, true],
    ['of the second before a change', access({}, at), { iat: past - 1 }, true],
    ['of the second of a change', access({}, at), { iat: past }, true],
    ['of the second after a change', access({}, at), { iat: past + 1 }, false],
    ['without a time of issue', ended('session-2'), { iat: undefined }, true],
    ['of eleven minutes ago', ended('session-2'), { iat: now() - 660 }, true],
    ['that claims trading after it ended', access({ tradingEnabled: false }, at), { iat: now(), trading: true }, true],
    ['that may place orders after it ended', access({ tradingEnabled: false }, at), { iat: now(), scope: 'order:place' }, true],
    ['that claims no trading after it ended', access({ tradingEnabled: false }, at), { iat: now() }, false],
    ['that may withdraw in a hold', access({ heldUntil: hour }, at), { iat: now(), ...trader }, true],
    ['that may not withdraw in a hold', access({ heldUntil: hour }, at), { iat: now(), scope: 'order:place' }, false],
    ['that may withdraw after a hold', access({ heldUntil: at }, at), { iat: past + 1, ...trader }, false],
    ['that may withdraw in a lock', access({ locked: true }, at), { iat: now(), ...trader }, true],
    ['that may withdraw in a lock that ends', access({ locked: true, unlockAt: hour }, at), { iat: now(), ...trader }, true],
    ['that may withdraw after a lock', access({ locked: true, unlockAt: at }, at), { iat: past + 1, ...trader }, false],
    ['that may withdraw without a hold', access({}, at), { iat: now(), ...trader }, false],
    ['of the second of a new role', membership({}, at), { iat: past }, true],
    ['of the second after a new role', membership({}, at), { iat: past + 1 }, false],
    ['with another role than the new one', membership({ role: 'member' }, at), { iat: now() }, true],
    ['with a membership that is not accepted', membership({ accepted: false }, at), { iat: now() }, true],
    ['that may withdraw in a hold of the role', membership({ heldUntil: hour }, at), { iat: now(), ...trader }, true],
    ['for another organization', membership({ role: 'member' }, at), { iat: past, org: 'other' }, false],
    ['for no organization', membership({ role: 'member' }, at), { iat: past, org: undefined, role: undefined }, false],
    [
      'of a removed member',
      { type: 'membership.ended', data: { userId: 'user-1', organizationId: 'desk' } },
      { iat: now() + 9 },
      true,
    ],
    ['of another member', { type: 'membership.ended', data: { userId: 'user-2', organizationId: 'desk' } }, {}, false],
  ]
  test.each(cases)('%s', async (_, event, claims, isRevoked) => {
    const follower = await caughtUp(await startFeed(event))
    expect(follower.isTokenRevoked(claimsOf(claims))).toBe(isRevoked)
    if ('iat' in claims && (claims.iat === undefined || Number(claims.iat) > now())) return
    const result = await createVerifier({ issuer: issuer.url, audience, follower }).verifyToken(await issuer.sign(claims))
    const refusal = { status: 401, code: 'UNAUTHORIZED', wwwAuthenticate: 'Bearer error="invalid_token"' }
    expect(result).toMatchObject(isRevoked ? { ok: false, refusal } : { ok: true })
  })

  test('is accepted again when the newest event restores the access', async () => {
    const feed = await startFeed(access({ suspended: true }, at), {
      type: 'membership.ended',
      timestamp: at,
      data: { userId: 'user-1', organizationId: 'desk' },
    })
    const follower = await caughtUp(feed)
    expect(follower.isTokenRevoked(claimsOf())).toBe(true)
    feed.add(access({}, at))
    feed.add(membership({}, at))
    feed.answerWith(null)
    await eventually(() => expect(follower.isTokenRevoked(claimsOf())).toBe(false))
    expect(follower.isTokenRevoked(claimsOf({ iat: past }))).toBe(true)
  })

  test('checks the session before the requirements of the route', async () => {
    const follower = await caughtUp(await startFeed(ended('session-1')))
    const verifier = createVerifier({ issuer: issuer.url, audience, follower })
    expect(await verifier.verifyToken(await issuer.sign(), { scope: 'order:place' })).toMatchObject({ refusal: { status: 401 } })
  })
})

describe('a cache of a gateway', () => {
  test('learns which keys ended, and which are enabled again', async () => {
    const feed = await startFeed()
    const follower = await caughtUp(feed, { maxAgeMs: 2_000 })
    const verifiedAt = Date.now()
    const isEndedAfter = async (event: Sent) => {
      feed.add(event)
      const { entries, cursor } = follower.state()
      await eventually(() => expect(follower.state().cursor).not.toBe(cursor))
      return [follower.isKeyEnded('key-1', verifiedAt), entries]
    }
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    expect(follower.isKeyEnded('key-1', verifiedAt)).toBe(false)
    expect((await isEndedAfter(keyEvent(false)))[0]).toBe(true)
    expect((await isEndedAfter(keyEvent(true)))[0]).toBe(false)
    expect((await isEndedAfter(keyEvent(true, new Date().toISOString())))[0]).toBe(true)
    expect((await isEndedAfter(keyEvent(true, inAnHour)))[0]).toBe(false)
    expect((await isEndedAfter({ type: 'key.ended', data: { userId: 'user-1', keyId: 'key-1' } }))[0]).toBe(true)
    expect(follower.isKeyEnded('key-2', verifiedAt)).toBe(false)
    expect(follower.isKeyEnded('key-2', Number.NaN)).toBe(true)
    expect(follower.isKeyEnded('key-2', follower.state().knownSince - 1)).toBe(true)
  })

  test('verifies again what it verified before a change arrived, or ten minutes ago', async () => {
    const clock = holdClock()
    const feed = await startFeed(membership({}, new Date(Date.now() - 30_000).toISOString()))
    const before = Date.now()
    clock.advance(1)
    const follower = await caughtUp(feed)
    clock.advance(1)
    const after = Date.now()
    expect([before, after].map((time) => follower.changedSince('user-1', time))).toEqual([true, false])
    expect([before, after].map((time) => follower.changedSince('user-2', time))).toEqual([false, false])
    expect(follower.isSessionEnded('session-1', after)).toBe(false)
    clock.advance(600)
    feed.answerWith(null)
    await eventually(() => expect(follower.state().isCurrent).toBe(true))
    expect(follower.changedSince('user-2', after)).toBe(true)
    expect(follower.isSessionEnded('session-1', after)).toBe(true)
    // A key is known for as long as the follower runs.
    expect(follower.isKeyEnded('key-1', after)).toBe(false)
  })

  test('a token of the same second as a change counts as older', async () => {
    const second = Math.floor(Date.now() / 1000) * 1000 + 2_000
    const follower = await caughtUp(await startFeed(membership({}, new Date(second + 900).toISOString())))
    expect(follower.changedSince('user-1', second)).toBe(true)
    expect(follower.changedSince('user-1', second + 1_000)).toBe(false)
  })
})

describe('memory', () => {
  test('drops sessions and users after ten minutes, and keeps keys', async () => {
    const clock = holdMonotonicClock()
    const feed = await startFeed(
      ...[ended('session-1'), ended('session-2'), keyEvent(false), access({}, new Date().toISOString())],
      membership({}, new Date().toISOString()),
    )
    const follower = await caughtUp(feed, { maxAgeMs: 1_000 })
    expect(follower.state().entries).toBe(5)
    clock.advance(599)
    feed.add(ended('session-3'))
    await eventually(() => expect(follower.state()).toMatchObject({ isCurrent: true, entries: 6 }))
    clock.advance(2)
    await eventually(() => expect(follower.state()).toMatchObject({ isCurrent: true, entries: 2 }))
    expect(follower.isKeyEnded('key-1', Date.now())).toBe(true)
    expect(follower.isSessionEnded('session-3', Date.now())).toBe(true)
  })

  test('beyond its bound forgets, and refuses what was issued or verified before', async () => {
    const clock = holdClock()
    const feed = await startFeed(ended('session-1'), keyEvent(false), membership({}, new Date().toISOString()))
    const follower = await caughtUp(feed, { maxEntries: 4, maxAgeMs: 1_000 })
    expect(follower.state().entries).toBe(4)
    expect(follower.isTokenRevoked(claimsOf({ sid: 'session-9', org: 'other' }))).toBe(false)
    feed.add(ended('session-2'))
    await eventually(() => expect(follower.state().entries).toBe(0))
    expect(follower.errors).toEqual(['memory holds more than 4 entries: everything issued or verified before now is refused'])
    const questions = (time: number) => [
      follower.isTokenRevoked(claimsOf({ sid: 'session-9', sub: 'user-9', iat: time / 1000 })),
      follower.isSessionEnded('session-9', time),
      follower.isKeyEnded('key-9', time),
      follower.changedSince('user-9', time),
    ]
    // Also of a service whose clock is five seconds ahead.
    const forgottenAt = Date.now()
    expect(questions(forgottenAt)).toEqual([true, true, true, true])
    expect(questions(forgottenAt + 4_999)).toEqual([true, true, true, true])
    clock.advance(5)
    await eventually(() => expect(questions(forgottenAt + 5_000)).toEqual([false, false, false, false]))
    expect(questions(forgottenAt + 4_999)).toEqual([true, true, true, true])
    expect(follower.state()).toMatchObject({ isCurrent: true, knownSince: forgottenAt + 5_000 })
  })
})

describe('an expired cursor', () => {
  const expired = { status: 410, body: { code: 'CURSOR_EXPIRED', message: 'gone' } }

  test('starts again from ten minutes ago, and refuses what was issued or verified before', async () => {
    const clock = holdClock()
    const feed = await startFeed(ended('session-1'), keyEvent(false))
    const follower = await caughtUp(feed, { maxAgeMs: 1_000 })
    const other = claimsOf({ sid: 'session-2' })
    expect(follower.isTokenRevoked(other)).toBe(false)
    // The database was restored: the feed has fewer events.
    feed.restore()
    feed.answerWith(({ after }) => (after ? expired : 'never'))
    await eventually(() => expect(follower.errors.join()).toContain('The events after the cursor are gone'))
    await eventually(() =>
      expect(feed.requests.at(-1)?.query).toMatchObject({ since: new Date(Date.now() - 600_000).toISOString() }),
    )
    expect(follower.state()).toMatchObject({ isCurrent: false, ageMs: Number.POSITIVE_INFINITY, cursor: null, entries: 0 })

    // A stop before it caught up makes nothing known.
    follower.stop()
    feed.answerWith(null)
    follower.start()
    await eventually(() => expect(follower.state().isCurrent).toBe(true))
    expect(follower.isTokenRevoked(other)).toBe(true)
    expect(follower.isTokenRevoked(claimsOf())).toBe(true)
    expect(follower.isKeyEnded('key-2', Date.now())).toBe(true)
    clock.advance(6)
    await eventually(() => expect(follower.state().isCurrent).toBe(true))
    expect(follower.isTokenRevoked(claimsOf({ sid: 'session-2' }))).toBe(false)
    expect(follower.isKeyEnded('key-2', Date.now())).toBe(false)
    expect(follower.isTokenRevoked(other)).toBe(true)
  })

  test.each([
    ['a page', { status: 410, body: '<html>Gone</html>' }],
    ['another error', { status: 410, body: { code: 'GONE' } }],
  ])('is not %s with status 410', async (_, answer) => {
    const feed = await startFeed(ended('session-1'))
    const follower = await caughtUp(feed, { maxAgeMs: 1_000 })
    feed.answerWith(answer)
    await eventually(() => expect(follower.errors.length).toBeGreaterThan(1))
    expect(feed.requests.at(-1)?.query.after).toBe(idOf(1))
    expect(follower.state()).toMatchObject({ cursor: idOf(1), entries: 1 })
  })
})

describe('an answer that is not a page', () => {
  const page = { events: [], cursor: idOf(1), caughtUp: true }
  const event = asEvent(ended('session-2'), 1)
  test.each<[string, Answer]>([
    ['a login page', { body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }],
    ['an empty body', { body: '' }],
    ['an empty object', { body: {} }],
    ['null', { body: 'null' }],
    ['no list of events', { body: { ...page, events: {} } }],
    ['no cursor', { body: { ...page, cursor: '' } }],
    ['a cursor that is a number', { body: { ...page, cursor: 7 } }],
    ['caughtUp as text', { body: { ...page, caughtUp: 'true' } }],
    ['a cursor from before', { body: { ...page, cursor: idOf(0) } }],
    ['a cursor before its event', { body: { ...page, events: [event] } }],
    ['a cursor that stays', { body: { ...page, events: [{ ...event, id: idOf(1) }], caughtUp: false } }],
    ['events in disorder', { body: { ...page, cursor: idOf(9), events: [{ ...event, id: idOf(3) }, event] } }],
    ['an event of another kind', { body: { ...page, cursor: idOf(9), events: [{ ...event, type: 'toString' }] } }],
    ['an event without data', { body: { ...page, cursor: idOf(9), events: [{ ...event, data: null }] } }],
    ['an event without its session', { body: { ...page, cursor: idOf(9), events: [{ ...event, data: { userId: 'user-1' } }] } }],
    ['an event without a time', { body: { ...page, cursor: idOf(9), events: [{ ...event, timestamp: 'today' }] } }],
    ['an event that is null', { body: { ...page, cursor: idOf(9), events: [null] } }],
    ['a redirect', { status: 302, body: page, headers: { location: '/elsewhere' } }],
    ['another success', { status: 203, body: page }],
    ['a wrong secret', { status: 401, body: { code: 'UNAUTHORIZED' } }],
    ['an error', { status: 500, body: page }],
    ['nothing', 'never'],
  ])('is a failure: %s', async (_, answer) => {
    const feed = await startFeed(ended('session-1'))
    const follower = await caughtUp(feed, { maxAgeMs: 1_000, timeoutMs: 150 })
    const asked = feed.requests.length
    feed.answerWith(answer)
    await eventually(() => expect(follower.state().isCurrent).toBe(false))
    expect(follower.state().lastError?.message).toMatch(/^GET http:\S+\/auth\/events failed\. ./)
    expect(follower.state()).toMatchObject({ cursor: idOf(1), entries: 1 })
    expect(new Set(feed.requests.slice(asked + 1).map(({ query }) => query.after))).toEqual(new Set([idOf(1)]))
    feed.answerWith(null)
    await eventually(() => expect(follower.state()).toMatchObject({ isCurrent: true, lastError: null }))
  })

  test('is a failure when the service cannot be reached, or a custom fetch never settles or throws', async () => {
    const thrower = () => {
      throw new Error('no network')
    }
    const cases: [Partial<FollowerOptions>, RegExp][] = [
      [{ serviceUrl: 'http://127.0.0.1:1' }, /fetch failed/],
      [{ fetch: () => new Promise(() => {}), timeoutMs: 50, maxAgeMs: 1_000 }, /no answer within 50 ms/],
      [{ fetch: async () => new Response(new ReadableStream()), timeoutMs: 50, maxAgeMs: 1_000 }, /no answer within 50 ms/],
      [{ fetch: thrower }, /no network/],
    ]
    for (const [options, message] of cases) {
      const follower = follow({ url: 'http://feed' }, options)
      await eventually(() => expect(follower.state().lastError?.message).toMatch(message))
    }
  })

  test('is asked for again after a pause that doubles up to five seconds, with jitter', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const random = vi.spyOn(Math, 'random').mockReturnValue(1)
    onTestFinished(() => random.mockRestore())
    const times: number[] = []
    let isDown = true
    const answer = async () => {
      times.push(Date.now())
      return isDown ? new Response('', { status: 500 }) : Response.json({ events: [], cursor: idOf(1), caughtUp: true })
    }
    const pauses = () => times.slice(1).map((time, index) => time - (times[index] ?? 0))
    const follower = follow({ url: 'http://feed' }, { fetch: answer })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(pauses()).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000])
    // A success ends the storm: the next one begins with a short pause.
    isDown = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(follower.state().isCurrent).toBe(true)
    isDown = true
    times.splice(0)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(pauses().slice(0, 3)).toEqual([100, 200, 400])
    random.mockReturnValue(0)
    follower.stop()
    times.splice(0)
    follower.start()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pauses()).toEqual([50, 100, 200, 400])
  })
})

describe('events', () => {
  test('that come twice count once, and an old one revives nothing', async () => {
    const feed = await startFeed(keyEvent(true), keyEvent(true), keyEvent(false))
    const seen: string[] = []
    feed.answerWith((query) => {
      const { body } = feed.page({ ...query, after: '' })
      return { body: { ...body, events: body.events.flatMap((event) => [event, event]) } }
    })
    const follower = await caughtUp(feed, { maxAgeMs: 1_000, onEvent: ({ id }) => void seen.push(id) })
    const { length } = feed.requests
    await eventually(() => expect(feed.requests.length).toBeGreaterThan(length + 2))
    expect(seen).toEqual([idOf(1), idOf(2), idOf(3)])
    expect(follower.isKeyEnded('key-1', Date.now())).toBe(true)
  })

  test('reach onEvent after the follower knows them, and a callback that throws stops nothing', async () => {
    const feed = await startFeed(ended('session-1'))
    const known: number[] = []
    let reports = 0
    const follower = follow(feed, {
      maxAgeMs: 1_000,
      onEvent: () => {
        known.push(follower.state().entries)
        throw new Error('a fault of the caller')
      },
      onError: ({ message }) => {
        reports += 1
        throw new Error(`${message} and another`)
      },
    })
    feed.add(ended('session-2'))
    await eventually(() => expect(known).toEqual([1, 2]))
    feed.answerWith({ status: 500, body: '' })
    await eventually(() => expect(reports).toBe(3))
    feed.answerWith(null)
    await eventually(() => expect(follower.state().lastError).toBeNull())
  })
})

describe('a stop', () => {
  test('aborts the request that waits, refuses, and a start continues after the last event', async () => {
    const feed = await startFeed(ended('session-1'))
    feed.answerWith((query) => (query.after ? 'never' : feed.page(query)))
    const follower = await caughtUp(feed)
    await eventually(() => expect(feed.requests).toHaveLength(2))
    const closed = feed.closed.length
    follower.stop()
    follower.stop()
    expect(follower.state()).toMatchObject({ isCurrent: false, cursor: idOf(1) })
    expect(follower.isSessionEnded('session-2', Date.now())).toBe(true)
    await eventually(() => expect(feed.closed.length).toBe(closed + 1))
    expect(follower.errors).toEqual([])
    feed.add(ended('session-2'))
    feed.answerWith(null)
    follower.start()
    await eventually(() => expect(follower.state()).toMatchObject({ isCurrent: true, cursor: idOf(2), entries: 2 }))
    expect(feed.requests[2]?.query.after).toBe(idOf(1))
  })

  test('is needed before another start has an effect', () => {
    const send = vi.fn(() => new Promise<Response>(() => {}))
    const follower = follow({ url: 'http://feed' }, { fetch: send })
    follower.start()
    expect(send).toHaveBeenCalledTimes(1)
    follower.stop()
    follower.start()
    expect(send).toHaveBeenCalledTimes(2)
  })

  test('during an answer leaves the follower stopped, and ready resolves', async () => {
    const feed = await startFeed(ended('session-1'))
    const follower = await caughtUp(feed, { onEvent: () => stop() })
    const stop = () => follower.stop()
    expect(follower.state().isCurrent).toBe(true)
    feed.add(ended('session-2'))
    await eventually(() => expect(follower.state().cursor).toBe(idOf(2)))
    expect(follower.state().isCurrent).toBe(false)
    const hanging = await startFeed()
    hanging.answerWith('never')
    const waiting = follow(hanging)
    const ready = waiting.ready()
    waiting.stop()
    await ready
    expect(waiting.state().isCurrent).toBe(false)
  })

  test('lets the process exit, and so does a pause after a failure', async () => {
    const feed = await startFeed()
    feed.answerWith((query) => (query.after ? 'never' : feed.page(query)))
    const entry = new URL('../../../../server/src/index.ts', import.meta.url)
    const script = (serviceUrl: string, rest: string) => `
      const { createFollower } = await import(${JSON.stringify(entry)})
      const follower = createFollower({ serviceUrl: '${serviceUrl}', serviceKey: 'a secret' })
      follower.start()
      ${rest}`
    const run = (text: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text], {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        timeout: 30_000,
      })
    const stopped = await run(
      script(feed.url, 'await follower.ready(); follower.stop(); console.log(follower.state().isCurrent)'),
    )
    expect(stopped.stdout.trim()).toBe('false')
    await run(script('http://127.0.0.1:1', ''))
  })
})
