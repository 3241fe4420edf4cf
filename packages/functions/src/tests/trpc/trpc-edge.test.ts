import type { Answer, Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type ErrorBody = { error: { message: string; code: number; data: Record<string, unknown> } }

const getError = (answer: Answer) => answer.body as ErrorBody
const getRefusal = (answer: Answer) => [answer.status, getError(answer).error?.data.key]
const getData = (answer: Answer) => (answer.body as { result: { data: unknown } }).result.data
const batchPath = (calls: string[]) => `/trpc/${calls.join(',')}?batch=1`
const sendBatch = (tab: Browser, calls: [procedure: string, input: unknown][], headers: Record<string, string> = {}) =>
  tab.post(
    batchPath(calls.map(([procedure]) => procedure)),
    Object.fromEntries(calls.map(([, input], place) => [place, input])),
    { headers },
  )

describe('a tRPC call', () => {
  test('runs a query by GET', async () => {
    const tab = await app.signedIn()
    const answer = await tab.get('/trpc/sessions.get')
    expect(answer.status).toBe(200)
    expect(getData(answer)).toMatchObject({ user: { email: tab.person.email } })
  })

  test('runs a mutation by POST and sets its cookies', async () => {
    const { email, password } = await app.verified()
    const tab = app.browser()
    const answer = await tab.post('/trpc/signIn.email', { email, password })
    expect([answer.status, answer.setCookies]).toEqual([
      200,
      [
        expect.stringMatching(/^local-floorpass_session=[\w-]{43}; HttpOnly/),
        expect.stringMatching(/^floorpass_known_device=/),
        expect.stringMatching(/^floorpass_sign_in_method=/),
      ],
    ])
    expect(getData(await tab.get('/trpc/sessions.require'))).toMatchObject({ user: { email } })
  })

  test('T55, T62: refuses a mutation by GET, HEAD or another method', async () => {
    const tab = await app.signedIn()
    const input = encodeURIComponent(JSON.stringify({ name: 'Eve' }))
    const before = await app.readAllRows()
    expect(getRefusal(await tab.get(`/trpc/profile.update?input=${input}`))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(getRefusal(await tab.get('/trpc/signIn.signOut'))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    await tab.request('HEAD', `/trpc/profile.update?input=${input}`)
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await tab.request(method, '/trpc/profile.update', { body: { name: 'Eve' } })).status).toBe(405)
    }
    expect(await app.readAllRows()).toEqual(before)
  })

  test('T56: refuses a query by POST, and no header overrides the method', async () => {
    const tab = await app.signedIn()
    const headers = { 'x-http-method-override': 'GET' }
    expect(getRefusal(await tab.post('/trpc/sessions.get', undefined, { headers }))).toEqual([405, 'METHOD_NOT_ALLOWED'])
  })

  test('answers 404 to an unknown procedure, whatever its name', async () => {
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
      expect([name, ...getRefusal(await app.browser().get(`/trpc/${name}`))]).toEqual([name, 404, 'NOT_FOUND'])
      expect([name, ...getRefusal(await app.browser().post(`/trpc/${name}`))]).toEqual([name, 404, 'NOT_FOUND'])
    }
    expect(getRefusal(await app.browser().get('/trpc/%'))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('answers 401 without a session where one is needed', async () => {
    expect(getRefusal(await app.browser().get('/trpc/sessions.require'))).toEqual([401, 'UNAUTHORIZED'])
    expect(getRefusal(await app.browser().post('/trpc/profile.update', { name: 'Eve' }))).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('a tRPC error', () => {
  test('T182: has a key, a message and the fields, and no stack', async () => {
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

  test('has the same catalogue key as over REST', async () => {
    const { email } = await app.verified()
    const wrong = { email, password: 'something else' }
    const rest = await app.browser().post('/auth/sign-in/email', wrong)
    const { error } = getError(await app.browser().post('/trpc/signIn.email', wrong))
    expect(rest.body).toEqual({ code: error.data.key, message: error.message })
    expect(error.data).toMatchObject({ httpStatus: rest.status })
  })

  test('that is unexpected is a 500 without details', async () => {
    const broken = await createTestApp()
    const { passwords } = broken.service.deps
    broken.service.deps.passwords = { ...passwords, verify: () => Promise.reject(new TypeError('SELECT secret FROM somewhere')) }
    const answer = await broken.browser().post('/trpc/signIn.email', { email: 'ada@example.test', password: 'x' })
    expect(getRefusal(answer)).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(JSON.stringify(answer.body)).not.toMatch(/SELECT|TypeError|stack|node_modules|packages/)
    expect(broken.logs.filter(({ msg }) => msg === 'procedure failed')).toMatchObject([
      { procedure: 'signIn.email', requestId: answer.headers.get('x-request-id') },
    ])
  })

  test('of the transport has a key: bad JSON, another content type, an input that is no JSON', async () => {
    const tab = app.browser()
    expect(getRefusal(await tab.post('/trpc/signIn.email', '{'))).toEqual([400, 'BAD_REQUEST'])
    expect(getRefusal(await tab.post('/trpc/signIn.email', 'x', { headers: { 'content-type': 'text/plain' } }))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ])
    expect(getRefusal(await tab.get('/trpc/sessions.get?input={'))).toEqual([400, 'BAD_REQUEST'])
    for (const body of ['null', '[]', '"text"', '17'])
      expect(getRefusal(await tab.post('/trpc/signIn.email', body))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('T164: refuses NUL, half surrogate pairs and deep nesting, as REST does', async () => {
    for (const body of [
      '{"email":"a\\u0000@b.c"}',
      '{"password":"\\ud800"}',
      `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    ]) {
      expect(getRefusal(await app.browser().post('/trpc/signIn.signUp', body))).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('T161: is 413 for a body above 64 KiB', async () => {
    const answer = await app.browser().post('/trpc/signIn.email', { password: 'x'.repeat(70_000) })
    expect([answer.status, answer.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('T123: is unaffected by __proto__', async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/trpc/profile.update', '{"__proto__":{"name":"Eve","role":"owner"}}')
    expect(getRefusal(answer)).toEqual([400, 'NO_FIELDS_TO_UPDATE'])
    expect({}).not.toHaveProperty('role')
  })
})

describe('T50, T53: the origin check of tRPC', () => {
  test.each(['https://evil.test', 'null'])('refuses a mutation from %s', async (origin) => {
    const { email, password } = await app.verified()
    const tab = await app.signedIn()
    const headers = { origin }
    const before = await app.readAllRows()
    expect((await tab.post('/trpc/profile.update', { name: 'Eve' }, { headers })).status).toBe(403)
    expect((await app.browser().post('/trpc/signIn.email', { email, password }, { headers })).status).toBe(403)
    expect((await sendBatch(tab, [['profile.update', { name: 'Eve' }]], headers)).status).toBe(403)
    expect(await app.readAllRows()).toEqual(before)
  })

  test('applies to content types that a form can send', async () => {
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
    expect(getData(await tab.get('/trpc/sessions.get'))).not.toBeNull()
  })
})

describe('T62: a tRPC batch', () => {
  const getKeys = (answer: Answer) =>
    (answer.body as { error?: { data: { key: string } } }[]).map(({ error }) => error?.data.key ?? 'ok')

  test('is answered with ten calls, and refused with eleven before any call runs', async () => {
    const tab = await app.signedIn()
    const update = (name: string) => ['profile.update', { name }] as [string, unknown]
    expect(getKeys(await sendBatch(tab, Array(10).fill(update('Ten'))))).toEqual(Array(10).fill('ok'))
    const before = await app.readAllRows()
    const answer = await sendBatch(tab, Array(11).fill(update('Eleven')))
    expect(getRefusal(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(getError(answer).error.message).toBe('The request is not valid')
    expect(getRefusal(await tab.get(batchPath(Array(11).fill('sessions.get'))))).toEqual([400, 'VALIDATION_ERROR'])
    expect(await app.readAllRows()).toEqual(before)
  })

  test('has each of its calls checked', async () => {
    const answer = await sendBatch(app.browser(), [
      ['profile.update', { name: 'Eve' }],
      ['signIn.email', { email: 'nonsense', password: 'x' }],
      ['unknown', {}],
      ['signIn.signOut', {}],
    ])
    expect([answer.status, getKeys(answer)]).toEqual([207, ['UNAUTHORIZED', 'VALIDATION_ERROR', 'NOT_FOUND', 'ok']])
  })

  test('does not sign in the other calls when it contains a sign-in', async () => {
    const { email, password } = await app.verified()
    const answer = await sendBatch(app.browser(), [
      ['signIn.email', { email, password }],
      ['profile.update', { name: 'Eve' }],
    ])
    expect(getKeys(answer)).toEqual(['ok', 'UNAUTHORIZED'])
    expect(answer.setCookies).toHaveLength(3)
  })

  test('by GET runs no mutation, even among queries', async () => {
    const tab = await app.signedIn()
    const mixed = await tab.get(batchPath(['sessions.get', 'signIn.signOut', 'sessions.get']))
    expect([...getRefusal(mixed), mixed.setCookies]).toEqual([400, 'VALIDATION_ERROR', []])
    const mutations = await tab.get(batchPath(['signIn.signOut', 'signIn.signOut']))
    expect([mutations.status, getKeys(mutations), mutations.setCookies]).toEqual([
      405,
      ['METHOD_NOT_ALLOWED', 'METHOD_NOT_ALLOWED'],
      [],
    ])
    expect(getData(await tab.get('/trpc/sessions.get'))).not.toBeNull()
  })

  test('counts each of its calls for the rate limits', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const { email } = await limited.verified()
    const guesses = Array(10).fill(['signIn.email', { email, password: 'something else' }]) as [string, unknown][]
    expect(getKeys(await sendBatch(limited.browser(), guesses))).toEqual(Array(10).fill('INVALID_EMAIL_OR_PASSWORD'))
    expect(getKeys(await sendBatch(limited.browser(), guesses))).toEqual(Array(10).fill('TOO_MANY_REQUESTS'))
  })

  test.each([{ 'trpc-accept': 'application/jsonl' }, { accept: 'application/jsonl' }])(
    'is answered whole when a stream is requested, because a cookie cannot follow a body (%j)',
    async (headers) => {
      const { email, password } = await app.verified()
      const tab = app.browser()
      const answer = await sendBatch(tab, [['signIn.email', { email, password }]], headers as Record<string, string>)
      expect([answer.status, getKeys(answer)]).toEqual([200, ['ok']])
      expect(getData(await tab.get('/trpc/sessions.require'))).toMatchObject({ user: { email } })
    },
  )
})

test('every tRPC answer has the headers of data', async () => {
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
