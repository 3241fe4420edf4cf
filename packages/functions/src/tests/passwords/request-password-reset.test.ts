import { createResponseFloor } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const elsewhere = 'https://app.example.test'
const app = await createTestApp({ TRUSTED_ORIGINS: elsewhere })

const ask = (fields: Record<string, unknown>, path = 'forget-password') => app.browser().post(`/auth/${path}`, fields)
const follow = (link: URL) => app.browser().get(link.pathname + link.search)
const seen = ({ status, headers, body, setCookies }: Answer) => ({
  status,
  body,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id')),
})
const redirect = ({ status, headers }: Answer) => [status, headers.get('location')]
const newestLink = async (email: string, { mailed, outbox }: Pick<TestApp, 'mailed' | 'outbox'> = app) => {
  await mailed()
  return outbox.lastTo(email)
}

describe('forget-password', () => {
  test.each(['forget-password', 'request-password-reset'])('%s mails a link that sets a new password', async (path) => {
    const { email } = await app.verified()
    const answer = await ask({ email: email.toUpperCase() }, path)
    expect([answer.status, answer.setCookies]).toEqual([200, []])
    expect(answer.body).toEqual({
      status: true,
      message: 'If this email exists in our system, check your email for the reset link',
    })
    const mail = await newestLink(email)
    expect(mail.subject).toBe('Choose a new password for Floorpass')
    expect(mail.link.origin + mail.link.pathname).toBe(`${app.baseUrl}/reset-password`)
    expect([...mail.link.searchParams.keys()]).toEqual(['token'])
    const newPassword = 'violet harbor ladder'
    expect((await app.browser().post('/auth/reset-password', { token: mail.token, newPassword })).status).toBe(200)
    expect((await app.browser().post('/auth/sign-in/email', { email, password: newPassword })).status).toBe(200)
  })

  test('T1: unknown, suspended, unverified, social-only and ordinary addresses get one answer, no sooner than after 200 ms', async () => {
    app.service.deps.responseFloor = createResponseFloor()
    const ordinary = await app.verified()
    const unverified = await app.signUp()
    const suspended = await app.verified()
    const social = await app.verified()
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    await app.db.account.deleteMany({ where: { user: { email: social.email } } })
    const before = app.outbox.mails.length
    const answers = await Promise.all(
      [ordinary.email, unverified.email, social.email, suspended.email, 'nobody@example.test'].map(async (email) => {
        const started = performance.now()
        const answer = await ask({ email })
        expect(performance.now() - started).toBeGreaterThan(195)
        return seen(answer)
      }),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 200, setCookies: [] })
    await app.mailed()
    const reached = app.outbox.mails.slice(before).map(({ to }) => to)
    expect(reached.sort()).toEqual([ordinary.email, unverified.email, social.email].sort())
  })

  test('T171: a look-alike of an address reaches nobody', async () => {
    const { email } = await app.verified()
    const before = app.outbox.mails.length
    for (const similar of [
      email.replace('a', '\u0430'),
      email.replace('@', '\uff20'),
      email.replace('d', 'd\u200b'),
      `${email}.`,
    ])
      expect((await ask({ email: similar })).code).toBe('VALIDATION_ERROR')
    expect((await ask({ email: email.replace('@', '+tag@') })).status).toBe(200)
    await app.mailed()
    expect(app.outbox.mails).toHaveLength(before)
  })

  test('T93: the newest link voids the older ones', async () => {
    const { email } = await app.verified()
    await ask({ email })
    const older = await newestLink(email)
    await ask({ email })
    const newest = await newestLink(email)
    const reset = (token: string) => app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect((await reset(older.token)).code).toBe('INVALID_TOKEN')
    expect((await reset(newest.token)).status).toBe(200)
  })

  test('of ten asked for at once one link works', async () => {
    const { email } = await app.verified()
    await Promise.all(Array.from({ length: 10 }, () => ask({ email })))
    await app.mailed()
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
  ])('T63: the redirectTo %j is refused for every address, and nothing is mailed', async (redirectTo) => {
    const { email } = await app.verified()
    for (const address of [email, 'nobody@example.test']) {
      const answer = await ask({ email: address, redirectTo })
      expect([answer.status, answer.body]).toEqual([403, { code: 'INVALID_REDIRECT_URL', message: 'Invalid redirectURL' }])
    }
    await app.mailed()
    expect(app.outbox.to(email)).toHaveLength(1)
  })

  test('T152: the mailed link is built from the configured address, whatever the request says', async () => {
    const { email } = await app.verified()
    const headers = {
      'x-forwarded-host': 'evil.test',
      forwarded: 'host=evil.test',
      host: 'evil.test',
      'x-original-url': '//evil.test',
    }
    await app.browser().post('/auth/forget-password', { email }, { headers })
    const mail = await newestLink(email)
    expect(mail.link.origin).toBe(app.baseUrl)
    expect(mail.html + mail.text).not.toContain('evil.test')
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
      'a@b.test\r\nBcc: c@d.test',
    ])
      expect((await ask({ email })).code).toBe('VALIDATION_ERROR')
  })
})

