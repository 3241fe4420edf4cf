import { createPasswordHasher, recommendedCost } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { hashPassword } from 'better-auth/crypto'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const hashOf = async (email: string) =>
  (await app.db.account.findFirstOrThrow({ where: { user: { email }, providerId: 'credential' } })).passwordHash
const signIn = (email: string, password: string) => app.browser().post('/auth/sign-in/email', { email, password })
/** A verified person whose password came from elsewhere as a hash. */
const imported = async (passwordHash: string) => {
  const { email } = await app.verified()
  await app.db.account.updateMany({ where: { user: { email } }, data: { passwordHash } })
  return email
}

describe('hashes that were imported from better-auth', () => {
  test('T178: verify, and are replaced by argon2id at sign-in, not before', async () => {
    const scrypt = await hashPassword('plum kettle orbit')
    expect(scrypt).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
    const email = await imported(scrypt)
    expect((await signIn(email, 'plum kettle orbiT')).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await hashOf(email)).toBe(scrypt)
    expect((await signIn(email, 'plum kettle orbit')).status).toBe(200)
    const upgraded = await hashOf(email)
    expect(upgraded).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    expect((await signIn(email, 'plum kettle orbit')).status).toBe(200)
    expect(await hashOf(email)).toBe(upgraded)
  })

  test('verify in whatever composition the accents were typed', async () => {
    const email = await imported(await hashPassword('caf\u00e9 au lait de brebis'))
    expect((await signIn(email, 'cafe\u0301 au lait de brebis')).status).toBe(200)
    expect((await signIn(email, 'caf\u00e9 au lait de brebis')).status).toBe(200)
  })

  test('confirm a change of password and a deletion, too', async () => {
    const tab = await app.signedIn()
    await app.db.account.updateMany({
      where: { userId: tab.userId },
      data: { passwordHash: await hashPassword('plum kettle orbit') },
    })
    const change = { currentPassword: 'plum kettle orbit', newPassword: 'violet harbor ladder' }
    expect((await tab.post('/auth/change-password', { ...change, currentPassword: 'wrong' })).code).toBe('INVALID_PASSWORD')
    expect((await tab.post('/auth/change-password', change)).status).toBe(200)
    expect(await hashOf(tab.person.email)).toMatch(/^\$argon2id\$/)
  })

  test('T178: ten sign-ins at once on an old hash all succeed, and one argon2id hash is left', async () => {
    const email = await imported(await hashPassword('plum kettle orbit'))
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(email, 'plum kettle orbit')))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await hashOf(email)).toMatch(/^\$argon2id\$/)
  })
})

describe('hashes that are weaker than what is made today', () => {
  test('T178: argon2id of a lower cost is replaced at sign-in', async () => {
    const weaker = await createPasswordHasher({ memoryCost: 32, timeCost: 1, parallelism: 1 }).hash('plum kettle orbit')
    const email = await imported(weaker)
    expect((await signIn(email, 'plum kettle orbit')).status).toBe(200)
    expect(await hashOf(email)).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
  })

  test('outdated is every other algorithm, cost or version, and nothing that is made now', async () => {
    const { hash, isOutdated } = createPasswordHasher(cheap)
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
  ])('a row that holds no hash (%j) opens for nobody', async (passwordHash) => {
    const email = await imported(passwordHash)
    for (const password of ['plum kettle orbit', passwordHash || 'x']) {
      const answer = await signIn(email, password)
      expect(answer.status).not.toBe(200)
      expect(answer.setCookies).toEqual([])
    }
  })
})
