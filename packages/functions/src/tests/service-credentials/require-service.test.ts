import { limits, policy } from '@floorpass/api'
import { hashToken } from '@floorpass/api/random-token'
import { adminOf } from '@floorpass/testing/admin-command'
import type { Answer } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: `${serviceKey},another-key-of-a-pipeline-7uHn3Kd9Zx` })
const limited = await createTestApp({ RATE_LIMIT: 'on', SERVICE_KEYS: serviceKey })

let services = 0
async function createService(scopes = 'session:verify', of: TestApp = app) {
  services += 1
  const name = `gateway-${services}`
  const { stdout } = await adminOf(of)('create-service', name, '--scopes', scopes, '--quiet')
  return { name, secret: stdout.trim() }
}
async function rotateService(name: string, ...options: string[]) {
  return (await adminOf(app)('rotate-service', name, '--quiet', ...options)).stdout.trim()
}
type Caller = { of?: TestApp; ip?: string; token?: string }
const callWith = (authorization: string | null, { of = app, ip = '192.0.2.1', token = 'unknown' }: Caller = {}) =>
  of
    .browser({ origin: null, ip })
    .post('/auth/introspect', { token }, { headers: authorization === null ? {} : { authorization } })
const call = (secret: string, caller?: Caller) => callWith(`Bearer ${secret}`, caller)
const outcome = ({ status, code, headers }: Answer) => [status, code, headers.get('www-authenticate')]

const accepted = [200, undefined, null]
const unauthorized = [401, 'UNAUTHORIZED', 'Bearer']

describe('a service route', () => {
  test('answers a service whose secret has the scope', async () => {
    const { secret } = await createService('events:read,session:verify')
    expect(outcome(await call(secret))).toEqual(accepted)
  })

  test('refuses a service whose secret lacks the scope, and names the scope', async () => {
    const { secret } = await createService('key:verify,events:read')
    const answer = await call(secret)
    expect(outcome(answer)).toEqual([403, 'INSUFFICIENT_SCOPE', 'Bearer error="insufficient_scope", scope="session:verify"'])
    expect(answer.body).toEqual({ code: 'INSUFFICIENT_SCOPE', message: 'This call needs the scope session:verify' })
  })

  test('accepts each secret of SERVICE_KEYS, and no part or extension of one', async () => {
    for (const secret of [serviceKey, 'another-key-of-a-pipeline-7uHn3Kd9Zx'])
      expect(outcome(await call(secret))).toEqual(accepted)
    for (const secret of [
      serviceKey.slice(1),
      serviceKey.slice(0, -1),
      `${serviceKey}x`,
      serviceKey.toUpperCase(),
      hashToken(serviceKey),
    ])
      expect(outcome(await call(secret))).toEqual(unauthorized)
  })

  test('is 401 before it reads the input', async () => {
    const answer = await app.browser({ origin: null }).post('/auth/introspect', {})
    expect(outcome(answer)).toEqual(unauthorized)
  })

  test('is not served over tRPC, where the token would be in the URL', async () => {
    const input = encodeURIComponent(JSON.stringify({ token: 'unknown' }))
    const headers = { authorization: `Bearer ${serviceKey}` }
    const answer = await app.browser({ origin: null }).get(`/trpc/introspect?input=${input}`, { headers })
    expect(answer.status).toBe(404)
  })

  test('refuses the page of another origin, even with a secret', async () => {
    const headers = { authorization: `Bearer ${serviceKey}`, origin: 'https://evil.test' }
    expect((await app.browser({ origin: null }).post('/auth/introspect', { token: 'x' }, { headers })).code).toBe(
      'INVALID_ORIGIN',
    )
  })
})

