import {
  AppError,
  catalogue,
  type DeliveryOutcome,
  deliveryOutcomes,
  type ErrorKey,
  limits,
  type RateLimiter,
  serviceCallOutcomes,
  sweptTables,
} from '@floorpass/api'
import type { OpenDatabase } from '@floorpass/db'
import { type EdgeService, knownRequests, methodLabel, type RequestLabels } from '@floorpass/functions'
import type { Redis } from 'ioredis'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { WorkerChannel } from '../cluster/worker-channel.ts'
import { countRefusals } from './count-refusals.ts'
import { registerDatabaseGauges } from './database-gauges.ts'
import { registerPoolGauges } from './pool-gauges.ts'
import { registerProcessGauges } from './process-gauges.ts'
import { registerRedisGauges } from './redis-gauges.ts'

/** The service's metrics for Prometheus. Labels contain no id, no address and no secret. */
export type Metrics = {
  registry: Registry
  contentType: string
  /** Returns all metrics as text, including those of the other workers. SERVICE_UNAVAILABLE if the primary does not answer. */
  text(): Promise<string>
  countRequest(labels: RequestLabels, seconds: number): void
  countError(code: ErrorKey): void
  countServiceCall(service: string, outcome: string): void
  countSwept(rows: Record<string, number>): void
  countLostConnection(): void
  countWebhookAttempt(outcome: DeliveryOutcome): void
  withRefusalCount(limiter: RateLimiter): RateLimiter
  register(
    service: Pick<EdgeService, 'deps' | 'outbox'>,
    backends: Pick<OpenDatabase, 'poolState'> & { redis: Redis | null },
  ): void
}

const scrapeTimeout = 6_000

/** Creates the metrics of this process. With a primary, `text` returns the sums over all workers, or what a gauge's `aggregator` says. */
export function createMetrics(primary: WorkerChannel | null = null): Metrics {
  const registry = new Registry()
  primary?.on('figures', () => registry.getMetricsAsJSON())
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'floorpass_http_requests_total',
    help: 'Answered requests, by route pattern, method and status class',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  // No status label: each of its values would add all buckets.
  const durations = new Histogram({
    name: 'floorpass_http_request_duration_seconds',
    help: 'Time from request to response, by route pattern and method',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const errors = new Counter({
    name: 'floorpass_errors_total',
    help: 'Procedures that failed, by error code; SERVICE_UNAVAILABLE means that the database did not answer',
    labelNames: ['code'],
    registers,
  })
  const serviceCalls = new Counter({
    name: 'floorpass_service_calls_total',
    help: 'Calls of other services with a valid secret, by name and by OK or the error code; SERVICE_KEYS stands for the setting',
    labelNames: ['service', 'outcome'],
    registers,
  })
  const limited = new Counter({
    name: 'floorpass_rate_limited_total',
    help: 'Attempts that a rate limit refused, by rule',
    labelNames: ['rule'],
    registers,
  })
  const swept = new Counter({
    name: 'floorpass_swept_rows_total',
    help: 'Expired rows that were removed, by table',
    labelNames: ['table'],
    registers,
  })
  const lost = new Counter({
    name: 'floorpass_database_connections_lost_total',
    help: 'Connections to PostgreSQL that broke',
    registers,
  })

  const webhookAttempts = new Counter({
    name: 'floorpass_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome; `retried` failed and is tried again',
    labelNames: ['outcome'],
    registers,
  })

  // Prometheus takes the first value that it sees for a start: a series that begins at 1 has no rate, and raises no alert.
  for (const code of Object.keys(catalogue)) errors.inc({ code }, 0)
  for (const rule of Object.keys(limits)) limited.inc({ rule }, 0)
  for (const table of sweptTables) swept.inc({ table }, 0)
  for (const outcome of deliveryOutcomes) webhookAttempts.inc({ outcome }, 0)

  return {
    registry,
    contentType: registry.contentType,
    async text() {
      if (!primary) return registry.metrics()
      return String(
        await primary.request('scrape', scrapeTimeout).catch((cause: Error) => {
          throw new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1, cause })
        }),
      )
    },
    countRequest({ route, method, status }, seconds) {
      const labels = { route, method: methodLabel(method) }
      requests.inc({ ...labels, status: `${Math.floor(status / 100)}xx` })
      durations.observe(labels, seconds)
    },
    countError: (code) => errors.inc({ code }),
    countServiceCall: (service, outcome) => serviceCalls.inc({ service, outcome }),
    countSwept(rows) {
      for (const [table, count] of Object.entries(rows)) swept.inc({ table }, count)
    },
    countLostConnection: () => lost.inc(),
    countWebhookAttempt: (outcome) => webhookAttempts.inc({ outcome }),
    withRefusalCount: (limiter) => countRefusals(limiter, (rule) => limited.inc({ rule })),
    register({ deps, outbox }, { poolState, redis }) {
      for (const labels of knownRequests({ deps, outbox }))
        for (const status of ['2xx', '3xx', '4xx', '5xx']) requests.inc({ ...labels, status }, 0)
      const startServiceCalls = (services: string[]) => {
        for (const service of services) for (const outcome of serviceCallOutcomes) serviceCalls.inc({ service, outcome }, 0)
      }
      if (deps.settings.serviceKeyHashes.length > 0) startServiceCalls(['SERVICE_KEYS'])
      registerProcessGauges(registry, deps)
      registerDatabaseGauges(registry, deps.db, startServiceCalls)
      registerPoolGauges(registry, poolState)
      registerRedisGauges(registry, redis)
    },
  }
}
