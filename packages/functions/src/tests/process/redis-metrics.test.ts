import { findRedis, startRedis } from '@floorpass/reliability'
import { eventually } from '@floorpass/testing/eventually'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'

const binary = findRedis() ?? ''
const token = 'what-only-prometheus-knows'

test.skipIf(!binary)('says at each scrape whether Redis counts, and why not', async () => {
  const redis = await startRedis(binary)
  onTestFinished(() => redis.stop())
  const server = await startServer({
    ...(await databaseEnvironment()),
    DATA_DIR: await temporaryFolder(),
    METRICS_TOKEN: token,
    REDIS_URL: redis.url,
  })
  const operator = new Redis(redis.url).on('error', () => {})
  onTestFinished(() => operator.disconnect())
  /** The gauge, and the reasons that are 1. */
  const state = async () => {
    const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
    const failing = [...text.matchAll(/^floorpass_redis_failing\{reason="(\w+)"\} 1$/gm)].map(([, reason]) => reason)
    return [Number(/^floorpass_redis_up (\d)$/m.exec(text)?.[1]), ...failing]
  }
  const expectState = (...expected: unknown[]) => eventually(async () => expect(await state()).toEqual(expected))

  await expectState(1)
  await operator.acl('SETUSER', 'default', '-eval', '-evalsha')
  await expectState(0, 'permission')
  await operator.acl('SETUSER', 'default', '+@all')
  await expectState(1)

  await operator.replicaof('127.0.0.1', '1')
  await expectState(0, 'read_only')
  await operator.replicaof('NO', 'ONE')
  await expectState(1)

  await operator.config('SET', 'maxmemory', '1')
  await expectState(0, 'memory')
  await operator.config('SET', 'maxmemory', '0')
  await expectState(1)

  await operator.config('SET', 'requirepass', 'correct horse')
  await operator.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await expectState(0, 'credentials')
  await operator.config('SET', 'requirepass', '')
  await expectState(1)

  await redis.stop()
  await expectState(0, 'unreachable')
})

test('has no value without REDIS_URL', async () => {
  const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: await temporaryFolder(), METRICS_TOKEN: token })
  const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  expect(text).toContain('# TYPE floorpass_redis_up gauge')
  expect(text).not.toMatch(/^floorpass_redis_(up|failing\{)/m)
})
