import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { attempt, CheckFailure, notRun, type Outcome, type Work } from './attempt.ts'
import type { Exchange, ExchangeRun } from './exchange-run.ts'

/** The members that we use of ccxt's exchange classes. Its own types slow the compiler down by seconds. */
type Client = {
  has: Record<string, unknown>
  urls: { api: unknown }
  options: { fetchMarkets?: { types?: string[] } }
  fetchImplementation: typeof fetch
  fetchTime(): Promise<number | undefined>
  loadMarkets(): Promise<Record<string, unknown>>
}
type ClientClass = new (options: Record<string, unknown>) => Client

/** The bytes that one exchange may send, uncompressed. The longest list of markets, Binance's, is estimated at 10 to 15 MiB. */
const maxBytes = 24 * 1024 * 1024
let bytesLeft = maxBytes
process.once('disconnect', () => process.exit())
const [{ exchange: target, times }] = (await once(process, 'message')) as [ExchangeRun]
// Load one class: ccxt's entry point loads a hundred. Load it here, before the exchange's time starts.
const file = new URL(`src/${target.id}.js`, import.meta.resolve('ccxt'))
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
    const sentAt = Date.now()
    const time = hasClock(client) ? await client.fetchTime() : void (await client.loadMarkets())
    const [latencyMs = 0] = latencies
    if (hasClock(client)) {
      if (!Number.isFinite(time)) throw new CheckFailure('It did not answer with its time')
      skewMs = Math.round(Number(time) - sentAt - latencyMs / 2)
    }
    return { latencyMs }
  })
  if (!client || reachable.status === 'failed') return [reachable, ...Object.values(titles).map((title) => notRun(group, title))]
  const open = client
  return [
    reachable,
    hasClock(open)
      ? await check(titles.clock, async () => {
          if (Math.abs(skewMs) > times.clockTolerance * 1000) throw new CheckFailure(`It is ${Math.round(skewMs / 1000)} s off`)
          return { skewMs }
        })
      : notRun(group, titles.clock),
    await check(titles.latency, async () => {
      const { latencyMs = 0 } = reachable.meta
      if (latencyMs > times.slowestAnswer * 1000) throw new CheckFailure(`The answer took ${(latencyMs / 1000).toFixed(1)} s`)
      return { latencyMs }
    }),
    await check(titles.markets, async () => {
      const markets = Object.keys(await open.loadMarkets()).length
      if (markets === 0) throw new CheckFailure('It lists no markets')
      return { markets }
    }),
  ]
}

const hasClock = ({ has }: Client): boolean => has.fetchTime === true

function openClient({ baseUrl }: Exchange, deadline: AbortSignal, latencies: number[]): Client {
  if (library === null) throw new CheckFailure('The library does not support this exchange')
  const { default: ClientOf } = library
  // Three requests need no pacing. The deadline ends them: the library's own timeout stops at the first byte of an answer.
  const client = new ClientOf({ enableRateLimit: false, timeout: times.check * 1000 })
  client.fetchImplementation = async (input, init) => {
    const started = performance.now()
    const response = await boundedFetch(input, init, deadline)
    latencies.push(Math.round(performance.now() - started))
    return response
  }
  // Load spot markets only: derivatives are other services, blocked in many countries.
  const { fetchMarkets } = client.options
  if (fetchMarkets?.types?.includes('spot')) fetchMarkets.types = ['spot']
  if (baseUrl !== null) client.urls.api = replaceHost(baseUrl, client.urls.api)
  return client
}

function replaceHost(baseUrl: string, api: unknown): unknown {
  if (typeof api === 'string') return api.replace(/^https?:\/\/[^/]+/, baseUrl)
  if (Array.isArray(api)) return api.map((entry) => replaceHost(baseUrl, entry))
  if (typeof api !== 'object' || api === null) return api
  return Object.fromEntries(Object.entries(api).map(([name, entry]) => [name, replaceHost(baseUrl, entry)]))
}

async function boundedFetch(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, deadline: AbortSignal) {
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
  const response = await fetch(input, { ...init, redirect: 'error', signal })
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytesLeft -= chunk.byteLength
      if (bytesLeft < 0) controller.error(new CheckFailure('It sent more than 24 MiB'))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body?.pipeThrough(counted) ?? null, { status, statusText, headers })
}

/** Quotes the library's error, since no request carries a credential. Third-party text becomes one short line. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.name}: ${error.message}${cause}`.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300)
}

process.send?.(await checkExchange(target))