describe('the link of a front end elsewhere', () => {
  const linkTo = async (redirectTo: string) => {
    const { email } = await app.verified()
    expect((await ask({ email, redirectTo })).status).toBe(200)
    return { email, ...(await newestLink(email)) }
  }

  test('goes through this origin, which leads there with the token and uses nothing up', async () => {
    const { link, token, html } = await linkTo(`${elsewhere}/reset?lang=fr#form`)
    expect(link.origin + link.pathname).toBe(`${app.baseUrl}/auth/reset-password`)
    for (const target of html.matchAll(/href="([^"]*)"/g)) expect(target[1]?.startsWith(app.baseUrl)).toBe(true)
    const answers = [await follow(link), await follow(link)]
    for (const answer of answers) {
      expect(redirect(answer)).toEqual([302, `${elsewhere}/reset?lang=fr&token=${token}#form`])
      expect([answer.setCookies, answer.headers.get('cache-control')]).toEqual([[], 'no-store'])
    }
    const reset = await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(reset.status).toBe(200)
    expect(redirect(await follow(link))).toEqual([302, `${elsewhere}/reset?lang=fr&error=INVALID_TOKEN#form`])
  })

  test('leads to a path of this origin, too', async () => {
    const { link, token } = await linkTo('/welcome-back')
    expect(redirect(await follow(link))).toEqual([302, `/welcome-back?token=${token}`])
  })

  test('tells the front end when it is too late, or nonsense', async () => {
    const clock = holdClock()
    const { link } = await linkTo(elsewhere)
    clock.advance(3600)
    expect(redirect(await follow(link))).toEqual([302, `${elsewhere}?error=TOKEN_EXPIRED`])
    link.searchParams.set('token', 'nonsense')
    expect(redirect(await follow(link))).toEqual([302, `${elsewhere}?error=INVALID_TOKEN`])
  })

  test('T60: leads nowhere else, with a good token or a bad one, and does not give the token away', async () => {
    const { link, token } = await linkTo(elsewhere)
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
        const answer = await follow(link)
        expect([answer.status, answer.code, answer.headers.get('location')]).toEqual([403, 'INVALID_CALLBACK_URL', null])
        expect(JSON.stringify(answer.body)).not.toContain(token)
      }
    }
  })

  test('without a target or a token it is 400', async () => {
    for (const query of ['', '?token=x', '?callbackURL=%2Fx', '?token=&callbackURL=%2Fx', '?token=x&callbackURL=']) {
      const answer = await app.browser().get(`/auth/reset-password${query}`)
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^\[query\./) })
    }
  })

  test('a link of another purpose is none of its own', async () => {
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    const answer = await app.browser().get(`/auth/reset-password?token=${token}&callbackURL=%2Fx`)
    expect(redirect(answer)).toEqual([302, '/x?error=INVALID_TOKEN'])
  })
})

describe('forget-password under its limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const from = (ip: string, email: string) => limited.browser({ ip }).post('/auth/forget-password', { email })

  test('T23: one address gets at most five mails an hour, from however many places, and the answer stays quiet', async () => {
    const { email } = await limited.verified()
    const before = limited.outbox.to(email).length
    const answers = await Promise.all(Array.from({ length: 20 }, (_, place) => from(`192.0.2.${place}`, email)))
    const unknown = await from('198.51.100.1', 'nobody@example.test')
    for (const answer of answers) expect(seen(answer)).toEqual(seen(unknown))
    await limited.mailed()
    // The mail of the sign-up is counted apart: who floods an address with those must not keep its owner from a reset.
    expect(limited.outbox.to(email).length).toBe(before + 5)
    const { token } = limited.outbox.lastTo(email)
    const reset = await limited.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(reset.status).toBe(200)
  })

  test('one caller asks at most ten times a minute, for known and unknown addresses alike', async () => {
    const { email } = await limited.verified()
    for (const [ip, address] of [
      ['203.0.113.1', email],
      ['203.0.113.2', 'nobody@example.test'],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => from(ip, address)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(2)
    }
  })
})
