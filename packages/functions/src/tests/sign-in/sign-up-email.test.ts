import { createPasswordHasher, recommendedCost } from '@floorpass/api'
import type { Answer } from '@floorpass/testing/browser'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const signUp = (fields: Record<string, unknown>) => app.browser().post('/auth/sign-up/email', fields)
const openLink = (token: string) => app.browser().post('/auth/verify-email', { token })
const countUsers = (email: string) => app.db.user.count({ where: { email } })

/** Everything that a caller can compare, without ids, times and the request id. */
const getComparable = ({ status, headers, body, setCookies }: Answer, { name, email }: Pick<Person, 'name' | 'email'>) => ({
  status,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([header]) => header !== 'x-request-id')),
  body: JSON.stringify(body)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
    .replace(name, 'NAME')
    .replace(email, 'EMAIL'),
})

describe('sign-up with email and password', () => {
  test('creates a user and an account, sends one mail, and opens no session', async () => {
    const person = app.person()
    const tab = app.browser()
    const answer = await tab.post('/auth/sign-up/email', {
      ...person,
      riskLevel: 'aggressive',
      image: 'https://pics.example.test/a.png',
    })
    expect(answer.status).toBe(200)
    expect(answer.setCookies).toEqual([])
    const user = await app.db.user.findUniqueOrThrow({
      where: { email: person.email },
      include: { accounts: true, sessions: true },
    })
    expect(answer.body).toEqual({
      token: null,
      user: {
        id: user.id,
        name: person.name,
        email: person.email,
        emailVerified: false,
        image: 'https://pics.example.test/a.png',
        createdAt: user.createdAt.toISOString(),
        updatedAt: user.updatedAt.toISOString(),
        twoFactorEnabled: false,
        tradingEnabled: false,
        riskLevel: 'aggressive',
        heldUntil: null,
        role: 'user',
      },
    })
    expect(user).toMatchObject({ emailVerified: false, riskLevel: 'aggressive', locale: 'en', sessions: [] })
    expect(user.accounts).toEqual([expect.objectContaining({ providerId: 'credential', accountId: user.id })])
    expect((await tab.get('/auth/get-session')).body).toBeNull()
    await app.drainMail()
    const mail = app.outbox.lastTo(person.email)
    expect(mail.subject).toBe('Confirm your email for Floorpass')
    expect(mail.link.origin + mail.link.pathname).toBe(`${app.baseUrl}/verify-email`)
  })

  test('T3: answers alike for a taken email, creates no second user, and mails the owner', async () => {
    const owner = await app.verified()
    const free = app.person()
    const attacker = { ...app.person(), email: owner.email }
    const answers = [getComparable(await signUp(free), free), getComparable(await signUp(attacker), attacker)]
    expect(answers[1]).toEqual(answers[0])
    expect(answers[1]?.status).toBe(200)
    expect(answers[1]?.setCookies).toEqual([])
    expect(await countUsers(owner.email)).toBe(1)
    await app.drainMail()
    expect(app.outbox.lastTo(owner.email).subject).toBe('You already have a Floorpass account')
    expect(app.outbox.lastTo(owner.email).token).toBe('')
    expect((await signIn(app, owner)).status).toBe(200)
    expect((await signIn(app, attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('T3: answers alike for an unverified email', async () => {
    const first = await app.signUp()
    const free = app.person()
    const second = { ...app.person(), email: first.email }
    expect(getComparable(await signUp(second), second)).toEqual(getComparable(await signUp(free), free))
    expect(await countUsers(first.email)).toBe(1)
  })

  test('T173: creates one user and one account from twenty parallel requests', async () => {
    const person = app.person()
    const answers = await Promise.all(Array.from({ length: 20 }, () => signUp(person)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await countUsers(person.email)).toBe(1)
    expect(await app.db.account.count({ where: { user: { email: person.email } } })).toBe(1)
  })

  test('T172: treats upper and lower case as one email, and refuses stray dots and spaces', async () => {
    const person = app.person()
    const spellings = [person.email, person.email.toUpperCase(), person.email.replace('a', 'A')]
    const answers = await Promise.all(spellings.map((email) => signUp({ ...person, email })))
    for (const { status, body } of answers) expect([status, body]).toEqual([200, expect.objectContaining({ token: null })])
    expect(await app.db.user.count({ where: { email: { equals: person.email, mode: 'insensitive' } } })).toBe(1)
    expect(answers[1]?.body).toMatchObject({ user: { email: person.email } })
    for (const stray of [`${person.email}.`, `${person.email} `, ` ${person.email}`, `${person.email}\n`]) {
      expect((await signUp({ ...person, email: stray })).code).toBe('VALIDATION_ERROR')
    }
  })

  test('T171: allows 64 characters before the @ and 254 in all, and refuses look-alike characters', async () => {
    const domain = `${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.test`
    expect((await signUp({ ...app.person(), email: `${'a'.repeat(64)}@example.test` })).status).toBe(200)
    for (const email of [
      `${'a'.repeat(65)}@example.test`,
      `${'a'.repeat(64)}@${'d'.repeat(4)}.${domain}`,
      'ada＠example.test',
      'аda@example.test',
      'a\u200bda@example.test',
    ]) {
      const answer = await signUp({ ...app.person(), email })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('T118: ignores fields that only the service sets', async () => {
    const person = app.person()
    const extra = {
      id: 'chosen',
      emailVerified: true,
      role: 'owner',
      banned: false,
      twoFactorEnabled: true,
      createdAt: '2001-01-01T00:00:00.000Z',
      passwordHash: 'chosen',
      organizationId: 'chosen',
      tradingEnabled: true,
      constructor: { prototype: { role: 'owner' } },
    }
    const body = JSON.stringify({ ...person, ...extra }).replace(/}$/, ',"__proto__":{"emailVerified":true,"role":"owner"}}')
    expect((await app.browser().request('POST', '/auth/sign-up/email', { body })).status).toBe(200)
    const user = await app.db.user.findUniqueOrThrow({ where: { email: person.email }, include: { accounts: true } })
    expect(user).toMatchObject({ emailVerified: false, twoFactorEnabled: false, tradingEnabled: false })
    expect(user.id).not.toBe('chosen')
    expect(user.createdAt.getFullYear()).toBeGreaterThan(2001)
    expect(user.accounts[0]?.passwordHash).toMatch(/^\$argon2id\$/)
    expect(({} as Record<string, unknown>).role).toBeUndefined()
  })

  test('T119: accepts only a boolean for tradingEnabled, and starts with it off', async () => {
    for (const tradingEnabled of ['true', 1, null, []]) {
      const answer = await signUp({ ...app.person(), tradingEnabled })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^\[body\.tradingEnabled\] /) })
    }
    const answer = await signUp({ ...app.person(), tradingEnabled: true })
    expect(answer.body).toMatchObject({ user: { tradingEnabled: false } })
  })

  test.each(['name', 'email', 'password', 'image', 'callbackURL', 'tradingEnabled', 'riskLevel'])(
    'T121: answers 400 with the field name when %s is an array, an object or a number',
    async (field) => {
      for (const value of [[], ['x'], {}, { toString: 'x' }, 7]) {
        const answer = await signUp({ ...app.person(), [field]: value })
        expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
        expect(answer.body).toMatchObject({ message: expect.stringMatching(new RegExp(`^\\[body\\.${field}\\] `)) })
      }
    },
  )

  test('names every wrong field in the format of better-auth', async () => {
    expect((await signUp({ email: 'no-email', password: 'long enough' })).body).toEqual({
      code: 'VALIDATION_ERROR',
      message: '[body.name] Invalid input: expected string, received undefined; [body.email] Invalid email address',
    })
    for (const body of ['[]', '"text"', 'null', '7']) {
      const answer = await app.browser().request('POST', '/auth/sign-up/email', { body })
      expect([answer.status, answer.code, answer.body]).toEqual([
        400,
        'VALIDATION_ERROR',
        expect.objectContaining({ message: expect.stringMatching(/^\[body\] /) }),
      ])
    }
  })

  test('T164: refuses NUL and half a surrogate pair in every field and key', async () => {
    for (const strange of ['a\u0000b', 'a\ud800b', '\udc00']) {
      for (const field of ['name', 'email', 'password', 'image', 'callbackURL', 'riskLevel', 'unknown']) {
        const answer = await signUp({ ...app.person(), [field]: `${strange}@example.test` })
        expect([field, answer.status, answer.code]).toEqual([field, 400, 'VALIDATION_ERROR'])
      }
      expect((await signUp({ ...app.person(), [strange]: 'x' })).status).toBe(400)
    }
  })

  test('T164: refuses a byte order mark and bytes that are not UTF-8', async () => {
    const text = Buffer.from(JSON.stringify(app.person()))
    const bodies = [
      Buffer.from(text.toString().replace('Ada', '\u00ff'), 'latin1'),
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]),
    ]
    for (const body of bodies) {
      const response = await app
        .browser()
        .fetch(`${app.baseUrl}/auth/sign-up/email`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 'BAD_REQUEST' })])
    }
  })

  const strong = 'kJ7#pq2w'
  test.each([
    ['7 characters', strong.slice(1), 400, 'PASSWORD_TOO_SHORT'],
    ['8 characters', strong, 200, undefined],
    ['7 characters of 4 bytes', '🔑🌵🎻🚀🧲🦑🪁', 400, 'PASSWORD_TOO_SHORT'],
    ['8 characters of 4 bytes', '🔑🌵🎻🚀🧲🦑🪁🥝', 200, undefined],
    ['7 characters in 8 code points', `${strong.slice(2)}e\u0301`, 400, 'PASSWORD_TOO_SHORT'],
    ['64 characters', strong.repeat(8), 200, undefined],
    ['128 characters', strong.repeat(16), 200, undefined],
    ['129 characters', `${strong.repeat(16)}x`, 400, 'PASSWORD_TOO_LONG'],
    ['128 characters of 4 bytes', '🔑🌵🎻🚀🧲🦑🪁🥝'.repeat(16), 200, undefined],
    ['10,000 characters', 'a'.repeat(10_000), 400, 'PASSWORD_TOO_LONG'],
    ['10,001 characters', 'a'.repeat(10_001), 400, 'VALIDATION_ERROR'],
    ['no characters', '', 400, 'VALIDATION_ERROR'],
  ])('T166: checks the length of a password of %s', async (_, password, status, code) => {
    const person = app.person({ password })
    const answer = await signUp(person)
    expect([answer.status, answer.code]).toEqual([status, code])
    expect(await countUsers(person.email)).toBe(status === 200 ? 1 : 0)
  })

  test('T167: compares the whole password without trimming or folding case, and normalizes only accents', async () => {
    const long = await app.verified(app.person({ password: `${strong.repeat(9)}one` }))
    expect((await signIn(app, { ...long, password: `${strong.repeat(9)}two` })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(app, long)).status).toBe(200)
    const spaced = await app.verified(app.person({ password: 'Ends in a space ' }))
    expect((await signIn(app, { ...spaced, password: 'Ends in a space' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(app, { ...spaced, password: 'ends in a space ' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(app, spaced)).status).toBe(200)
    const accented = await app.verified(app.person({ password: 'caf\u00e9 au lait' }))
    expect((await signIn(app, { ...accented, password: 'cafe\u0301 au lait' })).status).toBe(200)
  })

  test.each([
    'https://evil.test',
    'https://evil.test/dashboard',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:evil.test',
    '/%2f/evil.test',
    '/%2Fevil.test',
    '/%5cevil.test',
    '/%09/evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    'ht\ntp://localhost:3000/',
    'http://localhost:3000@evil.test/',
    'http://user@localhost:3000/',
    'http://localhost:3000.evil.test/',
    'https://localhost:3000/',
    'http://localhost:3001/',
    'dashboard',
    '',
  ])('T63: refuses the callbackURL %j and creates no user', async (callbackURL) => {
    const person = app.person()
    const answer = await signUp({ ...person, callbackURL })
    expect([answer.status, answer.body]).toEqual([403, { code: 'INVALID_CALLBACK_URL', message: 'Invalid callbackURL' }])
    expect(await countUsers(person.email)).toBe(0)
  })

  test('T64: encodes an allowed callbackURL once in the mailed link', async () => {
    for (const callbackURL of ['/dashboard?tab=a%20b&next=%2Fx#top', `${app.baseUrl}/dashboard?tab=é`]) {
      const person = app.person()
      expect((await signUp({ ...person, callbackURL })).status).toBe(200)
      await app.drainMail()
      const { link } = app.outbox.lastTo(person.email)
      expect(link.searchParams.get('callbackURL')).toBe(callbackURL)
      expect(link.search).toContain(`&${new URLSearchParams({ callbackURL })}`)
    }
  })

  test('T152: builds the mailed link from the configured address, whatever the headers', async () => {
    const person = app.person()
    const headers = {
      'x-forwarded-host': 'evil.test',
      forwarded: 'host=evil.test',
      host: 'evil.test',
      'x-original-url': 'https://evil.test',
    }
    expect((await app.browser().post('/auth/sign-up/email', person, { headers })).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).link.origin).toBe(app.baseUrl)
    expect(app.outbox.lastTo(person.email).html).not.toContain('evil.test')
  })

  test('sends the mail in French when the browser prefers French', async () => {
    const person = app.person()
    await app.browser().post('/auth/sign-up/email', person, { headers: { 'accept-language': 'fr-CH, en;q=0.8, de;q=0.9' } })
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toBe('Confirmez votre adresse e‑mail pour Floorpass')
    expect(await app.db.user.findUnique({ where: { email: person.email } })).toMatchObject({ locale: 'fr' })
  })

  test('T176, T177: keeps the password and the link token out of every log line and row', async () => {
    const password = 'canary password 2b7e151628'
    const person = app.person({ password })
    app.outbox.failWith(new Error('the mail server is away'))
    await app.signUp(person)
    const waiting = JSON.stringify(await app.readAllRows())
    app.outbox.failWith(null)
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: new Date(0) } })
    await app.drainMail()
    const { token } = app.outbox.lastTo(person.email)
    await openLink(token)
    await signIn(app, person)
    await signIn(app, { ...person, password: `${password}!` })
    await signUp({ ...person, name: 7 })
    await signUp({ ...person, callbackURL: 'https://evil.test' })
    const secrets = [password, token].flatMap((secret) => [
      secret,
      ...(['base64', 'base64url', 'hex'] as const).map((form) => Buffer.from(secret).toString(form)),
    ])
    const kept = waiting + JSON.stringify(await app.readAllRows()) + JSON.stringify(app.logs)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(app.logs.length).toBeGreaterThan(0)
    for (const secret of secrets) expect(kept).not.toContain(secret)
  })

  test('T178: hashes passwords at the cost that OWASP recommends', async () => {
    expect(recommendedCost).toEqual({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })
    expect(await createPasswordHasher().hash('plum kettle orbit')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('accepts a form', async () => {
    const person = app.person()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await app.browser().post('/auth/sign-up/email', new URLSearchParams(person).toString(), { headers })
    expect([answer.status, await countUsers(person.email)]).toEqual([200, 1])
  })
})

describe('sign-up with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('allows one IP address ten requests a minute', async () => {
    const tab = limited.browser({ ip: '192.0.2.1' })
    for (let count = 0; count < 10; count += 1) expect((await tab.post('/auth/sign-up/email', limited.person())).status).toBe(200)
    const refused = await tab.post('/auth/sign-up/email', limited.person())
    expect([refused.status, refused.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('T23: sends at most five mails an hour to one email from many IP addresses, and the answer stays the same', async () => {
    const owner = await limited.verified()
    for (let place = 1; place <= 12; place += 1) {
      const attacker = { ...limited.person(), email: owner.email }
      expect((await limited.browser({ ip: `198.51.100.${place}` }).post('/auth/sign-up/email', attacker)).status).toBe(200)
    }
    await limited.drainMail()
    expect(limited.outbox.to(owner.email)).toHaveLength(5)
  })
})
