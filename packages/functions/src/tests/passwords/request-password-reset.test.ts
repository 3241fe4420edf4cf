import { createResponseFloor } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const frontEnd = 'https://app.example.test'
const app = await createTestApp({ TRUSTED_ORIGINS: frontEnd })

const requestReset = (fields: Record<string, unknown>, path = 'forget-password') => app.browser().post(`/auth/${path}`, fields)
const openLink = (link: URL) => app.browser().get(link.pathname + link.search)
const getComparable = ({ status, headers, body, setCookies }: Answer) => ({
  status,
  body,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id')),
})
const getRedirect = ({ status, headers }: Answer) => [status, headers.get('location')]
const getLastMail = async (email: string, { drainMail, outbox }: Pick<TestApp, 'drainMail' | 'outbox'> = app) => {
  await drainMail()
  return outbox.lastTo(email)
}

describe('forget-password', () => {
  test.each(['forget-password', 'request-password-reset'])('%s mails a link that sets a new password', async (path) => {
    const { email } = await app.verified()
    const answer = await requestReset({ email: email.toUpperCase() }, path)
    expect([answer.status, answer.setCookies]).toEqual([200, []])
    expect(answer.body).toEqual({
      status: true,
      message: 'If this email exists in our system, check your email for the reset link',
    })
    const mail = await getLastMail(email)
    expect(mail.subject).toBe('Choose a new password for Floorpass')
    expect(mail.link.origin + mail.link.pathname).toBe(`${app.baseUrl}/reset-password`)
    expect([...mail.link.searchParams.keys()]).toEqual(['token'])
    expect(await app.db.auditEvent.count({ where: { user: { email }, action: 'request-password-reset' } })).toBe(1)
    const newPassword = 'violet harbor ladder'
    expect((await app.browser().post('/auth/reset-password', { token: mail.token, newPassword })).status).toBe(200)
    expect((await app.browser().post('/auth/sign-in/email', { email, password: newPassword })).status).toBe(200)
  })

  test('T1: answers alike for unknown, suspended, unverified, social-only and ordinary emails, no sooner than after 200 ms', async () => {
    app.service.deps.responseFloor = createResponseFloor()
    const ordinary = await app.verified()
    const unverified = await app.signUp()
    const suspended = await app.verified()
    const social = await app.verified()
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    await app.db.account.deleteMany({ where: { user: { email: social.email } } })
    const before = app.outbox.mails.length
    const answers = await Promise.all(
      [ordinary.email, unverified.email, social.email, suspended.email, 'unknown@example.test'].map(async (email) => {
        const started = performance.now()
        const answer = await requestReset({ email })
        expect(performance.now() - started).toBeGreaterThan(195)
        return getComparable(answer)
      }),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 200, setCookies: [] })
    await app.drainMail()
    const reached = app.outbox.mails.slice(before).map(({ to }) => to)
    expect(reached.sort()).toEqual([ordinary.email, unverified.email, social.email].sort())
  })

  test('T171: mails no one for a look-alike of an email', async () => {
    const { email } = await app.verified()
    const before = app.outbox.mails.length
    for (const similar of [
      email.replace('a', '\u0430'),
      email.replace('@', '\uff20'),
      email.replace('d', 'd\u200b'),
      `${email}.`,
    ])
      expect((await requestReset({ email: similar })).code).toBe('VALIDATION_ERROR')
    expect((await requestReset({ email: email.replace('@', '+tag@') })).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.mails).toHaveLength(before)
  })

  test('T93: sends a link that makes the older ones stop working', async () => {
    const { email } = await app.verified()
    await requestReset({ email })
    const older = await getLastMail(email)
    await requestReset({ email })
    const newest = await getLastMail(email)
    const reset = (token: string) => app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect((await reset(older.token)).code).toBe('INVALID_TOKEN')
    expect((await reset(newest.token)).status).toBe(200)
  })

  test('leaves one working link after ten parallel requests', async () => {
    const { email } = await app.verified()
    await Promise.all(Array.from({ length: 10 }, () => requestReset({ email })))
    await app.drainMail()
    expect(await app.db.verification.count({ where: { email, purpose: 'reset-password' } })).toBe(1)
    const links = app.outbox.to(email).filter(({ link }) => link.pathname === '/reset-password')
    expect(links).toHaveLength(10)
    const answers = await Promise.all(
      links.map(({ token }) => app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test.each([
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    '/%2f/evil.test',
    '/%5cevil.test',
    '/\t/evil.test',
    'http://localhost:3000@evil.test/',
    'http://user@localhost:3000/',
    'http://localhost:3000.evil.test/',
    'https://app.example.test.evil.test/',
    'http://app.example.test/',
    'https://app.example.test:444/',
    'https://sub.app.example.test/',
    'reset-password',
    '',
  ])('T63: refuses the redirectTo %j for every email and sends no mail', async (redirectTo) => {
    const { email } = await app.verified()
    for (const address of [email, 'unknown@example.test']) {
      const answer = await requestReset({ email: address, redirectTo })
      expect([answer.status, answer.body]).toEqual([403, { code: 'INVALID_REDIRECT_URL', message: 'Invalid redirectURL' }])
    }
    await app.drainMail()
    expect(app.outbox.to(email)).toEqual([])
  })

  test('T152: builds the mailed link from the configured address, whatever the headers', async () => {
    const { email } = await app.verified()
    const headers = {
      'x-forwarded-host': 'evil.test',
      forwarded: 'host=evil.test',
      host: 'evil.test',
      'x-original-url': '//evil.test',
    }
    await app.browser().post('/auth/forget-password', { email }, { headers })
    const mail = await getLastMail(email)
    expect(mail.link.origin).toBe(app.baseUrl)
    expect(mail.html + mail.text).not.toContain('evil.test')
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
      'a@b.test\r\nBcc: c@d.test',
    ])
      expect((await requestReset({ email })).code).toBe('VALIDATION_ERROR')
  })
})

describe('a reset link to another front end', () => {
  const requestLink = async (redirectTo: string) => {
    const { email } = await app.verified()
    expect((await requestReset({ email, redirectTo })).status).toBe(200)
    return { email, ...(await getLastMail(email)) }
  }

  test('goes through this service, which redirects with the token and does not use the link up', async () => {
    const { link, token, html } = await requestLink(`${frontEnd}/reset?lang=fr#form`)
    expect(link.origin + link.pathname).toBe(`${app.baseUrl}/auth/reset-password`)
    for (const target of html.matchAll(/href="([^"]*)"/g)) expect(target[1]?.startsWith(app.baseUrl)).toBe(true)
    const answers = [await openLink(link), await openLink(link)]
    for (const answer of answers) {
      expect(getRedirect(answer)).toEqual([302, `${frontEnd}/reset?lang=fr&token=${token}#form`])
      expect([answer.setCookies, answer.headers.get('cache-control')]).toEqual([[], 'no-store'])
    }
    const reset = await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(reset.status).toBe(200)
    expect(getRedirect(await openLink(link))).toEqual([302, `${frontEnd}/reset?lang=fr&error=INVALID_TOKEN#form`])
  })

  test('redirects to a path of this service', async () => {
    const { link, token } = await requestLink('/welcome-back')
    expect(getRedirect(await openLink(link))).toEqual([302, `/welcome-back?token=${token}`])
  })

  test('redirects with an error when the token is expired or invalid', async () => {
    const clock = holdClock()
    const { link } = await requestLink(frontEnd)
    clock.advance(3600)
    expect(getRedirect(await openLink(link))).toEqual([302, `${frontEnd}?error=TOKEN_EXPIRED`])
    link.searchParams.set('token', 'nonsense')
    expect(getRedirect(await openLink(link))).toEqual([302, `${frontEnd}?error=INVALID_TOKEN`])
  })

  test('T60: redirects to no untrusted page, with a valid token or not, and does not reveal the token', async () => {
    const { link, token } = await requestLink(frontEnd)
    for (const target of [
      'https://evil.test',
      '//evil.test',
      '/\\evil.test',
      'javascript:alert(1)',
      'https://app.example.test@evil.test/',
    ]) {
      for (const presented of [token, 'nonsense']) {
        link.searchParams.set('callbackURL', target)
        link.searchParams.set('token', presented)
        const answer = await openLink(link)
        expect([answer.status, answer.code, answer.headers.get('location')]).toEqual([403, 'INVALID_CALLBACK_URL', null])
        expect(JSON.stringify(answer.body)).not.toContain(token)
      }
    }
  })

  test('answers 400 without a target or a token', async () => {
    for (const query of ['', '?token=x', '?callbackURL=%2Fx', '?token=&callbackURL=%2Fx', '?token=x&callbackURL=']) {
      const answer = await app.browser().get(`/auth/reset-password${query}`)
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^\[query\./) })
    }
  })

  test('redirects with an error when the token is for another purpose', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    const answer = await app.browser().get(`/auth/reset-password?token=${token}&callbackURL=%2Fx`)
    expect(getRedirect(answer)).toEqual([302, '/x?error=INVALID_TOKEN'])
  })
})

describe('forget-password with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const requestResetFrom = (ip: string, email: string) => limited.browser({ ip }).post('/auth/forget-password', { email })

  test('T23: sends at most five mails an hour to one email from many IP addresses, and the answer stays the same', async () => {
    const { email } = await limited.verified()
    const before = limited.outbox.to(email).length
    const answers = await Promise.all(Array.from({ length: 20 }, (_, place) => requestResetFrom(`192.0.2.${place}`, email)))
    const unknown = await requestResetFrom('198.51.100.1', 'unknown@example.test')
    for (const answer of answers) expect(getComparable(answer)).toEqual(getComparable(unknown))
    await limited.drainMail()
    // Sign-up mails have their own limit: flooding an email with them must not block the owner's reset.
    expect(limited.outbox.to(email).length).toBe(before + 5)
    const { token } = limited.outbox.lastTo(email)
    const reset = await limited.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(reset.status).toBe(200)
  })

  test('allows one IP address ten requests a minute, for known and unknown emails alike', async () => {
    const { email } = await limited.verified()
    for (const [ip, address] of [
      ['203.0.113.1', email],
      ['203.0.113.2', 'unknown@example.test'],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => requestResetFrom(ip, address)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(2)
    }
  })
})
