import type { Worker } from 'node:cluster'
import type { SummedMetrics, WorkerMetrics } from './summed-metrics.ts'
import type { WorkerChannel } from './worker-channel.ts'

const timeoutMs = 4_000

/** Asks all workers for their metrics and returns the sums as Prometheus text. A silent worker counts with its last metrics. */
export async function scrapeWorkers(channels: ReadonlyMap<Worker, WorkerChannel>, metrics: SummedMetrics): Promise<string> {
  const answers = [...channels].map(async ([worker, channel]) => {
    const current = (await channel.request('figures', timeoutMs)) as WorkerMetrics
    if (channels.has(worker)) metrics.update(worker.id, current)
  })
  const outcomes = await Promise.allSettled(answers)
  return metrics.text(outcomes.filter(({ status }) => status === 'fulfilled').length)
}
