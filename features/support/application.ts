import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@floorpass/reliability'
import type { Locator, Page } from '@playwright/test'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { build, preview } from 'vite'
import { press } from './drivers.ts'
import { test as withService } from './service-with-providers.ts'

const root = fileURLToPath(new URL('app/', import.meta.url))

type Application = { url: string; api: string }

/** Tests with a separate service and, on another origin that it trusts, the application in `app` with its own backend. */
export const test = withService.extend<{ application: Application }, { origins: Application; running: Application }>({
  origins: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that this one needs
    async ({}, use) => {
      await use({ url: `http://localhost:${await freePort()}`, api: `http://localhost:${await freePort()}` })
    },
    { scope: 'worker' },
  ],
  environment: [({ origins: { url, api } }, use) => use({ TRUSTED_ORIGINS: url, TOKEN_AUDIENCES: api }), { scope: 'worker' }],
  running: [
    async ({ origins, service }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'floorpass-application-'))
      await buildApplication(origins, service.url, folder)
      const { port } = new URL(origins.url)
      const server = await preview({
        root,
        configFile: false,
        logLevel: 'warn',
        build: { outDir: folder },
        preview: { port: Number(port), strictPort: true, host: '127.0.0.1' },
      })
      const backend = await startApi(origins, service.url)
      await use(origins)
      backend.close().closeAllConnections()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  application: ({ running }, use) => use(running),
})

/** One form of the application. */
export const form = (place: Page | Locator, name: string) => place.getByRole('region', { name, exact: true })

export const refusal = (page: Page, name: string) => form(page, name).getByRole('alert')

/** Fills in one form of the application and sends it. */
export async function act(place: Page | Locator, name: string, fields: Record<string, string> = {}): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await form(place, name).getByLabel(label).fill(text)
  await press(form(place, name), name)
}

const buildApplication = ({ api }: Application, service: string, outDir: string) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    define: {
      'import.meta.env.VITE_SERVICE_URL': JSON.stringify(service),
      'import.meta.env.VITE_API_URL': JSON.stringify(api),
    },
    build: { outDir, emptyOutDir: true },
  })

/** The application's own backend. It knows the service by the public keys only. */
async function startApi({ url, api }: Application, service: string): Promise<Server> {
  const keys = createRemoteJWKSet(new URL('/auth/jwks', service))
  const expected = { issuer: service, audience: api, typ: 'at+jwt', algorithms: ['ES256'] }
  const server = createServer(async ({ method, headers }, response) => {
    response.setHeader('access-control-allow-origin', url).setHeader('access-control-allow-headers', 'authorization')
    if (method === 'OPTIONS') return response.writeHead(204).end()
    try {
      const { payload } = await jwtVerify(String(headers.authorization).replace(/^Bearer /, ''), keys, expected)
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(payload))
    } catch (error) {
      return response.writeHead(error instanceof errors.JOSEError ? 401 : 500).end()
    }
  }).listen(Number(new URL(api).port), '127.0.0.1')
  await once(server, 'listening')
  return server
}