describe('a hostile Authorization header', async () => {
  const { secret } = await createService()
  const [, random = ''] = secret.split('fps_')

  test.each([
    ['no header', null],
    ['an empty header', ''],
    ['no secret', 'Bearer'],
    ['spaces for a secret', 'Bearer    '],
    ['no scheme', secret],
    ['another scheme', `Basic ${secret}`],
    ['a scheme that only begins so', `Bearers ${secret}`],
    ['two secrets', `Bearer ${secret} ${secret}`],
    ['two schemes', `Bearer Bearer ${secret}`],
    ['a list', `Bearer ${secret}, Bearer ${secret}`],
    ['a tab for the space', `Bearer\t${secret}`],
    ['a parameter', `Bearer token="${secret}"`],
    ['quotes', `Bearer "${secret}"`],
    ['the secret without its prefix', `Bearer ${random}`],
    ['the prefix in capitals', `Bearer FPS_${random}`],
    ['padding', `Bearer ${secret}=`],
    ['a percent-encoded secret', `Bearer ${secret.replace('_', '%5F')}`],
    ['a secret that is cut', `Bearer ${secret.slice(0, -1)}`],
    ['a secret with one character more', `Bearer ${secret}A`],
    ['another secret', `Bearer fps_${'A'.repeat(43)}`],
    ['the hash of the secret', `Bearer ${hashToken(secret)}`],
    ['the hash behind the prefix', `Bearer fps_${hashToken(secret)}`],
    ['SQL', "Bearer fps_'OR'1'='1'--"],
    ['a pattern', `Bearer fps_${'%'.repeat(43)}`],
    ['bytes beyond ASCII', `Bearer fps_${'\u00e9'.repeat(43)}`],
    ['a long text', `Bearer ${'f'.repeat(12_000)}`],
    ['many spaces', `Bearer ${' '.repeat(12_000)}x y`],
    ['undefined', 'Bearer undefined'],
    ['null', 'Bearer null'],
  ])('with %s is 401', async (_, authorization) => {
    expect(outcome(await callWith(authorization))).toEqual(unauthorized)
  })

  test.each([
    ['the scheme in lower case', `bearer ${secret}`],
    ['several spaces', `Bearer   ${secret}`],
    ['a space behind it', `Bearer ${secret} `],
  ])('is accepted with %s, as HTTP allows', async (_, authorization) => {
    expect(outcome(await callWith(authorization))).toEqual(accepted)
  })

  test('costs no read of the database when it holds no secret of the right form', async () => {
    const query = vi.spyOn(app.service.deps.sql, '$queryRaw')
    onTestFinished(() => query.mockRestore())
    for (const text of [random, `fps_${random}A`, `fps_${random.slice(1)}`, 'fps_', 'x'])
      expect(outcome(await call(text))).toEqual(unauthorized)
    expect(query).not.toHaveBeenCalled()
    expect(outcome(await call(`fps_${'A'.repeat(43)}`))).toEqual(unauthorized)
    expect(query).toHaveBeenCalledOnce()
  })

  test('logs no warning', () => {
    expect(app.warnings()).toEqual([])
  })
})

describe('a rotation', () => {
  test('lets the older secret work beside the new one for a day, and no longer', async () => {
    const { name, secret: older } = await createService()
    const clock = holdClock()
    const newer = await rotateService(name)
    for (const secret of [older, newer]) expect(outcome(await call(secret))).toEqual(accepted)
    clock.advance(policy.services.secretOverlap - 1)
    for (const secret of [older, newer]) expect(outcome(await call(secret))).toEqual(accepted)
    clock.advance(1)
    expect(outcome(await call(older))).toEqual(unauthorized)
    expect(outcome(await call(newer))).toEqual(accepted)
  })

  test('ends the older secrets at once with --now', async () => {
    const { name, secret: first } = await createService()
    const second = await rotateService(name)
    const third = await rotateService(name, '--now')
    for (const secret of [first, second]) expect(outcome(await call(secret))).toEqual(unauthorized)
    expect(outcome(await call(third))).toEqual(accepted)
  })
})

test('a dropped service is refused at once', async () => {
  const { name, secret } = await createService()
  const newer = await rotateService(name)
  for (const live of [secret, newer]) expect(outcome(await call(live))).toEqual(accepted)
  await adminOf(app)('drop-service', name, '--yes')
  for (const ended of [secret, newer]) expect(outcome(await call(ended))).toEqual(unauthorized)
})

