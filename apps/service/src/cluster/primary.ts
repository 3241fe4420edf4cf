import cluster, { type Worker } from 'node:cluster'
import { countForWorkers } from '@floorpass/api/rate-limiter'
import { type Config, loadConfig, readEnvironment } from '@floorpass/env'
import { destination, pino } from 'pino'
import { createCrashCounter, maxCrashes } from './crash-counter.ts'
import { isUnresponsive } from './heartbeat.ts'
import { scrapeWorkers } from './scrape-workers.ts'
import { createSummedMetrics } from './summed-metrics.ts'
import { openWorkerChannel, type WorkerChannel } from './worker-channel.ts'

/** Milliseconds. `shutdown` exceeds the longest stop of a worker, and stays below the 30 s that orchestrators wait. */
const times = { stable: 10_000, retry: 2_000, shutdown: 27_000 }

/** Runs WEB_CONCURRENCY workers (ADR 025): counts their rate limits, sums their metrics, forwards signals and replaces dead workers.
 * The first one starts alone, since it migrates the database. Resolves to the exit code: 1 if workers keep dying. */
export function superviseWorkers(
  complain: (line: string) => void,
  config: Config = loadConfig(readEnvironment()),
): Promise<number> {
  const log = pino({ level: config.logLevel, base: null }, destination({ sync: true }))
  const { promise: finished, resolve: finish } = Promise.withResolvers<number>()
  const channels = new Map<Worker, WorkerChannel>()
  const servingSince = new Map<Worker, number>()
  const metrics = createSummedMetrics(config.webConcurrency)
  const crashes = createCrashCounter()
  const retries = new Set<NodeJS.Timeout>()
  let hasServed = false
  let exitCode: number | undefined

  function startWorker(): void {
    let worker: Worker
    try {
      worker = cluster.fork()
    } catch (error) {
      onStartFailed(error instanceof Error ? error.message : String(error))
      return
    }
    const channel = openWorkerChannel(worker.process)
    channel.on('scrape', () => scrapeWorkers(channels, metrics))
    channel.on('poll', (isEnding) => {
      // A worker that stops alone says nothing about the service: the balancer's next poll may reach another worker.
      for (const [other, otherChannel] of channels)
        if (other !== worker) otherChannel.notify('poll', isEnding === true && exitCode !== undefined)
    })
    channels.set(worker, channel)
    worker.once('exit', (code, signal) => onExit(worker, code, signal as NodeJS.Signals | null))
    worker.on('error', (error) => {
      // A process that started reports its end as `exit`. Only one that never started has no `exit` event.
      if (worker.process.pid !== undefined || !channels.delete(worker)) return
      if (exitCode === undefined) onStartFailed(error.message)
      else if (channels.size === 0) finish(exitCode)
    })
    worker.once('listening', () => onListening(worker, channel))
  }

  function onListening(worker: Worker, channel: WorkerChannel): void {
    servingSince.set(worker, performance.now())
    // Watch from now on only: a start on a busy machine may block the event loop for long.
    void killIfUnresponsive(worker, channel)
    if (hasServed) return
    hasServed = true
    if (exitCode === undefined) for (let count = 1; count < config.webConcurrency; count += 1) startWorker()
  }

  function onExit(worker: Worker, code: number | null, signal: NodeJS.Signals | null): void {
    const servedMs = performance.now() - (servingSince.get(worker) ?? performance.now())
    const wasServing = servingSince.delete(worker)
    channels.delete(worker)
    metrics.retire(worker.id)
    if (exitCode !== undefined) {
      if (wasServing && code !== 0) exitCode = 1
      if (channels.size === 0) finish(exitCode)
    } else if (!hasServed) {
      if (code === null) complain(`The first worker was ended by ${signal ?? 'the system'} before it served.`)
      finish(code || 1)
    } else {
      const pid = worker.process.pid ?? null
      log.warn({ pid, code, signal, seconds: Math.round(servedMs / 1000) }, 'worker exited: starting a replacement')
      // A clean exit was requested; do not count it as a crash.
      replaceWorker(code !== 0 && servedMs < times.stable, signal ?? `code ${code}`)
    }
  }

  async function killIfUnresponsive(worker: Worker, channel: WorkerChannel): Promise<void> {
    if (!(await isUnresponsive(channel, () => channels.has(worker) && exitCode === undefined))) return
    log.error({ pid: worker.process.pid ?? null }, 'worker unresponsive: killing it')
    worker.process.kill('SIGKILL')
  }

  function onStartFailed(reason: string): void {
    if (hasServed) {
      log.warn({ reason }, 'worker start failed: retrying')
      startAfter(times.retry)
    } else {
      complain(`The first worker could not be started: ${reason}.`)
      finish(1)
    }
  }

  function replaceWorker(isCrash: boolean, cause: string): void {
    const pauseMs = crashes.record(isCrash)
    if (pauseMs === null) {
      complain(
        `Floorpass stops: ${maxCrashes} workers died before they had served for ${times.stable / 1000} seconds, the last by ${cause}. Their output is above.`,
      )
      stop('SIGTERM', 1)
    } else startAfter(pauseMs)
  }

  function startAfter(milliseconds: number): void {
    const retry = setTimeout(() => {
      retries.delete(retry)
      startWorker()
    }, milliseconds)
    retries.add(retry)
  }

  function stop(signal: 'SIGINT' | 'SIGTERM', code: number): void {
    if (exitCode !== undefined) return
    exitCode = code
    for (const retry of retries) clearTimeout(retry)
    for (const worker of channels.keys()) worker.process.kill(signal)
    setTimeout(() => {
      for (const worker of channels.keys()) worker.process.kill('SIGKILL')
    }, times.shutdown).unref()
    if (channels.size === 0) finish(code)
  }

  if (config.rateLimit) countForWorkers()
  // Ctrl-C under npm arrives twice. Listen with `on`, or the second signal would kill the shutdown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal, 0))
  startWorker()
  return finished
}
