import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const openLink = (token: unknown, fields: Record<string, unknown> = {}) =>
  app.browser().post('/auth/verify-email', { token, ...fields })
const isVerified = async (email: string) => (await app.db.user.findUniqueOrThrow({ where: { email } })).emailVerified
const invalid = [400, { code: 'INVALID_TOKEN', message: 'Invalid token' }]

describe('verify-email', () => {
  test('verifies the email and opens no session', async () => {
    const { email } = await app.signUp()
    const tab = app.browser()
    const answer = await tab.post('/auth/verify-email', { token: app.outbox.lastTo(email).token })
    expect([answer.status, answer.body, answer.setCookies]).toEqual([200, { status: true, user: null }, []])
    expect(await isVerified(email)).toBe(true)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
    expect(await app.db.session.count({ where: { user: { email } } })).toBe(0)
  })

  test('T100: succeeds again without effect when the link is opened twice', async () => {
    const { email } = (await app.registered()).person
    const { token } = app.outbox.lastTo(email)
    await app.db.user.update({ where: { email }, data: { name: 'Changed since' } })
    const answer = await openLink(token)
    expect([answer.status, answer.body, answer.setCookies]).toEqual([200, { status: true, user: null }, []])
    expect(await app.db.user.findUniqueOrThrow({ where: { email } })).toMatchObject({
      name: 'Changed since',
      emailVerified: true,
    })
    expect(await app.db.auditEvent.count({ where: { user: { email }, action: 'verify-email' } })).toBe(1)
  })

  test('T92: succeeds for twenty parallel uses and takes effect once', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    const answers = await Promise.all(Array.from({ length: 20 }, () => openLink(token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await app.db.auditEvent.count({ where: { user: { email }, action: 'verify-email' } })).toBe(1)
  })

  test('T92: takes effect once when five links of one email are opened in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { email } = await app.signUp()
      for (let count = 0; count < 4; count += 1) await app.signUp(app.person({ email }))
      const answers = await Promise.all(app.outbox.to(email).map(({ token }) => openLink(token)))
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
      expect(await app.db.auditEvent.count({ where: { user: { email }, action: 'verify-email' } })).toBe(1)
    }
  })

  test('T94: accepts a link until its last second, even when no clean-up runs', async () => {
    const clock = holdClock()
    const early = await app.signUp()
    const late = await app.signUp()
    clock.advance(24 * 3600 - 1)
    expect((await openLink(app.outbox.lastTo(early.email).token)).status).toBe(200)
    clock.advance(2)
    const answer = await openLink(app.outbox.lastTo(late.email).token)
    expect([answer.status, answer.body]).toEqual([400, { code: 'TOKEN_EXPIRED', message: 'Token expired' }])
    expect(await isVerified(late.email)).toBe(false)
  })

  test('T104: takes effect only once when the clock goes back', async () => {
    const clock = holdClock()
    const { email } = (await app.registered()).person
    clock.advance(-3600)
    await openLink(app.outbox.lastTo(email).token)
    expect(await app.db.auditEvent.count({ where: { user: { email }, action: 'verify-email' } })).toBe(1)
  })

  test('T95: refuses an altered token', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    const swapped = [...token]
      .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
      .join('')
    const last = token.endsWith('A') ? 'B' : 'A'
    for (const altered of [
      token.slice(0, -1),
      token.slice(1),
      `${token}A`,
      `A${token}`,
      ` ${token}`,
      `${token}=`,
      `${token}\n`,
      token.slice(0, -1) + last,
      swapped,
      [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
      token + token,
      'nonsense',
    ]) {
      const answer = await openLink(altered)
      expect([answer.status, answer.body]).toEqual(invalid)
    }
    expect(await isVerified(email)).toBe(false)
  })

  test('T121, T164: answers 400 to a token of another type, too long, or with NUL', async () => {
    for (const token of [undefined, null, '', 7, [], ['x'], {}, 'a'.repeat(513), 'a\u0000']) {
      const answer = await openLink(token)
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('T99: refuses a link to a former email of the account', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    await app.db.user.update({ where: { email }, data: { email: `new-${email}` } })
    const answer = await openLink(token)
    expect([answer.status, answer.body]).toEqual(invalid)
    expect(await isVerified(`new-${email}`)).toBe(false)
  })

  test('T99: refuses a used link to a former email of the account', async () => {
    const { email } = (await app.registered()).person
    const { token } = app.outbox.lastTo(email)
    await app.db.user.update({ where: { email }, data: { email: `newer-${email}`, emailVerified: false } })
    const answer = await openLink(token)
    expect([answer.status, answer.body]).toEqual(invalid)
    expect(await isVerified(`newer-${email}`)).toBe(false)
  })

  test('refuses a link of a deleted user', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    await app.db.user.delete({ where: { email } })
    const answer = await openLink(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })

  test('T63: refuses a foreign callbackURL and leaves the link unused', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    for (const callbackURL of ['https://evil.test', '//evil.test', 'javascript:alert(1)']) {
      const answer = await openLink(token, { callbackURL })
      expect([answer.status, answer.code]).toEqual([403, 'INVALID_CALLBACK_URL'])
    }
    expect(await isVerified(email)).toBe(false)
    expect((await openLink(token, { callbackURL: '/dashboard' })).status).toBe(200)
  })

  test('T55: verifies nothing when a browser opens the link or sends HEAD, because the page has a button', async () => {
    const { email } = await app.signUp()
    const { token, link } = app.outbox.lastTo(email)
    expect(link.pathname).toBe('/verify-email')
    const address = `/auth/verify-email?token=${token}&callbackURL=%2Fdashboard%3Fa%3D1`
    const page = `/verify-email?token=${token}&callbackURL=%2Fdashboard%3Fa%3D1`
    for (const headers of [
      { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' },
      { 'sec-fetch-mode': 'navigate' },
      { accept: 'application/json', 'sec-fetch-mode': 'navigate' },
    ]) {
      const answer = await app.browser().get(address, { headers })
      expect([answer.status, answer.headers.get('location'), answer.setCookies]).toEqual([302, page, []])
    }
    await app.browser().request('HEAD', address)
    await app.browser().get(link.pathname + link.search)
    expect(await isVerified(email)).toBe(false)
  })

  test("verifies the email for a program's GET, with the same answers as POST", async () => {
    const { email } = await app.signUp()
    const get = (token: string) => app.browser().get(`/auth/verify-email?token=${token}`, { headers: { accept: '*/*' } })
    const { token } = app.outbox.lastTo(email)
    const answers = [await get(token), await get(token), await openLink(token)]
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([200, { status: true, user: null }]))
    expect(await isVerified(email)).toBe(true)
    const wrong = await get('nonsense')
    expect([wrong.status, wrong.body]).toEqual(invalid)
    expect((await app.browser().get('/auth/verify-email')).body).toEqual({
      code: 'VALIDATION_ERROR',
      message: '[query.token] Invalid input: expected string, received undefined',
    })
  })
})
