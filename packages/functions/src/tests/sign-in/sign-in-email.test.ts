import { getSessionToken } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type Person, type TestApp } from '@floorpass/testing/create-test-app'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()

const credentials = ({ email, password }: Person) => ({ email, password })
const getSession = async (cookie: string) => (await app.browser().get('/auth/get-session', { headers: { cookie } })).body

/** Runs `meanwhile` between each password comparison and its answer, until the test ends. */
function runAfterCompare(testApp: TestApp, meanwhile: () => Promise<unknown>): void {
  const { passwords } = testApp.service.deps
  onTestFinished(() => {
    testApp.service.deps.passwords = passwords
  })
  testApp.service.deps.passwords = {
    ...passwords,
    async verify(hash, password) {
      const matches = await passwords.verify(hash, password)
      await meanwhile()
      return matches
    },
  }
}

describe('sign-in with email and password', () => {
  test('opens a session and sets its cookie', async () => {
    holdClock()
    const { email, password } = await app.verified()
    const tab = app.browser()
    const answer = await signIn(app, { email, password }, { tab })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ redirect: false, user: { email, emailVerified: true } })
    expect(answer.setCookies).toEqual([
      expect.stringMatching(/^local-floorpass_session=[\w-]{43}; HttpOnly; Max-Age=604800; Path=\/; SameSite=Lax$/),
      expect.stringMatching(/^floorpass_known_device=[\w.-]+; HttpOnly; Max-Age=15552000; Path=\/; SameSite=Lax$/),
      'floorpass_sign_in_method=password; HttpOnly; Max-Age=31536000; Path=/; SameSite=Lax',
    ])
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email } })
  })

  test('accepts the email in any case', async () => {
    const { email, password } = await app.verified()
    expect((await signIn(app, { email: email.toUpperCase(), password })).status).toBe(200)
  })

  test('T4: answers a wrong password, an unknown email, an account without a password and a suspended account alike', async () => {
    const known = await app.verified()
    const social = await app.verified()
    await app.db.account.deleteMany({ where: { user: { email: social.email } } })
    const withoutHash = await app.verified()
    await app.db.account.updateMany({ where: { user: { email: withoutHash.email } }, data: { passwordHash: null } })
    const suspended = await app.verified()
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    const cases = [
      { ...credentials(known), password: 'something else' },
      { ...credentials(known), email: 'unknown@example.test' },
      credentials(social),
      credentials(withoutHash),
      credentials(suspended),
    ]
    let compared = 0
    runAfterCompare(app, async () => {
      compared += 1
    })
    const [first, ...rest] = await Promise.all(cases.map((fields) => signIn(app, fields)))
    const seen = (answer: typeof first) => ({
      status: answer?.status,
      body: answer?.body,
      headers: Object.fromEntries([...(answer?.headers ?? [])].filter(([name]) => name !== 'x-request-id')),
    })
    expect(first?.status).toBe(401)
    expect(first?.body).toEqual({ code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' })
    expect(first?.setCookies).toEqual([])
    for (const answer of rest) expect(seen(answer)).toEqual(seen(first))
    expect(compared).toBe(cases.length)
  })

  test('reveals that the email is unverified only when the password is right', async () => {
    const { email, password } = await app.signUp()
    expect((await signIn(app, { email, password })).code).toBe('EMAIL_NOT_VERIFIED')
    expect((await signIn(app, { email, password: 'something else' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await app.db.session.count({ where: { user: { email } } })).toBe(0)
  })

  test('stores only the hash of the token', async () => {
    const tab = await app.signedIn()
    expect(getSessionToken(tab)).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(await app.readAllRows())).not.toContain(getSessionToken(tab))
    expect(JSON.stringify(app.logs)).not.toContain(getSessionToken(tab))
  })

  test('T31: a new sign-in in the same browser ends the former session', async () => {
    const tab = await app.signedIn()
    const former = getSessionToken(tab)
    await signIn(app, credentials(tab.person), { tab })
    expect(getSessionToken(tab)).not.toBe(former)
    expect(await getSession(`local-floorpass_session=${former}`)).toBeNull()
  })

  test('T31: replaces a token that was in the browser before the sign-in', async () => {
    const { email, password } = await app.verified()
    const tab = app.browser()
    const planted = 'p'.repeat(43)
    tab.cookies.set('local-floorpass_session', planted)
    await signIn(app, { email, password }, { tab })
    expect(getSessionToken(tab)).not.toBe(planted)
    expect(await getSession(`local-floorpass_session=${planted}`)).toBeNull()
  })

  test('without "remember me" ends the cookie with the browser and the session after a day', async () => {
    const clock = holdClock()
    const { email, password } = await app.verified()
    const tab = app.browser()
    const answer = await signIn(app, { email, password, rememberMe: false }, { tab })
    expect(answer.setCookies[0]).not.toMatch(/Max-Age|Expires/)
    clock.advance(23 * 3600)
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
    clock.advance(3600)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })

  test('T32: gives tokens that are unique and share no character in any place', async () => {
    const person = await app.verified()
    const tokens: string[] = []
    for (let count = 0; count < 40; count += 1) {
      const tab = app.browser()
      await signIn(app, credentials(person), { tab })
      tokens.push(getSessionToken(tab))
    }
    expect(new Set(tokens).size).toBe(40)
    for (let place = 0; place < 43; place += 1) expect(new Set(tokens.map((token) => token[place])).size).toBeGreaterThan(1)
  })

  test('accepts a form, but not a rememberMe that is text', async () => {
    const person = await app.verified()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (fields: Record<string, string>) =>
      app.browser().post('/auth/sign-in/email', new URLSearchParams(fields).toString(), { headers })
    expect((await send(credentials(person))).status).toBe(200)
    const refused = await send({ ...credentials(person), rememberMe: 'false' })
    expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('T121: answers 400 to arrays, objects and missing fields', async () => {
    for (const fields of [
      {},
      { email: [], password: {} },
      { email: 'ada@example.test', password: ['x'] },
      { email: 'no address', password: 'x' },
    ]) {
      const answer = await signIn(app, fields)
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('returns a trusted callbackURL as url', async () => {
    const person = await app.verified()
    for (const callbackURL of ['/dashboard?tab=1#top', `${app.baseUrl}/dashboard`]) {
      expect((await signIn(app, { ...credentials(person), callbackURL })).body).toMatchObject({
        redirect: true,
        url: callbackURL,
      })
    }
    expect((await signIn(app, credentials(person))).body).not.toHaveProperty('url')
  })

  test.each([
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    'javascript:alert(1)',
    '/%09/evil.test',
    'http://localhost:3000@evil.test',
  ])('T63: refuses the callbackURL %j, even with the right password', async (callbackURL) => {
    const person = await app.verified()
    const answer = await signIn(app, { ...credentials(person), callbackURL })
    expect([answer.status, answer.code, answer.setCookies]).toEqual([403, 'INVALID_CALLBACK_URL', []])
  })

  test.each([
    [
      'the password is changed',
      async (email: string) => {
        const passwordHash = await app.service.deps.passwords.hash('violet harbor ladder')
        await app.db.account.updateMany({ where: { user: { email } }, data: { passwordHash } })
      },
    ],
    ['the account is suspended', (email: string) => app.db.user.update({ where: { email }, data: { suspendedAt: new Date() } })],
    ['the user is deleted', (email: string) => app.db.user.deleteMany({ where: { email } })],
  ])('opens no session when %s during the password comparison', async (_, change) => {
    const person = await app.verified()
    runAfterCompare(app, () => change(person.email))
    const answer = await signIn(app, credentials(person))
    expect([answer.status, answer.code, answer.setCookies]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD', []])
    expect(await app.db.session.count({ where: { user: { email: person.email } } })).toBe(0)
  })

  test('T183: records successes and failures with IP address and user agent', async () => {
    const person = await app.verified()
    const headers = { 'user-agent': 'Firefox\u001b[31m/140' }
    const tab = app.browser({ ip: '203.0.113.9' })
    await tab.post('/auth/sign-in/email', { ...credentials(person), password: 'something else' }, { headers })
    await tab.post('/auth/sign-in/email', credentials(person), { headers: { 'user-agent': 'Firefox/140' } })
    const events = await app.db.auditEvent.findMany({
      where: { user: { email: person.email }, action: 'sign-in' },
      orderBy: { id: 'asc' },
    })
    expect(events).toMatchObject([
      { succeeded: false, ipAddress: '203.0.113.9', actorId: null },
      { succeeded: true, ipAddress: '203.0.113.9', userAgent: 'Firefox/140' },
    ])
  })
})

describe('the session cookie', () => {
  test('T44: is the only place where a token is accepted', async () => {
    const token = getSessionToken(await app.signedIn())
    const tab = app.browser()
    for (const answer of [
      await tab.get(`/auth/get-session?token=${token}&local-floorpass_session=${token}`),
      await tab.get('/auth/get-session', { headers: { authorization: `Bearer ${token}`, 'x-session-token': token } }),
    ]) {
      expect([answer.status, answer.body]).toEqual([200, null])
    }
    expect((await tab.post('/auth/update-user', { name: 'Eve', token, 'local-floorpass_session': token })).code).toBe(
      'UNAUTHORIZED',
    )
    expect(await getSession(`local-floorpass_session=${token}`)).not.toBeNull()
  })

  test('T45: answers signed out to malformed, huge, cut and altered tokens', async () => {
    const token = getSessionToken(await app.signedIn())
    const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
    const values = [
      '',
      '=',
      '%00',
      '"',
      '%',
      token.slice(0, -1),
      `${token}A`,
      flipped,
      token + token,
      'A'.repeat(8192),
      '\u00e9\u00ff',
      `${token} x`,
      `"${token}"`,
    ]
    for (const value of values) {
      const answer = await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${value}` } })
      expect([value, answer.status, answer.body]).toEqual([value, 200, null])
    }
    for (const cookie of [
      'local-floorpass_session',
      ';;;',
      '=x',
      `${token}`,
      `xlocal-floorpass_session=${token}`,
      `floorpass_session=${token}`,
      `Floorpass_Session=${token}`,
    ])
      expect(await getSession(cookie)).toBeNull()
  })

  test('T141: opens no session when the browser sends two different ones', async () => {
    const token = getSessionToken(await app.signedIn())
    const planted = getSessionToken(await app.signedIn())
    expect(await getSession(`local-floorpass_session=${token}; local-floorpass_session=${planted}`)).toBeNull()
    expect(await getSession(`local-floorpass_session=${planted}; local-floorpass_session=${token}`)).toBeNull()
    expect(await getSession(`local-floorpass_session=${token}; local-floorpass_session=${token}`)).not.toBeNull()
  })

  describe('on https', async () => {
    const deployed = {
      BASE_URL: 'https://accounts.example.test',
      AUTH_SECRET: 'k3yB8q-Zt0vR5nLw2XcJ7mPd9HsFgUaE4iToY6rQ',
      SMTP_URL: 'smtp://127.0.0.1:1',
      RATE_LIMIT: 'on',
    }

    test('T140, T141: is __Host-, Secure, Path=/ and without Domain, and its plain twin is ignored', async () => {
      const secure = await createTestApp(deployed)
      holdClock()
      const person = await secure.verified()
      const tab = secure.browser()
      const answer = await signIn(app, credentials(person), { tab })
      expect(answer.setCookies).toEqual([
        expect.stringMatching(/^__Host-floorpass_session=[\w-]{43}; HttpOnly; Max-Age=604800; Path=\/; SameSite=Lax; Secure$/),
        expect.stringMatching(
          /^__Host-floorpass_known_device=[\w.-]+; HttpOnly; Max-Age=15552000; Path=\/; SameSite=Lax; Secure$/,
        ),
        '__Host-floorpass_sign_in_method=password; HttpOnly; Max-Age=31536000; Path=/; SameSite=Lax; Secure',
      ])
      const token = tab.cookies.get('__Host-floorpass_session')
      expect(
        (await secure.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${token}` } })).body,
      ).toBeNull()
      expect((await tab.post('/auth/sign-out')).setCookies).toEqual([
        '__Host-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax; Secure',
      ])
    })

    test('has SameSite=None under COOKIE_SAMESITE=none, when set and when cleared', async () => {
      const secure = await createTestApp({ ...deployed, COOKIE_SAMESITE: 'none' })
      const tab = await secure.signedIn()
      const again = await signIn(app, credentials(tab.person), { tab })
      const crossSite = expect.stringMatching(/; Path=\/; SameSite=None; Secure$/)
      expect(again.setCookies).toEqual([crossSite, crossSite, crossSite])
      expect((await tab.post('/auth/sign-out')).setCookies).toEqual([
        expect.stringMatching(/=; HttpOnly; Max-Age=0; Path=\/; SameSite=None; Secure$/),
      ])
    })
  })
})

describe('sign-in with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const person = await limited.verified()
  const guessPassword = (email: string, ip: string, password = 'something else') =>
    limited.browser({ ip }).post('/auth/sign-in/email', { email, password })

  test('T11, T13: refuses the eleventh guess from any IP address, for known and unknown emails alike', async () => {
    for (const [net, email] of [
      ['192.0.2', (await limited.verified()).email],
      ['198.51.100', 'unknown@example.test'],
    ] as const) {
      const codes: (string | undefined)[] = []
      for (let place = 1; place <= 10; place += 1) codes.push((await guessPassword(email, `${net}.${place}`)).code)
      expect(codes).toEqual(Array(10).fill('INVALID_EMAIL_OR_PASSWORD'))
      const refused = await guessPassword(email.toUpperCase(), `${net}.11`)
      expect([refused.status, refused.body]).toEqual([
        429,
        { code: 'TOO_MANY_REQUESTS', message: 'Too many requests. Please try again later.' },
      ])
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(500)
      expect(seconds).toBeLessThanOrEqual(600)
      expect(refused.headers.get('x-retry-after')).toBe(String(seconds))
    }
  })

  test('T13: refuses the right password while the account has no tries left', async () => {
    const { email, password } = await limited.verified()
    for (let place = 1; place <= 10; place += 1) await guessPassword(email, `203.0.113.${place}`)
    expect((await guessPassword(email, '203.0.113.11', password)).code).toBe('TOO_MANY_REQUESTS')
  })

  test('T15: compares exactly ten of a hundred parallel guesses', async () => {
    const { email } = await limited.verified()
    let compared = 0
    runAfterCompare(limited, async () => {
      compared += 1
    })
    const answers = await Promise.all(Array.from({ length: 100 }, (_, place) => guessPassword(email, `10.0.0.${place}`)))
    expect(answers.filter(({ code }) => code === 'INVALID_EMAIL_OR_PASSWORD')).toHaveLength(10)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(90)
    expect(compared).toBe(10)
  })

  test('T14: allows one IP address thirty accounts a minute', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, count) => guessPassword(`spray-${count}@example.test`, '10.1.0.1')),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(70)
  })

  test('T28: resets the tries of the account on success, but not those of the IP address', async () => {
    const codes: (string | undefined)[] = []
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 9; count += 1) codes.push((await guessPassword(person.email, '10.2.0.1')).code)
      codes.push((await guessPassword(person.email, '10.2.0.1', person.password)).code)
    }
    const round = [...Array(9).fill('INVALID_EMAIL_OR_PASSWORD'), undefined]
    expect(codes).toEqual([...round, ...round, ...round])
    expect((await guessPassword(person.email, '10.2.0.1', person.password)).code).toBe('TOO_MANY_REQUESTS')
    expect((await guessPassword(person.email, '10.2.0.2', person.password)).status).toBe(200)
  })

  test('T25: counts callers without an IP address as one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, count) =>
        limited.browser().post('/auth/sign-in/email', { email: `nowhere-${count}@example.test`, password: 'x' }, { ip: null }),
      ),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  })

  test('T154: ignores forwarding headers unless the caller is a trusted proxy', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, count) => {
        const forged = `172.16.0.${count}`
        const headers = { 'x-forwarded-for': forged, 'x-real-ip': forged, 'cf-connecting-ip': forged, 'true-client-ip': forged }
        return limited
          .browser({ ip: '10.3.0.1' })
          .post('/auth/sign-in/email', { email: `forged-${count}@example.test`, password: 'x' }, { headers })
      }),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  })
})
