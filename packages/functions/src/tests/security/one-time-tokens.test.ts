import { consumeOneTimeToken, issueOneTimeToken, type TokenPurpose } from '@floorpass/api/one-time-tokens'
import { createToken } from '@floorpass/api/random-token'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const issueToken = async (lifetime = 60) => {
  const { email } = await app.signUp()
  const { id } = await app.db.user.findUniqueOrThrow({ where: { email } })
  return issueOneTimeToken(app.db, { purpose: 'verify-email', userId: id, email, lifetime })
}
const consumeToken = (token: string, purpose: TokenPurpose = 'verify-email') =>
  app.db.$transaction((tx) => consumeOneTimeToken(tx, purpose, token))
const getErrorKey = (reason: unknown) => (reason as { key?: string }).key

describe('a one-time token', () => {
  test('T32: is unique among ten thousand, which use all 64 characters in every place', () => {
    const tokens = Array.from({ length: 10_000 }, createToken)
    expect(new Set(tokens).size).toBe(10_000)
    for (let place = 0; place < 42; place += 1) expect(new Set(tokens.map((token) => token[place])).size).toBe(64)
  })

  test('T91: is accepted once by twenty parallel uses', async () => {
    const token = await issueToken()
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => consumeToken(token)))
    const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }) => getErrorKey(reason))
    expect(refusals).toEqual(Array(19).fill('INVALID_TOKEN'))
  })

  test('stays usable when its use is rolled back', async () => {
    const token = await issueToken()
    const failing = app.db.$transaction(async (tx) => {
      await consumeOneTimeToken(tx, 'verify-email', token)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect((await consumeToken(token)).usedAt).toBeInstanceOf(Date)
  })

  test('is refused for another purpose, and stays usable', async () => {
    const token = await issueToken()
    await expect(consumeToken(token, 'reset-password')).rejects.toMatchObject({ key: 'INVALID_TOKEN', status: 400 })
    expect((await consumeToken(token)).purpose).toBe('verify-email')
  })

  test('T94: expires to the second, with another error than an invalid one', async () => {
    const clock = holdClock()
    const [early, late] = [await issueToken(60), await issueToken(60)]
    clock.advance(59)
    expect((await consumeToken(early)).usedAt).toBeInstanceOf(Date)
    clock.advance(1)
    await expect(consumeToken(late)).rejects.toMatchObject({ key: 'TOKEN_EXPIRED', status: 400 })
    await expect(consumeToken('nonsense')).rejects.toMatchObject({ key: 'INVALID_TOKEN', status: 400 })
  })

  test('is stored only as a hash', async () => {
    const token = await issueToken()
    const rows = JSON.stringify(await app.readAllRows())
    for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token).toString('base64')])
      expect(rows).not.toContain(form)
  })
})
