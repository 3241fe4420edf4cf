import type { BlockList } from 'node:net'
import type { Deps, Log } from '@floorpass/api'
import type { createOutbox } from '@floorpass/email'
import type { SmokeTestDeps } from './smoke-tests/smoke-tests.ts'

/** Labels of a request metric. Each has few values: a path that a caller makes up must not become a label. */
export type RequestLabels = { route: string; method: string; status: number }

/** What the edge needs from the process that hosts it. */
export type EdgeService = {
  deps: Deps
  /** Holds the emails of local mode for /dev/mailbox. Null when emails leave by SMTP. */
  outbox: ReturnType<typeof createOutbox> | null
  trustedProxies: BlockList
  /** Null when `metricsToken` is null. */
  metrics: {
    contentType: string
    /** Returns all metrics as text. SERVICE_UNAVAILABLE if a worker or the primary does not answer. */
    text(): Promise<string>
    countRequest(labels: RequestLabels, seconds: number): void
  } | null
  metricsToken: string | null
  /** Null unless an OpenTelemetry receiver is configured. */
  tracing: {
    /** Runs `work` in a span. Pass a `traceparent` from a trusted proxy only. */
    request<Result>(
      traceparent: string | null,
      work: (set: (name: string, value: string | number) => void) => Promise<Result>,
    ): Promise<Result>
  } | null
  smokeTests: SmokeTestDeps
  logFor(requestId: string): Log
  /** Rejects within two seconds while the database does not answer. */
  assertReady(): Promise<void>
  isDraining(): boolean
}
