import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** What a worker counted, as its registry gives it. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

/** The figures of all workers as those of one service. */
export type SummedMetrics = {
  /** The newest of one worker: they count until there are newer ones. */
  keep(worker: number, figures: Figures): void
  /** A worker has ended: what it counted stays in the sums, so that no counter falls; what it held is gone. */
  end(worker: number): void
  /** The text format of Prometheus. `answering`: the workers that gave their figures for this very scrape. */
  text(answering: number): Promise<string>
}

/** Figures are summed, or whatever their `aggregator` says. */
export function createSummedMetrics(): SummedMetrics {
  const newest = new Map<number, Figures>()
  let ended: Figures = []
  let ending = Promise.resolve()

  const sum = (parts: Figures[]) => AggregatorRegistry.aggregate(parts)

  return {
    keep: (worker, figures) => void newest.set(worker, figures),
    end(worker) {
      const figures = newest.get(worker) ?? []
      newest.delete(worker)
      const counted = figures.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
      ended = [...ended, ...counted]
      ending = ending.then(async () => {
        ended = (await sum([ended]).getMetricsAsJSON()) as Figures
      })
    },
    async text(answering) {
      await ending
      const workers = {
        name: 'floorpass_workers',
        help: 'Worker processes that gave their figures for this scrape',
        type: 'gauge',
        aggregator: 'sum',
        values: [{ value: answering, labels: {} }],
      } as unknown as Figures[number]
      return sum([[workers], ended, ...newest.values()]).metrics()
    },
  }
}
