import { constants, existsSync } from 'node:fs'
import { cp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import type { ChangeListener } from './change-channel.ts'
import { DataDirUnusableError } from './data-dir.ts'
import { durableFiles, flushFiles } from './durable-files.ts'
import { embeddedAdapter } from './embedded-adapter.ts'
import { listenOnEmbedded } from './embedded-channel.ts'
import { lockDataDir } from './embedded-lock.ts'
import { getStatement, type Queryable, readTimestamp, type Sql, timestampType, toParameter } from './sql.ts'
import type { TransactionRunner } from './transaction-runner.ts'

export type EmbeddedOptions = {
  kind: 'embedded'
  /** Null keeps the data in memory. */
  directory: string | null
  template?: Blob
  /** An engine in memory that its owner closes. */
  engine?: PGlite
}

export const openEmbedded = async ({ directory, template, engine }: EmbeddedOptions) => {
  const lock = directory === null ? null : await lockDataDir(directory)
  const client =
    engine ??
    (await startEngine(directory, template).catch((error: unknown) => {
      lock?.release()
      throw error
    }))

  const runInTransaction: TransactionRunner = (work) =>
    client.transaction((transaction) =>
      work({
        query: async <Row>(sql: string, values?: unknown[]) => (await transaction.query<Row>(sql, values)).rows,
        script: (sql) => transaction.exec(sql),
      }),
    )

  const createQueryable = (connection: PGlite | Transaction): Queryable => ({
    $queryRaw: async <Rows>(template: TemplateStringsArray, ...values: unknown[]) =>
      (await connection.query(getStatement(template).text, values.map(toParameter), { parsers })).rows as Rows,
  })
  const sql: Sql = { ...createQueryable(client), transaction: (work) => client.transaction((tx) => work(createQueryable(tx))) }

  return {
    adapter: embeddedAdapter(client),
    sql,
    runInTransaction,
    poolState: null,
    ping: async () => void (await client.query('SELECT 1')),
    listen: (listener: ChangeListener) => listenOnEmbedded(client, listener),
    dump: async () => {
      // A database that starts from the dump then has little log to replay.
      await client.exec('CHECKPOINT')
      return client.dumpDataDir('none')
    },
    copyTo: async (folder: string) => {
      if (directory === null) throw new Error('cannot copy the files of a database in memory')
      const files = join(directory, 'pgdata')
      await assertFreeSpace(files, folder)
      // No other transaction runs meanwhile, so the files are consistent.
      await client.transaction(async (transaction) => {
        await transaction.exec('CHECKPOINT')
        await cp(files, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
      })
    },
    close: async () => {
      if (!engine) await client.close().finally(() => lock?.release())
    },
  }
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

const parsers = { [timestampType]: readTimestamp }

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

// After a PANIC the next call to the engine would spin forever. Exit, as a PostgreSQL server does; the next start recovers.
const endProcess = (line: string): never => {
  process.stderr.write(
    `The embedded database stopped, because the disk failed (${line.trim()}). ` +
      `Acknowledged writes are kept. Free or repair the disk under DATA_DIR, then start again.\n`,
  )
  process.exit(1)
}
