import { createKeySecret, policy } from '@floorpass/api'
import { askAboutKey, createApiKey, createSigner, signRequest, toPem } from '@floorpass/testing/api-keys'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { serviceKey } from '@floorpass/testing/route-samples'
import { expect, onTestFinished, test } from 'vitest'

const app = await createTestApp({ RATE_LIMIT: 'on', SERVICE_KEYS: serviceKey })
const { addressPerMinute, readsPerSecond } = policy.sessionMisses

const verify = async (ip: string, secret: string) => {
  const { status, code } = await app.browser({ ip }).get('/auth/verify', { headers: { authorization: `Bearer ${secret}` } })
  return `${status} ${code}`
}
const withWrongChecksum = () => createKeySecret('user').replace(/.$/, (last) => (last === '0' ? '1' : '0'))

test('unknown secrets cost an address a bounded number of reads, and one with a wrong checksum costs none', async () => {
  const ask = (create: () => string, times: number) =>
    Promise.all(Array.from({ length: times }, () => verify('192.0.2.1', create())))
  const unknown = () => createKeySecret('user')
  expect(new Set(await ask(unknown, addressPerMinute))).toEqual(new Set(['401 INVALID_API_KEY']))
  // More than the seconds of this test allow.
  expect(await ask(unknown, 10 * readsPerSecond)).toContain('503 SERVICE_BUSY')
  expect(new Set(await ask(withWrongChecksum, 10 * readsPerSecond))).toEqual(new Set(['401 INVALID_API_KEY']))
  expect(await verify('192.0.2.2', unknown())).toBe('401 INVALID_API_KEY')
})

test('the name of an unknown key counts against the gateway, and so does that of a key without a public key', async () => {
  let misses = 0
  const { deps } = app.service
  const { sessionMisses } = deps
  onTestFinished(() => void Object.assign(deps, { sessionMisses }))
  const countMiss = () => {
    misses += 1
  }
  const gateways: unknown[] = []
  const startRead: typeof sessionMisses.startRead = ({ gateway }) => {
    gateways.push(gateway)
    return { countMiss }
  }
  deps.sessionMisses = { startRead }
  const tab = await app.signedIn()
  const { publicKey, privateKey } = createSigner()
  const known = await createApiKey(tab, { publicKey: toPem(publicKey) })
  const bearer = await createApiKey(tab)
  const ask = async (keyId: string) => {
    const before = misses
    gateways.length = 0
    const { valid } = await askAboutKey(app.browser({ origin: null }), { request: signRequest({ keyId, privateKey }) })
    expect(gateways.every((gateway) => gateway === 'SERVICE_KEYS')).toBe(true)
    return [valid, misses - before]
  }
  expect([await ask(known.id), await ask(bearer.id), await ask('unknown')]).toEqual([
    [true, 0],
    [false, 1],
    [false, 1],
  ])
  // From now on the key is in memory.
  expect(await verify('192.0.2.1', bearer.key)).toBe('200 undefined')
  expect(await ask(bearer.id)).toEqual([false, 0])
})
