import type { BlockList } from 'node:net'
import type { Deps, Log } from '@floorpass/api'
import type { createOutbox } from '@floorpass/email'
import type { SmokeTestDeps } from './smoke-tests/smoke-tests.ts'

/** What a request looked like, in a bounded set of words. A path that a caller makes up must not become a label. */
export type RequestLabels = { route: string; method: string; status: number }

/** What the edge needs from the process that hosts it. */
export type EdgeService = {
  deps: Deps
  /** Holds the mails of local mode, for /dev/mailbox. Null when mails leave by SMTP. */
  outbox: ReturnType<typeof createOutbox> | null
  trustedProxies: BlockList
  /** Null when `metricsToken` is null. */
  metrics: {
    /** The media type of `text`. */
    contentType: string
    /** All metrics as text. Throws SERVICE_UNAVAILABLE when they cannot be read. */
    text(): Promise<string>
    countRequest(labels: RequestLabels, seconds: number): void
  } | null
  metricsToken: string | null
  /** Null unless an OpenTelemetry receiver is configured. */
  tracing: {
    /** Runs `work` in a span. `traceparent` comes from a trusted proxy, or is null. */
    request<Result>(
      traceparent: string | null,
      work: (set: (name: string, value: string | number) => void) => Promise<Result>,
    ): Promise<Result>
  } | null
  smokeTests: SmokeTestDeps
  logFor(requestId: string): Log
  /** Rejects within two seconds while the database does not answer. */
  assertReady(): Promise<void>
  /** True from the moment the process is asked to stop. */
  isDraining(): boolean
}
