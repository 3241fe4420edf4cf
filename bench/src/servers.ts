import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@floorpass/reliability'
import { query, secret } from './data.ts'
import type { Job, Outcome } from './generator.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const node = join(root, 'node_modules', 'node', 'bin', 'node')
const options = { execPath: node, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] as ('ignore' | 'pipe' | 'ipc')[] }

export type Server = {
  port: number
  pid: number
  /** Processor seconds so far, with threads and workers. */
  cpuSeconds(): Promise<number>
  mainThreadSeconds(): Promise<number>
  residentMegabytes(): Promise<number>
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
/** Leaders of a process group. A signal to one also ends the processes it started. */
const groupLeaders = new Set<ChildProcess>()

export const stopEverything = () => {
  for (const child of running) signal(child, 'SIGKILL')
}

function signal(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined && groupLeaders.has(child)) signalGroup(child.pid, name)
  else child.kill(name)
}

function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name)
  } catch {
    return false
  }
}

export async function startFloorpass(environment: Record<string, string>, folder: string): Promise<Server> {
  const port = await freePort()
  const child = spawn('deploy/start.sh', {
    cwd: root,
    env: floorpassEnvironment({ PORT: String(port), DATA_DIR: join(folder, 'data'), RATE_LIMIT: 'off', ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout?.pipe(createWriteStream(join(folder, `floorpass-${port}.log`)))
  return waitUntilUp(child, port, waitForAnswer(port))
}

/** Measures the seconds from `npm start` to the first answer, then stops the service. Rejects and kills it after `timeout` seconds. */
export async function timeStart(environment: Record<string, string>, timeout: number): Promise<number> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: floorpassEnvironment({ PORT: String(port), ...environment }),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  groupLeaders.add(child)
  try {
    await withTimeout(timeout, 'first answer of npm start', waitUntilUp(child, port, waitForAnswer(port)))
    const took = (performance.now() - began) / 1000
    signal(child, 'SIGTERM')
    // Wait for the whole group: the next start needs the port and the data.
    const deadline = performance.now() + 40_000
    while (child.pid !== undefined && signalGroup(child.pid, 0)) {
      if (performance.now() > deadline) throw new Error('npm start did not end in 40 s')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return took
  } finally {
    signal(child, 'SIGKILL')
    groupLeaders.delete(child)
  }
}

async function withTimeout<Result>(seconds: number, what: string, work: Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`timed out after ${seconds} s: ${what}`)), seconds * 1000)
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}

export const floorpassEnvironment = (environment: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_ENV: 'production',
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  ...environment,
})

export async function startBetterAuth(url: string, { cookieCache = false, migrate = false } = {}): Promise<Server> {
  const port = await freePort()
  const child = fork(join(root, 'bench/servers/better-auth.ts'), { ...options, env: { ...process.env, NODE_ENV: 'production' } })
  child.send({ port, url, secret, cookieCache, migrate })
  return waitUntilUp(child, port, once(child, 'message'))
}

export async function startBare(template: Response): Promise<Server> {
  const port = await freePort()
  const child = fork(join(root, 'bench/servers/bare.ts'), options)
  const serverHeaders = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])
  child.send({ port, headers: [...template.headers].filter(([name]) => !serverHeaders.has(name)), body: await template.text() })
  return waitUntilUp(child, port, once(child, 'message'))
}

export async function generate(job: Job): Promise<Outcome> {
  const child = fork(join(root, 'bench/src/generator.ts'), { ...options, serialization: 'advanced' })
  running.add(child)
  child.send(job)
  const ended = once(child, 'exit').then((): never => {
    throw new Error(`the load on port ${job.port} was stopped`)
  })
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ outcome?: Outcome; error?: string }]
  child.kill()
  running.delete(child)
  if (!message.outcome) throw new Error(`the load on port ${job.port} failed: ${message.error}`)
  return message.outcome
}

async function waitUntilUp(child: ChildProcess, port: number, up: Promise<unknown>): Promise<Server> {
  running.add(child)
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-2000)
  })
  const exited = once(child, 'exit').then(() => running.delete(child))
  await Promise.race([
    up,
    exited.then(() => {
      throw new Error(`a server did not start: ${stderr}`)
    }),
  ])
  const pid = child.pid ?? 0
  return {
    port,
    pid,
    cpuSeconds: () => sumOverProcesses(pid, (one) => readCpuSeconds(one)),
    mainThreadSeconds: () => (process.platform === 'linux' ? readCpuSeconds(pid, `task/${pid}/`) : Promise.resolve(0)),
    residentMegabytes: () => sumOverProcesses(pid, readResidentMegabytes),
    stop: async () => {
      signal(child, 'SIGTERM')
      await withTimeout(40, 'exit of a server', exited).catch(() => signal(child, 'SIGKILL'))
    },
  }
}

// The published figures come from Linux. On other systems these are zero.
async function sumOverProcesses(pid: number, measure: (pid: number) => Promise<number>): Promise<number> {
  if (process.platform !== 'linux') return 0
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim().split(' ').filter(Boolean)
  // A child may have exited. A server that has exited rejects.
  const figures = await Promise.all([measure(pid), ...children.map((child) => measure(Number(child)).catch(() => 0))])
  return figures.reduce((sum, figure) => sum + figure, 0)
}
/** Processor seconds of the backends that serve clients. Excludes autovacuum. */
export async function postgresCpuSeconds(url: string): Promise<number> {
  const rows = await query(
    url,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  const figures = await Promise.all(rows.map(({ pid }) => readCpuSeconds(Number(pid)).catch(() => 0)))
  return figures.reduce((sum, figure) => sum + figure, 0)
}
async function readCpuSeconds(pid: number, thread = ''): Promise<number> {
  const stat = await readFile(`/proc/${pid}/${thread}stat`, 'utf8')
  const [utime = 0, stime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (utime + stime) / 100
}
async function readResidentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** Resolves at the first answer, rejects after five minutes. Retries a request that hangs. */
async function waitForAnswer(port: number): Promise<void> {
  const end = performance.now() + 300_000
  while (performance.now() < end) {
    const signal = AbortSignal.timeout(5_000)
    const response = await fetch(`http://127.0.0.1:${port}/auth/get-session`, { signal }).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`nothing answered on port ${port}`)
}
