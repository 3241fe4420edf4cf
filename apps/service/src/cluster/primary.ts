import cluster, { type Worker } from 'node:cluster'
import { countForWorkers } from '@floorpass/api/rate-limiter'
import { type Config, loadConfig, readEnvironment } from '@floorpass/env'
import { destination, pino } from 'pino'
import { createSummedMetrics, type Figures } from './summed-metrics.ts'
import { openWorkerChannel, type WorkerChannel } from './worker-channel.ts'

/** Milliseconds. `end` is more than the longest that a worker takes by itself, and less than the 30 s that orchestrators wait. */
const times = { served: 10_000, deaths: 120_000, firstPause: 500, retry: 2_000, end: 27_000, figures: 4_000, beat: 5_000 }
const mostDeaths = 5
const mostMissed = 3

/** How many processes are to serve; 1 when the configuration cannot be used, which the one that starts then says. */
export function workerCount(): number {
  try {
    return loadConfig(readEnvironment()).webConcurrency
  } catch {
    return 1
  }
}

/**
 * The primary of WEB_CONCURRENCY workers, each a process of this same program: hands them their connections in turn, counts their
 * rate limits, sums their figures, passes signals on and replaces those that die. The first one starts alone, since it migrates the
 * database and says what is wrong. Resolves, when all have ended, to the exit code: 1 when they cannot be kept running, of which `complain` hears.
 */
export function superviseWorkers(
  complain: (line: string) => void,
  config: Config = loadConfig(readEnvironment()),
): Promise<number> {
  const log = pino({ level: config.logLevel, base: null }, destination({ sync: true }))
  const { promise: over, resolve: finish } = Promise.withResolvers<number>()
  const channels = new Map<Worker, WorkerChannel>()
  const serving = new Map<Worker, number>()
  const figures = createSummedMetrics()
  const pauses = new Set<NodeJS.Timeout>()
  let hasServed = false
  let deaths: number[] = []
  /** Set from the moment on at which all are told to end. */
  let exitCode: number | undefined

  const fork = (): void => {
    let worker: Worker
    try {
      worker = cluster.fork()
    } catch (error) {
      // A machine without memory, which may have some in a moment.
      onNoWorker(error instanceof Error ? error.message : String(error))
      return
    }
    const channel = openWorkerChannel(worker.process)
    channel.on('scrape', scrape)
    channel.on('poll', (poll) => {
      // A worker that ends alone says nothing about the service: whoever asks next may find the others, which serve on.
      const isTold = poll === true && exitCode !== undefined
      for (const [other, otherChannel] of channels) if (other !== worker) otherChannel.notify('poll', isTold)
    })
    channels.set(worker, channel)
    worker.once('exit', (code, signal) => onExit(worker, code, signal as NodeJS.Signals | null))
    worker.on('error', (error) => {
      // A channel that closes while it is written to says nothing that the exit does not. Only a process that never was has no exit.
      if (worker.process.pid !== undefined || !channels.delete(worker)) return
      if (exitCode === undefined) onNoWorker(error.message)
      else if (channels.size === 0) finish(exitCode)
    })
    worker.once('listening', () => {
      serving.set(worker, performance.now())
      // Not before: a start on a busy machine may not turn its loop for long.
      void watch(worker, channel)
      if (hasServed) return
      hasServed = true
      if (exitCode === undefined) for (let count = 1; count < config.webConcurrency; count += 1) fork()
    })
  }

  function onExit(worker: Worker, code: number | null, signal: NodeJS.Signals | null): void {
    const served = performance.now() - (serving.get(worker) ?? performance.now())
    const wasServing = serving.delete(worker)
    channels.delete(worker)
    figures.end(worker.id)
    if (exitCode !== undefined) {
      if (wasServing && code !== 0) exitCode = 1
      if (channels.size === 0) finish(exitCode)
    } else if (!hasServed) {
      if (code === null) complain(`The first worker was ended by ${signal ?? 'the system'} before it served.`)
      finish(code || 1)
    } else {
      const pid = worker.process.pid ?? null
      log.warn({ pid, code, signal, seconds: Math.round(served / 1000) }, 'a worker ended: another takes its place')
      // One that ended in order was asked to.
      replace(code !== 0 && served < times.served, signal ?? `code ${code}`)
    }
  }

  /** A loop that turns no more hears no signal. Judged by questions, not by a clock: a machine that slept misses one. */
  async function watch(worker: Worker, channel: WorkerChannel): Promise<void> {
    for (let missed = 0; missed < mostMissed; ) {
      await new Promise((resolve) => setTimeout(resolve, times.beat).unref())
      const isAlive = await channel.request('alive', times.beat).catch(() => false)
      if (!channels.has(worker) || exitCode !== undefined) return
      missed = isAlive ? 0 : missed + 1
    }
    log.error({ pid: worker.process.pid ?? null }, 'a worker does not answer: it is ended')
    worker.process.kill('SIGKILL')
  }

  function onNoWorker(why: string): void {
    if (hasServed) {
      log.warn({ reason: why }, 'a worker could not be started: it is tried again')
      forkAfter(times.retry)
    } else {
      complain(`The first worker could not be started: ${why}.`)
      finish(1)
    }
  }

  function replace(diedEarly: boolean, how: string): void {
    const now = performance.now()
    deaths = deaths.filter((at) => at > now - times.deaths)
    if (diedEarly) deaths.push(now)
    if (deaths.length >= mostDeaths) {
      complain(
        `Floorpass ends: ${mostDeaths} workers died before they had served for ${times.served / 1000} seconds, the last by ${how}. What they said is above.`,
      )
      stop('SIGTERM', 1)
      return
    }
    forkAfter(deaths.length === 0 ? 0 : times.firstPause * 2 ** (deaths.length - 1))
  }

  function forkAfter(milliseconds: number): void {
    const pause = setTimeout(() => {
      pauses.delete(pause)
      fork()
    }, milliseconds)
    pauses.add(pause)
  }

  function stop(signal: 'SIGINT' | 'SIGTERM', code: number): void {
    if (exitCode !== undefined) return
    exitCode = code
    for (const pause of pauses) clearTimeout(pause)
    for (const worker of channels.keys()) worker.process.kill(signal)
    setTimeout(() => {
      for (const worker of channels.keys()) worker.process.kill('SIGKILL')
    }, times.end).unref()
    if (channels.size === 0) finish(code)
  }

  async function scrape(): Promise<string> {
    const answers = [...channels].map(async ([worker, channel]) => {
      const counted = (await channel.request('figures', times.figures)) as Figures
      if (channels.has(worker)) figures.keep(worker.id, counted)
    })
    const outcomes = await Promise.allSettled(answers)
    return figures.text(outcomes.filter(({ status }) => status === 'fulfilled').length)
  }

  if (config.rateLimit) countForWorkers()
  // `on`: a Ctrl-C under npm arrives twice, and the second one must not kill what the first one ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal, 0))
  fork()
  return over
}
