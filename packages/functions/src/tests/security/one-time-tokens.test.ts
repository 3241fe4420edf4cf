import { consumeOneTimeToken, issueOneTimeToken, type TokenPurpose } from '@floorpass/api/one-time-tokens'
import { createToken } from '@floorpass/api/random-token'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const issue = async (lifetime = 60) => {
  const { email } = await app.signUp()
  const { id } = await app.db.user.findUniqueOrThrow({ where: { email } })
  return issueOneTimeToken(app.db, { purpose: 'verify-email', userId: id, email, lifetime })
}
const consume = (token: string, purpose: TokenPurpose = 'verify-email') =>
  app.db.$transaction((tx) => consumeOneTimeToken(tx, purpose, token))
const keyOf = (reason: unknown) => (reason as { key?: string }).key

describe('one-time tokens', () => {
  test('T32: ten thousand tokens are unique and share no letter in any place', () => {
    const tokens = Array.from({ length: 10_000 }, createToken)
    expect(new Set(tokens).size).toBe(10_000)
    for (let place = 0; place < 42; place += 1) expect(new Set(tokens.map((token) => token[place])).size).toBe(64)
  })

  test('T91: of twenty uses at once exactly one succeeds', async () => {
    const token = await issue()
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => consume(token)))
    const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }) => keyOf(reason))
    expect(refusals).toEqual(Array(19).fill('INVALID_TOKEN'))
  })

  test('a use that is rolled back leaves the token usable', async () => {
    const token = await issue()
    const failing = app.db.$transaction(async (tx) => {
      await consumeOneTimeToken(tx, 'verify-email', token)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect((await consume(token)).usedAt).toBeInstanceOf(Date)
  })

  test('is bound to its purpose, and refused for another without being used up', async () => {
    const token = await issue()
    await expect(consume(token, 'reset-password')).rejects.toMatchObject({ key: 'INVALID_TOKEN', status: 400 })
    expect((await consume(token)).purpose).toBe('verify-email')
  })

  test('T94: ends to the second, and is then told apart from a wrong one', async () => {
    const clock = holdClock()
    const [early, late] = [await issue(60), await issue(60)]
    clock.advance(59)
    expect((await consume(early)).usedAt).toBeInstanceOf(Date)
    clock.advance(1)
    await expect(consume(late)).rejects.toMatchObject({ key: 'TOKEN_EXPIRED', status: 400 })
    await expect(consume('nonsense')).rejects.toMatchObject({ key: 'INVALID_TOKEN', status: 400 })
  })

  test('only the hash of a token is stored', async () => {
    const token = await issue()
    const rows = JSON.stringify(await app.everyRow())
    for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token).toString('base64')])
      expect(rows).not.toContain(form)
  })
})
