// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages, speed

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page } from '@playwright/test'
import { layoutSettled } from './support/drivers.ts'
import { openPage, pages, pathOf } from './support/pages.ts'
import { visitors } from './support/scene.ts'
import { test, watch } from './support/scene-test.ts'

const kB = 1000

/** What came over the wire, headers too, by kind, and how many times. */
async function weigh(page: Page, path: string) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const kinds = new Map<string, string>()
  const weight = { Script: 0, Stylesheet: 0, Font: 0, requests: 0 }
  devtools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId)
    weight.requests += 1
    if (kind === 'Script' || kind === 'Stylesheet' || kind === 'Font') weight[kind] += encodedDataLength
  })
  await page.goto(path, { waitUntil: 'networkidle' })
  return weight
}

for (const locale of ['en-US', 'fr-FR']) {
  test(`pages: the sign-in page is light, and comes from one place (${locale})`, async ({ visit, baseURL }) => {
    // The larger of the two compressed forms: all that a browser takes over plain http.
    const page = await visit({ as: 'visitor', locale, extraHTTPHeaders: { 'accept-encoding': 'gzip' } })
    const complaints = watch(page, baseURL)
    const encodings = new Set<string | undefined>()
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') encodings.add(response.headers()['content-encoding'])
    })
    const weight = await weigh(page, '/login')
    console.log(`/login over the wire (${locale}): ${JSON.stringify(weight)}`)
    await expect(page.locator('html')).toHaveAttribute('lang', locale.slice(0, 2))
    expect([...encodings]).toEqual(['gzip'])
    expect(weight.Script).toBeGreaterThan(0)
    expect(weight.Script).toBeLessThanOrEqual(100 * kB)
    expect(weight.Stylesheet).toBeGreaterThan(0)
    expect(weight.Stylesheet).toBeLessThanOrEqual(15 * kB)
    expect(weight.Font).toBeLessThanOrEqual(35 * kB)
    expect(weight.requests).toBeLessThanOrEqual(25)
    expect(complaints).toEqual([])
  })
}

test('pages: what a build names by its content is kept for good, and sent compressed', async ({ request }) => {
  const html = await (await request.get('/login')).text()
  const files = new Set([...html.matchAll(/"(\/assets\/[^"]+\.(?:js|css|woff2))"/g)].map(([, path = '']) => path))
  expect(files.size).toBeGreaterThan(5)
  for (const path of files) {
    const headers = (await request.get(path, { headers: { 'accept-encoding': 'br' } })).headers()
    expect.soft(headers['cache-control'], path).toBe('public, max-age=31536000, immutable')
    expect.soft(headers['content-encoding'], path).toBe(path.endsWith('.woff2') ? undefined : 'br')
  }
})

declare global {
  interface Window {
    shifts: string[]
  }
}

const reportShifts = (page: Page) =>
  page.addInitScript(() => {
    window.shifts = []
    type Source = { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: Source[] }
    const show = ({ x, y, width, height }: DOMRect) => `${width}×${height} at ${x},${y}`
    const showSource = ({ node, previousRect, currentRect }: Source) =>
      `${node?.nodeName} "${node?.textContent?.slice(0, 80)}" from ${show(previousRect)} to ${show(currentRect)}`
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        // A busy browser reported 0.00009 for a logo that came a frame late, which no eye sees.
        // The space after the last word of a line moves with the word that follows it.
        const isSeen = value > 0.001 && sources.some(({ node }) => node?.nodeName !== '#text' || node.textContent?.trim())
        if (!hadRecentInput && isSeen) window.shifts.push(`${value}: ${sources.map(showSource).join('; ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })

for (const width of [360, 1280]) {
  test(`pages: nothing moves while a page comes (${width} px)`, async ({ visit, scene }) => {
    test.slow()
    for (const as of visitors) {
      const page = await visit({ as, viewport: { width, height: 800 } })
      await reportShifts(page)
      for (const row of pages.filter((each) => each.as === as && !each.reach)) {
        await openPage(page, row, scene)
        await layoutSettled(page)
        expect.soft(await page.evaluate(() => window.shifts), row.name).toEqual([])
      }
    }
  })
}

/** Serves pages of the service. It sends `<main>` and the footer element by element, as a slow network does. */
async function serveInPieces(origin: string) {
  const server = createServer(async (request, response) => {
    const { cookie = '', 'accept-language': language = '' } = request.headers
    const page = await fetch(new URL(request.url ?? '/', origin), {
      headers: { 'accept-encoding': 'identity', 'accept-language': language, cookie },
      redirect: 'manual',
    })
    const body = Buffer.from(await page.arrayBuffer())
    const type = page.headers.get('content-type') ?? ''
    response.writeHead(page.status, { 'content-type': type })
    if (type.startsWith('text/html')) {
      const [before = '', main = '', after = ''] = body.toString().split(/(?=<main)|(?=<\/footer>)/)
      response.write(before)
      for (const piece of main.split(/(?=<(?:a|button|dd|div|form|h\d|label|li|p|select)[ >])/)) {
        response.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      response.end(after)
    } else response.end(body)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return server
}

const slowPages = [
  'landing',
  'login',
  'signup',
  'forgot-password',
  'settings',
  'settings-email-gate',
  'settings-organization-members-french',
  'reauthenticate-provider-refused',
]

for (const width of [360, 1280]) {
  test(`pages: nothing moves while a page comes element by element (${width} px)`, async ({ visit, scene, baseURL }) => {
    test.slow()
    await using server = await serveInPieces(baseURL ?? '')
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    const rows = pages.filter(({ name }) => slowPages.includes(name))
    expect(rows).toHaveLength(slowPages.length)
    for (const row of rows) {
      const page = await visit({ as: row.as, baseURL: origin, viewport: { width, height: 800 } })
      await reportShifts(page)
      const answer = await openPage(page, row, scene)
      expect(answer?.status(), row.name).toBe(row.status ?? 200)
      expect(new URL(page.url()).pathname, row.name).toBe(new URL(pathOf(row, scene), origin).pathname)
      await layoutSettled(page)
      expect.soft(await page.evaluate(() => window.shifts), row.name).toEqual([])
    }
  })
}
