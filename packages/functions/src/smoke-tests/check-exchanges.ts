import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { attempt, notMade, type Outcome } from './attempt.ts'

export type Exchange = { id: string; baseUrl: string | null }

/** How long things may take, in seconds. */
export type SmokeTimes = { check: number; suite: number; slowestAnswer: number; clockTolerance: number }

export type ExchangeRun = { exchanges: readonly Exchange[]; times: SmokeTimes }

/**
 * Asks every exchange, all at once, what trading software asks first. Spec: Smoke-test route. It runs in a thread of its own: the
 * library and what the exchanges answer take tens of megabytes and hold a thread for longer than a sign-in should wait, and both end with it.
 */
export async function checkExchanges(run: ExchangeRun): Promise<Outcome[]> {
  const worker = new Worker(new URL('exchange-thread.ts', import.meta.url), {
    workerData: run,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const outcomes = new Map<string, Outcome[]>()
  worker.on('message', ({ id, found }: { id: string; found: Outcome[] }) => outcomes.set(id, found))
  const ended = once(worker, 'exit').then(() => undefined)
  const whole = await attempt({ title: 'the run', seconds: run.times.suite }, () => ended, nameOf)
  await worker.terminate()
  const unfinished = whole.failure ?? 'The run ended without a result'
  return run.exchanges.flatMap(({ id }) => outcomes.get(id) ?? [notMade(id, 'is reachable', unfinished)])
}

const nameOf = (error: unknown): string =>
  `The run ended early: ${error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown'}`
