import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { ChangeListener } from './change-channel.ts'
import { durableFiles, flushFiles } from './durable-files.ts'
import { embeddedAdapter } from './embedded-adapter.ts'
import { listenOnEmbedded } from './embedded-channel.ts'
import { DataDirUnusableError, lockDataDir } from './embedded-lock.ts'
import type { InTransaction } from './migrate.ts'

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

  return {
    adapter: embeddedAdapter(client),
    inTransaction,
    ping: async () => void (await client.query('SELECT 1')),
    listen: (listener: ChangeListener) => listenOnEmbedded(client, listener),
    dump: async () => {
      // So that whoever starts from it has little to replay.
      await client.exec('CHECKPOINT')
      return client.dumpDataDir('none')
    },
    close: async () => {
      await client.close().finally(() => lock?.release())
    },
  }
}

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
