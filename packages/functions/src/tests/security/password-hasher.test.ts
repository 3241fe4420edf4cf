import { availableParallelism } from 'node:os'
import { type AppError, createPasswordHasher, policy } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test, vi } from 'vitest'

const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const slow = { memoryCost: 65_536, timeCost: 3, parallelism: 1 }

/** The pool of this process has four threads, one of them for what is no hash. */
const atOnce = Math.min(availableParallelism(), 3)

describe('the password hasher', () => {
  test.each([
    ['1', 1],
    ['2', 1],
    ['3', Math.min(availableParallelism(), 2)],
    ['64', availableParallelism()],
    ['none', 1],
  ])('of a pool of %s threads it leaves one free, unless there is but one', async (size, expected) => {
    vi.stubEnv('UV_THREADPOOL_SIZE', size)
    const hasher = createPasswordHasher(cheap)
    vi.unstubAllEnvs()
    const hashes = Array.from({ length: 100 }, () => hasher.hash('plum kettle orbit'))
    expect(hasher.load().running).toBe(expected)
    await Promise.all(hashes)
  })

  test('knows the right password from a wrong one, and salts', async () => {
    const hasher = createPasswordHasher(cheap)
    const [one, other] = [await hasher.hash('plum kettle orbit'), await hasher.hash('plum kettle orbit')]
    expect(one).not.toBe(other)
    expect(await hasher.verify(one, 'plum kettle orbit')).toBe(true)
    for (const wrong of ['plum kettle orbi', 'plum kettle orbit ', 'Plum kettle orbit', ''])
      expect(await hasher.verify(one, wrong)).toBe(false)
  })

  test('T5: who has no password is refused after the same work, and by no password', async () => {
    const hasher = createPasswordHasher(slow)
    const hash = await hasher.hash('plum kettle orbit')
    const time = async (stored: string | null) => {
      const started = process.cpuUsage()
      expect(await hasher.verify(stored, 'something else')).toBe(false)
      const { user, system } = process.cpuUsage(started)
      return user + system
    }
    // Each in turn, and by processor time: what else the machine does is the same to both.
    const times = { unknown: Number.POSITIVE_INFINITY, known: Number.POSITIVE_INFINITY }
    for (let count = 0; count < 5; count += 1) {
      times.unknown = Math.min(times.unknown, await time(null))
      times.known = Math.min(times.known, await time(hash))
    }
    expect(times.unknown / times.known).toBeGreaterThan(0.4)
    expect(await hasher.verify(null, 'no account has this password')).toBe(false)
  })

  test('T29: a full queue is SERVICE_BUSY at once, and those in it are served', async () => {
    const hasher = createPasswordHasher(cheap)
    const room = atOnce + policy.hashQueueLength
    const results = await Promise.allSettled(Array.from({ length: room + 5 }, () => hasher.hash('plum kettle orbit')))
    const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as AppError)
    expect(refusals.map(({ key, status, retryAfter }) => [key, status, retryAfter])).toEqual(
      Array(5).fill(['SERVICE_BUSY', 503, 2]),
    )
    expect(results.slice(0, room).every(({ status }) => status === 'fulfilled')).toBe(true)
    await expect(hasher.hash('plum kettle orbit')).resolves.toMatch(/^\$argon2id\$/)
  })

  test('processes that share the cores share the places too, and each hashes one at a time at least', async () => {
    const processes = availableParallelism() * 2
    const hasher = createPasswordHasher(cheap, { processes })
    const room = 1 + Math.ceil(policy.hashQueueLength / processes)
    const hashes = Array.from({ length: room + 3 }, () => hasher.hash('plum kettle orbit'))
    const results = Promise.allSettled(hashes)
    expect(hasher.load()).toEqual({ running: 1, waiting: room - 1, refused: 3 })
    expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(room)
  })

  test('T29: fifty sign-ins at once hash on as many threads as there are cores, and hold up neither health nor sessions', async () => {
    const app = await createTestApp()
    const tab = await app.signedIn()
    const hasher = createPasswordHasher(slow)
    // The first one waits for the decoy.
    await hasher.verify(null, 'x')
    app.service.deps.passwords = hasher
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, hasher.load().running)
    }, 1)
    const signIns = Array.from({ length: 50 }, (_, index) =>
      app.browser().post('/auth/sign-in/email', { email: `nobody-${index}@example.test`, password: 'something else' }),
    )
    await vi.waitFor(() => expect(hasher.load().waiting).toBeGreaterThan(20), { timeout: 10_000, interval: 1 })

    const times: number[] = []
    for (let count = 0; count < 10; count += 1) {
      const started = performance.now()
      const answers = [await app.browser().get('/healthz'), await tab.get('/auth/get-session')]
      times.push(performance.now() - started)
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers[1]?.body).not.toBeNull()
    }
    // Whatever the machine does meanwhile: they did not wait for their turn behind the hashes.
    expect(hasher.load().waiting).toBeGreaterThan(0)
    for (const { status } of await Promise.all(signIns)) expect(status).toBe(401)
    clearInterval(watching)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(atOnce)
    process.stdout.write(`health and session beside fifty sign-ins: ${times.map(Math.round).join(', ')} ms\n`)
  })
})
