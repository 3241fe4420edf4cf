import { spawnSync } from 'node:child_process'
import { Agent, type IncomingMessage, request } from 'node:http'
import { databaseEnvironment, type ServerProcess, startServer, temporaryFolder } from './server-process.ts'

export type WorkerService = ServerProcess & { dataDir: string }

const token = 'what-only-prometheus-knows'

/** Each service gets its own database, because another secret cannot open what it sealed. */
export const workerEnvironment = async (more: Record<string, string> = {}) => ({
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  RATE_LIMIT: 'off',
  METRICS_TOKEN: token,
  WEB_CONCURRENCY: '2',
  ...more,
})

/** Starts a service with two workers, and waits until both listen. */
export async function startWorkers(more: Record<string, string> = {}): Promise<WorkerService> {
  const settings = await workerEnvironment(more)
  const server = await startServer(settings)
  while (countStarts(server) < Number(settings.WEB_CONCURRENCY)) await server.nextOutput()
  return { ...server, dataDir: settings.DATA_DIR }
}

/** How many workers have listened since the service started. */
export const countStarts = (server: ServerProcess): number => server.logs().filter(({ msg }) => msg === 'listening').length

/** Log lines of level warn and above, except timeouts of the session channel, which a busy machine causes. */
export const warningsOf = (server: ServerProcess): Record<string, unknown>[] =>
  server
    .logs()
    .filter(({ level }) => Number(level) > 30)
    .filter(
      ({ msg, reason }) =>
        !(/^session invalidation channel down/.test(String(msg)) && /(in time|timed out)$/.test(String(reason))),
    )

export const workersOf = (server: ServerProcess): number[] =>
  spawnSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .filter(Boolean)
    .map(Number)

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

type Reply = { status: number; body: string; headers: IncomingMessage['headers'] }
type Ask = { method?: string; path: string; body?: unknown; headers?: Record<string, string>; agent?: Agent | false }

/** Sends a request over a new connection, or that of the agent. Connections go to the workers in turn. */
export const askWorker = (
  server: ServerProcess,
  { method = 'GET', path, body, headers = {}, agent = false }: Ask,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: server.port,
        method,
        path,
        agent,
        headers: {
          ...(method === 'POST' && { 'content-type': 'application/json', origin: `http://localhost:${server.port}` }),
          ...headers,
        },
      },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers })
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

export const oneConnection = () => new Agent({ keepAlive: true, maxSockets: 1 })

export const signUpAt = (server: ServerProcess, email: string, agent: Agent | false = false): Promise<Reply> =>
  askWorker(server, {
    method: 'POST',
    path: '/auth/sign-up/email',
    body: { name: 'Ada', email, password: 'plum kettle orbit' },
    agent,
  })

export const scrape = (server: ServerProcess, agent: Agent | false = false): Promise<Reply> =>
  askWorker(server, { path: '/metrics', headers: { authorization: `Bearer ${token}` }, agent })

export async function metricOf(server: ServerProcess, line: string): Promise<number> {
  const { body } = await scrape(server)
  return Number(
    body
      .split('\n')
      .find((candidate) => candidate.startsWith(`${line} `))
      ?.slice(line.length + 1),
  )
}
