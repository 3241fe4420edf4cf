import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const newPassword = 'violet harbor ladder'

/** Signed in, with an identity at a provider and no password. */
async function socialOnly() {
  const tab = await app.signedIn()
  const { userId } = tab
  await app.db.account.deleteMany({ where: { userId } })
  await app.db.account.create({ data: { userId, providerId: 'google', accountId: `google-${userId}` } })
  const signIn = (password: string) => app.browser().post('/auth/sign-in/email', { email: tab.person.email, password })
  return { ...tab, signIn, set: (password: unknown = newPassword) => tab.post('/auth/set-password', { newPassword: password }) }
}

describe('set-password', () => {
  test('gives a first password to who signs in by a provider, and tells them', async () => {
    const { set, signIn, userId, person, get } = await socialOnly()
    const answer = await set()
    expect([answer.status, answer.body, answer.setCookies]).toEqual([
      200,
      { status: true },
      [expect.stringMatching(/^floorpass_known_device=/)],
    ])
    expect((await signIn(newPassword)).status).toBe(200)
    expect((await get('/auth/get-session')).body).not.toBeNull()
    expect(await app.db.account.count({ where: { userId, providerId: 'google' } })).toBe(1)
    await app.mailed()
    expect(app.outbox.lastTo(person.email).subject).toBe('Your Floorpass account now has a password')
  })

  test('T101: an account that has a password keeps it', async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/auth/set-password', { newPassword })
    expect([answer.status, answer.body]).toEqual([
      400,
      { code: 'PASSWORD_ALREADY_SET', message: 'User already has a password set' },
    ])
    const { email, password } = tab.person
    expect((await app.browser().post('/auth/sign-in/email', { email, password })).status).toBe(200)
    await app.mailed()
    expect(app.outbox.to(email)).toHaveLength(1)
  })

  test('T101: of twenty at once one succeeds, and its password counts', async () => {
    const { set, signIn, userId } = await socialOnly()
    const passwords = Array.from({ length: 20 }, (_, count) => `violet harbor ladder ${count}`)
    const answers = await Promise.all(passwords.map(set))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'PASSWORD_ALREADY_SET')).toHaveLength(19)
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await signIn(winner)).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId, action: 'set-password' } })).toBe(1)
  })

  test('T101: of twenty at once for an account whose password was taken away one succeeds, too', async () => {
    const tab = await app.signedIn()
    await app.db.account.updateMany({ where: { userId: tab.userId }, data: { passwordHash: null } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => tab.post('/auth/set-password', { newPassword })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('T47, T101: needs a proof from the last 15 minutes', async () => {
    const clock = holdClock()
    const { set, signIn } = await socialOnly()
    clock.advance(15 * 60 + 1)
    const answer = await set()
    expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
    expect((await signIn(newPassword)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test.each([
    ['short', 'PASSWORD_TOO_SHORT'],
    [`${'kJ7#pq2w'.repeat(16)}x`, 'PASSWORD_TOO_LONG'],
    ['password1', 'PASSWORD_TOO_COMMON'],
    [7, 'VALIDATION_ERROR'],
  ])('the password %j is refused', async (password, code) => {
    const { set, userId } = await socialOnly()
    const answer = await set(password)
    expect([answer.status, answer.code]).toEqual([400, code])
    expect(await app.db.account.count({ where: { userId, providerId: 'credential' } })).toBe(0)
  })

  test('is limited: five tries in a quarter of an hour', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    for (let count = 0; count < 5; count += 1)
      expect((await tab.post('/auth/set-password', { newPassword })).code).toBe('PASSWORD_ALREADY_SET')
    expect((await tab.post('/auth/set-password', { newPassword })).code).toBe('TOO_MANY_REQUESTS')
  })
})
