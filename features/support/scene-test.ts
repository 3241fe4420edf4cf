import { randomUUID } from 'node:crypto'
import type { BrowserContextOptions, Page } from '@playwright/test'
import { test as base } from './open-browser.ts'
import { cookiesOf, createAccounts, type Scene, seedScene, signIn, type Visitor } from './scene.ts'
import { returningVisitor } from './sign-in-earlier.ts'

type VisitOptions = BrowserContextOptions & { as: Visitor }

type Scenery = {
  /** Opens a tab of a visitor of the scene, in a separate browser. */
  visit: (options: VisitOptions) => Promise<Page>
}

/** Tests over the table of all pages. Each worker sets its scene once; only `reach` may change it. */
export const test = base.extend<Scenery, { scene: Scene }>({
  scene: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that this one needs
    async ({}, use, { project }) => {
      const run = randomUUID().slice(0, 8)
      const url = String(project.use.baseURL)
      const address = (handle: string) => `${handle}-${run}@${'sub.'.repeat(8)}example.test`
      await createAccounts(url, address)
      await use(await seedScene(url, address, { slug: `meridian-${run}`, returning: returningVisitor() }))
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  visit: ({ openBrowser, scene, baseURL }, use) =>
    use(async ({ as, ...options }) => {
      const page = await openBrowser(options)
      // Sensitive forms are shown for 15 minutes after a sign-in, and a scene may be older than that.
      const cookies = as === 'member' ? cookiesOf(await signIn(scene.url, scene)) : scene.cookies[as]
      await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, url: String(baseURL) })))
      return page
    }),
})

/** Collects what the browser complains about and whom it talks to, from now on. Broken CSP is a complaint too. */
export function watch(page: Page, origin: string | undefined): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A document may be a 404 or a refused form; its parts may not, and are seen below.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded')
    // A test cut the network; the sign-in page may be about to offer passkeys then.
    const isOffline = message.text().endsWith('net::ERR_INTERNET_DISCONNECTED')
    if (message.type() === 'error' && !isStatus && !isOffline) complaints.push(message.text())
  })
  page.on('response', (response) => {
    const isPart = !['document', 'fetch'].includes(response.request().resourceType())
    if (isPart && response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`third party: ${request.url()}`)
  })
  return complaints
}
