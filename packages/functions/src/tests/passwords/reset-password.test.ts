import { createApiKey } from '@floorpass/testing/api-keys'
import { isSignedIn } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const newPassword = 'violet harbor ladder'
const invalid = [400, { code: 'INVALID_TOKEN', message: 'Invalid token' }]
const resetPassword = (fields: Record<string, unknown>, tab = app.browser()) =>
  tab.post('/auth/reset-password', { newPassword, ...fields })
const requestResetToken = async ({ email }: Pick<Person, 'email'>) => {
  await app.browser().post('/auth/forget-password', { email })
  await app.drainMail()
  return app.outbox.lastTo(email).token
}
const countEvents = (email: string) => app.db.auditEvent.count({ where: { user: { email }, action: 'reset-password' } })

describe('reset-password', () => {
  test('sets the new password and opens no session', async () => {
    const person = await app.verified()
    const tab = app.browser()
    const answer = await resetPassword({ token: await requestResetToken(person) }, tab)
    expect([answer.status, answer.body, answer.setCookies]).toEqual([
      200,
      { status: true },
      [expect.stringMatching(/^floorpass_known_device=/)],
    ])
    expect(await isSignedIn(tab)).toBe(false)
    expect((await signIn(app, person)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(app, { ...person, password: newPassword })).status).toBe(200)
    expect(await countEvents(person.email)).toBe(1)
    await app.drainMail()
    expect(app.outbox.to(person.email).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('every device was signed out'),
    )
  })

  test('says in its email that API keys keep working, if the account has any', async () => {
    const mailAfter = async (prepare: (tab: Awaited<ReturnType<typeof app.signedIn>>) => Promise<unknown>) => {
      const tab = await app.signedIn()
      await prepare(tab)
      await resetPassword({ token: await requestResetToken(tab.person) })
      await app.drainMail()
      return app.outbox.lastTo(tab.person.email).text
    }
    const change = async (tab: Parameters<typeof createApiKey>[0], data: object) => {
      const { id } = await createApiKey(tab)
      await app.db.apiKey.update({ where: { id }, data })
    }
    const sentence = 'Your API keys keep working.'
    const working = await mailAfter(createApiKey)
    expect(working).toContain(sentence)
    expect(working).toContain(`${app.baseUrl}/settings/api-keys`)
    for (const prepare of [
      async () => undefined,
      (tab) => change(tab, { enabled: false }),
      (tab) => change(tab, { expiresAt: new Date() }),
      async (tab) => createApiKey(tab, { organizationId: (await found(tab)).id }),
    ] satisfies Parameters<typeof mailAfter>[0][]) {
      const text = await mailAfter(prepare)
      expect(text).toContain('every device was signed out')
      expect(text).not.toContain(sentence)
    }
  })

  test('names the form field of a refused password', async () => {
    const token = await requestResetToken(await app.verified())
    expect((await app.browser().post('/trpc/passwords.reset', { token, newPassword: 'short' })).body).toMatchObject({
      error: { data: { key: 'PASSWORD_TOO_SHORT', fields: { newPassword: expect.any(String) } } },
    })
  })

  test('T38: ends every session, trusted device and outstanding link', async () => {
    const one = await app.signedIn()
    const { userId, person } = one
    const other = app.browser()
    await other.post('/auth/sign-in/email', { email: person.email, password: person.password })
    await app.db.trustedDevice.create({
      data: { userId, secretHash: `device of ${userId}`, expiresAt: new Date(Date.now() + 1e6) },
    })
    await one.post('/auth/change-email', { newEmail: app.person().email })
    await one.post('/auth/delete-user', {})
    await app.drainMail()
    const deletion = app.outbox.lastTo(person.email).token
    const token = await requestResetToken(person)
    expect((await resetPassword({ token })).status).toBe(200)
    expect([await isSignedIn(one), await isSignedIn(other)]).toEqual([false, false])
    expect(await app.db.trustedDevice.count({ where: { userId } })).toBe(0)
    expect(await app.db.verification.count({ where: { userId, usedAt: null, purpose: { not: 'panic' } } })).toBe(0)
    const later = app.browser()
    await later.post('/auth/sign-in/email', { email: person.email, password: newPassword })
    expect((await later.post('/auth/delete-user', { token: deletion })).code).toBe('INVALID_TOKEN')
  })

  test('T91: succeeds once for twenty parallel requests, and the password of that request works', async () => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    const passwords = Array.from({ length: 20 }, (_, count) => `violet harbor ladder ${count}`)
    const answers = await Promise.all(passwords.map((password) => resetPassword({ token, newPassword: password })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200).map(({ code }) => code)).toEqual(Array(19).fill('INVALID_TOKEN'))
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await signIn(app, { ...person, password: winner })).status).toBe(200)
    expect(await countEvents(person.email)).toBe(1)
    await app.drainMail()
    expect(app.outbox.to(person.email).filter(({ subject }) => subject === 'Your Floorpass password was changed')).toHaveLength(1)
  })

  test('T91: refuses a second use', async () => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    await resetPassword({ token })
    const answer = await resetPassword({ token, newPassword: 'another harbor ladder' })
    expect([answer.status, answer.body]).toEqual(invalid)
    expect((await signIn(app, { ...person, password: newPassword })).status).toBe(200)
  })

  test('T94: accepts a link until its last second, even when no clean-up runs', async () => {
    const clock = holdClock()
    const [early, late] = [await app.verified(), await app.verified()]
    const [first, second] = [await requestResetToken(early), await requestResetToken(late)]
    clock.advance(3599)
    expect((await resetPassword({ token: first })).status).toBe(200)
    clock.advance(1)
    const answer = await resetPassword({ token: second })
    expect([answer.status, answer.body]).toEqual([400, { code: 'TOKEN_EXPIRED', message: 'Token expired' }])
    expect((await signIn(app, late)).status).toBe(200)
  })

  test('T95: refuses an altered token, and the real one still works', async () => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    const swapped = [...token]
      .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
      .join('')
    for (const altered of [
      token.slice(0, -1),
      token.slice(1),
      `${token}A`,
      ` ${token}`,
      `${token} `,
      `${token}=`,
      token + token,
      swapped,
      encodeURIComponent(encodeURIComponent(`%${token}`)),
      [...token].map((letter) => `%25${letter.charCodeAt(0).toString(16)}`).join(''),
      'nonsense',
    ]) {
      const answer = await resetPassword({ token: altered })
      expect([answer.status, answer.body]).toEqual(invalid)
    }
    expect((await resetPassword({ token })).status).toBe(200)
  })

  test('refuses a token for another purpose without using it up', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    const answer = await resetPassword({ token })
    expect([answer.status, answer.body]).toEqual(invalid)
    expect((await app.browser().post('/auth/verify-email', { token })).status).toBe(200)
  })

  test.each([
    ['short', 'PASSWORD_TOO_SHORT'],
    [`${'kJ7#pq2w'.repeat(16)}x`, 'PASSWORD_TOO_LONG'],
    ['password1', 'PASSWORD_TOO_COMMON'],
    ['', 'VALIDATION_ERROR'],
    [undefined, 'VALIDATION_ERROR'],
    [['violet harbor ladder'], 'VALIDATION_ERROR'],
  ])('refuses the new password %j, and the link stays usable', async (refused, code) => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    const answer = await resetPassword({ token, newPassword: refused })
    expect([answer.status, answer.code]).toEqual([400, code])
    expect((await signIn(app, person)).status).toBe(200)
    expect((await resetPassword({ token })).status).toBe(200)
  })

  test('sets the first password of an account that only signed in with a provider', async () => {
    const person = await app.verified()
    await app.db.account.deleteMany({ where: { user: { email: person.email } } })
    expect((await resetPassword({ token: await requestResetToken(person) })).status).toBe(200)
    expect((await signIn(app, { ...person, password: newPassword })).status).toBe(200)
  })

  test('T82: verifies the email, and ends the password and links of an earlier unverified sign-up', async () => {
    const attacker = await app.signUp()
    const attackersLink = app.outbox.lastTo(attacker.email).token
    expect((await resetPassword({ token: await requestResetToken(attacker) })).status).toBe(200)
    expect((await signIn(app, attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    const late = await app.browser().post('/auth/verify-email', { token: attackersLink })
    expect(late.code).toBe('INVALID_TOKEN')
    expect((await signIn(app, attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    const owner = await signIn(app, { ...attacker, password: newPassword })
    expect(owner.body).toMatchObject({ user: { emailVerified: true } })
  })

  test('T99: refuses a link to a former email of the account', async () => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    await app.db.user.update({ where: { email: person.email }, data: { email: `new-${person.email}` } })
    const answer = await resetPassword({ token })
    expect([answer.status, answer.body]).toEqual(invalid)
    expect((await signIn(app, { ...person, email: `new-${person.email}` })).status).toBe(200)
  })

  test('T39: changes nothing for a suspended account', async () => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    await app.db.user.update({ where: { email: person.email }, data: { suspendedAt: new Date() } })
    const answer = await resetPassword({ token })
    expect([answer.status, answer.body]).toEqual(invalid)
    await app.db.user.update({ where: { email: person.email }, data: { suspendedAt: null } })
    expect((await signIn(app, person)).status).toBe(200)
  })

  test('refuses a link of a deleted account', async () => {
    const person = await app.verified()
    const token = await requestResetToken(person)
    await app.db.user.delete({ where: { email: person.email } })
    const answer = await resetPassword({ token })
    expect([answer.status, answer.body]).toEqual(invalid)
  })

  test('T104: refuses a used link when the clock goes back', async () => {
    const clock = holdClock()
    const person = await app.verified()
    const token = await requestResetToken(person)
    await resetPassword({ token })
    clock.advance(-1800)
    expect((await resetPassword({ token })).code).toBe('INVALID_TOKEN')
  })

  test('leaves no session of the old password when sign-ins run in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await app.verified()
      const token = await requestResetToken(person)
      const [answer] = await Promise.all([resetPassword({ token }), ...Array.from({ length: 5 }, () => signIn(app, person))])
      expect(answer.status).toBe(200)
      expect(await app.db.session.count({ where: { user: { email: person.email } } })).toBe(0)
    }
  })

  test('T176, T177: keeps password and token out of every row, log line and answer', async () => {
    const canary = 'canary violet 2b7e151628'
    const person = await app.verified()
    const token = await requestResetToken(person)
    const answers = [
      await resetPassword({ token, newPassword: 'password1' }),
      await resetPassword({ token: `${token}x`, newPassword: canary }),
      await resetPassword({ token, newPassword: canary }),
      await resetPassword({ token, newPassword: canary }),
    ]
    const kept = JSON.stringify([await app.readAllRows(), app.logs, answers.map(({ body }) => body)])
    for (const secret of [canary, token])
      for (const form of [secret, ...(['base64', 'base64url', 'hex'] as const).map((name) => Buffer.from(secret).toString(name))])
        expect(kept).not.toContain(form)
  })
})

describe('reset-password with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('allows one IP address twenty tokens a minute, by GET and POST together', async () => {
    const tab = limited.browser({ ip: '192.0.2.7' })
    for (let count = 0; count < 10; count += 1) {
      expect((await tab.post('/auth/reset-password', { token: 'nonsense', newPassword })).code).toBe('INVALID_TOKEN')
      expect((await tab.get('/auth/reset-password?token=nonsense&callbackURL=%2Fx')).status).toBe(302)
    }
    expect((await tab.post('/auth/reset-password', { token: 'nonsense', newPassword })).code).toBe('TOO_MANY_REQUESTS')
    expect((await tab.get('/auth/reset-password?token=nonsense&callbackURL=%2Fx')).code).toBe('TOO_MANY_REQUESTS')
  })
})
