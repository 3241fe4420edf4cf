import { existsSync } from 'node:fs'
import { chmod, link, mkdir, open, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@floorpass/db'
import { BackupError, readArchive, writeArchive } from './archive.ts'
import { requestDump } from './dump-socket.ts'

/** Where a service with the embedded database keeps what a backup holds. */
export type Place = { dataDir: string; directory: string; hasOwnSecret: boolean }

const secretIn = (dataDir: string) => join(dataDir, 'auth-secret')

/**
 * Writes a consistent copy of the embedded database to `file`, which must not exist: from the running service, else from its files.
 * BackupError, DataDirInUseError.
 */
export async function backUp(
  { dataDir, directory, hasOwnSecret }: Place,
  file: string,
): Promise<{ bytes: number; online: boolean }> {
  if (existsSync(file)) throw new BackupError(`${file} exists: choose another name. A backup replaces no file.`)
  if (!existsSync(join(directory, 'pgdata'))) throw new BackupError(`There is no database in ${directory}: check DATA_DIR.`)
  const fromService = await requestDump(dataDir)
  const database = fromService ?? (await dumpFiles(directory))
  const secret = hasOwnSecret ? null : await readFile(secretIn(dataDir), 'utf8')
  const manifest = {
    format: 1,
    createdAt: new Date().toISOString(),
    secret: secret === null ? 'AUTH_SECRET' : 'auth-secret',
  } as const
  await writeArchive(file, { manifest, database, secret })
  return { bytes: database.length, online: fromService !== null }
}

async function dumpFiles(directory: string): Promise<Buffer> {
  const { dump, close } = await openDatabase({ kind: 'embedded', directory })
  try {
    if (!dump) throw new BackupError(`${directory} holds no embedded database.`)
    return Buffer.from(await (await dump()).arrayBuffer())
  } finally {
    await close()
  }
}

/**
 * Puts a backup where no database is. All of it or nothing: the database gets its name when it has been opened and read. BackupError
 * where data or another secret would be lost, DataDirInUseError while a service runs there.
 */
export async function restore(
  { dataDir, directory, hasOwnSecret }: Place,
  file: string,
): Promise<{ users: number; createdAt: string }> {
  const { manifest, database, secret } = await readArchive(file)
  if ((await requestDump(dataDir)) !== null || existsSync(join(directory, 'pgdata')))
    throw new BackupError(
      `There is a database in ${directory}: nothing was restored. Stop the service, move that folder away, and try again.`,
    )
  const known = await readFile(secretIn(dataDir), 'utf8').catch(() => null)
  if (secret !== null && !hasOwnSecret && known !== null && known.trim() !== secret.trim())
    throw new BackupError(
      `${secretIn(dataDir)} is another secret than the backup's: nothing was restored. Move it away, and try again.`,
    )
  if (secret === null && !hasOwnSecret)
    throw new BackupError('The backup is of a service with AUTH_SECRET: set the same one, or what it sealed cannot be opened.')

  const draft = `${directory}.restoring`
  await rm(draft, { recursive: true, force: true })
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const users = await fill(draft, database)
  if (secret !== null && !hasOwnSecret && known === null) await placeSecret(dataDir, secret)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  // Last, and in one step: before it there is no database, after it there is all of it.
  await rename(join(draft, 'pgdata'), join(directory, 'pgdata'))
  const folder = await open(directory, 'r')
  await folder.sync().finally(() => folder.close())
  await rm(draft, { recursive: true, force: true })
  return { users, createdAt: manifest.createdAt }
}

async function fill(directory: string, database: Buffer): Promise<number> {
  const template = new Blob([new Uint8Array(database)])
  const { db, close } = await openDatabase({ kind: 'embedded', directory, template })
  try {
    return await db.user.count()
  } finally {
    await close()
  }
}

async function placeSecret(dataDir: string, secret: string): Promise<void> {
  const draft = `${secretIn(dataDir)}.${process.pid}`
  await writeFile(draft, secret, { mode: 0o600 })
  await link(draft, secretIn(dataDir))
  await unlink(draft)
}
