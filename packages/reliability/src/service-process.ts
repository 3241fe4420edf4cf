import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { variables } from '@floorpass/env'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export type Exit = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type LaunchedService = {
  pid: number
  stdout(): string
  /** Every line of the log so far, parsed. */
  logs(): Record<string, unknown>[]
  nextOutput(): Promise<null>
  /** Sends the signal; resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<Exit>
  exited: Promise<Exit>
}

export type ServiceProcess = LaunchedService & { url: string; port: number }

const running = new Set<ChildProcess>()

/** Starts the built service as a process of its own. Only the given variables are set, whatever stands in `.env`; `nodeFlags` go to Node. */
export function launchService(environment: Record<string, string>, nodeFlags: readonly string[] = []): LaunchedService {
  const child = spawn('deploy/start.sh', nodeFlags, {
    cwd: root,
    env: {
      // Empty is unset, and keeps a developer's `.env` out.
      ...Object.fromEntries(variables.map((variable) => [variable, ''])),
      PATH: process.env.PATH,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      output[stream] += chunk
    })
  }
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    running.delete(child)
    return { code, signal, ...output }
  })
  return {
    pid: child.pid ?? 0,
    exited,
    stdout: () => output.stdout,
    logs: () =>
      output.stdout
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line)),
    nextOutput: () => once(child.stdout, 'data').then(() => null),
    end: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}

/** The same, once it listens. Rejects with all that it said when it ends before. */
export async function startService(
  environment: Record<string, string>,
  nodeFlags: readonly string[] = [],
): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort())
  const service = launchService({ ...environment, PORT: port }, nodeFlags)
  // The last line of what it prints once it listens.
  const isUp = () => service.stdout().includes('Ctrl-C')
  while (!isUp()) {
    const ended = await Promise.race([service.exited, service.nextOutput()])
    if (ended && !isUp()) throw new Error(`the server ended with code ${ended.code}: ${ended.stderr}${ended.stdout}`)
  }
  return { ...service, url: `http://127.0.0.1:${port}`, port: Number(port) }
}

/** Ends, the hard way, what was launched and still runs. */
export function killServices(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** A port that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
