import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { ToolError } from './problem.ts'

export type MonitorAccess = { apiKey: string; accountId: string; apiUrl: string }

const check = z.object({
  id: z.string(),
  name: z.string(),
  checkType: z.string(),
  activated: z.boolean().default(true),
  frequency: z.number().nullish(),
  locations: z.array(z.string()).nullish(),
  tags: z.array(z.string()).nullish(),
  script: z.string().nullish(),
  alertChannelSubscriptions: z.array(z.object({ alertChannelId: z.number(), activated: z.boolean() })).nullish(),
})
const status = z.object({ checkId: z.string(), hasFailures: z.boolean(), hasErrors: z.boolean() })
const alertChannel = z.object({
  id: z.number(),
  name: z.string().nullish(),
  config: z.object({ name: z.string().nullish(), channel: z.string().nullish(), address: z.string().nullish() }).nullish(),
})

export type MonitorCheck = z.infer<typeof check>
export type AlertChannel = { id: number; names: string[] }

export type BrowserCheck = {
  name: string
  frequency: number
  locations: string[]
  tags: string[]
  script: string
  activated: true
  alertChannelSubscriptions: { alertChannelId: number; activated: true }[]
}

/** The part of Checkly's API that this tool uses. Every method throws a ToolError that says what to do. */
export type Monitor = {
  checks(): Promise<MonitorCheck[]>
  /** Whether the last run passed, by check id. Checks that never ran are missing. */
  results(): Promise<Map<string, boolean>>
  alertChannels(): Promise<AlertChannel[]>
  create(check: BrowserCheck): Promise<void>
  update(id: string, check: BrowserCheck): Promise<void>
  remove(id: string): Promise<void>
}

const pageSize = 100
const timeoutMilliseconds = 15_000
const retries = 4
const longestWait = 60_000
const firstWait = 250

/** Creates a client of https://www.checklyhq.com/docs/api-reference. It pages through lists and retries temporary failures. */
export function createMonitor({ apiKey, accountId, apiUrl }: MonitorAccess): Monitor {
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(`${apiUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'x-checkly-account': accountId,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMilliseconds),
      }).catch((error: unknown) => (error instanceof Error ? error : new Error('unknown')))
      if (response instanceof Response && response.ok) return response
      // A POST without an answer may have taken effect, and a retry could create a second check.
      const mayRetry =
        response instanceof Response
          ? response.status === 429 || (response.status >= 500 && method !== 'POST')
          : method !== 'POST'
      if (!mayRetry || attempt === retries) throw requestError(method, path, response)
      if (response instanceof Response) await response.body?.cancel()
      await delay(retryDelay(response, attempt))
    }
  }

  const read = async <Item>(path: string, item: z.ZodType<Item>): Promise<Item[]> => {
    const response = await send('GET', path)
    const body: unknown = await response.json().catch(() => undefined)
    const parsed = z.array(item).safeParse(body)
    if (parsed.success) return parsed.data
    throw new ToolError({
      what: `The monitoring service gave an unexpected answer to GET ${path}.`,
      why: parsed.error.issues[0]
        ? `${parsed.error.issues[0].path.join('.') || 'The answer'}: ${parsed.error.issues[0].message}`
        : 'It is not JSON.',
      fix: 'Check MONITOR_API_URL. If it is right, the API has changed: update packages/badges/src/monitor.ts.',
    })
  }

  /** Some endpoints ignore `page` and return the whole list, so a page without new items is the last. */
  const readAll = async <Item>(path: string, item: z.ZodType<Item>, idOf: (item: Item) => string | number): Promise<Item[]> => {
    const found = new Map<string | number, Item>()
    for (let page = 1; ; page += 1) {
      const items = await read(`${path}?limit=${pageSize}${page > 1 ? `&page=${page}` : ''}`, item)
      const before = found.size
      for (const one of items) found.set(idOf(one), one)
      if (items.length < pageSize || found.size === before) return [...found.values()]
    }
  }

  return {
    checks: () => readAll('/v1/checks', check, ({ id }) => id),
    async results() {
      const statuses = await readAll('/v1/check-statuses', status, ({ checkId }) => checkId)
      return new Map(statuses.map(({ checkId, hasFailures, hasErrors }) => [checkId, !hasFailures && !hasErrors]))
    },
    async alertChannels() {
      const channels = await readAll('/v1/alert-channels', alertChannel, ({ id }) => id)
      return channels.map(({ id, name, config }) => ({
        id,
        names: [name, config?.name, config?.channel, config?.address].filter((known) => typeof known === 'string'),
      }))
    },
    async create(body) {
      await send('POST', '/v1/checks/browser', body)
    },
    async update(id, body) {
      await send('PUT', `/v1/checks/browser/${encodeURIComponent(id)}`, body)
    },
    async remove(id) {
      await send('DELETE', `/v1/checks/${encodeURIComponent(id)}`)
    },
  }
}

/** The delay that the service asks for, else an exponential one, in milliseconds. At most a minute. */
function retryDelay(response: Response | Error, attempt: number): number {
  const headers = response instanceof Response ? response.headers : new Headers()
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.now()
  const asked = Number.isFinite(seconds) ? seconds * 1000 : Number.isFinite(reset) ? reset : firstWait * 2 ** attempt
  return Math.min(Math.max(asked, firstWait), longestWait) + Math.random() * firstWait
}

function requestError(method: string, path: string, response: Response | Error): ToolError {
  const what = `The monitoring service refused ${method} ${path.replace(/\?.*/, '')}.`
  if (response instanceof Error) {
    const cause = response.cause instanceof Error ? response.cause.message : response.message
    return new ToolError({
      what,
      why: `It cannot be reached: ${cause || response.name}.`,
      fix: 'Check the network and MONITOR_API_URL, then run the same command again.',
    })
  }
  const { status: code } = response
  if (code === 401 || code === 403) {
    return new ToolError({
      what,
      why: `The key or the account is not valid (${code}).`,
      fix: 'Create an API key for this account and set MONITOR_API_KEY and MONITOR_ACCOUNT_ID to it.',
    })
  }
  return new ToolError({
    what,
    why: code === 429 ? 'It still limits requests (429) after several retries.' : `It answered ${code}.`,
    fix:
      code === 429 || code >= 500
        ? 'Run the same command again in a few minutes.'
        : 'Check the log of the monitoring service and the permissions of the account.',
  })
}