describe('the limits of services', () => {
  const guess = () => `fps_${Math.random().toString(36).slice(2).padEnd(43, 'A')}`
  const { points: guesses } = limits['service:ip']

  test('1000 calls of a service do not lock sign-ins out of its address', async () => {
    const ip = '203.0.113.1'
    const { secret } = await createService('session:verify', limited)
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => call(secret, { of: limited, ip })))
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    }
    const { email, password } = await limited.verified()
    expect((await limited.browser({ ip }).post('/auth/sign-in/email', { email, password })).status).toBe(200)
    expect((await limited.browser({ ip }).get('/auth/list-sessions')).status).toBe(401)
  })

  test('guesses from one address are limited, and lock neither sign-ins nor the service out of that address', async () => {
    const ip = '203.0.113.2'
    const { secret } = await createService('session:verify', limited)
    expect(outcome(await call(secret, { of: limited, ip }))).toEqual(accepted)
    for (let count = 1; count < guesses; count += 1)
      expect(outcome(await call(guess(), { of: limited, ip }))).toEqual(unauthorized)
    const refused = await call(guess(), { of: limited, ip })
    expect([refused.status, refused.code, Number(refused.headers.get('retry-after'))]).toEqual([
      429,
      'TOO_MANY_REQUESTS',
      expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 60),
    ])
    expect((await callWith(null, { of: limited, ip })).status).toBe(429)
    // Over the limit, guesses reach no database.
    const unknown = await createService('session:verify', limited)
    expect((await call(unknown.secret, { of: limited, ip })).status).toBe(429)
    for (const known of [secret, serviceKey]) expect(outcome(await call(known, { of: limited, ip }))).toEqual(accepted)
    expect(outcome(await call(unknown.secret, { of: limited, ip: '203.0.113.3' }))).toEqual(accepted)
    const { email, password } = await limited.verified()
    expect((await limited.browser({ ip }).post('/auth/sign-in/email', { email, password })).status).toBe(200)
  })

  test('an ended secret counts as a guess again', async () => {
    const ip = '203.0.113.4'
    const { name, secret } = await createService('session:verify', limited)
    expect(outcome(await call(secret, { of: limited, ip }))).toEqual(accepted)
    await adminOf(limited)('drop-service', name, '--yes')
    expect(outcome(await call(secret, { of: limited, ip }))).toEqual(unauthorized)
    await Promise.all(Array.from({ length: guesses }, () => call(secret, { of: limited, ip })))
    expect((await call(secret, { of: limited, ip })).status).toBe(429)
  })

  test('each service has its own number of calls, which its answers show', async () => {
    const [one, other] = [await createService('session:verify', limited), await createService('session:verify', limited)]
    const { points } = limits['service-call:service']
    for (const { secret } of [one, other]) await call(secret, { of: limited })
    const answer = await call(one.secret, { of: limited })
    expect([answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')]).toEqual([
      `${points}`,
      `${points - 2}`,
    ])
    await limited.service.deps.limiter.block('service-call:service', one.name, 60)
    expect((await call(one.secret, { of: limited })).code).toBe('TOO_MANY_REQUESTS')
    expect(outcome(await call(other.secret, { of: limited }))).toEqual(accepted)
  })
})

test('no row and no log line has the secret of a service', async () => {
  const { name, secret } = await createService()
  const newer = await rotateService(name)
  for (const live of [secret, newer, serviceKey]) await call(live)
  await call(`${secret}x`)
  await app.browser({ origin: null }).get(`/auth/introspect/${secret}`, { headers: { authorization: `Bearer ${newer}` } })
  await app.service.deps.serviceUses.flush()
  const kept = JSON.stringify([await app.readAllRows(), app.logs])
  for (const canary of [secret, newer, serviceKey]) {
    expect(kept).not.toContain(canary)
    expect(kept).not.toContain(canary.slice(4))
  }
  expect(kept).toContain(hashToken(secret))
})

test('answers 503 while the database is away', async () => {
  const outage = await createTestApp({ SERVICE_KEYS: serviceKey })
  const { secret } = await createService('session:verify', outage)
  const tab = await outage.signedIn()
  const token = tab.cookies.get('local-floorpass_session') ?? ''
  expect((await call(secret, { of: outage, token })).body).toMatchObject({ active: true })
  const { back } = await outage.loseDatabase()
  expect(outcome(await call(secret, { of: outage, token })).slice(0, 2)).toEqual([503, 'SERVICE_UNAVAILABLE'])
  await back().catch(() => {})
})
