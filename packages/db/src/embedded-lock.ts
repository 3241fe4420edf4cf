import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDirUnusableError, openDataDir } from './data-dir.ts'

export class DataDirInUseError extends Error {
  override name = 'DataDirInUseError'
}

// The kernel holds SQLite's lock, so a `kill -9` leaves no stale lock.
/** Locks the directory until `release` or exit. Throws DataDirInUseError or DataDirUnusableError. */
export const lockDataDir = async (directory: string): Promise<{ release: () => void }> => {
  const ownerFile = join(directory, 'lock.pid')
  await openDataDir(directory)
  try {
    await chmod(directory, 0o700)
    const lock = takeLock(join(directory, 'lock'))
    if (lock) {
      await writeFile(ownerFile, `${process.pid}\n`).catch((error: unknown) => {
        lock.close()
        throw error
      })
      return { release: () => lock.close() }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    throw new DataDirUnusableError(
      `The embedded database in ${directory} was not opened: ${error instanceof Error ? error.message : error}. ` +
        `Set DATA_DIR to a folder that this user may create and write, or set DATABASE_URL to use a PostgreSQL server.`,
      { cause: error },
    )
  }

  const owner = await readFile(ownerFile, 'utf8').catch(() => '')
  throw new DataDirInUseError(
    `The embedded database in ${directory} was not opened, because another process${owner && ` (id ${owner.trim()})`} is using it, ` +
      `and two would corrupt it. Stop that process, or set DATA_DIR to another folder, or set DATABASE_URL to share a PostgreSQL server.`,
  )
}

const takeLock = (file: string): DatabaseSync | null => {
  const lock = new DatabaseSync(file)
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null
    throw error
  }
}

const sqliteBusy = 5
