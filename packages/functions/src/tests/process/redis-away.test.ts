import { setTimeout as delay } from 'node:timers/promises'
import { findRedis, freePort, startRedis } from '@floorpass/reliability'
import { closeRedis, connectRedis } from '@floorpass/service/redis'
import { eventually } from '@floorpass/testing/eventually'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, onTestFinished, test } from 'vitest'

const binary = findRedis()

test.skipIf(!binary)(
  'without Redis the service counts limits itself, and logs the outage and the recovery once each',
  async () => {
    const redis = await startRedis(binary ?? '')
    onTestFinished(() => redis.stop())
    const server = await startServer({
      ...(await databaseEnvironment()),
      DATA_DIR: await temporaryFolder(),
      REDIS_URL: redis.url,
    })
    const tryToSignIn = async (email: string) => {
      const { status } = await fetch(`${server.url}/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'something else entirely' }),
      })
      return status
    }
    const tries = async (email: string) => {
      const statuses: number[] = []
      for (let count = 0; count < 11; count += 1) statuses.push(await tryToSignIn(email))
      return statuses
    }
    const untilLimited = [...Array<number>(10).fill(401), 429]
    const linesWith = (words: RegExp) => server.logs().filter(({ msg }) => words.test(String(msg)))

    expect(await tries('one@example.test')).toEqual(untilLimited)
    expect(linesWith(/Redis/)).toEqual([])
    await redis.stop()
    // The counts in Redis are lost; new attempts are counted in memory.
    await eventually(() => expect(linesWith(/redis connection lost/)).toHaveLength(1))
    expect(await tries('two@example.test')).toEqual(untilLimited)
    expect(linesWith(/redis connection lost/)).toEqual([expect.objectContaining({ level: 40, reason: expect.any(String) })])
    await redis.start()
    await eventually(() => expect(linesWith(/redis connection restored/)).toHaveLength(1))
    expect(await tryToSignIn('one@example.test')).toBe(401)
  },
)

test('a connection that the service closes stays closed, also when Redis was away', async () => {
  const redis = connectRedis(
    { url: `redis://127.0.0.1:${await freePort()}`, sentinels: [] },
    { info() {}, warn() {}, error() {} },
  )
  let connections = 0
  redis.on('connecting', () => {
    connections += 1
  })
  // Not in the pause between two attempts: there, ioredis has nothing to lose.
  await new Promise<void>((resolve) => redis.once('reconnecting', () => redis.once('connecting', resolve)))
  closeRedis(redis)
  const before = connections
  // Longer than the second after which the service connects again.
  await delay(1_500)
  expect(connections).toBe(before)
})
