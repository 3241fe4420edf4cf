import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export class DataDirUnusableError extends Error {
  override name = 'DataDirUnusableError'
}

/** Creates the folder and proves that this process may write there. DataDirUnusableError. */
export const openDataDir = async (directory: string): Promise<void> => {
  try {
    await createFolder(directory)
    await rmdir(await mkdtemp(join(directory, '.writable-')))
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw error
    throw new DataDirUnusableError(
      `The folder ${directory} cannot be used: ${code && syscall ? `${code} during ${syscall}` : message}. ` +
        'Set DATA_DIR to a folder that this user can create and write, or set DATABASE_URL to use a PostgreSQL server.',
      { cause: error },
    )
  }
}

// Without `recursive`: Node never returns from it where a file system refuses new folders with ENOENT, as /proc does.
const createFolder = async (folder: string): Promise<void> => {
  try {
    await createIn(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Another process may have created the parent since.
    if (!existsSync(dirname(folder))) await createFolder(dirname(folder))
    await createIn(folder)
  }
}

const createIn = (folder: string): Promise<void> =>
  mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
