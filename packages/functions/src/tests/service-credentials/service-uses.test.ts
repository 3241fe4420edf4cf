import { createServiceUses, policy } from '@floorpass/api'
import { hashToken } from '@floorpass/api/random-token'
import { openDatabase } from '@floorpass/db'
import { adminOf } from '@floorpass/testing/admin-command'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ METRICS_TOKEN: 'what-only-prometheus-knows' })
const { db, serviceUses, log } = app.service.deps

async function createService(name: string, scopes = 'session:verify') {
  return (await adminOf(app)('create-service', name, '--scopes', scopes, '--quiet')).stdout.trim()
}
const call = (secret: string) =>
  app.browser({ origin: null }).post('/auth/introspect', { token: 'unknown' }, { headers: { authorization: `Bearer ${secret}` } })
const readSecret = (secret: string) => db.serviceSecret.findUniqueOrThrow({ where: { secretHash: hashToken(secret) } })

test('counts 64 concurrent calls exactly, and adds them to what was counted before', async () => {
  const [secret, unused] = [await createService('exact'), await createService('unused')]
  for (const total of [64n, 128n]) {
    await Promise.all(Array.from({ length: 64 }, () => call(secret)))
    await serviceUses.flush()
    expect(await readSecret(secret)).toMatchObject({ uses: total, lastUsedAt: expect.any(Date) })
  }
  expect(await readSecret(unused)).toMatchObject({ uses: 0n, lastUsedAt: null })
})

test('counts the calls that come while a flush writes', async () => {
  const secret = await createService('meanwhile')
  await call(secret)
  const write = db.$executeRaw.bind(db)
  const slow = vi.spyOn(db, '$executeRaw').mockImplementationOnce(((...statement: Parameters<typeof write>) => {
    serviceUses.count(hashToken(secret))
    return write(...statement)
  }) as typeof write)
  onTestFinished(() => slow.mockRestore())
  await serviceUses.flush()
  expect((await readSecret(secret)).uses).toBe(1n)
  await serviceUses.flush()
  expect((await readSecret(secret)).uses).toBe(2n)
})

test('adds the counts of several processes, and keeps the latest time', async () => {
  const secret = await createService('several')
  const processes = [createServiceUses({ db, log }), createServiceUses({ db, log })]
  const clock = holdClock()
  for (const uses of processes) {
    uses.count(hashToken(secret))
    clock.advance(5)
  }
  const [first, second] = processes
  await second?.flush()
  const { lastUsedAt } = await readSecret(secret)
  await first?.flush()
  expect(await readSecret(secret)).toMatchObject({ uses: 2n, lastUsedAt })
})

test('writes one statement for all secrets, and none when nothing was used', async () => {
  const secrets = [await createService('one-statement-a'), await createService('one-statement-b')]
  await serviceUses.flush()
  const write = vi.spyOn(db, '$executeRaw')
  onTestFinished(() => write.mockRestore())
  await serviceUses.flush()
  expect(write).not.toHaveBeenCalled()
  for (const secret of secrets) await call(secret)
  await serviceUses.flush()
  expect(write).toHaveBeenCalledOnce()
  for (const secret of secrets) expect((await readSecret(secret)).uses).toBe(1n)
})

test('counts calls without the scope, not refused secrets', async () => {
  const secret = await createService('narrow', 'events:read')
  expect((await call(secret)).status).toBe(403)
  expect((await call(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`)).status).toBe(401)
  await serviceUses.flush()
  expect((await readSecret(secret)).uses).toBe(1n)
})

test('keeps what could not be written for the next flush, and logs the failure', async () => {
  const secret = await createService('patient')
  const write = vi.spyOn(db, '$executeRaw').mockRejectedValueOnce(new Error('the database is away'))
  onTestFinished(() => write.mockRestore())
  await call(secret)
  await serviceUses.flush()
  await call(secret)
  await serviceUses.flush()
  expect((await readSecret(secret)).uses).toBe(2n)
  expect(app.warnings().map(({ msg }) => msg)).toEqual(['service use counts not written: retry scheduled'])
})

test('flushes by itself every 30 seconds', async () => {
  const secret = await createService('timed')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const uses = createServiceUses({ db, log })
  uses.start()
  uses.count(hashToken(secret))
  vi.advanceTimersByTime(policy.usesFlushedEvery * 1000 - 1)
  expect((await readSecret(secret)).uses).toBe(0n)
  vi.advanceTimersByTime(1)
  await eventually(async () => expect((await readSecret(secret)).uses).toBe(1n))
  await uses.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test.runIf(testDatabase.kind === 'postgres')('a service that stops writes its counts first', async () => {
  const stopped = await createTestApp()
  const { stdout } = await adminOf(stopped)('create-service', 'stops', '--scopes', 'session:verify', '--quiet')
  const headers = { authorization: `Bearer ${stdout.trim()}` }
  await stopped.browser({ origin: null }).post('/auth/introspect', { token: 'unknown' }, { headers })
  const own = await createTestDatabase()
  onTestFinished(() => own.drop())
  const [row] = await stopped.db.$queryRaw<{ name: string }[]>`SELECT current_database() AS name`
  await stopped.stop()
  if (own.options.kind !== 'postgres') throw new Error('not PostgreSQL')
  const url = Object.assign(new URL(own.options.url), { pathname: `/${row?.name}` }).href
  const { db: reader, close } = await openDatabase({ kind: 'postgres', url })
  onTestFinished(close)
  expect(await reader.serviceSecret.findMany()).toMatchObject([{ uses: 1n }])
})

test('/metrics counts the calls of each service by outcome', async () => {
  const [secret, narrow] = [await createService('counted'), await createService('counted-narrow', 'key:verify')]
  for (const one of [secret, secret, narrow]) await call(one)
  const headers = { authorization: 'Bearer what-only-prometheus-knows' }
  const { body } = await app.browser().get('/metrics', { headers })
  expect(body).toContain('floorpass_service_calls_total{service="counted",outcome="OK"} 2')
  expect(body).toContain('floorpass_service_calls_total{service="counted-narrow",outcome="INSUFFICIENT_SCOPE"} 1')
  expect(body).not.toContain(secret)
})
