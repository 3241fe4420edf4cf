import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { attempt, CheckFailure, notMade, type Outcome, type Work } from './attempt.ts'
import type { Exchange, ExchangeRun } from './check-exchanges.ts'

/** What we use of ccxt's exchange classes. Its own types take the compiler seconds for nothing. */
type Client = {
  has: Record<string, unknown>
  urls: { api: unknown }
  options: { fetchMarkets?: { types?: string[] } }
  fetchImplementation: typeof fetch
  fetchTime(): Promise<number | undefined>
  loadMarkets(): Promise<Record<string, unknown>>
}
type ClientClass = new (options: Record<string, unknown>) => Client

/** All that one exchange may answer, unpacked. The longest list of markets, Binance's, is estimated at 10 to 15 MiB. */
const mostBytes = 24 * 1024 * 1024
let bytesLeft = mostBytes
// Nobody waits for an answer any more.
process.once('disconnect', () => process.exit())
const [{ exchange: asked, times }] = (await once(process, 'message')) as [ExchangeRun]
// The library's class of this one exchange: its entry point would load a hundred. Its loading is no part of the exchange's time.
const file = new URL(`src/${asked.id}.js`, import.meta.resolve('ccxt'))
const library = existsSync(file) ? ((await import(file.href)) as { default: ClientClass }) : null

async function checkExchange(exchange: Exchange): Promise<Outcome[]> {
  const group = exchange.id
  const deadline = AbortSignal.timeout(times.check * 1000)
  const check = (title: string, work: Work) => attempt({ group, title, seconds: times.check }, work, explain)
  const titles = {
    clock: `its clock is within ${times.clockTolerance} s of ours`,
    latency: `answers within ${times.slowestAnswer} s`,
    markets: 'its markets load',
  }
  let client: Client | undefined
  let skewMs = 0
  const reachable = await check('is reachable', async () => {
    const latencies: number[] = []
    client = openClient(exchange, deadline, latencies)
    const asked = Date.now()
    // Not every exchange tells its time. Those are asked for their markets, once.
    const time = tellsTime(client) ? await client.fetchTime() : void (await client.loadMarkets())
    const [latencyMs = 0] = latencies
    if (tellsTime(client)) {
      if (!Number.isFinite(time)) throw new CheckFailure('It answered something else than its time')
      skewMs = Math.round(Number(time) - asked - latencyMs / 2)
    }
    return { latencyMs }
  })
  if (!client || reachable.status === 'failed') return [reachable, ...Object.values(titles).map((title) => notMade(group, title))]
  const open = client
  return [
    reachable,
    tellsTime(open)
      ? await check(titles.clock, async () => {
          if (Math.abs(skewMs) > times.clockTolerance * 1000) throw new CheckFailure(`It is ${Math.round(skewMs / 1000)} s off`)
          return { skewMs }
        })
      : notMade(group, titles.clock),
    await check(titles.latency, async () => {
      const { latencyMs = 0 } = reachable.meta
      if (latencyMs > times.slowestAnswer * 1000) throw new CheckFailure(`The answer took ${(latencyMs / 1000).toFixed(1)} s`)
      return { latencyMs }
    }),
    await check(titles.markets, async () => {
      const markets = Object.keys(await open.loadMarkets()).length
      if (markets === 0) throw new CheckFailure('It names no market')
      return { markets }
    }),
  ]
}

const tellsTime = ({ has }: Client): boolean => has.fetchTime === true

/** `latencies` gets the milliseconds of each request. */
function openClient({ baseUrl }: Exchange, deadline: AbortSignal, latencies: number[]): Client {
  if (library === null) throw new CheckFailure('The library knows no exchange of this name')
  const { default: ClientOf } = library
  // Three requests need no pacing. Ours is the clock that ends them: the library's own stops at the first byte of an answer.
  const client = new ClientOf({ enableRateLimit: false, timeout: times.check * 1000 })
  client.fetchImplementation = async (input, init) => {
    const started = performance.now()
    const response = await boundedFetch(input, init, deadline)
    latencies.push(Math.round(performance.now() - started))
    return response
  }
  // Derivatives are other services at other addresses, and closed to servers in many countries.
  const { fetchMarkets } = client.options
  if (fetchMarkets?.types?.includes('spot')) fetchMarkets.types = ['spot']
  if (baseUrl !== null) client.urls.api = movedTo(baseUrl, client.urls.api)
  return client
}

/** The same addresses on another host. ccxt keeps them as text, lists or trees of text. */
function movedTo(baseUrl: string, api: unknown): unknown {
  if (typeof api === 'string') return api.replace(/^https?:\/\/[^/]+/, baseUrl)
  if (Array.isArray(api)) return api.map((entry) => movedTo(baseUrl, entry))
  if (typeof api !== 'object' || api === null) return api
  return Object.fromEntries(Object.entries(api).map(([name, entry]) => [name, movedTo(baseUrl, entry)]))
}

/** Follows no redirect, reads no more than 24 MiB in all and ends with the deadline, whatever the other side does. */
async function boundedFetch(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, deadline: AbortSignal) {
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
  const response = await fetch(input, { ...init, redirect: 'error', signal })
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytesLeft -= chunk.byteLength
      if (bytesLeft < 0) controller.error(new CheckFailure('It answered more than 24 MiB'))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body?.pipeThrough(counted) ?? null, { status, statusText, headers })
}

/** Everything here is public: no request carries a credential. Still a stranger's text: one line, and not a long one. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.name}: ${error.message}${cause}`.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300)
}

process.send?.(await checkExchange(asked))
