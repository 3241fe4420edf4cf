import { gzipSync } from 'node:zlib'
import { AppError } from '@floorpass/api'
import type { Route } from '@floorpass/functions'
import { describe, expect, test } from 'vitest'
import { makeAdministrator } from './administrators.ts'
import { type Answer, type Browser, outcome, type RequestOptions } from './browser.ts'
import { createTestApp } from './create-test-app.ts'
import { processorTimeBelow } from './processor-time.ts'
import { addresses, addressOf, everyProvider, routeSamples, type SignedIn, serviceKey } from './route-samples.ts'

const largestBody = 64 * 1024
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Routes without input: any JSON value is parsed and ignored. */
const withoutInput = new Set([
  '/admin/stop-impersonating',
  '/sign-out',
  '/revoke-sessions',
  '/protection/request-unlock',
  '/protection/cancel-unlock',
  '/remove-picture',
  '/revoke-other-sessions',
  '/two-factor/send-otp',
  '/two-factor/verify-otp',
  '/two-factor/view-backup-codes',
])
/** Routes without input that need the state that their sample makes, and what they answer without it. */
const needsState = new Map([
  ['/admin/stop-impersonating', 'NOT_IMPERSONATING'],
  ['/protection/request-unlock', 'ACCOUNT_NOT_LOCKED'],
  ['/protection/cancel-unlock', 'ACCOUNT_NOT_LOCKED'],
])
/** Routes that refuse a field they do not know: it may be a mistyped requirement or limit. */
const strict = new Set([
  '/api-key/create',
  '/api-key/update',
  '/api-key/verify',
  '/allow-list/check',
  '/admin/ban-user',
  '/admin/retry-refused-mail',
  '/admin/drop-refused-mail',
  '/admin/revoke-user-api-key',
  '/admin/suspend-organization',
  '/admin/restore-organization',
  '/admin/change-organization-owner',
  '/admin/unban-user',
  '/admin/create-user',
  '/admin/update-user',
  '/admin/set-role',
  '/admin/set-user-password',
  '/admin/disable-two-factor',
  '/admin/remove-user',
  '/admin/reject-approval',
  '/admin/impersonate-user',
])
/** Routes whose fields are all optional, and the bodies that they take. */
const allOptional = new Map([['/delete-user', /^{"(k0|name":"|email":9)/]])

const passkeyCookie = 'floorpass_passkey'

/** 20 MB when unpacked. */
const bomb = new Uint8Array(gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20)))

