import { createSecretBox, createSecretResealer, createSigningKeys, policy } from '@floorpass/api'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'

type SignedToken = { token: string }

const { rotateEvery, publishedBefore, inMemory, publicCache, keepRetired } = policy.signingKeys

const open = async () => {
  const app = await createTestApp()
  const keys = async () => (await app.browser().get('/auth/jwks')).body as JSONWebKeySet
  const kids = async () => (await keys()).keys.map(({ kid }) => kid)
  const tab = await app.signedIn()
  const token = async () => ((await tab.get('/auth/token')).body as SignedToken).token
  const signer = async () => (await app.service.deps.signingKeys.current()).id
  return { app, keys, kids, tab, token, signer }
}

test('a new service publishes a signing key and a standby key, the same from all processes', async () => {
  const { app, kids } = await open()
  const { db, secretBox, log } = app.service.deps
  const processes = Array.from({ length: 8 }, () => createSigningKeys({ db, secretBox, log }))
  const ids = await Promise.all(processes.map(async (keys) => (await keys.current()).id))
  expect(new Set(ids).size).toBe(1)
  expect((await kids())[0]).toBe(ids[0])
  expect(await kids()).toHaveLength(2)
  const { headers } = await app.browser().get('/auth/jwks')
  expect(headers.get('cache-control')).toBe(`public, max-age=${publicCache}`)
})

