import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createEveryToken, listVoidedPurposes } from '@floorpass/testing/outstanding-tokens'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const newPassword = 'violet harbor ladder'

/** Signs a person in who has an identity at a provider and no password. */
async function signInWithoutPassword() {
  const tab = await app.signedIn()
  const { userId } = tab
  await app.db.account.deleteMany({ where: { userId } })
  await app.db.account.create({ data: { userId, providerId: 'google', accountId: `google-${userId}` } })
  const signIn = (password: string) => app.browser().post('/auth/sign-in/email', { email: tab.person.email, password })
  return {
    ...tab,
    signIn,
    setPassword: (password: unknown = newPassword) => tab.post('/auth/set-password', { newPassword: password }),
  }
}

describe('set-password', () => {
  test('sets the first password of a person who signs in with a provider, and notifies them', async () => {
    const { setPassword, signIn, userId, person, get } = await signInWithoutPassword()
    const answer = await setPassword()
    expect([answer.status, answer.body, answer.setCookies]).toEqual([
      200,
      { status: true },
      [expect.stringMatching(/^floorpass_known_device=/)],
    ])
    expect((await signIn(newPassword)).status).toBe(200)
    expect((await get('/auth/get-session')).body).not.toBeNull()
    expect(await app.db.account.count({ where: { userId, providerId: 'google' } })).toBe(1)
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toBe('Your Floorpass account now has a password')
  })

  test('names the form field of a refused password', async () => {
    const { post } = await signInWithoutPassword()
    expect((await post('/trpc/passwords.set', { newPassword: 'short' })).body).toMatchObject({
      error: { data: { key: 'PASSWORD_TOO_SHORT', fields: { newPassword: expect.any(String) } } },
    })
  })

  test('ends links that reset a password or reauthenticate', async () => {
    const { setPassword, userId } = await signInWithoutPassword()
    await createEveryToken(app, userId)
    expect((await setPassword()).status).toBe(200)
    expect(await listVoidedPurposes(app, userId)).toEqual(['reauthenticate', 'reset-password'])
  })

  test('T101: is refused when the account has a password', async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/auth/set-password', { newPassword })
    expect([answer.status, answer.body]).toEqual([
      400,
      { code: 'PASSWORD_ALREADY_SET', message: 'User already has a password set' },
    ])
    const { email, password } = tab.person
    expect((await app.browser().post('/auth/sign-in/email', { email, password })).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(email)).toEqual([])
  })

  test('T101: succeeds once for twenty parallel requests, and the password of that request works', async () => {
    const { setPassword, signIn, userId } = await signInWithoutPassword()
    const passwords = Array.from({ length: 20 }, (_, count) => `violet harbor ladder ${count}`)
    const answers = await Promise.all(passwords.map(setPassword))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'PASSWORD_ALREADY_SET')).toHaveLength(19)
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await signIn(winner)).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId, action: 'set-password' } })).toBe(1)
  })

  test('T101: succeeds once for twenty parallel requests on an account whose password was cleared', async () => {
    const tab = await app.signedIn()
    await app.db.account.updateMany({ where: { userId: tab.userId }, data: { passwordHash: null } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => tab.post('/auth/set-password', { newPassword })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('T47, T101: needs an authentication from the last 15 minutes', async () => {
    const clock = holdClock()
    const { setPassword, signIn } = await signInWithoutPassword()
    clock.advance(15 * 60 + 1)
    const answer = await setPassword()
    expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
    expect((await signIn(newPassword)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test.each([
    ['short', 'PASSWORD_TOO_SHORT'],
    [`${'kJ7#pq2w'.repeat(16)}x`, 'PASSWORD_TOO_LONG'],
    ['password1', 'PASSWORD_TOO_COMMON'],
    [7, 'VALIDATION_ERROR'],
  ])('refuses the password %j', async (password, code) => {
    const { setPassword, userId } = await signInWithoutPassword()
    const answer = await setPassword(password)
    expect([answer.status, answer.code]).toEqual([400, code])
    expect(await app.db.account.count({ where: { userId, providerId: 'credential' } })).toBe(0)
  })

  test('allows five tries in 15 minutes', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    for (let count = 0; count < 5; count += 1)
      expect((await tab.post('/auth/set-password', { newPassword })).code).toBe('PASSWORD_ALREADY_SET')
    expect((await tab.post('/auth/set-password', { newPassword })).code).toBe('TOO_MANY_REQUESTS')
  })
})
