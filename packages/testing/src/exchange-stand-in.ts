import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

export type ExchangeState = {
  /** How far its clock is ahead. */
  skewSeconds: number
  /** How long it takes to tell its time. */
  delayMs: number
  /** How it answers everything, from now on. */
  failure: 'silence' | 'status' | 'garbage' | 'odd' | 'redirect' | 'hangUp' | 'drip' | 'flood' | 'huge' | 'dense' | null
  /** Whether it has any to name. */
  markets: boolean
}

export type ExchangeStandIn = {
  url: string
  set(state: Partial<ExchangeState>): Promise<void>
  /** The paths that were asked for since the last call, in order. */
  requests(): Promise<string[]>
  /** Nothing listens at its address any more. */
  close(): Promise<void>
}

/** An exchange of one's own, as a process of its own: it speaks the public parts of Kraken's API and of Binance's. Ends with the file's tests. */
export async function startExchange(initial: Partial<ExchangeState> = {}): Promise<ExchangeStandIn> {
  const child = fork(fileURLToPath(new URL('exchange-stand-in-process.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const [port] = (await once(child, 'message')) as [number]
  const url = `http://127.0.0.1:${port}`
  const close = async () => {
    child.kill()
    await exited
  }
  afterAll(close)
  const standIn: ExchangeStandIn = {
    url,
    async set(state) {
      await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(state) })
    },
    requests: async () => (await (await fetch(`${url}/control`)).json()) as string[],
    close,
  }
  await standIn.set(initial)
  return standIn
}
