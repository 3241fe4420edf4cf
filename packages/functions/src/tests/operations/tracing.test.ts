import { loadConfig } from '@floorpass/env'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startTraceReceiver } from '@floorpass/testing/trace-receiver'
import { afterAll, describe, expect, test } from 'vitest'

const receiver = await startTraceReceiver()
afterAll(receiver.close)
const configured = {
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=floor%20one',
  OTEL_SERVICE_NAME: 'floorpass-test',
}
const traced = (overrides: Record<string, string> = {}) =>
  createTestApp({ ...configured, TRUST_PROXY: '192.0.2.1', ...overrides })

describe('a service with a trace receiver', () => {
  test('T176: spans of request, procedure, database, hash and mail form one tree and contain no secret and no email', async () => {
    const app = await traced()
    const { person } = await app.registered(app.person({ name: 'Canary Name', password: 'canary password 77aa' }))
    receiver.spans.length = 0
    const tab = app.browser()
    const signedIn = await tab.post('/auth/sign-in/email?canary=query', { email: person.email, password: person.password })
    await tab.post('/auth/sign-in/email', { email: person.email, password: 'canary wrong' })
    await tab.request('CANARY', '/auth/canary-path')
    await app.service.tracing?.stop()

    const rootOf = (id: string | null) => receiver.spans.find(({ attributes }) => attributes['floorpass.request_id'] === id)
    const root = rootOf(signedIn.headers.get('x-request-id'))
    expect(root).toMatchObject({
      name: 'POST /auth/sign-in/email',
      kind: 2,
      attributes: { 'http.route': '/auth/sign-in/email', 'http.request.method': 'POST', 'http.response.status_code': 200 },
    })
    const tree = receiver.spans.filter(({ traceId }) => traceId === root?.traceId)
    const procedure = tree.find(({ name }) => name === 'procedure signIn.email')
    expect(procedure?.parentSpanId).toBe(root?.spanId)
    const names = tree.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['password verify', 'db SELECT users', 'db INSERT sessions', 'db transaction']))
    for (const span of tree.filter(({ spanId }) => spanId !== root?.spanId)) expect(span.parentSpanId).toBeTruthy()
    const failed = receiver.spans.filter(({ attributes }) => attributes['error.type'] === 'INVALID_EMAIL_OR_PASSWORD')
    expect(failed).toMatchObject([{ name: 'procedure signIn.email', status: { code: 2 } }])
    expect(receiver.headers[0]?.['x-tenant']).toBe('floor one')

    const sent = receiver.bodies.join('\n')
    expect(sent).toContain('floorpass-test')
    expect(sent).toContain('mail send')
    expect(sent).not.toMatch(/canary|example\.test|127\.0\.0\.1|argon2/i)
    expect(sent).not.toContain(tab.cookies.get('local-floorpass_session') ?? 'no cookie')
  })

  test('transactions still roll back under traced queries', async () => {
    const app = await traced()
    const { db } = app.service.deps
    const write = db.$transaction(async (tx) => {
      await tx.user.create({ data: { id: 'rolled-back', name: 'x', email: 'rolled@example.test' } })
      throw new Error('no')
    })
    await expect(write).rejects.toThrow('no')
    const batch = db.$transaction([
      db.user.create({ data: { id: 'rolled-back', name: 'x', email: 'rolled@example.test' } }),
      db.user.create({ data: { id: 'rolled-back', name: 'x', email: 'other@example.test' } }),
    ])
    await expect(batch).rejects.toThrow()
    expect(await db.user.count({ where: { id: 'rolled-back' } })).toBe(0)
  })

  test('continues a trace of a trusted proxy, and of no other caller', async () => {
    const app = await traced()
    const [theirs, forged] = ['0af7651916cd43dd8448eb211c80319c', '1bf7651916cd43dd8448eb211c80319d']
    const headers = (id: string) => ({ headers: { traceparent: `00-${id}-b7ad6b7169203331-01` } })
    await app.browser({ ip: '192.0.2.1' }).get('/healthz', headers(theirs))
    await app.browser({ ip: '192.0.2.9' }).get('/healthz', headers(forged))
    await app.browser({ ip: '192.0.2.1' }).get('/healthz', { headers: { traceparent: '00-canary-01' } })
    await app.service.tracing?.stop()
    const ids = receiver.spans.map(({ traceId }) => traceId)
    expect(ids).toContain(theirs)
    expect(ids).not.toContain(forged)
    expect(receiver.spans.find(({ traceId }) => traceId === theirs)?.parentSpanId).toBe('b7ad6b7169203331')
  })

  test('records nothing at a sample rate of 0, and works without its receiver', async () => {
    const none = await traced({ OTEL_TRACES_SAMPLER_ARG: '0' })
    const before = receiver.spans.length
    await none.signedIn()
    await none.service.tracing?.stop()
    expect(receiver.spans.length).toBe(before)
    const lonely = await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    expect((await (await lonely.signedIn()).get('/auth/get-session')).status).toBe(200)
    await lonely.stop()
  })
})

describe('the tracing settings', () => {
  test('tracing is off without a receiver', async () => {
    expect(loadConfig({}).tracing).toBeNull()
    expect((await createTestApp()).service.tracing).toBeNull()
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-without-a-name'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_SERVICE_NAME', 'two words'],
  ])('%s=%s is refused without quoting the value', (name, value) => {
    const load = () => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', [name]: value })
    expect(load).toThrow(new RegExp(name))
    try {
      load()
    } catch (error) {
      expect(String(error)).not.toContain(value)
    }
  })
})
