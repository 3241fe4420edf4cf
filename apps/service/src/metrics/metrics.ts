import { setTimeout as delay } from 'node:timers/promises'
import { AppError, type Deps, type ErrorKey, type RateLimiter } from '@floorpass/api'
import { methodLabel, type RequestLabels } from '@floorpass/functions'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { WorkerChannel } from '../cluster/worker-channel.ts'

/** The service's counters, as Prometheus reads them. Labels hold no id, no address and no secret. */
export type Metrics = {
  /** Further metrics register here: `new Gauge({ registers: [metrics.registry], … })`. */
  registry: Registry
  contentType: string
  /** All of them as text, those of the other workers included. SERVICE_UNAVAILABLE when they cannot be had. */
  text(): Promise<string>
  /** `seconds` from the first byte read to the answer. */
  countRequest(labels: RequestLabels, seconds: number): void
  /** A procedure ended with an entry of the catalogue. */
  countError(code: ErrorKey): void
  countSwept(rows: Record<string, number>): void
  countLostConnection(): void
  /** The same limiter, whose refusals are counted by rule. */
  counting(limiter: RateLimiter): RateLimiter
  /** Gauges that are read when somebody asks. */
  watch(deps: Pick<Deps, 'db' | 'passwords' | 'sessionCache'>): void
}

/** Milliseconds for the database; Prometheus itself gives up after ten seconds. */
const longestWait = 3_000
/** For the primary, who waits for the workers. */
const longestScrape = 6_000

/** Those in the database. */
type Mails = { waiting: bigint; refused: bigint; oldest: Date | null }

/** Counters of this process, and with a primary those of all its workers: a gauge that is not to be summed names its `aggregator`. */
export function createMetrics(primary: WorkerChannel | null = null): Metrics {
  const registry = new Registry()
  primary?.on('figures', () => registry.getMetricsAsJSON())
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'floorpass_http_request_duration_seconds',
    help: 'Time to the answer of a request, by route pattern, method and class of status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const errors = new Counter({
    name: 'floorpass_errors_total',
    help: 'Procedures that ended with this code of the error catalogue; SERVICE_UNAVAILABLE is a database that did not answer',
    labelNames: ['code'],
    registers,
  })
  const limited = new Counter({
    name: 'floorpass_rate_limited_total',
    help: 'Tries that a rate limit refused, by rule',
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

  return {
    registry,
    contentType: registry.contentType,
    async text() {
      if (!primary) return registry.metrics()
      return String(
        await primary.request('scrape', longestScrape).catch(() => {
          throw new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1 })
        }),
      )
    },
    countRequest({ route, method, status }, seconds) {
      const labels = { route, method: methodLabel(method), status: `${Math.floor(status / 100)}xx` }
      requests.observe(labels, seconds)
    },
    countError: (code) => errors.inc({ code }),
    countSwept(rows) {
      for (const [table, count] of Object.entries(rows)) swept.inc({ table }, count)
    },
    countLostConnection: () => lost.inc(),
    counting: (limiter) => ({
      ...limiter,
      async consume(rule, key, tries) {
        return limiter.consume(rule, key, tries).catch((refusal: unknown) => {
          if (refusal instanceof AppError) limited.inc({ rule })
          throw refusal
        })
      },
      async allows(rule, key) {
        const isAllowed = await limiter.allows(rule, key)
        if (!isAllowed) limited.inc({ rule })
        return isAllowed
      },
    }),
    watch({ db, passwords, sessionCache }) {
      const sessionReads: Counter<'from'> = new Counter({
        name: 'floorpass_session_reads_total',
        help: 'Sessions that were answered from memory, and that were read from the database',
        labelNames: ['from'],
        registers,
        collect() {
          const { hits, misses } = sessionCache.stats()
          sessionReads.reset()
          sessionReads.inc({ from: 'memory' }, hits)
          sessionReads.inc({ from: 'database' }, misses)
        },
      })
      const sessionsKept = new Gauge({
        name: 'floorpass_sessions_in_memory',
        help: 'Sessions that this process keeps in memory',
        registers,
        collect() {
          sessionsKept.set(sessionCache.stats().size)
        },
      })
      const channelUp = new Gauge({
        name: 'floorpass_session_channel_up',
        help: 'Whether the database tells this process of changed sessions; while it does not, none is answered from memory',
        aggregator: 'min',
        registers,
        collect() {
          channelUp.set(Number(sessionCache.stats().channelUp))
        },
      })
      const hashing = new Gauge({
        name: 'floorpass_password_hashes',
        help: 'Password hashes that are being computed, and that wait for a thread',
        labelNames: ['state'],
        registers,
        collect() {
          hashing.set({ state: 'running' }, passwords.load().running)
          hashing.set({ state: 'waiting' }, passwords.load().waiting)
        },
      })
      const refusedHashes: Counter = new Counter({
        name: 'floorpass_password_hashes_refused_total',
        help: 'Password hashes that found the queue full: SERVICE_BUSY',
        registers,
        collect() {
          refusedHashes.reset()
          refusedHashes.inc(passwords.load().refused)
        },
      })
      // Read once for the three gauges: they are collected side by side.
      let reading: Promise<void> | undefined
      // A database that hangs is asked once, however often Prometheus comes: its connections are the service's.
      let asking: Promise<[Mails]> | undefined
      const collect = (): Promise<void> => {
        reading ??= readDatabase().finally(() => {
          reading = undefined
        })
        return reading
      }
      const mails = new Gauge({
        name: 'floorpass_mails',
        help: 'Mails in the database that wait to leave, and that a server refused for good; the same from every process',
        aggregator: 'max',
        labelNames: ['state'],
        registers,
        collect,
      })
      const oldestMail = new Gauge({
        name: 'floorpass_mail_oldest_waiting_seconds',
        help: 'Age of the oldest mail that waits; 0 when none does',
        aggregator: 'max',
        registers,
        collect,
      })
      const up = new Gauge({
        name: 'floorpass_database_up',
        help: 'Whether the database answered this very scrape',
        aggregator: 'min',
        registers,
        collect,
      })

      const askDatabase = () => db.$queryRaw<[Mails]>`
          SELECT count(next_attempt_at) AS waiting, count(*) - count(next_attempt_at) AS refused,
                 min(coalesce(tried_since, created_at)) FILTER (WHERE next_attempt_at IS NOT NULL) AS oldest FROM queued_mails`

      async function readDatabase(): Promise<void> {
        asking ??= askDatabase().finally(() => {
          asking = undefined
        })
        try {
          const [{ waiting, refused, oldest }] = await Promise.race([
            asking,
            delay(longestWait, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer in time'))),
          ])
          mails.set({ state: 'waiting' }, Number(waiting))
          mails.set({ state: 'refused' }, Number(refused))
          oldestMail.set(Math.max(0, Date.now() - (oldest?.getTime() ?? Date.now())) / 1000)
          up.set(1)
        } catch {
          // Figures of a while ago would pass for the present.
          mails.reset()
          oldestMail.remove()
          up.set(0)
        }
      }
    },
  }
}
