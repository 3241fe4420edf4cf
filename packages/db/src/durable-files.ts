import { fsyncSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Engine = {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd?: number }) => number }; tryFSOperation: (operation: () => void) => void }
}

/**
 * PGlite as published never asks the operating system to write: a commit survives the death of the process, not a power cut.
 * With these options each commit waits for the disk, as on a PostgreSQL server.
 */
export const durableFiles = (directory: string): PGliteOptions => {
  const fs = new NodeFS(directory)
  const init = fs.init.bind(fs)
  fs.init = async (client, options) => {
    const { emscriptenOpts } = await init(client, options)
    const addFsync = ({ NODEFS }: Engine) => {
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        if (nfd !== undefined) NODEFS.tryFSOperation(() => fsyncSync(nfd))
        return 0
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...[emscriptenOpts.preRun ?? []].flat(), addFsync as never] } }
  }

  return {
    fs,
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      // The default, fdatasync, does nothing in this runtime.
      '-c',
      'wal_sync_method=fsync',
    ],
  }
}

/**
 * Resolves when all files of a new database are on the disk, as initdb does on a PostgreSQL server. The engine copies them there without
 * asking for it, and the log of what comes later is worth nothing without them.
 */
export async function flushFiles(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const path of [...paths, directory, join(directory, '..')]) {
    const file = await open(path, 'r')
    await file.sync().finally(() => file.close())
  }
}
