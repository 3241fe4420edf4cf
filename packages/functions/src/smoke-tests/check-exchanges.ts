import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { attempt, notMade, type Outcome } from './attempt.ts'

export type Exchange = { id: string; baseUrl: string | null }

/** How long things may take, in seconds. */
export type SmokeTimes = { check: number; suite: number; slowestAnswer: number; clockTolerance: number }

/** What a process of one exchange is told. */
export type ExchangeRun = { exchange: Exchange; times: SmokeTimes }

const program = fileURLToPath(new URL('exchange-process.ts', import.meta.url))
/** In megabytes. */
const largestHeap = 256

/**
 * Asks every exchange, all at once, what trading software asks first. Spec: Smoke-test route. Each is asked by a process of its
 * own: what an exchange answers may take more memory than there is, and then ends that process alone.
 */
export async function checkExchanges({
  exchanges,
  times,
}: {
  exchanges: readonly Exchange[]
  times: SmokeTimes
}): Promise<Outcome[]> {
  return (await Promise.all(exchanges.map((exchange) => checkApart({ exchange, times })))).flat()
}

async function checkApart(run: ExchangeRun): Promise<Outcome[]> {
  const child = fork(program, {
    // None of our settings: the library needs no secret.
    env: { NODE_ENV: 'production' },
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${largestHeap}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let found: Outcome[] | undefined
  const ended = new Promise<undefined>((resolve, reject) => {
    child.once('message', (outcomes) => {
      found = outcomes as Outcome[]
      resolve(undefined)
    })
    child.once('exit', () => resolve(undefined))
    child.once('error', reject)
  })
  child.send(run, () => {
    // A process that is gone already is seen by its exit.
  })
  const whole = await attempt({ title: 'the run', seconds: run.times.suite }, () => ended, nameOf)
  child.kill('SIGKILL')
  const unfinished = whole.failure ?? 'Its process ended without a result: it may have run out of memory'
  return found ?? [notMade(run.exchange.id, 'is reachable', unfinished)]
}

const nameOf = (error: unknown): string =>
  `The run ended early: ${error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown'}`
