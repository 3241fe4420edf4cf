import { fsyncSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Engine = {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd?: number }) => number }; tryFSOperation: (operation: () => void) => void }
}

/** PGlite never calls fsync, so a commit would not survive a power cut. These options make each commit wait for the disk. */
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

/** Flushes the files of a new database to disk, as initdb does. PGlite does not, and the log is worthless without them. */
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
