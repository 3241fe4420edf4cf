import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { variables } from '@floorpass/env'
import { afterAll, vi } from 'vitest'
import { createTestDatabase } from './test-database.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')
const workspaceNode = join(root, 'node_modules', 'node', 'bin', 'node')

type Exit = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type ServerProcess = {
  url: string
  port: number
  pid: number
  stdout(): string
  /** Sends the signal; resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<Exit>
  exited: Promise<Exit>
}

/** A folder that is gone after the file's tests. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-server-'))
  folders.push(folder)
  return folder
}

/** What a server needs to run on the database under test: a PostgreSQL database of its own, or the embedded one in its DATA_DIR. */
export async function databaseEnvironment(): Promise<Record<string, string>> {
  const { options, drop } = await createTestDatabase()
  drops.push(drop)
  return options.kind === 'postgres' ? { DATABASE_URL: options.url } : {}
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The real server as a process of its own, once it answers. Only the given variables are set, whatever stands in `.env`. */
export async function startServer(environment: Record<string, string>): Promise<ServerProcess> {
  const port = environment.PORT ?? String(await freePort())
  const server = launch({ ...environment, PORT: port })
  // The last line of what it prints once it listens.
  const isUp = () => server.stdout().includes('Ctrl-C')
  while (!isUp()) {
    const ended = await Promise.race([server.exited, server.nextOutput()])
    if (ended && !isUp()) throw new Error(`the server ended with code ${ended.code}: ${ended.stderr}${ended.stdout}`)
  }
  return { ...server, url: `http://127.0.0.1:${port}`, port: Number(port) }
}

/** The same for a server that is expected not to start. */
export const failToStart = (environment: Record<string, string>): Promise<Exit> => launch(environment).exited

const folders: string[] = []
const drops: (() => Promise<void>)[] = []
const running = new Set<{ kill(signal: NodeJS.Signals): boolean }>()

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(drops.map((drop) => drop()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
})

function launch(environment: Record<string, string>) {
  const child = spawn(workspaceNode, ['--disable-warning=ExperimentalWarning', 'apps/web/server.ts'], {
    cwd: root,
    env: {
      // Empty is unset, and keeps a developer's `.env` out.
      ...Object.fromEntries(variables.map((variable) => [variable, ''])),
      PATH: process.env.PATH,
      NODE_ENV: 'production',
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
    nextOutput: () => once(child.stdout, 'data').then(() => null),
    end: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return exited
    },
  }
}

/** The pages as `npm start` builds them; quick when nothing changed. One process at a time, whichever tests run beside these. */
async function buildPages(): Promise<void> {
  const lock = new DatabaseSync(join(tmpdir(), `floorpass-build-${process.getuid?.()}.lock`), { timeout: 120_000 })
  lock.exec('BEGIN EXCLUSIVE')
  const turbo = spawn(join(binaries, 'turbo'), ['run', 'build'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: '', PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [turbo.stdout, turbo.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const [code] = await once(turbo, 'close')
  lock.close()
  if (code !== 0) throw new Error(`the pages could not be built:\n${output}`)
}

// A process that starts and ends takes seconds, on a busy machine many.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })
await buildPages()
