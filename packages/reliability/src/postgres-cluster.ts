import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@floorpass/db'
import { createFolder, onRunEnd, removeFolder } from './run-end.ts'
import { freePort } from './service-process.ts'

/** How a server stops: two modes of pg_ctl, or a kill. */
export type Stop = 'fast' | 'immediate' | 'kill -9'

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', 'kill -9': 'SIGKILL' } as const

/** A disposable PostgreSQL server with default durability. */
export type PostgresCluster = {
  version: string
  port: number
  /** Creates an empty database and resolves to its URL. */
  createDatabase(): Promise<string>
  stop(how: Stop): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
  /** Starts a standby that streams from this server and can take its place. */
  createStandby(): Promise<PostgresStandby>
  /** From now on, each commit waits for the standby. */
  waitForStandby(): Promise<void>
  remove(): void
}

export type PostgresStandby = PostgresCluster & { promote(): Promise<void> }

const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup', 'pg_ctl']

/** Finds the folder of the server and its tools on the PATH or where Debian installs it. */
export function findPostgres(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((left, right) => Number(right) - Number(left)) : []
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...versions.map((version) => join(debian, version, 'bin'))]
  return folders.find((folder) => programs.every((name) => existsSync(join(folder, name)))) ?? null
}

export async function startPostgresCluster(
  binaries: string,
  configuration: Record<string, string> = {},
): Promise<PostgresCluster> {
  const { directory, as } = createDataFolder()
  execFileSync(join(binaries, 'initdb'), ['-D', directory, '-U', 'floorpass', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'], {
    ...as,
    stdio: 'pipe',
  })
  return runCluster(binaries, directory, as, configuration)
}

type Owner = { uid?: number; gid?: number; cwd: string }

function createDataFolder(): { directory: string; as: Owner } {
  const directory = createFolder('postgres')
  const owner = findServerOwner()
  if (owner) chownSync(directory, owner.uid, owner.gid)
  return { directory, as: { ...owner, cwd: directory } }
}

async function runCluster(
  binaries: string,
  directory: string,
  as: Owner,
  configuration: Record<string, string>,
): Promise<PostgresStandby> {
  const port = await freePort()
  const url = (database: string) => `postgres://floorpass@127.0.0.1:${port}/${database}`
  let server: ChildProcess | undefined
  let databases = 0

  const run = (): ChildProcess =>
    spawn(
      join(binaries, 'postgres'),
      [
        ...['-D', directory, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
        ...Object.entries(configuration).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...as, stdio: 'ignore' },
    )

  const start = async () => {
    server = run()
    while (!(await acceptsConnections(port))) {
      // After a kill -9, orphans hold the shared memory for a moment, and a new server exits.
      if (server.exitCode !== null) server = run()
      await delay(20)
    }
    for (;;) {
      const isReady = await withOwner(url('postgres'), async () => {}).then(
        () => true,
        () => false,
      )
      if (isReady) return
      await delay(20)
    }
  }

  const stop = async (how: Stop) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill(signals[how])
    await gone
  }

  const signalAll = (signal: NodeJS.Signals) => {
    const parent = server?.pid
    for (const pid of [parent, ...listChildren(parent)]) if (pid) signalIfRunning(pid, signal)
  }

  const end = onRunEnd(() => {
    if (server?.exitCode === null && server.signalCode === null) signalAll('SIGCONT')
    stopServer(binaries, directory, as)
    removeFolder(directory)
  })
  await start()
  return {
    port,
    version: execFileSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' }).trim(),
    async createDatabase() {
      databases += 1
      const name = `floorpass_${databases}`
      await withOwner(url('postgres'), (execute) => execute(`CREATE DATABASE ${name}`))
      return url(name)
    },
    start,
    stop,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async createStandby() {
      const standby = createDataFolder()
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'floorpass', '--checkpoint=fast', '--no-sync']
      execFileSync(join(binaries, 'pg_basebackup'), ['-D', standby.directory, '-R', ...from], { ...standby.as, stdio: 'pipe' })
      return runCluster(binaries, standby.directory, standby.as, configuration)
    },
    async waitForStandby() {
      await withOwner(url('postgres'), async (execute) => {
        await execute(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
        await execute('SELECT pg_reload_conf()')
      })
    },
    async promote() {
      execFileSync(join(binaries, 'pg_ctl'), ['-D', directory, 'promote', '-w'], { ...as, stdio: 'pipe' })
    },
    remove: end,
  }
}

export function findServerOwner(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const readId = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: readId('-u'), gid: readId('-g') }
}

/** Stops the server of a data folder, if there is one. After SIGKILL its shared memory would stay. */
export function stopServer(binaries: string, directory: string, as: Owner): void {
  spawnSync(join(binaries, 'pg_ctl'), ['stop', '-D', directory, '-m', 'immediate', '-t', '5'], { ...as, stdio: 'ignore' })
}

export function listChildren(pid: number | undefined): number[] {
  if (pid === undefined) return []
  // Without a match, ps exits with 1.
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return stdout.split('\n').map(Number).filter(Boolean)
}

/** Ignores a process that exited after it was listed. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function withOwner(
  url: string,
  work: (execute: (sql: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const { db, ping, close } = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  try {
    await ping()
    await work((sql) => db.$executeRawUnsafe(sql))
  } finally {
    await close()
  }
}

export const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
