import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { DataDirInUseError, flushFiles, lockDataDir, openDatabase } from '@floorpass/db'
import { fingerprintOf, keptSecret, localSecretFile } from '../auth-secret.ts'
import { BackupError, BackupTargetError, packArchive, readArchive, syncFolder, writeArchive } from './archive.ts'
import { requestBackup } from './backup-socket.ts'

/** Where a service with the embedded database keeps what a backup holds. `authSecrets` is null where it made its secret itself. */
export type Place = { dataDir: string; directory: string; authSecrets: readonly string[] | null }

/**
 * Writes a consistent copy of the embedded database to `file`, which must not exist: from the running service, else from its files.
 * BackupError, DataDirInUseError.
 */
export async function backUp(place: Place, file: string): Promise<{ bytes: number; online: boolean; holdsSecret: boolean }> {
  const { directory } = place
  if (existsSync(file)) throw new BackupError(`${file} exists: choose another name. A backup replaces no file.`)
  if (!existsSync(join(directory, 'pgdata'))) throw new BackupError(`There is no database in ${directory}: check DATA_DIR.`)
  const fromService = await requestBackup(directory)
  if (fromService === null) {
    const { bytes, secret } = await backUpFiles(place, file)
    return { bytes, online: false, holdsSecret: secret !== null }
  }
  const { bytes, secret } = await writeArchive(file, fromService).catch((error: unknown) => {
    if (!(error instanceof BackupError) || error instanceof BackupTargetError) throw error
    throw new BackupError('The running service could not copy its database: its log says why.', { cause: error })
  })
  return { bytes, online: true, holdsSecret: secret !== null }
}

async function backUpFiles({ dataDir, directory, authSecrets }: Place, file: string) {
  const secrets = authSecrets ?? [await keptSecret(dataDir)]
  const { copyTo, close } = await openDatabase({ kind: 'embedded', directory })
  try {
    if (!copyTo) throw new BackupError(`${directory} holds no embedded database.`)
    return await writeArchive(file, await takeBackup({ directory, copyTo, secrets, isOwnSecret: authSecrets === null }))
  } finally {
    await close()
  }
}

/** An open database, and the secret of what is sealed in it. `isOwnSecret`: the service made it, and a backup holds it. */
export type Source = {
  directory: string
  copyTo: (folder: string) => Promise<void>
  secrets: readonly string[]
  isOwnSecret: boolean
}

/** One moment of an open database as an archive. One at a time: its copy lies beside the database until the stream ends. */
export async function takeBackup({ directory, copyTo, secrets, isOwnSecret }: Source): Promise<Readable> {
  const folder = join(directory, 'backup')
  const remove = () => rm(folder, { recursive: true, force: true })
  // What a killed process left.
  await remove()
  try {
    await copyTo(folder)
  } catch (error) {
    await remove()
    throw error
  }
  const manifest = { format: 2, createdAt: new Date().toISOString(), secrets: secrets.map(fingerprintOf) } as const
  const archive = packArchive({ manifest, secret: isOwnSecret ? (secrets[0] ?? null) : null, folder })
  // What cannot be removed now goes before the next backup.
  void finished(archive)
    .then(remove, remove)
    .catch(() => {})
  return archive
}

/**
 * Puts a backup where no database is. All of it or nothing: the database gets its name when it has been opened and read. It holds the
 * lock of the database all the while. BackupError where data or another secret would be lost, or a service or another restore works
 * there; and where the secret is not the backup's, unless `secretIsAnother`.
 */
export async function restore(
  { dataDir, directory, authSecrets }: Place,
  file: string,
  { secretIsAnother = false } = {},
): Promise<{ users: number; createdAt: string }> {
  // Before anything is touched: a damaged archive leaves no trace.
  const { manifest, secret } = await readArchive(file)
  const lock = await lockDataDir(directory).catch((error: unknown) => {
    if (!(error instanceof DataDirInUseError)) throw error
    throw new BackupError(`A service or another restore works in ${directory}: nothing was restored. Stop it, and try again.`)
  })
  const draft = join(directory, 'restoring')
  try {
    if (existsSync(join(directory, 'pgdata')))
      throw new BackupError(
        `There is a database in ${directory}: nothing was restored. Stop the service, move that folder away, and try again.`,
      )
    const placesSecret = await judgeSecret({ dataDir, authSecrets, secret, fingerprints: manifest.secrets, secretIsAnother })
    await rm(draft, { recursive: true, force: true })
    await mkdir(join(draft, 'pgdata'), { recursive: true, mode: 0o700 })
    await readArchive(file, join(draft, 'pgdata'))
    const users = await countUsers(draft)
    await flushFiles(join(draft, 'pgdata'))
    if (placesSecret && secret !== null) await placeSecret(dataDir, secret)
    // Last, and in one step: before it there is no database, after it there is all of it.
    await rename(join(draft, 'pgdata'), join(directory, 'pgdata'))
    await syncFolder(directory)
    return { users, createdAt: manifest.createdAt }
  } finally {
    await rm(draft, { recursive: true, force: true })
    lock.release()
  }
}

type Secrets = Pick<Place, 'dataDir' | 'authSecrets'> & {
  secret: string | null
  fingerprints: readonly string[]
  secretIsAnother: boolean
}

/** Whether the backup's secret is to be put in its place. */
async function judgeSecret({ dataDir, authSecrets, secret, fingerprints, secretIsAnother }: Secrets): Promise<boolean> {
  const file = localSecretFile(dataDir)
  const known = await readFile(file, 'utf8').catch(() => null)
  const own = known === null ? [] : [known.trim()]
  if (secret !== null && authSecrets === null) {
    if (known === null) return true
    if (own[0] !== secret.trim())
      throw new BackupError(`${file} is another secret than the backup's: nothing was restored. Move it away, and try again.`)
    return false
  }
  const given = (authSecrets ?? own).map(fingerprintOf)
  const missing = fingerprints.filter((fingerprint) => !given.includes(fingerprint)).length
  if (missing === 0 || secretIsAnother) return false
  throw new BackupError(
    `${
      authSecrets === null
        ? 'The backup is of a service with AUTH_SECRET, and it is not set: set the same one'
        : `AUTH_SECRET is another one than the backup's (${missing} of its ${fingerprints.length} not listed): set the same one`
    }, or what it sealed (second factors, waiting mails) cannot be opened. Nothing was restored. Where it is lost, add --secret-is-another.`,
  )
}

async function countUsers(directory: string): Promise<number> {
  const { db, close } = await openDatabase({ kind: 'embedded', directory })
  try {
    return await db.user.count()
  } finally {
    await close()
  }
}

async function placeSecret(dataDir: string, secret: string): Promise<void> {
  const file = localSecretFile(dataDir)
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, secret, { mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new BackupError(`${file} appeared meanwhile: nothing was restored. Stop what runs there, move it away, and try again.`)
  } finally {
    await unlink(draft)
  }
}
