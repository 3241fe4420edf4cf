// @frequency 1h
// @locations eu-west-1
// @alerts oncall
// @tags pages, speed

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page } from '@playwright/test'
import { layoutSettled } from './support/drivers.ts'
import { openPage, pages } from './support/pages.ts'
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
        if (!hadRecentInput && value > 0.001) window.shifts.push(`${value}: ${sources.map(showSource).join('; ')}`)
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

/** Serves pages of the service. It sends each document in two pieces, as a slow network does. */
async function serveInPieces(origin: string) {
  const server = createServer(async (request, response) => {
    const page = await fetch(new URL(request.url ?? '/', origin), { headers: { 'accept-encoding': 'identity' } })
    const body = Buffer.from(await page.arrayBuffer())
    const type = page.headers.get('content-type') ?? ''
    response.writeHead(page.status, { 'content-type': type })
    if (type.startsWith('text/html')) {
      response.write(body.subarray(0, body.indexOf('</form>')))
      await new Promise((resolve) => setTimeout(resolve, 500))
      response.end(body.subarray(body.indexOf('</form>')))
    } else response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('pages: nothing moves while the second half of a sign-in page comes', async ({ visit, baseURL }) => {
  await using server = await serveInPieces(baseURL ?? '')
  const page = await visit({ as: 'visitor', viewport: { width: 1280, height: 800 }, javaScriptEnabled: true })
  await reportShifts(page)
  for (const path of ['/login', '/signup', '/forgot-password']) {
    const answer = await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
    expect(answer?.status(), path).toBe(200)
    await layoutSettled(page)
    expect.soft(await page.evaluate(() => window.shifts), path).toEqual([])
  }
})
