// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags sessions
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFrontProxy } from '@floorpass/testing/front-proxy'
import { expect, type Page, test } from '@playwright/test'
import { freePort } from '../packages/reliability/src/service-process.ts'
import { newPerson, type Person, signOut, submitSignIn } from './support/person.ts'
import { createAccount, openTab } from './support/scene.ts'
import { startSeparateService } from './support/separate-service.ts'

// This file starts its own service, with mails in its own /dev/mailbox: no monitoring service can run it.
test.use({ ignoreHTTPSErrors: true })

type Ports = { service: number; secure: number; plain: number }

/** Starts a service behind a proxy with TLS and one without. At app.* the proxy is the server of an application. */
async function withService(environment: (ports: Ports) => Record<string, string>, run: (ports: Ports) => Promise<void>) {
  const port = await freePort()
  const readUser = async (cookie = '') => {
    const answer = await fetch(`http://127.0.0.1:${port}/auth/get-session`, { headers: { cookie } })
    const session = (await answer.json()) as { user: Person } | null
    return session?.user.email ?? 'no user'
  }
  const proxies = await Promise.all(
    [true, false].map((tls) =>
      startFrontProxy(
        { port },
        {
          tls,
          answer({ headers, url = '' }, response) {
            if (!headers.host?.startsWith('app.')) return false
            response.setHeader('set-cookie', new URLSearchParams(url.slice(url.indexOf('?'))).getAll('plant'))
            void readUser(headers.cookie).then((user) => response.end(`Signed in: ${user}`))
            return true
          },
        },
      ),
    ),
  )
  const [secure = 0, plain = 0] = proxies.map((proxy) => proxy.port)
  const ports = { service: port, secure, plain }
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-siblings-'))
  const settings = { PORT: String(port), DATA_DIR: folder, RATE_LIMIT: 'off', TRUST_PROXY: 'loopback' }
  const service = await startSeparateService({
    ...settings,
    TRUSTED_ORIGINS: `http://127.0.0.1:${port}`,
    ...environment(ports),
  })
  try {
    await run(ports)
  } finally {
    await service.end('SIGTERM')
    for (const proxy of proxies) proxy.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const sessionCookies = async (page: Page) =>
  (await page.context().cookies())
    .filter(({ name }) => name.endsWith('_session'))
    .map(({ name, domain, value, secure }) => ({ name, domain, value, secure }))

async function signInOn(page: Page, origin: string, person: Person): Promise<void> {
  await page.goto(`${origin}/login`)
  await submitSignIn(page, person)
  await expect(page).toHaveURL(`${origin}/dashboard`)
}

async function expectSignedOut(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/dashboard`)
  await expect(page).toHaveURL(`${origin}/login?redirectTo=%2Fdashboard`)
}

const sharedDomain = ({ secure }: Ports) => ({
  BASE_URL: `https://accounts.floor.localhost:${secure}`,
  COOKIE_DOMAIN: 'floor.localhost',
})

test('sessions: with COOKIE_DOMAIN a sibling host sees the session, and cannot plant another one on our pages', async ({
  page,
}) => {
  test.slow()
  await withService(sharedDomain, async ({ service, secure }) => {
    const [accounts, app] = ['accounts', 'app'].map((name) => `https://${name}.floor.localhost:${secure}`) as [string, string]
    const [victim, attacker] = [newPerson(), newPerson()]
    for (const person of [victim, attacker]) await createAccount(`http://127.0.0.1:${service}`, person)
    const expectApp = async (user: string, query = '') => {
      await page.goto(`${app}/${query}`)
      await expect(page.getByText(`Signed in: ${user}`)).toBeVisible()
    }

    await expectApp('no user')
    await signInOn(page, accounts, victim)
    const [own, shared] = (await sessionCookies(page)).sort((left, right) => left.name.localeCompare(right.name))
    expect(own).toMatchObject({ name: '__Host-floorpass_session', domain: 'accounts.floor.localhost', secure: true })
    expect(shared).toEqual({ ...own, name: '__Secure-floorpass_session', domain: '.floor.localhost' })
    await expectApp(victim.email)

    const tab = openTab(`http://127.0.0.1:${service}`)
    await tab.post('/auth/sign-in/email', attacker)
    const planted = `__Secure-floorpass_session=${tab.cookies.get('__Secure-floorpass_session')}; Domain=floor.localhost; Secure; Path=/`
    const plant = `?${new URLSearchParams([
      ['plant', planted],
      ['plant', planted.replace('__Secure-', '__Host-')],
    ])}`
    await expectApp(victim.email, plant)
    await expectApp(attacker.email)
    await page.goto(`${accounts}/settings/profile`)
    await expect(page.getByRole('main')).toContainText(victim.email)

    await signOut(page)
    await expectSignedOut(page, accounts)
    expect(await sessionCookies(page)).toEqual([])
    await expectApp('no user')
  })
})

test('sessions: a planted cookie does not sign a visitor in to our pages', async ({ page }) => {
  test.slow()
  await withService(sharedDomain, async ({ service, secure }) => {
    const [accounts, app] = ['accounts', 'app'].map((name) => `https://${name}.floor.localhost:${secure}`) as [string, string]
    const [victim, attacker] = [newPerson(), newPerson()]
    for (const person of [victim, attacker]) await createAccount(`http://127.0.0.1:${service}`, person)
    const tab = openTab(`http://127.0.0.1:${service}`)
    await tab.post('/auth/sign-in/email', attacker)
    const token = tab.cookies.get('__Secure-floorpass_session')
    const plant = (path: string) => `__Secure-floorpass_session=${token}; Domain=floor.localhost; Secure; Path=${path}`
    await page.goto(
      `${app}/?${new URLSearchParams([
        ['plant', plant('/')],
        ['plant', plant('/settings')],
      ])}`,
    )

    await expectSignedOut(page, accounts)
    await signInOn(page, accounts, victim)
    await page.goto(`${accounts}/settings/profile`)
    await expect(page.getByRole('main')).toContainText(victim.email)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })
})

test('sessions: one browser has one session over http and https', async ({ playwright, launchOptions }) => {
  test.slow()
  // Without a port in BASE_URL, one host serves both protocols.
  await withService(
    ({ service }) => ({ BASE_URL: 'http://localhost', TRUSTED_ORIGINS: `http://127.0.0.1:${service}` }),
    async ({ service, secure, plain }) => {
      const [ada, bob] = [newPerson(), newPerson()]
      for (const person of [ada, bob]) await createAccount(`http://127.0.0.1:${service}`, person)
      const rules = `MAP localhost:80 127.0.0.1:${plain}, MAP localhost:443 127.0.0.1:${secure}`
      await using browser = await playwright.chromium.launch({
        ...launchOptions,
        args: [...(launchOptions.args ?? []), `--host-resolver-rules=${rules}`],
      })
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
      for (const [origin, other, person] of [
        ['https://localhost', 'http://localhost', ada],
        ['http://localhost', 'https://localhost', bob],
      ] as const) {
        await signInOn(page, origin, person)
        expect(await sessionCookies(page)).toMatchObject([{ domain: 'localhost', secure: origin.startsWith('https') }])
        await page.goto(`${other}/settings/profile`)
        await expect(page.getByRole('main')).toContainText(person.email)
        await signOut(page)
        expect(await sessionCookies(page)).toEqual([])
        await expectSignedOut(page, origin)
      }
    },
  )
})
