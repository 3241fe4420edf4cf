import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { variables } from '@floorpass/env'
import { onRunEnd } from './run-end.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export type Exit = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type LaunchedService = {
  pid: number
  stdout(): string
  logs(): Record<string, unknown>[]
  nextOutput(): Promise<null>
  /** Sends the signal and resolves when the process has exited. */
  end(signal: NodeJS.Signals): Promise<Exit>
  exited: Promise<Exit>
}

export type ServiceProcess = LaunchedService & { url: string; port: number }

const running = new Set<ChildProcess>()

/** Starts the built service of a checkout as a process. Only the given variables are set: those in `.env` do not count. */
export function launchService(
  environment: Record<string, string>,
  nodeFlags: readonly string[] = [],
  checkout = root,
): LaunchedService {
  const child = spawn(join(checkout, 'deploy/start.sh'), nodeFlags, {
    cwd: checkout,
    env: onlyThese(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  onRunEnd(() => child.kill('SIGKILL'))
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

/** A process environment with only the given variables. An empty one counts as unset, and overrides the developer's `.env`. */
export const onlyThese = (environment: Record<string, string>): Record<string, string | undefined> => ({
  ...Object.fromEntries(variables.map((variable) => [variable, ''])),
  PATH: process.env.PATH,
  ...environment,
})

/** Launches the service and waits until it listens. Rejects with its output when it exits first. */
export async function startService(
  environment: Record<string, string>,
  nodeFlags: readonly string[] = [],
  checkout = root,
): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort())
  const service = launchService({ ...environment, PORT: port }, nodeFlags, checkout)
  // The service prints this when it listens.
  const isUp = () => service.stdout().includes('Ctrl-C')
  while (!isUp()) {
    const ended = await Promise.race([service.exited, service.nextOutput()])
    if (ended && !isUp()) throw new Error(`the service exited with code ${ended.code}: ${ended.stderr}${ended.stdout}`)
  }
  return { ...service, url: `http://127.0.0.1:${port}`, port: Number(port) }
}

export function killServices(): void {
  for (const child of running) child.kill('SIGKILL')
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
