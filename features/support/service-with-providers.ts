import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@floorpass/reliability'
import { type GitHubStandIn, startGitHub } from '@floorpass/testing/github-stand-in'
import { type OpenIdProvider, startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { type Clock, clockIn } from '@floorpass/testing/service-clock'
import { test as base } from './open-browser.ts'
import { startSeparateService } from './separate-service.ts'

/** A page of another application, on an origin that the service trusts. With JavaScript it shows whose session it sees. */
type FrontEnd = { url: string; close(): Promise<void> }

type Providers = { google: OpenIdProvider; github: GitHubStandIn; frontEnd: FrontEnd }
/** `restart` starts the same service again, with this in its environment. */
type Service = Providers & { url: string; clock: Clock; restart(environment: Record<string, string>): Promise<void> }
type Fixtures = Providers & Pick<Service, 'clock' | 'restart'>

type WorkerFixtures = {
  /** More variables for the service. */
  environment: Record<string, string>
  service: Service
}

/** Tests with a separate service, whose social providers and other application run on loopback. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  environment: [{}, { scope: 'worker', option: true }],
  service: [
    async ({ environment: more }, use) => {
      const port = await freePort()
      const url = `http://localhost:${port}`
      const google = await startOpenIdProvider(`${url}/auth/callback/google`)
      const github = await startGitHub(`${url}/auth/callback/github`)
      const frontEnd = await startFrontEnd(url)
      const folder = await mkdtemp(join(tmpdir(), 'floorpass-browser-'))
      const clock = clockIn(join(folder, 'clock'))
      const environment = {
        PORT: String(port),
        HOST: '127.0.0.1',
        BASE_URL: url,
        RATE_LIMIT: 'off',
        DATA_DIR: join(folder, 'data'),
        ...google.environment,
        ...github.environment,
        ...clock.environment,
        TRUSTED_ORIGINS: frontEnd.url,
        ...more,
      }
      let running = await startSeparateService(environment)
      const restart = async (changed: Record<string, string>) => {
        await running.end('SIGTERM')
        running = await startSeparateService({ ...environment, ...changed })
      }
      await use({ url, google, github, frontEnd, clock, restart })
      await running.end('SIGTERM')
      await google.close()
      await github.close()
      await frontEnd.close()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: ({ service }, use) => use(service.url),
  clock: async ({ service: { clock } }, use) => {
    await use(clock)
    await clock.setBack(0)
  },
  restart: async ({ service: { restart } }, use) => {
    await use(restart)
    await restart({})
  },
  google: ({ service }, use) => use(service.google),
  github: ({ service }, use) => use(service.github),
  frontEnd: ({ service }, use) => use(service.frontEnd),
})

async function startFrontEnd(service: string): Promise<FrontEnd> {
  const script = `fetch('${service}/auth/get-session', { credentials: 'include' })
    .then((answer) => answer.json())
    .then((active) => { document.querySelector('p').textContent = active ? active.user.email : 'signed out' })`
  const page = `<!doctype html><title>Orders</title><link rel="icon" href="data:,"><h1>Orders</h1><p></p><script>${script}</script>`
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://localhost:${port}`, close }
}
