import { availableParallelism } from 'node:os'
import { type AppError, createPasswordHasher, policy } from '@floorpass/api'
import { describe, expect, test } from 'vitest'

const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const slow = { memoryCost: 65_536, timeCost: 3, parallelism: 1 }

describe('the password hasher', () => {
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
      const times: number[] = []
      for (let count = 0; count < 5; count += 1) {
        const started = performance.now()
        expect(await hasher.verify(stored, 'something else')).toBe(false)
        times.push(performance.now() - started)
      }
      return Math.min(...times)
    }
    expect((await time(null)) / (await time(hash))).toBeGreaterThan(0.4)
    expect(await hasher.verify(null, 'nobody has this password')).toBe(false)
  })

  test('T29: a full queue is SERVICE_BUSY at once, and those in it are served', async () => {
    const hasher = createPasswordHasher(cheap)
    const room = availableParallelism() + policy.hashQueueLength
    const results = await Promise.allSettled(Array.from({ length: room + 5 }, () => hasher.hash('plum kettle orbit')))
    const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as AppError)
    expect(refusals.map(({ key, status, retryAfter }) => [key, status, retryAfter])).toEqual(
      Array(5).fill(['SERVICE_BUSY', 503, 2]),
    )
    expect(results.slice(0, room).every(({ status }) => status === 'fulfilled')).toBe(true)
    await expect(hasher.hash('plum kettle orbit')).resolves.toMatch(/^\$argon2id\$/)
  })
})
