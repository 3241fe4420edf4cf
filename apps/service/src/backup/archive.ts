import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, type Pack, pack } from 'tar-stream'
import { z } from 'zod'

// An archive is a gzipped tar: the manifest, the secret if the service created it, the database files, and an end entry with their count.
const names = { manifest: 'manifest.json', secret: 'auth-secret', files: 'database/', end: 'end.json' } as const
const manifestSchema = z.object({ format: z.literal(2), createdAt: z.iso.datetime(), secrets: z.array(z.string()).min(1) })
const endSchema = z.object({ files: z.number(), bytes: z.number() })
const formatSchema = z.object({ format: z.number() })
const longestText = 64 * 1024

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer One> ? One : never

/** Metadata of an archive. `secrets` are the fingerprints of the values of AUTH_SECRET. */
export type Manifest = z.infer<typeof manifestSchema>
/** `secret` is the one that local mode created; null if AUTH_SECRET is set. */
export type Contents = { manifest: Manifest; secret: string | null; bytes: number }

export class BackupError extends Error {
  override name = 'BackupError'
}

export class BackupTargetError extends BackupError {
  override name = 'BackupTargetError'
}

export function packArchive({ manifest, secret, folder }: Omit<Contents, 'bytes'> & { folder: string }): Readable {
  const archive = pack()
  void fillArchive(archive, { manifest, secret, folder }).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  )
  return archive as unknown as Readable
}

async function fillArchive(archive: Pack, { manifest, secret, folder }: Parameters<typeof packArchive>[0]): Promise<void> {
  const text = (name: string, content: string) =>
    new Promise<void>((resolve, reject) => {
      archive.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()))
    })
  await text(names.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
  if (secret !== null) await text(names.secret, secret)
  const end = { files: 0, bytes: 0 }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = `${names.files}${path.slice(folder.length + 1)}`
    if (entry.isDirectory()) archive.entry({ name, type: 'directory', mode: 0o700 })
    if (!entry.isFile()) continue
    const { size } = await stat(path)
    await pipeline(createReadStream(path), archive.entry({ name, size, mode: 0o600 }))
    end.files += 1
    end.bytes += size
  }
  await text(names.end, JSON.stringify(end))
}

/** Writes the archive with mode 0600. It gets its name only after it was flushed and read back. BackupTargetError. */
export async function writeArchive(file: string, archive: Readable): Promise<Contents> {
  const draft = `${file}.${randomUUID()}.part`
  try {
    await pipeline(archive, createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
    const contents = await readArchive(draft)
    // Reserve the name, since rename() replaces files. Many backup disks do not support link().
    await (await open(file, 'wx', 0o600)).close()
    await rename(draft, file).catch(async (error: unknown) => {
      await rm(file)
      throw error
    })
    await syncFolder(dirname(file))
    return contents
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    const { code, path, syscall = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && path === file)
      throw new BackupTargetError(`${file} exists: choose another name. A backup replaces no file.`)
    if (path === draft || path === file || ['write', 'fsync'].includes(syscall))
      throw new BackupTargetError(
        `${file} cannot be written: ${code}. Choose a place that this user can write and that has enough space.`,
      )
    throw error
  }
}

/** Flushes a folder so that its file names survive a power failure, if the file system supports that. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Reads and verifies an archive. Writes its database files to `folder` if one is given. BackupError if the archive is not valid. */
export async function readArchive(file: string, folder: string | null = null): Promise<Contents> {
  let manifest: Manifest | null = null
  let secret: string | null = null
  let end: z.infer<typeof endSchema> | null = null
  const read = { files: 0, bytes: 0 }
  const reader = extract()
  try {
    const source = pipeline(createReadStream(file), createGunzip(), reader)
    source.catch(() => {})
    for await (const entry of reader) {
      const { name } = entry.header
      if (end !== null) throw new Error(`${name} follows the end`)
      if (manifest === null) {
        if (name !== names.manifest) throw new Error(`begins with ${name}`)
        manifest = parseManifest(await readEntryText(entry), file)
      } else if (name === names.secret) secret = await readEntryText(entry)
      else if (name === names.end) end = endSchema.parse(JSON.parse(await readEntryText(entry)))
      else {
        read.bytes += await extractFile(entry, folder)
        if (entry.header.type === 'file') read.files += 1
      }
    }
    await source
    if (manifest === null || end === null || end.files !== read.files || end.bytes !== read.bytes) throw new Error('incomplete')
    return { manifest, secret, bytes: read.bytes }
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException
    if (error instanceof BackupError) throw error
    if (syscall === 'read' || (syscall !== undefined && path === file)) throw new BackupError(`${file} cannot be read: ${code}.`)
    if (syscall !== undefined) throw error
    throw new BackupError(
      `${file} is not a complete backup of the embedded database: use another copy of it, or an older backup.`,
      {
        cause: error,
      },
    )
  } finally {
    reader.destroy()
  }
}

function parseManifest(text: string, file: string): Manifest {
  const json: unknown = JSON.parse(text)
  const { format } = formatSchema.parse(json)
  if (format !== 2)
    throw new BackupError(
      `${file} was written by another version of Floorpass (format ${format}): restore it with that version, then start this version on the restored data.`,
    )
  return manifestSchema.parse(json)
}

async function readEntryText(entry: Entry): Promise<string> {
  if (entry.header.type !== 'file' || (entry.header.size ?? 0) > longestText)
    throw new Error(`${entry.header.name} is not a short text`)
  return (await buffer(entry)).toString()
}

/** Extracts one entry and returns its size. Throws if its name leaves the folder. */
async function extractFile(entry: Entry, folder: string | null): Promise<number> {
  const { name, type, size = 0 } = entry.header
  const path = name.slice(names.files.length).replace(/\/$/, '')
  const isInside = name.startsWith(names.files) && /^[\w.-]+(\/[\w.-]+)*$/.test(path) && !/(^|\/)\.\.?(\/|$)/.test(path)
  if (!isInside || (type !== 'file' && type !== 'directory')) throw new Error(`${type} ${name} is not a database file`)
  if (folder !== null && type === 'directory') await mkdir(join(folder, path), { recursive: true, mode: 0o700 })
  if (folder === null || type === 'directory') for await (const _ of entry);
  else await pipeline(entry, createWriteStream(join(folder, path), { flags: 'wx', mode: 0o600 }))
  return size
}
