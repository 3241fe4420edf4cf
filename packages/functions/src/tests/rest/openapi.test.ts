import { catalogue, type ErrorKey, eventTypes, limits } from '@floorpass/api'
import { errorAnswer } from '@floorpass/api/contracts'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addresses, addressOf, everyProvider, routeSamples, serviceKey } from '@floorpass/testing/route-samples'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const samples = routeSamples(app)

type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: unknown[]
  parameters?: { name: string; in: string; required: boolean }[]
  requestBody?: { required: boolean; content: Record<string, { schema: { properties?: object; required?: string[] } }> }
  responses: Record<string, unknown>
}
type Document = {
  openapi: string
  servers: { url: string }[]
  webhooks: Record<string, unknown>
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, unknown>
    examples: Record<string, unknown>
    securitySchemes: Record<string, { name: string }>
  }
  info: { title: string; description: string }
}

type AsyncDocument = { asyncapi: string; components: { messages: object } }

const answer = await app.browser({ origin: null }).get('/auth/openapi.json')
const document = answer.body as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
)

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1, and each of its references resolves', async () => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(document.openapi).toBe('3.1.0')
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
    expect(validator.version).toBe('3.1')
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target ?? '')
    expect(references.length).toBeGreaterThan(0)
    const known = [
      ...Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(document.components.examples).map((name) => `#/components/examples/${name}`),
    ]
    expect(references.filter((reference) => !known.includes(reference))).toEqual([])
    // Errors of unknown addresses and methods, and of the command line, belong to no route.
    const unused = ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'WEBHOOK_NOT_FOUND'].map((name) => `#/components/examples/${name}`)
    expect(known.filter((name) => !references.includes(name) && !unused.includes(name))).toEqual([])
  })

  test('describes every event as a webhook, and so does the AsyncAPI document', async () => {
    const asyncapi = (await app.browser({ origin: null }).get('/auth/asyncapi.json')).body as AsyncDocument
    expect(asyncapi.asyncapi).toBe('3.0.0')
    expect(Object.keys(document.webhooks)).toEqual([...eventTypes])
    expect(Object.keys(asyncapi.components.messages)).toEqual(['heartbeat', ...eventTypes])
    const references = [...JSON.stringify(asyncapi).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target)
    const resolve = (target: string) =>
      target
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], asyncapi)
    expect(references.filter((target) => resolve(target) === undefined)).toEqual([])
    const texts = [...JSON.stringify(asyncapi).matchAll(/"(?:summary|description|title)":"([^"]*)"/g)].map(([, text]) => text)
    expect(texts).toContain('Follow the changes')
    expect(texts.filter((text) => !text)).toEqual([])
  })

  test('lists every route under each of its names, and nothing else', () => {
    const rows = addresses.map(({ method, path }) => `${method} /auth${path}`)
    expect(operations.map(({ name }) => name).sort()).toEqual(rows.sort())
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(rows.length)
  })

  test('names the address, the cookie and every error code of the service', () => {
    expect(document.servers).toEqual([{ url: app.baseUrl }])
    expect(document.components.securitySchemes).toMatchObject({
      session: { name: 'local-floorpass_session' },
      service: { type: 'http', scheme: 'bearer' },
    })
    for (const code of Object.keys(catalogue)) expect(document.info.description).toContain(code)
  })

  test('states each limit in words', () => {
    const pattern = /Limit: (\d+) calls in (one|\d+) (minute|hour)(s?) for each (IP address|user|service)\./
    const stated = operations.flatMap(({ description = '' }) =>
      description.includes('Limit:') ? [pattern.exec(description)] : [],
    )
    expect(stated.length).toBeGreaterThan(20)
    const counts = { 'IP address': 'ip', user: 'user', service: 'service' }
    for (const match of stated) {
      const [text, points, time, unit, plural, whom = ''] = match ?? []
      expect([text, plural]).toEqual([text, time === 'one' ? '' : 's'])
      const seconds = (time === 'one' ? 1 : Number(time)) * (unit === 'hour' ? 3600 : 60)
      const limit = { points: Number(points), seconds, counts: counts[whom as keyof typeof counts] }
      expect(Object.values(limits)).toContainEqual(expect.objectContaining(limit))
    }
  })

  test.each(addresses)('states who may call $method $path, and its input', ({ method, path, access, input, accepts }) => {
    const operation = document.paths[`/auth${path}`]?.[method.toLowerCase()]
    expect(operation?.security).toEqual(
      access === 'administrator' ? [{ session: [] }] : access === 'session' || access === 'service' ? [{ [access]: [] }] : [],
    )
    expect(operation?.summary).toMatch(/\S/)
    const fields = Object.keys((input as { shape?: object } | null)?.shape ?? {}).sort()
    if (method === 'GET') {
      expect((operation?.parameters ?? []).map(({ name }) => name).sort()).toEqual(fields)
      expect(operation?.requestBody).toBeUndefined()
    } else {
      expect(Object.keys(operation?.requestBody?.content ?? {})).toHaveLength(accepts.length)
      for (const { schema } of Object.values(operation?.requestBody?.content ?? {}))
        expect(Object.keys(schema.properties ?? {}).sort()).toEqual(fields)
    }
  })
})

