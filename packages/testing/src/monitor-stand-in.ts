import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

export type StoredCheck = {
  id: string
  name: string
  checkType: string
  activated: boolean
  tags?: string[]
  [field: string]: unknown
}
/** Answers to send first, in order. */
type PlannedAnswer = { status: number; body?: unknown; headers?: Record<string, string> } | 'hang-up'

export type MonitorState = {
  checks: StoredCheck[]
  statuses: { checkId: string; name: string; hasFailures: boolean; hasErrors: boolean; isDegraded: boolean }[]
  alertChannels: { id: number; type: string; config: Record<string, unknown> }[]
  answers: PlannedAnswer[]
}

export type MonitorStandIn = {
  /** Variables that point the tools at this service. */
  environment: { MONITOR_API_KEY: string; MONITOR_ACCOUNT_ID: string; MONITOR_API_URL: string }
  access: { apiKey: string; accountId: string; apiUrl: string }
  set(state: Partial<MonitorState>): Promise<void>
  /** The requests since the last call, and the stored checks. */
  seen(): Promise<{ requests: string[]; checks: StoredCheck[] }>
}

const apiKey = 'cu_a_key_that_only_tests_know'
const accountId = 'c3a1f0de-0000-4000-8000-000000000001'

/** A monitoring service in its own process, with the parts of Checkly's API that the tools use. Stops after the file's tests. */
export async function startMonitor(): Promise<MonitorStandIn> {
  const child = fork(fileURLToPath(new URL('monitor-stand-in-process.ts', import.meta.url)), [apiKey, accountId], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port] = (await once(child, 'message')) as [number]
  afterAll(() => void child.kill())
  const apiUrl = `http://127.0.0.1:${port}`
  return {
    environment: { MONITOR_API_KEY: apiKey, MONITOR_ACCOUNT_ID: accountId, MONITOR_API_URL: apiUrl },
    access: { apiKey, accountId, apiUrl },
    async set(state) {
      await fetch(`${apiUrl}/control`, { method: 'POST', body: JSON.stringify(state) })
    },
    seen: async () => (await (await fetch(`${apiUrl}/control`)).json()) as { requests: string[]; checks: StoredCheck[] },
  }
}

/** A check and the result of its last run; null when it never ran. */
export function checkWithResult(id: string, name: string, passed: boolean | null): Pick<MonitorState, 'checks' | 'statuses'> {
  const statuses = passed === null ? [] : [{ checkId: id, name, hasFailures: !passed, hasErrors: false, isDegraded: false }]
  return { checks: [{ id, name, checkType: 'BROWSER', activated: true }], statuses }
}