const fieldsOf = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`
const costlyBodies = [
  '['.repeat(10_000) + ']'.repeat(10_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  `[${'0,'.repeat(30_000)}0]`,
  fieldsOf(5000),
  `{"email":${'9'.repeat(60_000)}}`,
  `{"name":"${'\\u0041'.repeat(10_000)}"}`,
  '['.repeat(60_000),
]
const tooWideBody = fieldsOf(50_000)

/** The call itself may have ended the caller's session. */
const signInAgain = ({ post, person }: SignedIn) => post('/auth/sign-in/email', person)

function expectWellFormed({ status, headers, body }: Answer) {
  expect(status).toBeLessThan(500)
  expect(Object.fromEntries(headers)).toMatchObject({
    ...(status !== 302 &&
      body !== '' && {
        'content-type': expect.stringMatching(
          /^(application\/json; charset=utf-8|image\/webp|text\/event-stream; charset=utf-8|text\/csv; charset=utf-8; header=present)$/,
        ),
      }),
    'cache-control': expect.stringMatching(/^(no-store|public, max-age=300|public, max-age=31536000, immutable)$/),
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    vary: 'Origin',
  })
  if (status >= 400) expect(body).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/\S/) })
}

/** A body without a length and without a last chunk, and the number of chunks read. */
function endlessBody(piece = new Uint8Array(16 * 1024).fill(0x20)) {
  const taken = { count: 0 }
  const body = new ReadableStream({
    pull(controller) {
      taken.count += 1
      controller.enqueue(piece)
    },
  })
  return { body, taken }
}

/** API Gateway buffers the request before it calls the function, so no body streams. */
const isBuffered = process.env.TEST_GATEWAY !== undefined

/** Declares the tests that hold for every route of the table. */
export async function describeEveryRoute(rows: readonly Route[]): Promise<void> {
  const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
  const samples = routeSamples(app)
  /** Sends the requests that are refused without an effect. */
  const idle = await app.signedIn()
  await makeAdministrator(app, idle)

  /** A digest of each table, taken when the mail queue is empty. */
  const digestTables = async () => {
    await app.drainMail()
    return app.digests()
  }

  describe.each(rows)('$method /auth$path', ({ method, path, access, accepts, answer: contract, refuses }) => {
    const url = addressOf(path)
    const success = [contract === null ? 302 : 200, undefined]
    const done = refuses === null ? success : [new AppError(refuses).status, refuses]
    const withoutSample = needsState.has(path) ? [400, needsState.get(path)] : done
    const methods = addresses.filter((route) => route.path === path).map((route) => route.method as string)
    const credentials: Record<string, string> = access === 'service' ? { authorization: `Bearer ${serviceKey}` } : {}
    const send = async ({ headers, ...options }: RequestOptions = {}, tab: Browser = app.browser()) => {
      const answer = await tab.request(method, url, { ...options, headers: { ...credentials, ...headers } })
      expectWellFormed(answer)
      return answer
    }
    /** A signed-in caller that the route lets in. */
    const caller = async () => {
      const tab = await app.signedIn()
      if (access === 'administrator') await makeAdministrator(app, tab)
      return tab
    }
    const sample = async (tab: SignedIn) => (await samples[`${method} ${path}`]?.(tab)) ?? {}
    /** Calls the route with a valid input. */
    const work = async (owner: SignedIn, tab: Browser = owner) => {
      const input = await sample(owner)
      // A ceremony belongs to its browser, signed in or not.
      const ceremony = owner.cookies.get(passkeyCookie)
      if (ceremony !== undefined) tab.cookies.set(passkeyCookie, ceremony)
      if (method === 'POST') return send({ body: input }, tab)
      const query = new URLSearchParams(input as Record<string, string>)
      const answer = await tab.get(`${addressOf(path, input)}?${query}`, { headers: credentials })
      expectWellFormed(answer)
      return answer
    }

    if (access === 'service')
      test('refuses a caller without the secret of a service, signed in or not', async () => {
        const tab = await app.signedIn()
        const body = await sample(tab)
        for (const caller of [app.browser(), tab]) {
          const answer = await caller.request(method, url, method === 'POST' ? { body } : {})
          expect([...outcome(answer), answer.headers.get('www-authenticate')]).toEqual([401, 'UNAUTHORIZED', 'Bearer'])
        }
      })
    else {
      const signedOutOutcome = {
        public: done,
        session: [401, 'UNAUTHORIZED'],
        administrator: [401, 'UNAUTHORIZED'],
        challenge: [401, 'INVALID_TWO_FACTOR_COOKIE'],
      }[access]
      test(`${access === 'public' ? 'is open to' : 'refuses'} a signed-out caller`, async () => {
        const answer = await work(await app.signedIn(), app.browser())
        expect(outcome(answer)).toEqual(signedOutOutcome)
      })
    }

    test(`works for a ${access === 'service' ? 'service' : 'signed-in caller'}`, async () => {
      expect(outcome(await work(await app.signedIn()))).toEqual(done)
    })

    test('answers a preflight with its own methods', async () => {
      const headers = {
        origin: app.baseUrl,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type',
      }
      const { status, body, headers: answered } = await app.browser({ origin: null }).request('OPTIONS', url, { headers })
      expect([status, body]).toEqual([204, ''])
      expect(answered.get('access-control-allow-origin')).toBe(app.baseUrl)
      expect(answered.get('access-control-allow-methods')).toBe([...methods, 'OPTIONS'].join(', '))
    })

    test('answers no other method', async () => {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'HEAD'].filter(
        (other) => !methods.includes(other) && !(other === 'HEAD' && methods.includes('GET')),
      )
      const tab = idle
      const before = await digestTables()
      for (const other of others) {
        const answer = await tab.request(other, url)
        expect([other, answer.status, answer.headers.get('allow')]).toEqual([other, 405, [...methods, 'OPTIONS'].join(', ')])
        if (other !== 'HEAD') expect(answer.code).toBe('METHOD_NOT_ALLOWED')
        else expect(answer.body).toBe('')
      }
      expect(await digestTables()).toEqual(before)
    })

    test('T56: no header and no field overrides the method', async () => {
      const tab = idle
      const other = methods.includes('POST') ? (methods.includes('GET') ? 'PUT' : 'GET') : 'POST'
      const headers = { 'x-http-method-override': method, 'x-http-method': method, 'x-method-override': method }
      expect((await tab.request(other, `${url}?_method=${method}`, { headers })).code).toBe('METHOD_NOT_ALLOWED')
      if (other === 'POST') expect((await tab.post(url, { _method: method }, { headers })).code).toBe('METHOD_NOT_ALLOWED')
    })

    if (method === 'GET') {
      // HEAD never verifies an email (tests/email-address), and each start at a provider has a new state,
      // so the headers of these two differ from GET.
      test.skipIf(path === '/verify-email' || path === '/sign-in/social')('HEAD has the same headers and no body', async () => {
        const tab = await app.signedIn()
        const input = (await sample(tab)) as Record<string, string>
        const target = `${addressOf(path, input)}?${new URLSearchParams(input)}`
        const [full, head] = [await tab.get(target), await tab.request('HEAD', target)]
        const lasting = ({ headers }: Answer) => [...headers].filter(([name]) => name !== 'x-request-id')
        expect([head.status, head.body]).toEqual([full.status, ''])
        expect(lasting(head)).toEqual(lasting(full))
      })

      test('no query string causes a server error', async () => {
        const tab = idle
        for (const query of [
          '?',
          '?x=1&x=2',
          '?__proto__=1&constructor=2',
          '?%00',
          '?%ff%fe',
          `?${'a'.repeat(8000)}`,
          '?a[b][c]=1',
        ]) {
          expectWellFormed(await tab.get(url + query))
        }
      })
      return
    }

    test('T50: refuses a page of another origin, and changes nothing', async () => {
      const tab = await app.signedIn()
      const body = await sample(tab)
      const before = await digestTables()
      for (const origin of ['https://evil.test', `${app.baseUrl}.evil.test`]) {
        const answer = await send({ body, headers: { origin } }, tab)
        expect([...outcome(answer), answer.setCookies]).toEqual([403, 'INVALID_ORIGIN', []])
      }
      expect(await digestTables()).toEqual(before)
      expect(outcome(await send({ body }, tab))).toEqual(done)
    })

    test('answers 400 to a body that is not JSON', async () => {
      const tab = idle
      for (const body of ['{', 'nope', '{"a":1,}', "{'a':1}", '{"a":1}{}', '\u0000', ' ', '{"a":01}', '[NaN]', 'undefined']) {
        expect([body, ...outcome(await send({ body }, tab))]).toEqual([body, 400, 'BAD_REQUEST'])
      }
    })

    test('T164: answers 400 to a body that is not UTF-8 or has a byte order mark', async () => {
      const tab = idle
      const text = new TextEncoder().encode('{"name":"Ada","x":"?"}')
      const withByte = (...bytes: number[]) => new Uint8Array([...text.slice(0, -3), ...bytes, ...text.slice(-2)])
      const bodies = [
        withByte(0xff),
        withByte(0xc3),
        withByte(0xc0, 0xaf),
        withByte(0xed, 0xa0, 0x80),
        withByte(0xf5, 0x80, 0x80, 0x80),
        new Uint8Array([0xef, 0xbb, 0xbf, ...text]),
        new Uint8Array(Buffer.from('{"name":"Ada"}', 'utf16le')),
      ]
      for (const body of bodies) expect(outcome(await send({ body, headers: json }, tab))).toEqual([400, 'BAD_REQUEST'])
    })

    if (!withoutInput.has(path))
      test('T164: answers 400 to NUL and lone surrogates, in values and in names', async () => {
        const tab = idle
        for (const body of ['{"name":"a\\u0000b"}', '{"a\\u0000":1}', '{"x":{"y":["\\ud800"]}}', '{"name":"\\udc00\\ud800"}']) {
          expect([body, ...outcome(await send({ body }, tab))]).toEqual([body, 400, 'VALIDATION_ERROR'])
        }
      })

    test('T175: answers 415 to every other content type', async () => {
      const tab = await app.signedIn()
      const body = new TextEncoder().encode(JSON.stringify(await sample(tab)))
      const types = [
        'text/plain',
        'text/plain;application/json',
        'application/xml',
        'application/yaml',
        'application/jsonp',
        'application/json, text/plain',
        ...(accepts.includes('multipart') ? [] : ['multipart/form-data; boundary=x']),
        'application/json; charset=utf-16',
        'application/json; charset=iso-8859-1',
        'application/json; charset=utf-8; charset=utf-16le',
        '',
        ...(accepts.includes('form') ? [] : [form['content-type']]),
      ]
      for (const type of types) {
        expect([type, ...outcome(await send({ body, headers: { 'content-type': type } }, tab))]).toEqual([
          type,
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        ])
      }
      expect(outcome(await send({ body }, tab))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    })

    test('T165: answers 415 to a compressed body without unpacking it', async () => {
      const tab = idle
      for (const encoding of ['gzip', 'br', 'deflate', 'identity', 'gzip, gzip']) {
        const answer = await send({ body: bomb, headers: { ...json, 'content-encoding': encoding } }, tab)
        expect([encoding, ...outcome(answer)]).toEqual([encoding, 415, 'UNSUPPORTED_MEDIA_TYPE'])
      }
    })

    test('accepts the content type in any case and with UTF-8 as its charset', async () => {
      for (const type of ['Application/JSON', 'application/json;charset=UTF-8', 'application/json; charset="utf-8"']) {
        const tab = await app.signedIn()
        const body = new TextEncoder().encode(JSON.stringify(await sample(tab)))
        expect([type, ...outcome(await send({ body, headers: { 'content-type': type } }, tab))]).toEqual([type, ...done])
      }
    })

    test.skipIf(isBuffered)(
      'T161: answers 413 to a body above 64 KiB, with or without a length, and stops reading it',
      async () => {
        const tab = idle
        const body = JSON.stringify({ x: 'x'.repeat(largestBody) })
        const told = { ...json, 'content-length': String(body.length) }
        expect(outcome(await send({ body, headers: told }, tab))).toEqual([413, 'PAYLOAD_TOO_LARGE'])

        const { body: stream, taken } = endlessBody()
        expect(outcome(await send({ body: stream, headers: json }, tab))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
        expect(taken.count).toBeLessThan(10)
      },
    )

    test.skipIf(isBuffered)('T161: answers 413 to an endless body, whatever length it declares', async () => {
      const tab = idle
      for (const length of ['0', '2', '-1', 'many']) {
        const { body, taken } = endlessBody()
        const answer = await send({ body, headers: { ...json, 'content-length': length } }, tab)
        expect([length, ...outcome(answer)]).toEqual([length, 413, 'PAYLOAD_TOO_LARGE'])
        expect(taken.count).toBeLessThan(10)
      }
    })

    test.skipIf(isBuffered)('answers 400 to a body that breaks off, and logs no failure', async () => {
      const tab = idle
      const body = new ReadableStream({
        pull: (controller) => controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
      })
      expect(outcome(await send({ body, headers: json }, tab))).toEqual([400, 'BAD_REQUEST'])
    })

    test('reads a body of 64 KiB', async () => {
      const tab = await app.signedIn()
      const fields = await sample(tab)
      const padding = largestBody - JSON.stringify({ ...fields, padding: '' }).length
      const body = new TextEncoder().encode(JSON.stringify({ ...fields, padding: 'x'.repeat(padding) }))
      expect(body.length).toBe(largestBody)
      expect(outcome(await send({ body, headers: json }, tab))).toEqual(strict.has(path) ? [400, 'VALIDATION_ERROR'] : done)
    })

    test('T121: answers 400 to an array, a text, a number and null', async () => {
      const tab = await caller()
      const expected = withoutInput.has(path) ? withoutSample : [400, 'VALIDATION_ERROR']
      for (const body of ['[]', '[{}]', '"text"', '17', 'null', 'true', '1e999', '-0']) {
        if (path === '/revoke-sessions') await signInAgain(tab)
        expect([body, ...outcome(await send({ body }, tab))]).toEqual([body, ...expected])
      }
    })

    test('T163: answers 400 to deep, wide and huge JSON within 50 ms of processor time', async () => {
      const tab = await caller()
      for (const body of costlyBodies) {
        const cost = await processorTimeBelow(50, async () => {
          if (path === '/revoke-sessions') await signInAgain(tab)
          const answer = await send({ body }, tab)
          expect([body.slice(0, 20), answer.status]).toEqual([
            body.slice(0, 20),
            (withoutInput.has(path) && !body.endsWith('[')) || allOptional.get(path)?.test(body) ? withoutSample[0] : 400,
          ])
        })
        expect(cost).toBeLessThan(50)
      }
      expect(outcome(await send({ body: tooWideBody }, tab))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    })

    test('T123: __proto__ and constructor have no effect, on this request or the next', async () => {
      const tab = await caller()
      const evil =
        '"__proto__":{"role":"owner","name":"Eve","emailVerified":true,"email":"eve@example.test","tradingEnabled":true,"token":"x"},"constructor":{"prototype":{"role":"owner"}}'
      const alone = await send({ body: `{${evil}}` }, tab)
      expect(alone.status).toBe(withoutInput.has(path) || allOptional.has(path) ? withoutSample[0] : 400)
      expect(alone.code).not.toBe('FIELD_NOT_ALLOWED')

      const another = await app.signedIn()
      const fields = JSON.stringify(await sample(another)).slice(1)
      expect(outcome(await send({ body: `{${evil}${fields === '}' ? '' : ','}${fields}` }, another))).toEqual(
        strict.has(path) ? [400, 'VALIDATION_ERROR'] : done,
      )
      expect({}).not.toHaveProperty('role')
      expect(
        await app.db.user.count({ where: { OR: [{ name: 'Eve' }, { email: 'eve@example.test' }, { tradingEnabled: true }] } }),
      ).toBe(0)
    })

    test('treats a missing body as {}', async () => {
      const [none, empty] = [await send({}, await app.signedIn()), await send({ body: {} }, await app.signedIn())]
      expect(outcome(none)).toEqual(outcome(empty))
    })

    if (accepts.includes('form'))
      test('reads a form like JSON', async () => {
        const body = new URLSearchParams((await sample(await app.signedIn())) as Record<string, string>).toString()
        expect(outcome(await send({ body, headers: form }))).toEqual(done)
        expect(outcome(await send({ body: '__proto__=x&constructor=y', headers: form }))).toEqual([400, 'VALIDATION_ERROR'])
        expect(outcome(await send({ body: '%00=%ff&&=&a', headers: form }))).toEqual([400, 'VALIDATION_ERROR'])
      })
  })

  test('none of these requests logs a warning or an error', () => {
    // The odd query strings look like a gateway's mistake to /auth/verify.
    expect(app.warnings().filter(({ msg }) => !String(msg).startsWith('gateway request invalid'))).toEqual([])
  })
}