test('the key set has public parts only, and the database has no private key in clear', async () => {
  const { app, keys } = await open()
  for (const key of (await keys()).keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  const rows = (await app.readAllRows()).filter((row) => 'private_key_sealed' in row)
  expect(rows.length).toBe(2)
  for (const row of rows) expect(String(row.private_key_sealed)).toMatch(/^2\.[\w-]{8}\.[\w-]+$/)
})

test('keys rotate on schedule, and each is published long before it signs', async () => {
  const clock = holdClock()
  const { kids, signer } = await open()
  const [first, second] = await kids()
  expect(await signer()).toBe(first)
  clock.advance(rotateEvery + inMemory)
  expect(await signer()).toBe(second)
  const [, , third] = await kids()
  expect(await kids()).toEqual([first, second, third])
  clock.advance(keepRetired)
  expect(await kids()).toEqual([second, third])
  // The next rotation removes what is retired.
  clock.advance(rotateEvery)
  const left = await kids()
  expect([left.includes(first), left.includes(third), left.at(-1) === third]).toEqual([false, true, false])
})

test('a rotation on command refuses no token of a verifier that keeps the key set for five minutes', async () => {
  const clock = holdClock()
  const { app, keys, token, signer } = await open()
  const former = await signer()
  clock.advance(60)
  let cached = { set: await keys(), at: Date.now() }
  const check = async (text: string) => {
    if (Date.now() - cached.at >= publicCache * 1000) cached = { set: await keys(), at: Date.now() }
    await jwtVerify(text, createLocalJWKSet(cached.set), { currentDate: new Date(), clockTolerance: 5 })
  }
  const signsFrom = await app.service.deps.signingKeys.rotate()
  expect((signsFrom.getTime() - Date.now()) / 1000).toBeCloseTo(publishedBefore - 60, -1)
  const held: string[] = []
  const signers = new Set<string>()
  for (let time = 0; time < 2 * publishedBefore + keepRetired; time += 20) {
    clock.advance(20)
    held.push(await token())
    signers.add(await signer())
    if (held.length > 5) held.shift()
    for (const text of held) await check(text)
  }
  expect(signers.size).toBe(2)
  expect(await signer()).not.toBe(former)
})

test('a second command while a rotation is under way does not hurry it', async () => {
  const { app, kids } = await open()
  await kids()
  const { rotate } = app.service.deps.signingKeys
  const first = await rotate()
  expect(await rotate()).toEqual(first)
  expect(await app.db.signingKey.count()).toBe(3)
})

test('eight rotations at once are one', async () => {
  const { app } = await open()
  const times = await Promise.all(Array.from({ length: 8 }, () => app.service.deps.signingKeys.rotate()))
  expect(new Set(times.map(Number)).size).toBe(1)
  expect(await app.db.signingKey.count()).toBe(3)
})

test('every process signs with the new key at the same moment', async () => {
  const clock = holdClock()
  const { app } = await open()
  const { db, secretBox, log } = app.service.deps
  const other = createSigningKeys({ db, secretBox, log })
  await other.current()
  clock.advance(publishedBefore)
  await other.current()
  const signsFrom = await app.service.deps.signingKeys.rotate()
  const signers = async () => [(await app.service.deps.signingKeys.current()).id, (await other.current()).id]
  while (Date.now() < signsFrom.getTime() + 40_000) {
    clock.advance(10)
    const [left, right] = await signers()
    expect(left).toBe(right)
  }
})

test('a lost AUTH_SECRET does not stop signing: a new key signs, and the old one still verifies', async () => {
  const { app, token, tab } = await open()
  const old = await token()
  const { db, log } = app.service.deps
  const keys = createSigningKeys({ db, log, secretBox: createSecretBox(['another secret that is long enough for tests']) })
  const { id } = await keys.current()
  expect(await keys.findPublicKey(id)).not.toBeNull()
  expect((await keys.list()).length).toBe(4)
  const answer = await tab.get('/auth/verify', { headers: { authorization: `Bearer ${old}` } })
  expect(answer.status).toBe(200)
})

test('without a database, the keys in memory go on signing and verifying', async () => {
  const clock = holdClock()
  const { app, kids } = await open()
  const before = await kids()
  await app.db.$executeRaw`ALTER TABLE signing_keys RENAME TO hidden_keys`
  clock.advance(inMemory + 1)
  expect(await kids()).toEqual(before)
  expect(app.logs.some(({ msg }) => String(msg).startsWith('signing keys cannot be read'))).toBe(true)
  await app.db.$executeRaw`ALTER TABLE hidden_keys RENAME TO signing_keys`
})

test('a new AUTH_SECRET reseals the keys, so that the former secret can be removed', async () => {
  const { app, signer } = await open()
  const id = await signer()
  const { db, log } = app.service.deps
  const next = 'the next secret that only tests know, also long'
  const both = createSecretBox([next, 'a secret that only tests know, long enough'])
  expect(await createSecretResealer({ db, log, secretBox: both }).reseal()).toBe(2)
  expect((await createSigningKeys({ db, log, secretBox: createSecretBox([next]) }).current()).id).toBe(id)
})

test('the key that a command replaced is refused an hour after the next one signs', async () => {
  const clock = holdClock()
  const { app, signer } = await open()
  const former = await signer()
  clock.advance(publishedBefore)
  const signsFrom = await app.service.deps.signingKeys.rotate()
  clock.advance((signsFrom.getTime() - Date.now()) / 1000 + keepRetired + inMemory)
  expect(await app.service.deps.signingKeys.findPublicKey(former)).toBeNull()
})

test('a rotation after a lost AUTH_SECRET replaces the key that signs now', async () => {
  const clock = holdClock()
  const { app, signer } = await open()
  await signer()
  clock.advance(60)
  const { db, log } = app.service.deps
  const keys = createSigningKeys({ db, log, secretBox: createSecretBox(['another secret that is long enough for tests']) })
  const former = (await keys.current()).id
  const signsFrom = await keys.rotate()
  clock.advance((signsFrom.getTime() - Date.now()) / 1000 + inMemory)
  expect((await keys.current()).id).not.toBe(former)
})

test('a later key that cannot be opened neither retires nor replaces the key that signs', async () => {
  const clock = holdClock()
  const { app, signer, token } = await open()
  const former = await signer()
  const [standby] = await app.db.signingKey.findMany({ where: { id: { not: former } } })
  const { db, log } = app.service.deps
  const foreign = createSecretBox(['another secret that is long enough for tests'])
  const privateKeySealed = foreign.seal('{}', ['signing_keys.private_key_sealed', standby?.id ?? ''])
  await app.db.signingKey.updateMany({ where: { id: standby?.id ?? '' }, data: { signsFrom: new Date(), privateKeySealed } })
  clock.advance(2 * keepRetired)
  expect(await signer()).toBe(former)
  expect(await token()).toMatch(/^ey/)
  expect(await createSigningKeys({ db, log, secretBox: app.service.deps.secretBox }).findPublicKey(former)).not.toBeNull()
})
