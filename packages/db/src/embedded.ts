import { EventEmitter } from 'node:events'
import { constants, existsSync } from 'node:fs'
import { cp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { ChangeListener } from './change-channel.ts'
import { DataDirUnusableError } from './data-dir.ts'
import { durableFiles, flushFiles } from './durable-files.ts'
import { listenOnEmbedded, type Notifications } from './embedded-channel.ts'
import { EmbeddedConnection } from './embedded-connection.ts'
import { lockDataDir } from './embedded-lock.ts'
import { createPoolDriver } from './pool-driver.ts'

export type EmbeddedOptions = {
  kind: 'embedded'
  /** Null keeps the data in memory. */
  directory: string | null
  template?: Blob
  /** An engine in memory that its owner closes. */
  engine?: PGlite
}

export const openEmbedded = async ({ directory, template, engine: given }: EmbeddedOptions) => {
  const lock = directory === null ? null : await lockDataDir(directory)
  const engine =
    given ??
    (await startEngine(directory, template).catch((error: unknown) => {
      lock?.release()
      throw error
    }))
  const { pool, notifications } = createEmbeddedPool(engine)

  /** No statement runs meanwhile, so the files are consistent. */
  const whileQuiet = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const client = await pool.connect()
    try {
      // A database that starts from the files then has little log to replay.
      await client.query('CHECKPOINT')
      return await work()
    } finally {
      client.release()
    }
  }

  return {
    ...createPoolDriver({ pool, keepsStatements: () => true }),
    poolState: null,
    ping: async () => void (await pool.query('SELECT 1')),
    listen: (listener: ChangeListener) => listenOnEmbedded(pool, notifications, listener),
    dump: () => whileQuiet(() => engine.dumpDataDir('none')),
    copyTo: async (folder: string) => {
      if (directory === null) throw new Error('cannot copy the files of a database in memory')
      const files = join(directory, 'pgdata')
      await assertFreeSpace(files, folder)
      await whileQuiet(() => cp(files, folder, { recursive: true, mode: constants.COPYFILE_FICLONE }))
    },
    close: async () => {
      await endPool(pool)
      if (!given) await engine.close().finally(() => lock?.release())
    },
  }
}

/** `end` never answers the calls that still wait for the connection, so it comes after them. */
async function endPool(pool: pg.Pool): Promise<void> {
  let last = await pool.connect().catch(() => null)
  while (last && pool.waitingCount > 0) {
    last.release()
    last = await pool.connect().catch(() => null)
  }
  const ended = pool.end()
  last?.release()
  await ended
}

/** The engine has one session, so the pool has one connection. Callers wait for it without a limit. */
function createEmbeddedPool(engine: PGlite) {
  const notifications: Notifications = new EventEmitter()
  const pool = new pg.Pool({
    max: 1,
    idleTimeoutMillis: 0,
    // A migration can break a prepared statement, as on PostgreSQL.
    maxLifetimeSeconds: 60 * 60,
    user: 'postgres',
    database: 'postgres',
    // Otherwise PGSSLMODE decides.
    ssl: false,
    sslnegotiation: 'postgres',
    stream: () => new EmbeddedConnection(engine),
  } as pg.PoolConfig)
  // An error without a listener ends the process. The statements that met it report it.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    client.on('notification', ({ channel, payload = '' }) => void notifications.emit(channel, payload))
  })
  return { pool, notifications }
}

/** A full disk would stop the service at its next commit. */
async function assertFreeSpace(files: string, folder: string): Promise<void> {
  const entries = await readdir(files, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  const size = sizes.reduce((sum, one) => sum + one, 0)
  const { bavail, bsize } = await statfs(dirname(folder))
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
  if (bavail * bsize < 2 * size) {
    throw new Error(
      `the copy of the database takes ${megabytes(size)} MB and needs twice that under DATA_DIR, where ${megabytes(bavail * bsize)} MB are free`,
    )
  }
}

export const startEngine = async (directory: string | null, template?: Blob): Promise<PGlite> => {
  let isRunning = false
  let lastError = ''
  const onStderr = (line: string) => {
    if (/\b(FATAL|PANIC):/.test(line)) lastError = line
    if (isRunning && line.includes('PANIC:')) endProcess(line)
    return false
  }

  const isNew = directory !== null && !existsSync(join(directory, 'pgdata'))
  try {
    const client = await PGlite.create({
      ...(directory === null ? {} : durableFiles(join(directory, 'pgdata'))),
      ...(template ? { loadDataDir: template } : {}),
      relaxedDurability: false,
      onStderr,
    })
    if (isNew) await flushFiles(join(directory, 'pgdata'))
    endProcessOnTrap(client)
    isRunning = true
    return client
  } catch (error) {
    if (directory === null) throw error
    // Half a new database would be called damaged at the next start.
    if (isNew) await rm(join(directory, 'pgdata'), { recursive: true, force: true })
    if (isNew && !(await hasSpace(directory)))
      throw Object.assign(new Error('no space for a new database'), { code: 'ENOSPC', path: directory })
    throw new DataDirUnusableError(
      `The embedded database in ${directory} did not start: ${lastError || (error as Error).message}. Its files are damaged, or come ` +
        `from another version: put a backup in their place, or move the folder away to start with an empty database.`,
      { cause: error },
    )
  }
}

const newDatabaseBytes = 64e6

const hasSpace = async (directory: string): Promise<boolean> => {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize >= newDatabaseBytes
}

/** What PostgreSQL throws to leave a failed statement. */
const longJump = 100

/** PGlite swallows every other exception of the engine, such as a stack overflow, and the statement would wait for ever. */
function endProcessOnTrap(engine: PGlite): void {
  const module = engine.Module as unknown as { _PostgresMainLoopOnce(): void }
  const run = module._PostgresMainLoopOnce
  module._PostgresMainLoopOnce = () => {
    try {
      return run()
    } catch (error) {
      if ((error as { status?: number }).status !== longJump) endProcess(String(error))
      throw error
    }
  }
}

// After a PANIC the next call to the engine would spin forever. Exit, as a PostgreSQL server does; the next start recovers.
const endProcess = (reason: string): never => {
  process.stderr.write(
    `The embedded database stopped (${reason.trim()}). Acknowledged writes are kept. ` +
      `If the disk under DATA_DIR is full or broken, repair it. Then start again.\n`,
  )
  process.exit(1)
}
