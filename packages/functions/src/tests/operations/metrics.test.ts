import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, catalogue, limits } from '@floorpass/api'
import { createOperator, pauseWebhook } from '@floorpass/api/administration'
import { loadConfig } from '@floorpass/env'
import { openService } from '@floorpass/service'
import { createBrowser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { addEvents, addWebhook, privateTargets, startReceiver } from '@floorpass/testing/webhooks'
import { Client } from 'pg'
import { Gauge } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEdge } from '../../edge.ts'
import { activeRoutes, pathsOf } from '../../rest/routes.ts'
import { createSessionFastPath } from '../../session-fast-path.ts'

const token = 'what-only-prometheus-knows'
const app = await createTestApp({ METRICS_TOKEN: token, RATE_LIMIT: 'on' })

const scrape = (of = app) => of.browser().get('/metrics', { headers: { authorization: `Bearer ${token}` } })
/** The value of a series, `name{labels}`. */
const sampleOf = async (line: string, of = app) => {
  const text = String((await scrape(of)).body)
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `))
  return found === undefined ? null : Number(found.slice(line.length + 1))
}

describe('/metrics', () => {
  test.each([
    ['no header', undefined],
    ['no token', 'Bearer '],
    ['another token', 'Bearer what-only-prometheus-knowz'],
    ['a part of it', `Bearer ${token.slice(0, -1)}`],
    ['another scheme', `Basic ${token}`],
  ])('is 401 with %s', async (_, authorization) => {
    const answer = await app.browser().get('/metrics', { headers: authorization === undefined ? {} : { authorization } })
    expect([answer.status, answer.code, answer.headers.get('www-authenticate')]).toEqual([401, 'UNAUTHORIZED', 'Bearer'])
  })

  test('is 401 without METRICS_TOKEN, and a session does not help', async () => {
    const closed = await createTestApp()
    for (const authorization of ['', 'Bearer ', 'Bearer null', 'Bearer undefined', `Bearer ${token}`])
      expect((await closed.browser().get('/metrics', { headers: { authorization } })).status).toBe(401)
    expect((await (await closed.signedIn()).get('/metrics')).status).toBe(401)
    expect(closed.service.metrics).toBeNull()
  })

  test('refuses a short METRICS_TOKEN at the start', () => {
    expect(() => loadConfig({ METRICS_TOKEN: 'short' })).toThrow(/METRICS_TOKEN must be 16 or more/)
  })

  test('answers only GET, in the Prometheus text format, and is never cached', async () => {
    const answer = await scrape()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/plain; version=0.0.4'),
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toContain('process_resident_memory_bytes')
    const posted = await app.browser().post('/metrics')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
  })
})

/** The value of each counter's series, by name and labels. */
const countersOf = (text: string) => {
  const names = [...text.matchAll(/^# TYPE (floorpass_\w+) counter$/gm)].map(([, name]) => name)
  const samples = [...text.matchAll(/^((floorpass_\w+)\S*) (\S+)$/gm)].filter(([, , name]) => names.includes(name))
  return new Map(samples.map(([, series = '', , value]) => [series, Number(value)]))
}

describe('a fresh process', () => {
  test('exports every known code, route, rule and table at 0, so that the first fault has a rate', async () => {
    const fresh = await createTestApp({ METRICS_TOKEN: token, SERVICE_KEYS: randomBytes(32).toString('base64url') })
    const counters = countersOf(String((await scrape(fresh)).body))
    expect([...counters].filter(([, value]) => value !== 0)).toEqual([])
    const classes = ['2xx', '3xx', '4xx', '5xx']
    const routeLabels = activeRoutes(fresh.service.deps).flatMap((route) =>
      pathsOf(route).flatMap((path) => classes.map((status) => `route="${path}",method="${route.method}",status="${status}"`)),
    )
    const known = [
      ...Object.keys(catalogue).map((code) => `floorpass_errors_total{code="${code}"}`),
      ...Object.keys(limits).map((rule) => `floorpass_rate_limited_total{rule="${rule}"}`),
      ...[...routeLabels, 'route="page",method="POST",status="5xx"', 'route="/readyz",method="HEAD",status="5xx"'].map(
        (labels) => `floorpass_http_requests_total{${labels}}`,
      ),
      'floorpass_swept_rows_total{table="audit_events"}',
      'floorpass_swept_rows_total{table="audit_months"}',
      'floorpass_swept_rows_total{table="events"}',
      ...['delivered', 'retried', 'failed'].map((outcome) => `floorpass_webhook_attempts_total{outcome="${outcome}"}`),
      'floorpass_service_calls_total{service="SERVICE_KEYS",outcome="INSUFFICIENT_SCOPE"}',
      'floorpass_database_connections_lost_total',
    ]
    expect(known.filter((series) => !counters.has(series))).toEqual([])
  })

  test('adds no series for the answers that its routes document', async () => {
    const fresh = await createTestApp({ METRICS_TOKEN: token })
    const before = countersOf(String((await scrape(fresh)).body)).size
    const tab = await fresh.signedIn()
    for (const path of ['/auth/get-session', '/auth/list-sessions', '/healthz', '/readyz', '/nowhere', '/auth/openapi.json'])
      await tab.get(path)
    await tab.post('/auth/sign-in/email', { email: 'unknown@example.test', password: 'wrong password' })
    expect(countersOf(String((await scrape(fresh)).body)).size).toBe(before)
  })

  test('exports the counters of a stored service at 0 before its first call', async () => {
    const fresh = await createTestApp({ METRICS_TOKEN: token })
    await fresh.db.service.create({ data: { name: 'gateway', scopes: [], createdBy: 'grace' } })
    await scrape(fresh)
    const refused = 'floorpass_service_calls_total{service="gateway",outcome="INSUFFICIENT_SCOPE"}'
    expect(await sampleOf(refused, fresh)).toBe(0)
  })
})

describe('the metrics', () => {
  test('count requests by route pattern, method and status class, with one label for all unknown paths', async () => {
    const name = 'floorpass_http_requests_total'
    const tab = app.browser()
    await tab.get('/auth/get-session?token=canary-query')
    await tab.post('/auth/sign-in/email', { email: 'canary@example.test', password: 'canary-password' })
    for (const path of ['/auth/canary-1', '/canary-2', '/tests/canary-3', '/trpc/canary.4']) await tab.get(path)
    await tab.request('CANARY', '/canary-5')
    const text = String((await scrape()).body)
    expect(await sampleOf(`${name}{route="/auth/get-session",method="GET",status="2xx"}`)).toBe(1)
    expect(await sampleOf(`${name}{route="/auth/sign-in/email",method="POST",status="4xx"}`)).toBe(1)
    expect(await sampleOf(`${name}{route="unknown",method="GET",status="4xx"}`)).toBe(4)
    expect(await sampleOf(`${name}{route="unknown",method="other",status="4xx"}`)).toBe(1)
    expect(text).not.toMatch(/canary/i)
  })

  test('measure request durations in buckets and as a sum', async () => {
    const timed = await createTestApp({ METRICS_TOKEN: token })
    const name = 'floorpass_http_request_duration_seconds'
    const labels = 'route="/auth/sign-in/email",method="POST"'
    const bucket = (le: string) => sampleOf(`${name}_bucket{le="${le}",${labels}}`, timed)
    const { deps } = timed.service
    const { passwords } = deps
    deps.passwords = {
      ...passwords,
      verify: async (...given) => {
        await delay(300)
        return passwords.verify(...given)
      },
    }
    const started = performance.now()
    for (let count = 0; count < 3; count += 1)
      await timed.browser().post('/auth/sign-in/email', { email: 'unknown@example.test', password: 'wrong password' })
    const elapsed = (performance.now() - started) / 1000
    const sum = (await sampleOf(`${name}_sum{${labels}}`, timed)) ?? 0
    expect(sum).toBeGreaterThanOrEqual(0.85)
    expect(sum).toBeLessThanOrEqual(elapsed)
    expect(await sampleOf(`${name}_count{${labels}}`, timed)).toBe(3)
    expect([await bucket('0.001'), await bucket('0.25'), await bucket('+Inf')]).toEqual([0, 0, 3])
  })

  test('count get-session from memory like any other answer, and the source of each session', async () => {
    const seen = await createTestApp({ METRICS_TOKEN: token })
    const server = createServer(createSessionFastPath(seen.service, (_, response) => response.writeHead(421).end()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://localhost:${(server.address() as AddressInfo).port}/auth/get-session`
    const tab = await seen.signedIn()
    const cookie = [...tab.cookies].map((pair) => pair.join('=')).join('; ')
    const reads = async (from: string) => (await sampleOf(`floorpass_session_reads_total{from="${from}"}`, seen)) ?? 0
    const name = 'floorpass_http_request_duration_seconds'
    const labels = 'route="/auth/get-session",method="GET"'

    const missed = await reads('database')
    expect((await tab.get('/auth/get-session')).status).toBe(200)
    expect(await reads('database')).toBe(missed + 1)
    expect(await sampleOf('floorpass_sessions_in_memory', seen)).toBe(1)
    const [hits, count, sum] = [
      await reads('memory'),
      await sampleOf(`${name}_count{${labels}}`, seen),
      (await sampleOf(`${name}_sum{${labels}}`, seen)) ?? 0,
    ]
    for (let times = 0; times < 5; times += 1) expect((await fetch(url, { headers: { cookie } })).status).toBe(200)
    expect(await reads('memory')).toBe(hits + 5)
    expect(await reads('database')).toBe(missed + 1)
    expect(await sampleOf(`${name}_count{${labels}}`, seen)).toBe((count ?? 0) + 5)
    expect(await sampleOf(`${name}_bucket{le="+Inf",${labels}}`, seen)).toBe((count ?? 0) + 5)
    expect((await sampleOf(`${name}_sum{${labels}}`, seen)) ?? 0).toBeGreaterThan(sum)

    await tab.post('/auth/sign-out')
    expect(await sampleOf('floorpass_sessions_in_memory', seen)).toBe(0)
    server.close()
    server.closeAllConnections()
  })

  test('count errors by code and rate limits by rule', async () => {
    const tab = app.browser({ ip: '198.51.100.7' })
    const wrong = { email: 'unknown@example.test', password: 'wrong password' }
    const before = (await sampleOf('floorpass_errors_total{code="INVALID_EMAIL_OR_PASSWORD"}')) ?? 0
    for (let count = 0; count < 12; count += 1) await tab.post('/auth/sign-in/email', wrong)
    expect(await sampleOf('floorpass_errors_total{code="INVALID_EMAIL_OR_PASSWORD"}')).toBe(before + 10)
    expect(await sampleOf('floorpass_rate_limited_total{rule="sign-in:account"}')).toBe(2)
    expect(await sampleOf('floorpass_errors_total{code="TOO_MANY_REQUESTS"}')).toBe(2)
  })

  test('show waiting mails, the age of the oldest, and refused mails', async () => {
    await app.db.queuedMail.deleteMany()
    const mail = { mailSealed: 'x', nextAttemptAt: new Date(Date.now() + 1e6) }
    await app.db.queuedMail.create({ data: { ...mail, createdAt: new Date(Date.now() - 90_000) } })
    await app.db.queuedMail.create({ data: mail })
    await app.db.queuedMail.create({ data: { ...mail, nextAttemptAt: null } })
    expect(await sampleOf('floorpass_mails{state="waiting"}')).toBe(2)
    expect(await sampleOf('floorpass_mails{state="refused"}')).toBe(1)
    expect(await sampleOf('floorpass_mail_oldest_waiting_seconds')).toBeGreaterThanOrEqual(90)
    expect(await sampleOf('floorpass_mail_oldest_waiting_seconds')).toBeLessThan(150)
    await app.db.queuedMail.deleteMany()
    expect(await sampleOf('floorpass_mail_oldest_waiting_seconds')).toBe(0)
  })

  test('show waiting deliveries, paused webhooks, attempts and the age of the oldest event outside the feed', async () => {
    const hooks = await createTestApp({ ...privateTargets, METRICS_TOKEN: token })
    const receiver = await startReceiver()
    const { id } = await addWebhook(hooks, receiver.url)
    receiver.respond((response, { body }) => response.writeHead(body.includes('ada') ? 500 : 204).end())
    await addEvents(hooks, ['ada', 'ada', 'bob'])
    expect(await sampleOf('floorpass_webhook_deliveries_waiting', hooks)).toBe(3)
    await hooks.service.deps.webhooks.drain()
    expect(await sampleOf('floorpass_webhook_deliveries_waiting', hooks)).toBe(2)
    expect(await sampleOf('floorpass_webhook_attempts_total{outcome="delivered"}', hooks)).toBe(1)
    expect(await sampleOf('floorpass_webhook_attempts_total{outcome="retried"}', hooks)).toBe(1)
    expect(await sampleOf('floorpass_webhooks_paused', hooks)).toBe(0)
    await pauseWebhook(createOperator(hooks.service.deps, 'grace'), id)
    expect(await sampleOf('floorpass_webhooks_paused', hooks)).toBe(1)
    expect(await sampleOf('floorpass_events_waiting_seconds', hooks)).toBe(0)
    const createdAt = new Date(Date.now() - 90_000)
    await hooks.db.$executeRaw`INSERT INTO outbox_events (type, data, created_at) VALUES ('session.ended', '{}', ${createdAt})`
    expect(await sampleOf('floorpass_events_waiting_seconds', hooks)).toBeGreaterThanOrEqual(90)
  })

  test('show running, waiting and refused password hashes', async () => {
    const hashes = Array.from({ length: 600 }, () => app.service.deps.passwords.hash('plum kettle orbit').catch((error) => error))
    const text = String((await scrape()).body)
    const refused = (await Promise.all(hashes)).filter((result) => result instanceof AppError).length
    expect(refused).toBeGreaterThan(0)
    expect(text).toMatch(/floorpass_password_hashes\{state="(running|waiting)"\} [1-9]/)
    expect(await sampleOf('floorpass_password_hashes_refused_total')).toBe(refused)
    expect(await sampleOf('floorpass_password_hashes{state="running"}')).toBe(0)
  })

  test('count swept rows by table', async () => {
    const { userId } = await app.signedIn()
    await app.db.session.updateMany({ where: { userId }, data: { expiresAt: new Date(0) } })
    await app.service.expirySweep.sweep()
    expect(await sampleOf('floorpass_swept_rows_total{table="sessions"}')).toBe(1)
  })

  test('include a gauge that other code registers', async () => {
    const { metrics } = app.service
    new Gauge({ name: 'floorpass_joined', help: 'x', registers: metrics ? [metrics.registry] : [] }).set(7)
    expect(await sampleOf('floorpass_joined')).toBe(7)
  })

  test.runIf(testDatabase.kind === 'postgres')('report a database outage, and the scrape still answers', async () => {
    const other = await createTestApp({ METRICS_TOKEN: token })
    expect(await sampleOf('floorpass_database_up', other)).toBe(1)
    expect(await sampleOf('floorpass_session_channel_up', other)).toBe(1)
    const { back } = await other.loseDatabase()
    const tab = other.browser()
    tab.cookies.set('local-floorpass_session', 'x'.repeat(43))
    expect((await tab.get('/auth/get-session')).status).toBe(503)
    expect(await sampleOf('floorpass_database_up', other)).toBe(0)
    expect(await sampleOf('floorpass_mail_oldest_waiting_seconds', other)).toBeNull()
    expect(await sampleOf('floorpass_mails{state="waiting"}', other)).toBeNull()
    expect(await sampleOf('floorpass_errors_total{code="SERVICE_UNAVAILABLE"}', other)).toBe(1)
    expect(await sampleOf('floorpass_session_channel_up', other)).toBe(0)
    await back()
    expect(await sampleOf('floorpass_database_up', other)).toBe(1)
    await eventually(async () => expect(await sampleOf('floorpass_session_channel_up', other)).toBe(1))
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'show the connections of the pool, and how long callers wait for one',
    async () => {
      const busy = await createTestApp({ METRICS_TOKEN: token })
      await sampleOf('floorpass_database_up', busy)
      expect(await sampleOf('floorpass_database_connection_limit', busy)).toBe(5)
      expect(await sampleOf('floorpass_database_connection_waiters', busy)).toBe(0)
      const open = Promise.withResolvers<void>()
      const users = Array.from({ length: 12 }, () => busy.db.$transaction(() => open.promise))
      await eventually(async () => {
        const text = String((await scrape(busy)).body)
        expect(text).toContain('floorpass_database_connections{state="in_use"} 5\n')
        expect(text).toMatch(/^floorpass_database_connection_waiters [2-9]$/m)
      })
      const seenAt = performance.now()
      await scrape(busy)
      const waited = (performance.now() - seenAt) / 1000
      open.resolve()
      await Promise.all(users)
      expect(await sampleOf('floorpass_database_connection_longest_wait_seconds', busy)).toBeGreaterThan(waited)
      await eventually(async () =>
        expect(await sampleOf('floorpass_database_connections{state="in_use"}', busy)).toBeLessThanOrEqual(1),
      )
      expect(await sampleOf('floorpass_database_connections{state="idle"}', busy)).toBeGreaterThanOrEqual(4)
      expect(await sampleOf('floorpass_database_connection_waiters', busy)).toBe(0)
    },
  )

  test.runIf(testDatabase.kind === 'embedded')('have no connection pool on the embedded database', async () => {
    expect(await sampleOf('floorpass_database_connection_limit')).toBeNull()
    expect(await sampleOf('floorpass_database_connections{state="idle"}')).toBeNull()
  })

  test.runIf(testDatabase.kind === 'postgres')('count each lost connection once', async () => {
    const { options, drop } = await createTestDatabase()
    const DATABASE_URL = options.kind === 'postgres' ? options.url : ''
    const service = await openService(
      {
        DATABASE_URL,
        METRICS_TOKEN: token,
        BASE_URL: app.baseUrl,
        LOG_LEVEL: 'fatal',
        DATA_DIR: await mkdtemp(join(tmpdir(), 'floorpass-metrics-')),
      },
      // Without the channel, whose connection would count too.
      { sessionCache: false },
    )
    onTestFinished(async () => {
      await service.stop()
      await drop()
    })
    const tab = createBrowser(createEdge(service), app.baseUrl)
    const lost = async () => {
      const text = String((await tab.get('/metrics', { headers: { authorization: `Bearer ${token}` } })).body)
      return Number(/^floorpass_database_connections_lost_total (\d+)$/m.exec(text)?.[1])
    }
    await service.deps.db.user.count()
    expect(await lost()).toBe(0)
    const client = new Client(DATABASE_URL)
    await client.connect()
    const { rowCount: ended } = await client.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await client.end()
    expect(ended).toBeGreaterThan(0)
    await eventually(async () => expect(await lost()).toBe(ended))
    // A second count of the same connection would come before this answer.
    await service.deps.db.user.count()
    expect(await lost()).toBe(ended)
  })
})
