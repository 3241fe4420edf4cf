import { limits } from '@floorpass/api'
import { openDatabase } from '@floorpass/db'
import { createSigner, signRequest, toPem } from '@floorpass/testing/api-keys'
import { eventually } from '@floorpass/testing/eventually'
import { serviceKey } from '@floorpass/testing/route-samples'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { afterAll, describe, expect, test } from 'vitest'

const { points } = limits['api-key:key']

describe.runIf(testDatabase.kind === 'postgres')('keys in two processes', async () => {
  // describe.runIf still runs the body of a skipped suite.
  if (testDatabase.kind !== 'postgres') return
  const { DATABASE_URL: url = '' } = await databaseEnvironment()
  const server = async () =>
    startServer({
      DATABASE_URL: url,
      DATA_DIR: await temporaryFolder(),
      RATE_LIMIT: 'off',
      SERVICE_KEYS: serviceKey,
      TRUST_PROXY: 'loopback',
    })
  const [one, other] = await Promise.all([server(), server()])
  const { db, close } = await openDatabase({ kind: 'postgres', url })
  afterAll(close)

  const post = (at: { url: string }, path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(at.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: at.url.replace('127.0.0.1', 'localhost'), ...headers },
      body: JSON.stringify(body),
    })
  const person = { name: 'Ada', email: 'ada@example.test', password: 'plum kettle orbit' }
  await post(one, '/auth/sign-up/email', person)
  await db.user.updateMany({ data: { emailVerified: true } })
  const signedIn = await post(one, '/auth/sign-in/email', person)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const createKey = async (fields: object) =>
    (await (await post(one, '/auth/api-key/create', fields, { cookie })).json()) as { id: string; key: string }

  test('a key in memory is compared with the address and the time of each call', async () => {
    const { id, key } = await createKey({ name: 'Bot', ipAllowlist: ['192.0.2.7'] })
    const call = async (ip = '192.0.2.7') => {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': ip }
      return (await fetch(`${one.url}/auth/verify`, { headers })).status
    }
    expect([await call(), await call(), await call('192.0.2.8'), await call()]).toEqual([200, 200, 403, 200])
    // Only the last address is from a proxy that is trusted.
    expect([await call('198.51.100.1, 192.0.2.7'), await call('192.0.2.7, 198.51.100.1')]).toEqual([200, 403])
    await db.apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() + 2_000) } })
    await eventually(async () => expect(await call()).toBe(401))
  })

  const now = new Date()
  const later = new Date(now.getTime() + 1e9)
  const calm = { tradingEnabled: true, suspendedAt: null, heldUntil: null, lockKind: null, lockedAt: null, unlockDays: null }
  test.each([
    ['a hold', '?scope=withdrawal:create', 403, { heldUntil: later }],
    ['a lock', '?scope=withdrawal:create', 403, { lockKind: 'owner', lockedAt: now, unlockDays: 1 }],
    ['a suspension', '', 401, { suspendedAt: now }],
    ['trading switched off', '?scope=order:place', 403, { tradingEnabled: false }],
  ])('%s of the owner stops the key in the memory of both', async (_, query, status, data) => {
    await db.user.updateMany({ data: calm })
    const { id, key } = await createKey({ name: 'Bot' })
    await db.apiKey.update({ where: { id }, data: { scopes: ['account:read', 'order:place', 'withdrawal:create'] } })
    const call = (at: { url: string }) =>
      fetch(`${at.url}/auth/verify${query}`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status)
    const callBoth = () => Promise.all([one, other].map(call))
    await eventually(async () => expect(await callBoth()).toEqual([200, 200]))
    await db.user.updateMany({ data })
    await eventually(async () => expect(await callBoth()).toEqual([status, status]), 2_000)
    await db.user.updateMany({ data: calm })
  })

  test.each([
    ['deleted', (keyId: string) => post(one, '/auth/api-key/delete', { keyId }, { cookie })],
    ['disabled', (keyId: string) => post(one, '/auth/api-key/update', { keyId, enabled: false }, { cookie })],
    ['reported', (_: string, key: string) => post(one, '/auth/api-key/report', { key })],
  ])(
    'a key that is %s is refused at once by the process that did it, and by the other within three round trips, under 64 callers',
    async (_, end) => {
      const { id, key } = await createKey({ name: 'Bot' })
      let endedAt = Number.POSITIVE_INFINITY
      let isOver = false
      const late = new Map<object, number[]>([one, other].map((at) => [at, []]))
      let [accepted, roundTrip] = [0, 0]
      const refusals = Array.from({ length: 64 }, () => 0)
      const call = async (at: { url: string }, caller: number) => {
        while (!isOver) {
          const sent = performance.now()
          const { status } = await fetch(`${at.url}/auth/verify`, { headers: { authorization: `Bearer ${key}` } })
          if (status !== 200) {
            refusals[caller] = (refusals[caller] ?? 0) + 1
            continue
          }
          accepted += 1
          if (sent < endedAt) roundTrip = Math.max(roundTrip, performance.now() - sent)
          if (sent > endedAt) late.get(at)?.push(sent - endedAt)
        }
      }
      const callers = Array.from({ length: 64 }, (_, index) => call(index % 2 === 0 ? one : other, index))
      await eventually(() => expect(accepted).toBeGreaterThan(5 * 64))
      expect((await end(id, key)).status).toBe(200)
      endedAt = performance.now()
      // An accepted call after several refusals would be late.
      await eventually(() => expect(Math.min(...refusals)).toBeGreaterThan(5))
      isOver = true
      await Promise.all(callers)
      expect(late.get(one)).toEqual([])
      // The announcement takes as long as a call, which is longer on a busy machine.
      const ofOther = late.get(other) ?? []
      expect(Math.max(0, ...ofOther)).toBeLessThan(3 * roundTrip)
      expect(ofOther.length).toBeLessThanOrEqual(64)
    },
  )

  test('the fast path limits a key, and counts its uses until the service stops', async () => {
    const limited = await startServer({ DATABASE_URL: url, DATA_DIR: await temporaryFolder(), RATE_LIMIT: 'on' })
    const { id, key } = await createKey({ name: 'Bot' })
    const headers = { authorization: `Bearer ${key}` }
    const call = async () => (await fetch(`${limited.url}/auth/verify`, { headers })).status
    const answers: number[] = []
    for (let sent = 0; sent < points + 50; sent += 50) answers.push(...(await Promise.all(Array.from({ length: 50 }, call))))
    expect(answers.filter((status) => status === 200)).toHaveLength(points)
    expect(answers.filter((status) => status === 403)).toHaveLength(50)
    await limited.end('SIGTERM')
    expect(await db.apiKey.findUnique({ where: { id } })).toMatchObject({ uses: BigInt(points) })
  })

  test('a signed request is accepted by one of them, once', async () => {
    const { publicKey, privateKey } = createSigner()
    const { id: keyId } = await createKey({ publicKey: toPem(publicKey) })
    const request = signRequest({ keyId, privateKey })
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const at = index % 2 === 0 ? one : other
        const answer = await post(at, '/auth/api-key/verify', { request }, { authorization: `Bearer ${serviceKey}` })
        const { valid, error } = (await answer.json()) as { valid: boolean; error: { code: string } | null }
        return valid ? 'valid' : error?.code
      }),
    )
    expect(answers.toSorted()).toEqual([...Array<string>(19).fill('REPLAYED'), 'valid'])
  })
})
