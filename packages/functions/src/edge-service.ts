import type { BlockList } from 'node:net'
import type { Deps, Log } from '@floorpass/api'
import type { createOutbox } from '@floorpass/email'
import type { SmokeTestDeps } from './smoke-tests/smoke-tests.ts'

/** Labels of a request metric. Each has few values: a path that a caller makes up must not become a label. */
export type RequestLabels = { route: string; method: string; status: number }

export type EdgeService = {
  deps: Deps
  /** Holds the emails of local mode for the pages under /dev. Null when emails leave by SMTP. */
  outbox: ReturnType<typeof createOutbox> | null
  trustedProxies: BlockList
  metrics: {
    contentType: string
    text(): Promise<string>
    countRequest(labels: RequestLabels, seconds: number): void
  } | null
  metricsToken: string | null
  tracing: {
    /** Runs `work` in a span. Pass a `traceparent` from a trusted proxy only. */
    request<Result>(
      traceparent: string | null,
      work: (set: (name: string, value: string | number) => void) => Promise<Result>,
    ): Promise<Result>
  } | null
  smokeTests: SmokeTestDeps
  logFor(requestId: string): Log
  assertReady(): Promise<void>
  isDraining(): boolean
}
