import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack } from 'tar-stream'

/** What a backup of the embedded database holds. */
export type Backup = {
  manifest: { format: 1; createdAt: string; secret: 'auth-secret' | 'AUTH_SECRET' }
  /** The database's own dump: a tar of its folder. */
  database: Buffer
  /** The generated secret of local mode; null where AUTH_SECRET is set, which is kept elsewhere. */
  secret: string | null
}

/** It cannot be read, or is no backup. The message says what to do. */
export class BackupError extends Error {
  override name = 'BackupError'
}

const names = { manifest: 'manifest.json', secret: 'auth-secret', database: 'database.tar' } as const

/** Writes the archive for its owner alone (0600), whole or not at all: it appears under its name when all of it is on the disk. */
export async function writeArchive(file: string, { manifest, database, secret }: Backup): Promise<void> {
  const draft = `${file}.${process.pid}.part`
  const archive = pack()
  archive.entry({ name: names.manifest, mode: 0o600 }, `${JSON.stringify(manifest, null, 2)}\n`)
  if (secret !== null) archive.entry({ name: names.secret, mode: 0o600 }, secret)
  archive.entry({ name: names.database, mode: 0o600 }, database)
  archive.finalize()
  try {
    // `flush`: on the disk before it gets its name.
    await pipeline(archive, createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The archive's contents. BackupError when it is damaged, cut off or something else. */
export async function readArchive(file: string): Promise<Backup> {
  const entries = new Map<string, Buffer>()
  const reader = extract()
  reader.on('entry', (header, stream, next) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk) => void chunks.push(chunk as Buffer))
    stream.on('end', () => {
      entries.set(header.name, Buffer.concat(chunks))
      next()
    })
    // The pipeline tells of it: without a listener here too, an archive that ends inside an entry ends the process.
    stream.on('error', () => {})
  })
  await pipeline(createReadStream(file), createGunzip(), reader).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' || cause.code === 'EACCES'
      ? new BackupError(`${file} cannot be read: ${cause.code}.`)
      : noBackup(file, cause)
  })
  const [manifest, database] = [entries.get(names.manifest), entries.get(names.database)]
  if (!manifest || !database) throw noBackup(file)
  const parsed = JSON.parse(manifest.toString()) as Backup['manifest']
  if (parsed.format !== 1) throw new BackupError(`${file} was written by another version of Floorpass (format ${parsed.format}).`)
  return { manifest: parsed, database, secret: entries.get(names.secret)?.toString() ?? null }
}

const noBackup = (file: string, cause?: unknown) =>
  new BackupError(`${file} is not a whole backup of the embedded database: take another copy of it, or an older backup.`, {
    cause,
  })
