import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

export type WorkerMetrics = MetricObjectWithValues<MetricValue<string>>[]

export type SummedMetrics = {
  update(worker: number, metrics: WorkerMetrics): void
  /** Removes an ended worker's gauges. Keeps its counters in the sums, since a counter must never fall. */
  retire(worker: number): void
  /** Returns Prometheus text. `answering`: the number of workers that answered this scrape. */
  text(answering: number): Promise<string>
}

export function createSummedMetrics(configured: number): SummedMetrics {
  const latest = new Map<number, WorkerMetrics>()
  let retired: WorkerMetrics = []
  let retiring = Promise.resolve()

  // Each metric's `aggregator` chooses how; the default is the sum.
  const aggregate = (parts: WorkerMetrics[]) => AggregatorRegistry.aggregate(parts)

  return {
    update: (worker, metrics) => void latest.set(worker, metrics),
    retire(worker) {
      const metrics = latest.get(worker) ?? []
      latest.delete(worker)
      const counters = metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
      retired = [...retired, ...counters]
      retiring = retiring.then(async () => {
        retired = (await aggregate([retired]).getMetricsAsJSON()) as WorkerMetrics
      })
    },
    async text(answering) {
      await retiring
      const workers = [
        createGauge('floorpass_workers', 'Worker processes that answered this scrape', answering),
        createGauge('floorpass_workers_configured', 'Worker processes that WEB_CONCURRENCY asks for', configured),
      ]
      return aggregate([workers, retired, ...latest.values()]).metrics()
    },
  }
}

const createGauge = (name: string, help: string, value: number) =>
  ({ name, help, type: 'gauge', aggregator: 'sum', values: [{ value, labels: {} }] }) as unknown as WorkerMetrics[number]
