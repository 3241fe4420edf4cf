import type { Answer, Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Failure = { error: { message: string; code: number; data: Record<string, unknown> } }

const failureOf = (answer: Answer) => answer.body as Failure
const refusal = (answer: Answer) => [answer.status, failureOf(answer).error?.data.key]
const data = (answer: Answer) => (answer.body as { result: { data: unknown } }).result.data
const batchPath = (calls: string[]) => `/trpc/${calls.join(',')}?batch=1`
const batch = (tab: Browser, calls: [procedure: string, input: unknown][], headers: Record<string, string> = {}) =>
  tab.post(
    batchPath(calls.map(([procedure]) => procedure)),
    Object.fromEntries(calls.map(([, input], place) => [place, input])),
    { headers },
  )

describe('one call', () => {
  test('a query comes by GET', async () => {
    const tab = await app.signedIn()
    const answer = await tab.get('/trpc/sessions.get')
    expect(answer.status).toBe(200)
    expect(data(answer)).toMatchObject({ user: { email: tab.person.email } })
  })

  test('a mutation comes by POST, and its cookies are set', async () => {
    const { email, password } = await app.verified()
    const tab = app.browser()
    const answer = await tab.post('/trpc/signIn.email', { email, password })
    expect([answer.status, answer.setCookies]).toEqual([
      200,
      [expect.stringMatching(/^floorpass_session=[\w-]{43}; HttpOnly/), expect.stringMatching(/^floorpass_known_device=/)],
    ])
    expect(data(await tab.get('/trpc/sessions.require'))).toMatchObject({ user: { email } })
  })

  test('T55, T62: a mutation by GET, HEAD or another method is refused and does nothing', async () => {
    const tab = await app.signedIn()
    const input = encodeURIComponent(JSON.stringify({ name: 'Eve' }))
    const before = await app.everyRow()
    expect(refusal(await tab.get(`/trpc/profile.update?input=${input}`))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(refusal(await tab.get('/trpc/signIn.signOut'))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    await tab.request('HEAD', `/trpc/profile.update?input=${input}`)
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await tab.request(method, '/trpc/profile.update', { body: { name: 'Eve' } })).status).toBe(405)
    }
    expect(await app.everyRow()).toEqual(before)
  })

  test('T56: a query by POST is refused, and nothing overrides a method', async () => {
    const tab = await app.signedIn()
    const headers = { 'x-http-method-override': 'GET' }
    expect(refusal(await tab.post('/trpc/sessions.get', undefined, { headers }))).toEqual([405, 'METHOD_NOT_ALLOWED'])
  })

  test('an unknown procedure is 404, whatever its name', async () => {
    for (const name of [
      'unknown',
      'sessions',
      'sessions.unknown',
      '__proto__',
      'constructor',
      'sessions.__proto__',
      'sessions.get.toString',
      '',
      '%00',
      '%2f',
      'a'.repeat(5000),
    ]) {
      expect([name, ...refusal(await app.browser().get(`/trpc/${name}`))]).toEqual([name, 404, 'NOT_FOUND'])
      expect([name, ...refusal(await app.browser().post(`/trpc/${name}`))]).toEqual([name, 404, 'NOT_FOUND'])
    }
    expect(refusal(await app.browser().get('/trpc/%'))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('without a session is 401 where one is needed', async () => {
    expect(refusal(await app.browser().get('/trpc/sessions.require'))).toEqual([401, 'UNAUTHORIZED'])
    expect(refusal(await app.browser().post('/trpc/profile.update', { name: 'Eve' }))).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('a failure', () => {
  test('T182: has a key, a sentence and the fields, and no stack', async () => {
    const answer = await app.browser().post('/trpc/signIn.signUp', { name: 'Ada', email: 'nonsense', password: 'x' })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      error: {
        message: '[body.email] Invalid email address',
        code: -32600,
        data: {
          code: 'BAD_REQUEST',
          httpStatus: 400,
          path: 'signIn.signUp',
          key: 'VALIDATION_ERROR',
          fields: { email: 'Invalid email address' },
          retryAfter: null,
        },
      },
    })
  })

  test('of a rule has the catalogue key, as REST has', async () => {
    const { email } = await app.verified()
    const wrong = { email, password: 'something else' }
    const rest = await app.browser().post('/auth/sign-in/email', wrong)
    const { error } = failureOf(await app.browser().post('/trpc/signIn.email', wrong))
    expect(rest.body).toEqual({ code: error.data.key, message: error.message })
    expect(error.data).toMatchObject({ httpStatus: rest.status })
  })

  test('that nobody expected is a 500 which tells nothing', async () => {
    const broken = await createTestApp()
    const { passwords } = broken.service.deps
    broken.service.deps.passwords = { ...passwords, verify: () => Promise.reject(new TypeError('SELECT secret FROM somewhere')) }
    const answer = await broken.browser().post('/trpc/signIn.email', { email: 'ada@example.test', password: 'x' })
    expect(refusal(answer)).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(JSON.stringify(answer.body)).not.toMatch(/SELECT|TypeError|stack|node_modules|packages/)
    expect(broken.logs.filter(({ msg }) => msg === 'procedure failed')).toMatchObject([
      { procedure: 'signIn.email', requestId: answer.headers.get('x-request-id') },
    ])
  })

  test('of the transport is coded: bad JSON, another content type, an input that is no JSON', async () => {
    const tab = app.browser()
    expect(refusal(await tab.post('/trpc/signIn.email', '{'))).toEqual([400, 'BAD_REQUEST'])
    expect(refusal(await tab.post('/trpc/signIn.email', 'x', { headers: { 'content-type': 'text/plain' } }))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ])
    expect(refusal(await tab.get('/trpc/sessions.get?input={'))).toEqual([400, 'BAD_REQUEST'])
    for (const body of ['null', '[]', '"text"', '17'])
      expect(refusal(await tab.post('/trpc/signIn.email', body))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('T164: NUL, half surrogate pairs and depth are refused as on REST', async () => {
    for (const body of [
      '{"email":"a\\u0000@b.c"}',
      '{"password":"\\ud800"}',
      `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    ]) {
      expect(refusal(await app.browser().post('/trpc/signIn.signUp', body))).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('T161: a body above 64 KiB is 413', async () => {
    const answer = await app.browser().post('/trpc/signIn.email', { password: 'x'.repeat(70_000) })
    expect([answer.status, answer.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('T123: __proto__ has no effect', async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/trpc/profile.update', '{"__proto__":{"name":"Eve","role":"owner"}}')
    expect(refusal(answer)).toEqual([400, 'NO_FIELDS_TO_UPDATE'])
    expect({}).not.toHaveProperty('role')
  })
})

describe('T50, T53: the check of the origin', () => {
  test.each(['https://evil.test', 'null'])('refuses a mutation from %s', async (origin) => {
    const { email, password } = await app.verified()
    const tab = await app.signedIn()
    const headers = { origin }
    const before = await app.everyRow()
    expect((await tab.post('/trpc/profile.update', { name: 'Eve' }, { headers })).status).toBe(403)
    expect((await app.browser().post('/trpc/signIn.email', { email, password }, { headers })).status).toBe(403)
    expect((await batch(tab, [['profile.update', { name: 'Eve' }]], headers)).status).toBe(403)
    expect(await app.everyRow()).toEqual(before)
  })

  test('also holds for content types that a form can send', async () => {
    const tab = await app.signedIn()
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ]) {
      const answer = await tab.post('/trpc/signIn.signOut', '{}', {
        headers: { origin: 'https://evil.test', 'content-type': type },
      })
      expect([answer.status, answer.code]).toEqual([403, 'INVALID_ORIGIN'])
    }
    expect(data(await tab.get('/trpc/sessions.get'))).not.toBeNull()
  })
})

describe('T62: a batch', () => {
  const statuses = (answer: Answer) =>
    (answer.body as { error?: { data: { key: string } } }[]).map(({ error }) => error?.data.key ?? 'ok')

  test('of ten is answered, of eleven refused before any of it runs', async () => {
    const tab = await app.signedIn()
    const update = (name: string) => ['profile.update', { name }] as [string, unknown]
    expect(statuses(await batch(tab, Array(10).fill(update('Ten'))))).toEqual(Array(10).fill('ok'))
    const before = await app.everyRow()
    const answer = await batch(tab, Array(11).fill(update('Eleven')))
    expect(refusal(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(failureOf(answer).error.message).toBe('The request is not valid')
    expect(refusal(await tab.get(batchPath(Array(11).fill('sessions.get'))))).toEqual([400, 'VALIDATION_ERROR'])
    expect(await app.everyRow()).toEqual(before)
  })

  test('has each of its calls checked', async () => {
    const answer = await batch(app.browser(), [
      ['profile.update', { name: 'Eve' }],
      ['signIn.email', { email: 'nonsense', password: 'x' }],
      ['unknown', {}],
      ['signIn.signOut', {}],
    ])
    expect([answer.status, statuses(answer)]).toEqual([207, ['UNAUTHORIZED', 'VALIDATION_ERROR', 'NOT_FOUND', 'ok']])
  })

  test('a sign-in does not sign in the calls beside it', async () => {
    const { email, password } = await app.verified()
    const answer = await batch(app.browser(), [
      ['signIn.email', { email, password }],
      ['profile.update', { name: 'Eve' }],
    ])
    expect(statuses(answer)).toEqual(['ok', 'UNAUTHORIZED'])
    expect(answer.setCookies).toHaveLength(2)
  })

  test('by GET runs no mutation, also not one among queries', async () => {
    const tab = await app.signedIn()
    const mixed = await tab.get(batchPath(['sessions.get', 'signIn.signOut', 'sessions.get']))
    expect([...refusal(mixed), mixed.setCookies]).toEqual([400, 'VALIDATION_ERROR', []])
    const mutations = await tab.get(batchPath(['signIn.signOut', 'signIn.signOut']))
    expect([mutations.status, statuses(mutations), mutations.setCookies]).toEqual([
      405,
      ['METHOD_NOT_ALLOWED', 'METHOD_NOT_ALLOWED'],
      [],
    ])
    expect(data(await tab.get('/trpc/sessions.get'))).not.toBeNull()
  })

  test('counts every call of it against the limits', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const { email } = await limited.verified()
    const guesses = Array(10).fill(['signIn.email', { email, password: 'something else' }]) as [string, unknown][]
    expect(statuses(await batch(limited.browser(), guesses))).toEqual(Array(10).fill('INVALID_EMAIL_OR_PASSWORD'))
    expect(statuses(await batch(limited.browser(), guesses))).toEqual(Array(10).fill('TOO_MANY_REQUESTS'))
  })

  test.each([{ 'trpc-accept': 'application/jsonl' }, { accept: 'application/jsonl' }])(
    'that asks for a stream is answered whole: a cookie cannot follow a body (%j)',
    async (headers) => {
      const { email, password } = await app.verified()
      const tab = app.browser()
      const answer = await batch(tab, [['signIn.email', { email, password }]], headers as Record<string, string>)
      expect([answer.status, statuses(answer)]).toEqual([200, ['ok']])
      expect(data(await tab.get('/trpc/sessions.require'))).toMatchObject({ user: { email } })
    },
  )
})

test('every answer has the headers of data', async () => {
  const tab = app.browser()
  const answers = [
    await tab.get('/trpc/sessions.get'),
    await tab.get('/trpc/unknown'),
    await tab.post('/trpc/signIn.email', '{'),
    await tab.post('/trpc/signIn.email', 'x', { headers: { 'content-type': 'text/plain' } }),
    await tab.get(batchPath(['sessions.get', 'unknown'])),
    await tab.get(batchPath(Array(11).fill('sessions.get'))),
  ]
  for (const { headers } of answers) {
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
  }
})
