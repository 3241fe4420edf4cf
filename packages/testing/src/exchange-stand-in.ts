import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

export type ExchangeState = {
  /** Seconds by which its clock is fast. */
  skewSeconds: number
  /** Delay of its time endpoint. */
  delayMs: number
  /** How every request fails; null when none does. */
  failure: 'silence' | 'status' | 'garbage' | 'odd' | 'redirect' | 'hangUp' | 'drip' | 'flood' | 'huge' | 'dense' | null
  /** Whether it lists any market. */
  markets: boolean
}

export type ExchangeStandIn = {
  url: string
  set(state: Partial<ExchangeState>): Promise<void>
  /** The paths requested since the last call, in order. */
  requests(): Promise<string[]>
  /** Stops the process; its port then refuses connections. */
  close(): Promise<void>
}

/** An exchange in its own process with the public APIs of Kraken and Binance. Stops after the file's tests. */
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
