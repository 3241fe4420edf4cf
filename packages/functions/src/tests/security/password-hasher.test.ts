import { availableParallelism } from 'node:os'
import { type AppError, createPasswordHasher, policy } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { measureProcessorTime } from '@floorpass/testing/processor-time'
import { describe, expect, test, vi } from 'vitest'

const cheapCost = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const slowCost = { memoryCost: 65_536, timeCost: 3, parallelism: 1 }

/** The pool of this process has four threads; the hasher leaves one free. */
const atOnce = Math.min(availableParallelism(), 3)

describe('the password hasher', () => {
  test.each([
    ['1', 1],
    ['2', 1],
    ['3', Math.min(availableParallelism(), 2)],
    ['64', availableParallelism()],
    ['no number of', 1],
  ])('leaves one thread free in a pool of %s threads, unless there is only one', async (size, expected) => {
    vi.stubEnv('UV_THREADPOOL_SIZE', size)
    const hasher = createPasswordHasher(cheapCost)
    vi.unstubAllEnvs()
    const hashes = Array.from({ length: 100 }, () => hasher.hash('plum kettle orbit'))
    expect(hasher.load().running).toBe(expected)
    await Promise.all(hashes)
  })

  test('accepts only the right password, and salts each hash', async () => {
    const hasher = createPasswordHasher(cheapCost)
    const [one, other] = [await hasher.hash('plum kettle orbit'), await hasher.hash('plum kettle orbit')]
    expect(one).not.toBe(other)
    expect(await hasher.verify(one, 'plum kettle orbit')).toBe(true)
    for (const wrong of ['plum kettle orbi', 'plum kettle orbit ', 'Plum kettle orbit', ''])
      expect(await hasher.verify(one, wrong)).toBe(false)
  })

  test('T5: does the same work for an account without a password, and accepts none', async () => {
    const hasher = createPasswordHasher(slowCost)
    const hash = await hasher.hash('plum kettle orbit')
    const time = (stored: string | null) =>
      measureProcessorTime(async () => expect(await hasher.verify(stored, 'something else')).toBe(false), 1)
    // In turn and in processor time, so that the load of the machine affects both alike.
    const times = { unknown: Number.POSITIVE_INFINITY, known: Number.POSITIVE_INFINITY }
    for (let count = 0; count < 5; count += 1) {
      times.unknown = Math.min(times.unknown, await time(null))
      times.known = Math.min(times.known, await time(hash))
    }
    expect(times.unknown / times.known).toBeGreaterThan(0.4)
    expect(await hasher.verify(null, 'no one has this password')).toBe(false)
  })

  test('T29: answers SERVICE_BUSY when the queue is full, and serves those in the queue', async () => {
    const hasher = createPasswordHasher(cheapCost)
    const capacity = atOnce + policy.hashQueueLength
    const results = await Promise.allSettled(Array.from({ length: capacity + 5 }, () => hasher.hash('plum kettle orbit')))
    const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as AppError)
    expect(refusals.map(({ key, status, retryAfter }) => [key, status, retryAfter])).toEqual(
      Array(5).fill(['SERVICE_BUSY', 503, 2]),
    )
    expect(results.slice(0, capacity).every(({ status }) => status === 'fulfilled')).toBe(true)
    await expect(hasher.hash('plum kettle orbit')).resolves.toMatch(/^\$argon2id\$/)
  })

  test('shares its threads among processes, with at least one for each', async () => {
    const processes = availableParallelism() * 2
    const hasher = createPasswordHasher(cheapCost, { processes })
    const capacity = 1 + Math.ceil(policy.hashQueueLength / processes)
    const hashes = Array.from({ length: capacity + 3 }, () => hasher.hash('plum kettle orbit'))
    const results = Promise.allSettled(hashes)
    expect(hasher.load()).toEqual({ running: 1, waiting: capacity - 1, refused: 3 })
    expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(capacity)
  })

  test('T29: uses at most one thread per core for fifty parallel sign-ins, and delays neither health nor sessions', async () => {
    const app = await createTestApp()
    const tab = await app.signedIn()
    const hasher = createPasswordHasher(slowCost)
    // The first verification waits for the decoy hash.
    await hasher.verify(null, 'x')
    app.service.deps.passwords = hasher
    let mostRunning = 0
    const watchTimer = setInterval(() => {
      mostRunning = Math.max(mostRunning, hasher.load().running)
    }, 1)
    const signIns = Array.from({ length: 50 }, (_, index) =>
      app.browser().post('/auth/sign-in/email', { email: `unknown-${index}@example.test`, password: 'something else' }),
    )
    await eventually(() => expect(hasher.load().waiting).toBeGreaterThan(20))

    const times: number[] = []
    for (let count = 0; count < 10; count += 1) {
      const started = performance.now()
      const answers = [await app.browser().get('/healthz'), await tab.get('/auth/get-session')]
      times.push(performance.now() - started)
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers[1]?.body).not.toBeNull()
    }
    // The answers above did not wait for the queue of hashes.
    expect(hasher.load().waiting).toBeGreaterThan(0)
    for (const { status } of await Promise.all(signIns)) expect(status).toBe(401)
    clearInterval(watchTimer)
    expect(mostRunning).toBeGreaterThan(0)
    expect(mostRunning).toBeLessThanOrEqual(atOnce)
    process.stdout.write(`health and session beside fifty sign-ins: ${times.map(Math.round).join(', ')} ms\n`)
  })
})
