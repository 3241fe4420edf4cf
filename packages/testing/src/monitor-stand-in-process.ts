import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import type { MonitorState } from './monitor-stand-in.ts'

const [, , apiKey, accountId] = process.argv
const state: MonitorState = { checks: [], statuses: [], alertChannels: [], answers: [] }
const requests: string[] = []

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(body))
}

/** Ten items a page, at most a hundred, like the real API. */
function page<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  const limit = Number(query.get('limit') ?? 10)
  const start = (Number(query.get('page') ?? 1) - 1) * limit
  return items.slice(start, start + limit)
}

const server = createServer(async (request, response) => {
  const { method = 'GET', headers } = request
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand.in')
  if (pathname === '/control') {
    if (method === 'POST') {
      Object.assign(state, await readJson(request))
      return response.end()
    }
    return json(response, 200, { requests: requests.splice(0), checks: state.checks })
  }
  requests.push(`${method} ${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`)
  const planned = state.answers.shift()
  if (planned === 'hang-up') return response.destroy()
  if (planned) return json(response, planned.status, planned.body ?? { message: 'planned' }, planned.headers)
  if (headers.authorization !== `Bearer ${apiKey}` || headers['x-checkly-account'] !== accountId) {
    return json(response, 401, { statusCode: 401, error: 'Unauthorized', message: 'Bad Token' })
  }
  const limit = Number(searchParams.get('limit') ?? 10)
  if (!(limit >= 1 && limit <= 100)) return json(response, 400, { statusCode: 400, message: '"limit" must be from 1 to 100' })

  // The real API pages the checks but returns all statuses at once.
  if (method === 'GET' && pathname === '/v1/checks') return json(response, 200, page(state.checks, searchParams))
  if (method === 'GET' && pathname === '/v1/check-statuses') return json(response, 200, state.statuses)
  if (method === 'GET' && pathname === '/v1/alert-channels') return json(response, 200, page(state.alertChannels, searchParams))
  const id = /^\/v1\/checks(?:\/browser)?\/([^/]+)$/.exec(pathname)?.[1]
  const known = state.checks.findIndex((check) => check.id === id)
  if (method === 'POST' && pathname === '/v1/checks/browser') {
    const check = {
      ...((await readJson(request)) as object),
      id: randomUUID(),
      checkType: 'BROWSER',
    } as (typeof state.checks)[number]
    state.checks.push(check)
    return json(response, 201, check)
  }
  if (known < 0) return json(response, 404, { statusCode: 404, error: 'Not Found', message: 'Not Found' })
  if (method === 'PUT') {
    Object.assign(state.checks[known] ?? {}, await readJson(request))
    return json(response, 200, state.checks[known])
  }
  if (method === 'DELETE') state.checks.splice(known, 1)
  return response.writeHead(204).end()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
