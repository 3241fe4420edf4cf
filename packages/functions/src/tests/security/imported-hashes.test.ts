import { AppError, createPasswordHasher, recommendedCost } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { signIn } from '@floorpass/testing/sign-in'
import { hashPassword } from 'better-auth/crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()

const cheapCost = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const getHash = async (email: string) =>
  (await app.db.account.findFirstOrThrow({ where: { user: { email }, providerId: 'credential' } })).passwordHash
/** Creates a verified person with an imported password hash. */
const createImported = async (passwordHash: string) => {
  const { email } = await app.verified()
  await app.db.account.updateMany({ where: { user: { email } }, data: { passwordHash } })
  return email
}

describe('a hash imported from better-auth', () => {
  test('T178: verifies the password, and is replaced by argon2id at sign-in', async () => {
    const scrypt = await hashPassword('plum kettle orbit')
    expect(scrypt).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
    const email = await createImported(scrypt)
    expect((await signIn(app, { email, password: 'plum kettle orbiT' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await getHash(email)).toBe(scrypt)
    expect((await signIn(app, { email, password: 'plum kettle orbit' })).status).toBe(200)
    const upgraded = await getHash(email)
    expect(upgraded).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    expect((await signIn(app, { email, password: 'plum kettle orbit' })).status).toBe(200)
    expect(await getHash(email)).toBe(upgraded)
  })

  test('verifies the password in any composition of its accents', async () => {
    const email = await createImported(await hashPassword('caf\u00e9 au lait de brebis'))
    expect((await signIn(app, { email, password: 'cafe\u0301 au lait de brebis' })).status).toBe(200)
    expect((await signIn(app, { email, password: 'caf\u00e9 au lait de brebis' })).status).toBe(200)
  })

  test('verifies the current password of change-password', async () => {
    const tab = await app.signedIn()
    await app.db.account.updateMany({
      where: { userId: tab.userId },
      data: { passwordHash: await hashPassword('plum kettle orbit') },
    })
    const change = { currentPassword: 'plum kettle orbit', newPassword: 'violet harbor ladder' }
    expect((await tab.post('/auth/change-password', { ...change, currentPassword: 'wrong' })).code).toBe('INVALID_PASSWORD')
    expect((await tab.post('/auth/change-password', change)).status).toBe(200)
    expect(await getHash(tab.person.email)).toMatch(/^\$argon2id\$/)
  })

  test('T178: lets ten parallel sign-ins succeed, and leaves one argon2id hash', async () => {
    const email = await createImported(await hashPassword('plum kettle orbit'))
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(app, { email, password: 'plum kettle orbit' })))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await getHash(email)).toMatch(/^\$argon2id\$/)
  })
})

describe('a hash that is weaker than the current cost', () => {
  test('T178: is replaced at sign-in', async () => {
    const weaker = await createPasswordHasher({ memoryCost: 32, timeCost: 1, parallelism: 1 }).hash('plum kettle orbit')
    const email = await createImported(weaker)
    expect((await signIn(app, { email, password: 'plum kettle orbit' })).status).toBe(200)
    expect(await getHash(email)).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
  })

  test('stays, and signs in, while too many passwords wait for a new one', async () => {
    const weaker = await createPasswordHasher({ memoryCost: 32, timeCost: 1, parallelism: 1 }).hash('plum kettle orbit')
    const email = await createImported(weaker)
    const hash = vi.spyOn(app.service.deps.passwords, 'hash').mockRejectedValueOnce(new AppError('SERVICE_BUSY'))
    onTestFinished(() => hash.mockRestore())
    expect((await signIn(app, { email, password: 'plum kettle orbit' })).status).toBe(200)
    expect(await getHash(email)).toBe(weaker)
    hash.mockRejectedValueOnce(new Error('out of memory'))
    expect((await signIn(app, { email, password: 'plum kettle orbit' })).code).toBe('INTERNAL_SERVER_ERROR')
  })

  test('is outdated when its algorithm, cost or version differs from the current one', async () => {
    const { hash, isOutdated } = createPasswordHasher(cheapCost)
    const current = await hash('plum kettle orbit')
    expect(isOutdated(current)).toBe(false)
    for (const other of [
      current.replace('argon2id', 'argon2i'),
      current.replace('v=19', 'v=16'),
      current.replace('m=64', 'm=32'),
      current.replace('m=64', 'm=640'),
      await hashPassword('plum kettle orbit'),
      '',
    ])
      expect(isOutdated(other)).toBe(true)
    expect(recommendedCost.memoryCost).toBeGreaterThanOrEqual(19_456)
  })

  test.each([
    '',
    'plum kettle orbit',
    '$argon2id$',
    '$2b$10$abcdefghijklmnopqrstuv',
    'a:b',
    '0'.repeat(161),
    `${'0'.repeat(32)}:${'0'.repeat(127)}`,
  ])('a row without a valid hash (%j) opens no session', async (passwordHash) => {
    const email = await createImported(passwordHash)
    for (const password of ['plum kettle orbit', passwordHash || 'x']) {
      const answer = await signIn(app, { email, password })
      expect(answer.status).not.toBe(200)
      expect(answer.setCookies).toEqual([])
    }
  })
})
