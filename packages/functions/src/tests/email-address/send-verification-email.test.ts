import { createResponseFloor } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const requestMail = (fields: Record<string, unknown>, tab = app.browser()) => tab.post('/auth/send-verification-email', fields)
const getComparable = ({ status, headers, body, setCookies }: Answer) => ({
  status,
  body,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id')),
})

describe('send-verification-email', () => {
  test('sends a link that works', async () => {
    const { email } = await app.signUp()
    expect((await requestMail({ email: email.toUpperCase(), callbackURL: '/dashboard' })).body).toEqual({ status: true })
    await app.drainMail()
    expect(app.outbox.to(email)).toHaveLength(2)
    const { link, token } = app.outbox.lastTo(email)
    expect(link.searchParams.get('callbackURL')).toBe('/dashboard')
    expect((await app.browser().post('/auth/verify-email', { token })).status).toBe(200)
  })

  test('T7: answers alike for unknown, verified, suspended and unverified emails, no sooner than after 200 ms', async () => {
    app.service.deps.responseFloor = createResponseFloor()
    const unverified = await app.signUp()
    const verified = await app.verified()
    const suspended = await app.signUp()
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    const before = app.outbox.mails.length
    const addresses = [unverified.email, verified.email, suspended.email, 'unknown@example.test']
    const answers = await Promise.all(
      addresses.map(async (email) => {
        const started = performance.now()
        const answer = await requestMail({ email })
        expect(performance.now() - started).toBeGreaterThan(195)
        return getComparable(answer)
      }),
    )
    expect(answers[0]).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    await app.drainMail()
    expect(app.outbox.mails.slice(before).map(({ to }) => to)).toEqual([unverified.email])
  })

  test("needs the user's own unverified email when signed in", async () => {
    const tab = await app.signedIn()
    const other = await app.signUp()
    const mismatch = await requestMail({ email: other.email }, tab)
    expect([mismatch.status, mismatch.body]).toEqual([400, { code: 'EMAIL_MISMATCH', message: 'Email mismatch' }])
    const verified = await requestMail({ email: tab.person.email }, tab)
    expect([verified.status, verified.body]).toEqual([
      400,
      { code: 'EMAIL_ALREADY_VERIFIED', message: 'Email is already verified' },
    ])
    await app.db.user.update({ where: { id: tab.userId }, data: { emailVerified: false } })
    expect((await requestMail({ email: tab.person.email }, tab)).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(tab.person.email)).toHaveLength(1)
    expect(app.outbox.to(other.email)).toHaveLength(1)
  })

  test('T63: refuses a foreign callbackURL and sends no mail', async () => {
    const { email } = await app.signUp()
    for (const callbackURL of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)', '']) {
      const answer = await requestMail({ email, callbackURL })
      expect([answer.status, answer.code]).toEqual([403, 'INVALID_CALLBACK_URL'])
    }
    await app.drainMail()
    expect(app.outbox.to(email)).toHaveLength(1)
  })

  test('T121, T155: answers 400 to anything but a single email', async () => {
    for (const email of [
      undefined,
      null,
      7,
      [],
      ['ada@example.test'],
      {},
      'ada',
      'a@example.test,b@example.test',
      'a@example.test\r\nBcc: b@example.test',
      '"a b"@example.test',
    ]) {
      const answer = await requestMail({ email })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('leaves the sign-up link working, and the first link opened makes the other stop working', async () => {
    const { email } = await app.signUp()
    await requestMail({ email })
    await app.drainMail()
    const [first, second] = app.outbox.to(email)
    await app.browser().post('/auth/verify-email', { token: first?.token })
    const unused = await app.db.verification.count({ where: { email, usedAt: null } })
    expect([unused, first?.token === second?.token]).toEqual([0, false])
  })
})

describe('send-verification-email with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const createBrowserAt = (ip: string) => limited.browser({ ip })

  test('T23: sends at most five mails an hour to one email from many IP addresses, and the answer stays the same', async () => {
    const { email } = await limited.signUp()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => requestMail({ email }, createBrowserAt(`192.0.2.${place}`))),
    )
    const unknown = await requestMail({ email: 'unknown@example.test' }, createBrowserAt('198.51.100.1'))
    for (const answer of answers) expect(getComparable(answer)).toEqual(getComparable(unknown))
    await limited.drainMail()
    expect(limited.outbox.to(email)).toHaveLength(5)
  })

  test('allows one IP address ten requests a minute, for known and unknown emails alike', async () => {
    const { email } = await limited.signUp()
    for (const [ip, address] of [
      ['203.0.113.1', email],
      ['203.0.113.2', 'unknown@example.test'],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => requestMail({ email: address }, createBrowserAt(ip))))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(2)
    }
  })
})
