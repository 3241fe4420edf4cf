import { createResponseFloor } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const ask = (fields: Record<string, unknown>, tab = app.browser()) => tab.post('/auth/send-verification-email', fields)
const seen = ({ status, headers, body, setCookies }: Answer) => ({
  status,
  body,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id')),
})

describe('send-verification-email', () => {
  test('mails a link that works', async () => {
    const { email } = await app.signUp()
    expect((await ask({ email: email.toUpperCase(), callbackURL: '/dashboard' })).body).toEqual({ status: true })
    await app.mailed()
    expect(app.outbox.to(email)).toHaveLength(2)
    const { link, token } = app.outbox.lastTo(email)
    expect(link.searchParams.get('callbackURL')).toBe('/dashboard')
    expect((await app.browser().post('/auth/verify-email', { token })).status).toBe(200)
  })

  test('T7: unknown, verified, suspended and unverified addresses get one answer, no sooner than after 200 ms', async () => {
    app.service.deps.responseFloor = createResponseFloor()
    const unverified = await app.signUp()
    const verified = await app.verified()
    const suspended = await app.signUp()
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    const before = app.outbox.mails.length
    const addresses = [unverified.email, verified.email, suspended.email, 'nobody@example.test']
    const answers = await Promise.all(
      addresses.map(async (email) => {
        const started = performance.now()
        const answer = await ask({ email })
        expect(performance.now() - started).toBeGreaterThan(195)
        return seen(answer)
      }),
    )
    expect(answers[0]).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    await app.mailed()
    expect(app.outbox.mails.slice(before).map(({ to }) => to)).toEqual([unverified.email])
  })

  test('signed in, it must be the own address, and unproved', async () => {
    const tab = await app.signedIn()
    const other = await app.signUp()
    const mismatch = await ask({ email: other.email }, tab)
    expect([mismatch.status, mismatch.body]).toEqual([400, { code: 'EMAIL_MISMATCH', message: 'Email mismatch' }])
    const proved = await ask({ email: tab.person.email }, tab)
    expect([proved.status, proved.body]).toEqual([400, { code: 'EMAIL_ALREADY_VERIFIED', message: 'Email is already verified' }])
    await app.db.user.update({ where: { id: tab.userId }, data: { emailVerified: false } })
    expect((await ask({ email: tab.person.email }, tab)).status).toBe(200)
    await app.mailed()
    expect(app.outbox.to(tab.person.email)).toHaveLength(2)
    expect(app.outbox.to(other.email)).toHaveLength(1)
  })

  test('T63: a foreign callbackURL is refused, and nothing is mailed', async () => {
    const { email } = await app.signUp()
    for (const callbackURL of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)', '']) {
      const answer = await ask({ email, callbackURL })
      expect([answer.status, answer.code]).toEqual([403, 'INVALID_CALLBACK_URL'])
    }
    await app.mailed()
    expect(app.outbox.to(email)).toHaveLength(1)
  })

  test('T121, T155: what is no single address is 400', async () => {
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
      const answer = await ask({ email })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('the links of the sign-up and of the later mail both work, and the first that is followed voids the other', async () => {
    const { email } = await app.signUp()
    await ask({ email })
    await app.mailed()
    const [first, second] = app.outbox.to(email)
    await app.browser().post('/auth/verify-email', { token: first?.token })
    const unused = await app.db.verification.count({ where: { email, usedAt: null } })
    expect([unused, first?.token === second?.token]).toEqual([0, false])
  })
})

describe('send-verification-email under its limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const from = (ip: string) => limited.browser({ ip })

  test('T23: one address gets at most five mails an hour, from however many places they are asked for, and the answer stays quiet', async () => {
    const { email } = await limited.signUp()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, place) => ask({ email }, from(`192.0.2.${place}`))))
    const unknown = await ask({ email: 'nobody@example.test' }, from('198.51.100.1'))
    for (const answer of answers) expect(seen(answer)).toEqual(seen(unknown))
    await limited.mailed()
    expect(limited.outbox.to(email)).toHaveLength(5)
  })

  test('one caller asks at most ten times a minute, for known and unknown addresses alike', async () => {
    const { email } = await limited.signUp()
    for (const [ip, address] of [
      ['203.0.113.1', email],
      ['203.0.113.2', 'nobody@example.test'],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask({ email: address }, from(ip))))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(2)
    }
  })
})
