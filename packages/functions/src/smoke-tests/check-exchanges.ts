import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { attempt, notRun, type Outcome } from './attempt.ts'
import type { Exchange, ExchangeRun, SmokeTimes } from './exchange-run.ts'

const program = fileURLToPath(new URL('exchange-process.ts', import.meta.url))
const heapLimitMb = 256

/** Checks all exchanges in parallel, one process each: a huge answer then exhausts that process alone. Spec: Smoke-test route. */
export async function checkExchanges({
  exchanges,
  times,
}: {
  exchanges: readonly Exchange[]
  times: SmokeTimes
}): Promise<Outcome[]> {
  return (await Promise.all(exchanges.map((exchange) => checkInProcess({ exchange, times })))).flat()
}

async function checkInProcess(run: ExchangeRun): Promise<Outcome[]> {
  const child = fork(program, {
    // Pass none of our settings: the library needs no secret.
    env: { NODE_ENV: 'production' },
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapLimitMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let received: Outcome[] | undefined
  const ended = new Promise<undefined>((resolve, reject) => {
    child.once('message', (outcomes) => {
      received = outcomes as Outcome[]
      resolve(undefined)
    })
    child.once('exit', () => resolve(undefined))
    child.once('error', reject)
  })
  child.send(run, () => {
    // The exit event reports a process that is gone already.
  })
  const { failure } = await attempt({ title: 'the run', seconds: run.times.suite }, () => ended, explain)
  child.kill('SIGKILL')
  const reason = failure ?? 'Its process ended without a result: it may have run out of memory'
  return received ?? [notRun(run.exchange.id, 'is reachable', reason)]
}

const explain = (error: unknown): string =>
  `The run ended early: ${error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown'}`
