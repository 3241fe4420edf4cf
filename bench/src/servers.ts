import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { query, secret } from './data.ts'
import type { Job, Outcome } from './generator.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const node = join(root, 'node_modules', 'node', 'bin', 'node')
const options = { execPath: node, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] as ('ignore' | 'pipe' | 'ipc')[] }

/** A server as a process of its own. */
export type Server = {
  port: number
  pid: number
  /** Seconds of processor time that it has used so far, its threads and workers included. */
  cpuSeconds(): Promise<number>
  residentMegabytes(): Promise<number>
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
/** Those that lead a group: with them ends what they have started. */
const leaders = new Set<ChildProcess>()

/** Ends what is still running: for the end of a run that failed. */
export const stopEverything = () => {
  for (const child of running) signal(child, 'SIGKILL')
}

function signal(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined && leaders.has(child)) signalGroup(child.pid, name)
  else child.kill(name)
}

/** False when nobody of the group is left. */
function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name)
  } catch {
    return false
  }
}

/** Floorpass as `npm start` runs it, but for the limits that would end the measurement, and the database. */
export async function startFloorpass(environment: Record<string, string>, folder: string): Promise<Server> {
  const port = await freePort()
  const child = spawn('deploy/start.sh', {
    cwd: root,
    env: floorpassEnvironment({ PORT: String(port), DATA_DIR: join(folder, 'data'), RATE_LIMIT: 'off', ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout?.pipe(createWriteStream(join(folder, `floorpass-${port}.log`)))
  return untilUp(child, port, answers(port))
}

/**
 * Seconds from `npm start` to the first answer, and its end. Each step has its bound: what is not there in time is killed with all
 * that it started, and the measurement fails. A tree that must install or build first takes minutes: that is no start to measure.
 */
export async function timeStart(environment: Record<string, string>, patience: number): Promise<number> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: floorpassEnvironment({ PORT: String(port), ...environment }),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  leaders.add(child)
  try {
    await within(patience, 'npm start answered', untilUp(child, port, answers(port)))
    const took = (performance.now() - began) / 1000
    signal(child, 'SIGTERM')
    // All of it, not npm alone: the next start needs the port and the data.
    const ending = performance.now() + 40_000
    while (child.pid !== undefined && signalGroup(child.pid, 0)) {
      if (performance.now() > ending) throw new Error('npm start did not end in 40 s')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return took
  } finally {
    signal(child, 'SIGKILL')
    leaders.delete(child)
  }
}

/** Rejects when the work takes longer. */
async function within<Result>(seconds: number, what: string, work: Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not in ${seconds} s: ${what}`)), seconds * 1000)
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
  return untilUp(child, port, once(child, 'message'))
}

/** A bare server that gives the very answer that `like` gave. */
export async function startBare(like: Response): Promise<Server> {
  const port = await freePort()
  const child = fork(join(root, 'bench/servers/bare.ts'), options)
  const own = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])
  child.send({ port, headers: [...like.headers].filter(([name]) => !own.has(name)), body: await like.text() })
  return untilUp(child, port, once(child, 'message'))
}

/** Runs the load from a process of its own. */
export async function generate(job: Job): Promise<Outcome> {
  const child = fork(join(root, 'bench/src/generator.ts'), { ...options, serialization: 'advanced' })
  running.add(child)
  child.send(job)
  const [message] = (await once(child, 'message')) as [{ outcome?: Outcome; error?: string }]
  child.kill()
  running.delete(child)
  if (!message.outcome) throw new Error(`the load on port ${job.port} failed: ${message.error}`)
  return message.outcome
}

async function untilUp(child: ChildProcess, port: number, up: Promise<unknown>): Promise<Server> {
  running.add(child)
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-2000)
  })
  const exited = once(child, 'exit').then(() => running.delete(child))
  await Promise.race([
    up,
    exited.then(() => {
      throw new Error(`a server did not start: ${complaint}`)
    }),
  ])
  const pid = child.pid ?? 0
  return {
    port,
    pid,
    cpuSeconds: () => sumOver(pid, cpuSecondsOf),
    residentMegabytes: () => sumOver(pid, residentOf),
    stop: async () => {
      signal(child, 'SIGTERM')
      await within(40, 'a server ended', exited).catch(() => signal(child, 'SIGKILL'))
    },
  }
}

// Linux only, as the figures are published from there; elsewhere they are zero.
async function sumOver(pid: number, measure: (pid: number) => Promise<number>): Promise<number> {
  if (process.platform !== 'linux') return 0
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim().split(' ').filter(Boolean)
  // A child may be over; of a server that is, there is no figure.
  const figures = await Promise.all([measure(pid), ...children.map((child) => measure(Number(child)).catch(() => 0))])
  return figures.reduce((sum, figure) => sum + figure, 0)
}
/** Of the backends that serve this database's clients, when it runs on this machine: what vacuums it meanwhile is no part of a request. */
export async function postgresCpuSeconds(url: string): Promise<number> {
  const rows = await query(
    url,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  const figures = await Promise.all(rows.map(({ pid }) => cpuSecondsOf(Number(pid)).catch(() => 0)))
  return figures.reduce((sum, figure) => sum + figure, 0)
}
async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [utime = 0, stime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (utime + stime) / 100
}
async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** Resolves at the first answer; rejects when there is none in five minutes. One that hangs is asked for again. */
async function answers(port: number): Promise<void> {
  const end = performance.now() + 300_000
  while (performance.now() < end) {
    const signal = AbortSignal.timeout(5_000)
    const response = await fetch(`http://127.0.0.1:${port}/auth/get-session`, { signal }).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`nothing answered on port ${port}`)
}

export async function freePort(): Promise<number> {
  const base = Number(process.env.BENCH_PORT ?? 0)
  if (base > 0) {
    process.env.BENCH_PORT = String(base + 1)
    return base
  }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