describe('every route answers as the OpenAPI document states', () => {
  test.each(addresses)('$method $path', async ({ method, path, access, answer: contract, refuses }) => {
    const tab = await app.signedIn()
    const input = (await samples[`${method} ${path}`]?.(tab)) ?? {}
    const headers: Record<string, string> = access === 'service' ? { authorization: `Bearer ${serviceKey}` } : {}
    const real =
      method === 'POST'
        ? await tab.post(`/auth${path}`, input, { headers })
        : await tab.get(`${addressOf(path, input)}?${new URLSearchParams(input as Record<string, string>)}`, { headers })
    if (refuses !== null) {
      expect([real.code, Object.keys(document.paths[`/auth${path}`]?.post?.responses ?? {})]).toEqual([
        refuses,
        [String(real.status), 'default'],
      ])
      return
    }
    if (contract === null) {
      expect([real.status, real.headers.get('location')]).toEqual([
        302,
        expect.stringMatching(/^(\/|https:\/\/github\.com\/login\/)/),
      ])
      return
    }
    expect(real.status).toBe(200)
    expect(contract.safeParse(real.body).error).toBeUndefined()
  })

  test('get-session when signed out, verify-email of a new email, and every refusal', async () => {
    const getContract = (path: string) => addresses.find((route) => route.path === path)?.answer
    expect(getContract('/get-session')?.safeParse((await app.browser().get('/auth/get-session')).body).success).toBe(true)
    const tab = await app.signedIn()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    const changed = await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    expect(getContract('/verify-email')?.safeParse(changed.body).error).toBeUndefined()
    for (const { method, path } of addresses.filter(({ access }) => access === 'session' || access === 'administrator')) {
      const { body } = await app.browser().request(method, `/auth${path}`, method === 'POST' ? { body: {} } : {})
      const { code } = errorAnswer.parse(body)
      expect(catalogue[code as ErrorKey]).toBeDefined()
    }
  })
})

describe.each(['/auth/openapi.json', '/auth/reference', '/auth/reference/style.css', '/auth/reference/script.js'])(
  '%s',
  (path) => {
    const tab = app.browser()

    test('answers GET to a preflight, and 405 to other methods', async () => {
      const headers = { origin: app.baseUrl, 'access-control-request-method': 'GET' }
      const preflight = await tab.request('OPTIONS', path, { headers })
      expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, OPTIONS'])
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status, code, headers: answered } = await tab.request(method, path)
        expect([method, status, code, answered.get('allow')]).toEqual([method, 405, 'METHOD_NOT_ALLOWED', 'GET, OPTIONS'])
      }
      const { status, body } = await tab.request('HEAD', path)
      expect([status, body]).toEqual([200, ''])
    })
  },
)
