import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { callerOf, createVerifier, type Verifier } from '@floorpass/server'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createRequestHandler, type ServerBuild } from '@remix-run/server-runtime'
import { describe, expect, test } from 'vitest'
import * as express from './examples/express.ts'
import * as fastify from './examples/fastify.ts'
import * as hono from './examples/hono.ts'
import * as next from './examples/next.ts'
import * as remix from './examples/remix.ts'

type Ask = (cookie?: string) => Promise<Response>

const app = await createTestApp()
const asking = (fetch: typeof globalThis.fetch) => createVerifier({ issuer: app.baseUrl, audience: app.baseUrl, fetch })
const floorpass = asking((input, init) => app.edge.fetch(new Request(input, init), { peerAddress: '127.0.0.1' }))
const unreachable = asking(() => Promise.reject(new TypeError('fetch failed')))

const newRequest = (url: string, cookie?: string) => new Request(`${url}/orders`, { headers: cookie ? { cookie } : {} })

const overHttp =
  (url: string): Ask =>
  (cookie) =>
    fetch(newRequest(url, cookie))
const inProcess =
  (handle: (request: Request) => Response | Promise<Response>): Ask =>
  async (cookie) =>
    handle(newRequest('http://orders.test', cookie))

const frameworks: Record<string, (verifier: Verifier) => Ask | Promise<Ask>> = {
  express: async (verifier) => {
    const server = createServer(express.createOrders(verifier)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closeAfterFile(async () => void server.close())
    return overHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  },
  fastify: async (verifier) => {
    const server = fastify.createOrders(verifier)
    closeAfterFile(async () => void (await server.close()))
    return overHttp(await server.listen({ host: '127.0.0.1', port: 0 }))
  },
  hono: (verifier) => inProcess((request) => hono.createOrders(verifier).fetch(request)),
  next: (verifier) => inProcess((request) => next.createOrders(verifier)(request, { params: Promise.resolve({}) })),
  remix: (verifier) => inProcess(createRequestHandler(remixBuild(remix.createOrders(verifier)))),
}

/** A Remix application with one resource route. */
const remixBuild = (loader: ReturnType<typeof remix.createOrders>) =>
  ({
    mode: 'test',
    basename: '/',
    publicPath: '/',
    assetsBuildDirectory: '',
    isSpaMode: false,
    future: { v3_singleFetch: true },
    assets: { entry: { module: '', imports: [] }, routes: {}, url: '', version: '' },
    entry: { module: { default: () => new Response('a page') } },
    routes: { orders: { id: 'orders', path: 'orders', module: { loader } } },
  }) as unknown as ServerBuild

describe.each(Object.entries(frameworks))('the example for %s', (name, start) => {
  test('answers a signed-in caller, and refuses others as Floorpass does', async () => {
    const ask = await start(floorpass)
    const tab = await app.signedIn()
    const cookie = [...tab.cookies].map((pair) => pair.join('=')).join('; ')
    const passed = await ask(cookie)
    expect([passed.status, await passed.json()]).toEqual([200, { owner: tab.userId }])

    const refused = await ask()
    expect([refused.status, await refused.json()]).toEqual([401, { code: 'UNAUTHORIZED', message: expect.any(String) }])
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(refused.headers.get('cache-control')).toBe('no-store')

    await tab.post('/auth/sign-out')
    expect((await ask(cookie)).status).toBe(401)
  })

  test('answers 503 when Floorpass is away', async () => {
    const answer = await (await start(unreachable))('local-floorpass_session=any')
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE' }])
  })

  test('stands in the README of the package', () => {
    const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
    expect(read('../../../../server/README.md')).toContain(`\`\`\`ts\n${read(`examples/${name}.ts`)}\`\`\``)
  })
})

test('the caller of an unguarded request is an error, not an empty caller', () => {
  expect(() => callerOf(new Request('http://orders.test'))).toThrow('no guard of @floorpass/server ran')
})
