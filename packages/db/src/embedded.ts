import { constants, existsSync } from 'node:fs'
import { cp, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import type { ChangeListener } from './change-channel.ts'
import { durableFiles, flushFiles } from './durable-files.ts'
import { embeddedAdapter } from './embedded-adapter.ts'
import { listenOnEmbedded } from './embedded-channel.ts'
import { DataDirUnusableError, lockDataDir } from './embedded-lock.ts'
import type { InTransaction } from './migrate.ts'
import { type Queryable, readTimestamp, type Sql, statementOf, timestampType, toParameter } from './sql.ts'

export type EmbeddedOptions = {
  kind: 'embedded'
  /** Where the data lives; null keeps it in memory. */
  directory: string | null
  /** A dump that an empty database starts from. */
  template?: Blob
}

export const openEmbedded = async ({ directory, template }: EmbeddedOptions) => {
  const lock = directory === null ? null : await lockDataDir(directory)
  const client = await startEngine(directory, template).catch((error: unknown) => {
    lock?.release()
    throw error
  })

  const inTransaction: InTransaction = (work) =>
    client.transaction((transaction) =>
      work({
        query: async <Row>(sql: string, values?: unknown[]) => (await transaction.query<Row>(sql, values)).rows,
        script: (sql) => transaction.exec(sql),
      }),
    )

  const on = (connection: PGlite | Transaction): Queryable => ({
    $queryRaw: async <Rows>(template: TemplateStringsArray, ...values: unknown[]) =>
      (await connection.query(statementOf(template).text, values.map(toParameter), { parsers })).rows as Rows,
  })
  const sql: Sql = { ...on(client), transaction: (work) => client.transaction((tx) => work(on(tx))) }

  return {
    adapter: embeddedAdapter(client),
    sql,
    inTransaction,
    ping: async () => void (await client.query('SELECT 1')),
    listen: (listener: ChangeListener) => listenOnEmbedded(client, listener),
    dump: async () => {
      // So that whoever starts from it has little to replay.
      await client.exec('CHECKPOINT')
      return client.dumpDataDir('none')
    },
    copyTo: async (folder: string) => {
      if (directory === null) throw new Error('a database in memory has no files')
      const files = join(directory, 'pgdata')
      await assertRoom(files, folder)
      // No other transaction runs meanwhile: the files are those of one moment.
      await client.transaction(async (transaction) => {
        // So that whoever starts from them has little to replay.
        await transaction.exec('CHECKPOINT')
        await cp(files, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
      })
    },
    close: async () => {
      await client.close().finally(() => lock?.release())
    },
  }
}

/** A copy that filled the disk would end the service at its next commit. */
async function assertRoom(files: string, folder: string): Promise<void> {
  const entries = await readdir(files, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  // What the engine removed meanwhile counts for nothing.
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
      `the copy of the database takes ${megabytes(size)} MB, and twice that must be free under DATA_DIR: ${megabytes(bavail * bsize)} MB are`,
    )
  }
}

const parsers = { [timestampType]: readTimestamp }

const startEngine = async (directory: string | null, template?: Blob) => {
  let isRunning = false
  let complaint = ''
  const onStderr = (line: string) => {
    if (/\b(FATAL|PANIC):/.test(line)) complaint = line
    if (isRunning && line.includes('PANIC:')) endProcess(line)
    return false
  }

  try {
    const isNew = directory !== null && !existsSync(join(directory, 'pgdata'))
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
    throw new DataDirUnusableError(
      `The embedded database in ${directory} did not start: ${complaint || (error as Error).message}. Its files are damaged, or come ` +
        `from another version: put a backup in their place, or move the folder away to start with an empty database.`,
      { cause: error },
    )
  }
}

// From a PANIC the engine never comes back: its next call would spin, and the whole process with it. A PostgreSQL server ends
// itself too, and recovers at the next start.
const endProcess = (line: string): never => {
  process.stderr.write(
    `The embedded database stopped, because the disk failed it (${line.trim()}). ` +
      `All that it acknowledged is kept: free or repair the disk under DATA_DIR, and start again.\n`,
  )
  process.exit(1)
}
