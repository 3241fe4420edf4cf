import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExchangeState } from './exchange-stand-in.ts'

const state: ExchangeState = { skewSeconds: 0, delayMs: 0, failure: null, markets: true }
const requests: string[] = []

const now = () => Date.now() + state.skewSeconds * 1000
const kraken = (result: unknown) => ({ error: [], result })

/** The documented answers of the exchanges, reduced to one currency pair. */
const answers: Record<string, () => unknown> = {
  '/0/public/Time': () => kraken({ unixtime: Math.floor(now() / 1000), rfc1123: new Date(now()).toUTCString() }),
  '/0/public/Assets': () =>
    kraken({
      XXBT: { aclass: 'currency', altname: 'XBT', decimals: 10, display_decimals: 5, status: 'enabled' },
      ZUSD: { aclass: 'currency', altname: 'USD', decimals: 4, display_decimals: 2, status: 'enabled' },
    }),
  '/0/public/AssetPairs': () =>
    kraken(
      state.markets
        ? {
            XXBTZUSD: {
              altname: 'XBTUSD',
              wsname: 'XBT/USD',
              base: 'XXBT',
              quote: 'ZUSD',
              pair_decimals: 1,
              lot_decimals: 8,
              leverage_buy: [2, 3],
              fees: [[0, 0.26]],
              fees_maker: [[0, 0.16]],
              ordermin: '0.0001',
              status: 'online',
            },
          }
        : {},
    ),
  '/api/v3/time': () => ({ serverTime: now() }),
  '/api/v3/exchangeInfo': () => ({
    timezone: 'UTC',
    serverTime: now(),
    rateLimits: [],
    symbols: [
      {
        symbol: 'BTCUSDT',
        status: 'TRADING',
        baseAsset: 'BTC',
        baseAssetPrecision: 8,
        quoteAsset: 'USDT',
        quotePrecision: 8,
        orderTypes: ['LIMIT', 'MARKET'],
        isSpotTradingAllowed: true,
        isMarginTradingAllowed: true,
        filters: [{ filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01' }],
        permissions: ['SPOT'],
      },
    ],
  }),
}

const failures: Record<NonNullable<ExchangeState['failure']>, (response: ServerResponse) => unknown> = {
  silence: () => {},
  status: (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oh</h1>\u202e\u0007no'),
  garbage: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[[1, "x"'),
  odd: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":[],"result":{}}'),
  redirect: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  hangUp: (response) => response.destroy(),
  drip: (response) => drip(response, 100),
  flood: (response) => flood(response),
  huge: (response) => sendObjects(response, 60),
  dense: (response) => sendObjects(response, 23),
}

/** Sends valid JSON of this size. The parsed objects take twenty times as much memory. */
function sendObjects(response: ServerResponse, megabytes: number): void {
  const objects = Buffer.alloc(megabytes * 1024 * 1024 - 64, '{},')
  const end = objects.byteLength - (objects.byteLength % 3) - 1
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"error":[],"result":{"unixtime":1},"more":[')
  response.write(objects.subarray(0, end))
  response.end(']}')
}

async function drip(response: ServerResponse, everyMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  while (!response.destroyed) {
    response.write(' ')
    await delay(everyMs)
  }
}

/** Sends as fast as the client reads. */
function flood(response: ServerResponse): void {
  const megabyte = Buffer.alloc(1024 * 1024, 0x20)
  const more = () => {
    while (!response.destroyed && response.write(megabyte));
  }
  response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more)
  more()
}

const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  const { pathname } = new URL(request.url ?? '/', 'http://stand.in')
  if (pathname === '/control') {
    if (request.method === 'POST') Object.assign(state, JSON.parse(await text(request)))
    else response.write(JSON.stringify(requests.splice(0)))
    response.end()
    return
  }
  requests.push(pathname)
  if (/time$/i.test(pathname)) await delay(state.delayMs)
  if (state.failure !== null) return failures[state.failure](response)
  const answer = answers[pathname]
  const body = JSON.stringify(answer ? answer() : { error: ['EGeneral:Unknown method'] })
  return response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
