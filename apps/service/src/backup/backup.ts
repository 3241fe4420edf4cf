import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { DataDirInUseError, flushFiles, lockDataDir, openDatabase } from '@floorpass/db'
import { fingerprintOf, localSecretFile, requireLocalSecret } from '../auth-secret.ts'
import { BackupError, BackupTargetError, packArchive, readArchive, syncFolder, writeArchive } from './archive.ts'
import { requestBackup } from './backup-socket.ts'

/** The data of a service with the embedded database. `authSecrets` is null if the service created its secret. */
export type DataLocation = { dataDir: string; directory: string; authSecrets: readonly string[] | null }

/** Writes a backup to `file`, which must not exist: from the running service, else from its files. BackupError, DataDirInUseError. */
export async function backUp(
  location: DataLocation,
  file: string,
): Promise<{ bytes: number; online: boolean; holdsSecret: boolean }> {
  const { directory } = location
  if (existsSync(file)) throw new BackupError(`${file} exists: choose another name. A backup replaces no file.`)
  if (!existsSync(join(directory, 'pgdata'))) throw new BackupError(`There is no database in ${directory}: check DATA_DIR.`)
  const fromService = await requestBackup(directory)
  if (fromService === null) {
    const { bytes, secret } = await backUpFiles(location, file)
    return { bytes, online: false, holdsSecret: secret !== null }
  }
  const { bytes, secret } = await writeArchive(file, fromService).catch((error: unknown) => {
    if (!(error instanceof BackupError) || error instanceof BackupTargetError) throw error
    throw new BackupError('The running service could not copy its database. See its log.', { cause: error })
  })
  return { bytes, online: true, holdsSecret: secret !== null }
}

async function backUpFiles({ dataDir, directory, authSecrets }: DataLocation, file: string) {
  const secrets = authSecrets ?? [await requireLocalSecret(dataDir)]
  const { copyTo, close } = await openDatabase({ kind: 'embedded', directory })
  try {
    if (!copyTo) throw new BackupError(`${directory} holds no embedded database.`)
    return await writeArchive(file, await takeBackup({ directory, copyTo, secrets, isOwnSecret: authSecrets === null }))
  } finally {
    await close()
  }
}

/** An open database and its secrets. `isOwnSecret`: the service created the secret, so the backup includes it. */
export type BackupSource = {
  directory: string
  copyTo: (folder: string) => Promise<void>
  secrets: readonly string[]
  isOwnSecret: boolean
}

/** Copies an open database and streams the copy as an archive. Call it again only after the stream has ended. */
export async function takeBackup({ directory, copyTo, secrets, isOwnSecret }: BackupSource): Promise<Readable> {
  const folder = join(directory, 'backup')
  const remove = () => rm(folder, { recursive: true, force: true })
  await remove()
  try {
    await copyTo(folder)
  } catch (error) {
    await remove()
    throw error
  }
  const manifest = { format: 2, createdAt: new Date().toISOString(), secrets: secrets.map(fingerprintOf) } as const
  const archive = packArchive({ manifest, secret: isOwnSecret ? (secrets[0] ?? null) : null, folder })
  void finished(archive)
    .then(remove, remove)
    .catch(() => {})
  return archive
}

/** Restores a backup completely or not at all, under the database lock. BackupError if a database or another secret exists, a service
 * runs, or AUTH_SECRET does not fit the backup, unless `secretIsAnother`. */
export async function restore(
  { dataDir, directory, authSecrets }: DataLocation,
  file: string,
  { secretIsAnother = false } = {},
): Promise<{ users: number; createdAt: string }> {
  const { manifest, secret } = await readArchive(file)
  const lock = await lockDataDir(directory).catch((error: unknown) => {
    if (!(error instanceof DataDirInUseError)) throw error
    throw new BackupError(`A service or another restore uses ${directory}: nothing was restored. Stop it, then try again.`)
  })
  const draft = join(directory, 'restoring')
  try {
    if (existsSync(join(directory, 'pgdata')))
      throw new BackupError(
        `There is a database in ${directory}: nothing was restored. Stop the service, move that folder away, then try again.`,
      )
    const fingerprints = manifest.secrets
    const mustWriteSecret = await needsSecret({ dataDir, authSecrets, secret, fingerprints, secretIsAnother })
    await rm(draft, { recursive: true, force: true })
    await mkdir(join(draft, 'pgdata'), { recursive: true, mode: 0o700 })
    await readArchive(file, join(draft, 'pgdata'))
    const users = await countUsers(draft)
    await flushFiles(join(draft, 'pgdata'))
    if (mustWriteSecret && secret !== null) await writeSecret(dataDir, secret)
    // Last and atomic: before it there is no database, after it there is a complete one.
    await rename(join(draft, 'pgdata'), join(directory, 'pgdata'))
    await syncFolder(directory)
    return { users, createdAt: manifest.createdAt }
  } finally {
    await rm(draft, { recursive: true, force: true })
    lock.release()
  }
}

type Secrets = Pick<DataLocation, 'dataDir' | 'authSecrets'> & {
  secret: string | null
  fingerprints: readonly string[]
  secretIsAnother: boolean
}

/** Whether the restore must write the backup's secret. BackupError if the existing secrets do not fit the backup. */
async function needsSecret({ dataDir, authSecrets, secret, fingerprints, secretIsAnother }: Secrets): Promise<boolean> {
  const file = localSecretFile(dataDir)
  const known = await readFile(file, 'utf8').catch(() => null)
  const own = known === null ? [] : [known.trim()]
  if (secret !== null && authSecrets === null) {
    if (known === null) return true
    if (own[0] !== secret.trim())
      throw new BackupError(`${file} differs from the backup's secret: nothing was restored. Move it away, then try again.`)
    return false
  }
  const available = (authSecrets ?? own).map(fingerprintOf)
  const missing = fingerprints.filter((fingerprint) => !available.includes(fingerprint)).length
  if (missing === 0 || secretIsAnother) return false
  throw new BackupError(
    `${
      authSecrets === null
        ? 'The backed-up service has an AUTH_SECRET, and none is set here: set the same one'
        : `AUTH_SECRET differs from the backup's (${missing} of its ${fingerprints.length} not listed): set the same one`
    }, or second factors and queued emails cannot be opened. Nothing was restored. If that secret is lost, add --secret-is-another.`,
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

async function writeSecret(dataDir: string, secret: string): Promise<void> {
  const file = localSecretFile(dataDir)
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, secret, { mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new BackupError(
      `${file} appeared meanwhile: nothing was restored. Stop the service that created it, move it away, then try again.`,
    )
  } finally {
    await unlink(draft)
  }
  await syncFolder(dataDir)
}
