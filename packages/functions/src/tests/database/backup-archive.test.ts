import fs, { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { lockDataDir, openDatabase } from '@floorpass/db'
import { BackupError, type Manifest, packArchive, readArchive, writeArchive } from '@floorpass/service/archive'
import { backUp, restore } from '@floorpass/service/backup'
import { requestBackup, serveBackups } from '@floorpass/service/backup-socket'
import { eventually } from '@floorpass/testing/eventually'
import { fillDataDir } from '@floorpass/testing/migrated-data-dir'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

let folder: string
const at = (...path: string[]) => join(folder, ...path)
const log = { debug() {}, info() {}, warn() {}, error() {} }
const manifest = { format: 2, createdAt: '2026-11-21T18:00:00.000Z', secrets: ['abc'] } satisfies Manifest

type Header = { name: string; type?: 'symlink'; linkname?: string }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'floorpass-archive-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Every file below the folder, by its path. */
async function contentsOf(path: string): Promise<Record<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(path.length), (await readFile(file)).toString('base64')])),
  )
}

describe('an archive', () => {
  const bytes = Array.from({ length: 30_000 }, (_, index) => (index * index) % 251)

  beforeAll(async () => {
    await mkdir(at('files', 'base', '1'), { recursive: true })
    await mkdir(at('files', 'pg_notify'))
    await writeFile(at('files', 'PG_VERSION'), '18\n')
    await writeFile(at('files', 'base', '1', '112'), Buffer.from(bytes))
    await writeArchive(at('complete'), packArchive({ manifest, secret: 'a secret', folder: at('files') }))
  })

  test('restores its files, including empty folders', async () => {
    await mkdir(at('back'))
    expect(await readArchive(at('complete'), at('back'))).toEqual({ manifest, secret: 'a secret', bytes: 30_003 })
    expect(await contentsOf(at('back'))).toEqual(await contentsOf(at('files')))
    expect(await readdir(at('back', 'pg_notify'))).toEqual([])
  })

  test('is refused when truncated at any point', async () => {
    const whole = await readFile(at('complete'))
    const lengths = new Set([0, 1, 9, 10, 11, 18])
    for (let cut = 1; cut <= 40; cut += 1) lengths.add(whole.length - cut)
    for (let share = 1; share < 100; share += 1) lengths.add(Math.floor((whole.length * share) / 100))
    for (const length of lengths) {
      await writeFile(at('cut'), whole.subarray(0, length))
      const refused = await readArchive(at('cut')).catch((error: unknown) => error)
      expect([length, refused]).toEqual([length, expect.any(BackupError)])
      expect((refused as Error).message).toContain('is not a complete backup')
    }
  })

  test('is refused with any flipped bit, unless the content is the same', async () => {
    const whole = await readFile(at('complete'))
    // Flips in the unused fields of the gzip header (time, level, system) change no content.
    const meaningless = new Set([4, 5, 6, 7, 8, 9])
    for (let index = 0; index < whole.length; index += index < 200 || index > whole.length - 60 ? 1 : 97) {
      const damaged = Buffer.from(whole)
      damaged.writeUInt8((damaged[index] ?? 0) ^ (1 << (index % 8)), index)
      await writeFile(at('damaged'), damaged)
      const read = await readArchive(at('damaged')).catch((error: unknown) => error)
      if (read instanceof Error) expect([index, read]).toEqual([index, expect.any(BackupError)])
      else
        expect([index, read, meaningless.has(index) || index === 3]).toEqual([
          index,
          { manifest, secret: 'a secret', bytes: 30_003 },
          true,
        ])
    }
  })

  const told = JSON.stringify(manifest)
  const end = JSON.stringify({ files: 0, bytes: 0 })
  test.each<[what: string, entries: (Header & { content?: string })[], says: string]>([
    ['a manifest that is no JSON', [{ name: 'manifest.json', content: 'hello' }], 'is not a complete backup'],
    ['a manifest that is null', [{ name: 'manifest.json', content: 'null' }], 'is not a complete backup'],
    ['another format', [{ name: 'manifest.json', content: '{"format":1}' }], '(format 1): restore it with that version'],
    [
      'a manifest without a secret',
      [{ name: 'manifest.json', content: '{"format":2,"secrets":[]}' }],
      'is not a complete backup',
    ],
    ['no manifest', [{ name: 'end.json', content: end }], 'is not a complete backup'],
    ['no end', [{ name: 'manifest.json', content: told }], 'is not a complete backup'],
    [
      'a file less than its end says',
      [
        { name: 'manifest.json', content: told },
        { name: 'end.json', content: '{"files":1,"bytes":0}' },
      ],
      'complete',
    ],
    ...['database/../../x', 'database/', '/etc/passwd', 'database//x', 'database/./x'].map((name): [string, Header[], string] => [
      `the name ${name}`,
      [
        { name: 'manifest.json', content: told } as Header,
        { name },
        { name: 'end.json', content: '{"files":1,"bytes":0}' } as Header,
      ],
      'is not a complete backup',
    ]),
    [
      'a symbolic link',
      [
        { name: 'manifest.json', content: told },
        { name: 'database/x', type: 'symlink', linkname: '/etc' },
        { name: 'end.json', content: end },
      ],
      'is not a complete backup',
    ],
  ])('with %s is refused with the reason', async (_, entries, says) => {
    const tar = pack()
    for (const { content = '', ...header } of entries) tar.entry(header, content)
    tar.finalize()
    await writeFile(at('odd'), gzipSync(Buffer.concat(await Readable.from(tar).toArray())))
    await rm(at('odd-files'), { recursive: true, force: true })
    await mkdir(at('odd-files'))
    const refused = await readArchive(at('odd'), at('odd-files')).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(BackupError)
    expect((refused as Error).message).toContain(says)
    expect(await contentsOf(at('odd-files'))).toEqual({})
  })

  test('is refused when it is a folder or missing', async () => {
    await expect(readArchive(folder)).rejects.toThrow(/cannot be read: EISDIR/)
    await expect(readArchive(at('nothing'))).rejects.toThrow(/cannot be read: ENOENT/)
  })
})

describe('the file of a backup', () => {
  const archive = () => packArchive({ manifest, secret: null, folder: at('database-files') })

  beforeAll(async () => {
    await mkdir(at('database-files'))
    await writeFile(at('database-files', 'PG_VERSION'), '18\n')
  })

  test('never replaces a file that appeared meanwhile', async () => {
    await writeFile(at('there'), 'of another user')
    await expect(writeArchive(at('there'), archive())).rejects.toThrow(/there exists: choose another name/)
    expect(await readFile(at('there'), 'utf8')).toBe('of another user')
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('uses its own temporary file and keeps that of another container with the same process id', async () => {
    const other = at(`shared.${process.pid}.part`)
    await writeFile(other, 'of another container')
    await writeArchive(at('shared'), archive())
    expect(await readFile(other, 'utf8')).toBe('of another container')
    await rm(other)
  })

  test('leaves no temporary file when the rename fails, and syncs the folder when it succeeds', async () => {
    const { open, rename } = fs
    const opened: unknown[] = []
    onTestFinished(() => {
      Object.assign(fs, { open, rename })
      syncBuiltinESMExports()
    })
    const full = Object.assign(new Error('ENOSPC: no space left on device, rename'), { code: 'ENOSPC', path: at('unnamed') })
    fs.rename = () => Promise.reject(full)
    fs.open = (path, ...rest) => {
      opened.push(path)
      return open(path, ...rest)
    }
    syncBuiltinESMExports()
    const before = await readdir(folder)
    await expect(writeArchive(at('unnamed'), archive())).rejects.toThrow('unnamed cannot be written: ENOSPC')
    expect(await readdir(folder)).toEqual(before)
    Object.assign(fs, { rename })
    syncBuiltinESMExports()
    await writeArchive(at('named'), archive())
    expect(opened).toEqual([at('unnamed'), at('named'), folder])
  })

  test('names a path that it cannot write, also beside a running service', async () => {
    const directory = await mkdtemp(at('db-'))
    await mkdir(join(directory, 'pgdata'))
    const backups = await serveBackups(directory, async () => archive(), log)
    const place = { dataDir: folder, directory, authSecrets: ['s'.repeat(32)] }
    const file = at('no', 'such', 'folder')
    await expect(backUp(place, file)).rejects.toMatchObject({
      name: 'BackupTargetError',
      message: `${file} cannot be written: ENOENT. Choose a place that this user can write and that has enough space.`,
    })
    await backups.close()
  })

  test('names the file when the disk is full', async () => {
    await expect(writeArchive('/dev/full/x', archive())).rejects.toThrow('/dev/full/x cannot be written: ENOTDIR')
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
    const failing = new Readable({ read: () => failing.destroy(full) })
    await expect(writeArchive(at('full'), failing)).rejects.toThrow('full cannot be written: ENOSPC')
  })

  test('is readable only by its owner, whatever the umask', async () => {
    const umask = process.umask(0)
    onTestFinished(() => void process.umask(umask))
    await writeArchive(at('private'), archive())
    expect((await stat(at('private'))).mode & 0o777).toBe(0o600)
  })

  test('keeps the message of a disk error that its place did not cause', async () => {
    const failure = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
    const failing = new Readable({ read: () => failing.destroy(failure) })
    await expect(writeArchive(at('failing'), failing)).rejects.toThrow('EIO')
  })

  test('of a running service is unavailable, with a warning, when the path of its socket is too long', async () => {
    const directory = at('d'.repeat(110))
    await mkdir(directory)
    const warnings: unknown[] = []
    const backups = await serveBackups(directory, async () => archive(), {
      ...log,
      warn: (...words) => void warnings.push(words),
    })
    expect(warnings).toEqual([
      [{ reason: expect.stringMatching(/EINVAL|ENAMETOOLONG/) }, expect.stringContaining('backup socket unavailable')],
    ])
    await backups.close()
  })

  test('is discarded when the client disconnects', async () => {
    const directory = await mkdtemp(at('db-'))
    const asked = Promise.withResolvers<void>()
    const made = Promise.withResolvers<Readable>()
    const takeBackup = () => {
      asked.resolve()
      return made.promise
    }
    const backups = await serveBackups(directory, takeBackup, log)
    const waiting = await requestBackup(directory)
    await asked.promise
    const left = archive()
    waiting?.destroy().once('close', () => made.resolve(left))
    await eventually(() => expect(left.destroyed).toBe(true))
    await backups.close()
  })

  test('may take as long as needed, because the service sends signs of life', async () => {
    const directory = await mkdtemp(at('db-'))
    await mkdir(join(directory, 'pgdata'))
    const slow = () => new Promise<Readable>((resolve) => setTimeout(() => resolve(archive()), 600))
    const backups = await serveBackups(directory, slow, log, { silence: 200 })
    const place = { dataDir: folder, directory, authSecrets: ['s'.repeat(32)] }
    expect(await backUp(place, at('slow.backup'))).toMatchObject({ online: true, bytes: 3 })
    await backups.close()
  })
})

describe('a running service that fails to deliver', () => {
  test.each<[string, () => Promise<Readable>]>([
    ['no copy', () => Promise.reject(new Error('no space left'))],
    [
      'half of it',
      async () =>
        Readable.from(
          (async function* () {
            yield Buffer.alloc(100_000)
            throw new Error('the disk failed')
          })(),
        ),
    ],
  ])('%s: leaves no file and points to the log of the service', async (name, takeBackup) => {
    const directory = await mkdtemp(at('db-'))
    await mkdir(join(directory, 'pgdata'))
    const backups = await serveBackups(directory, takeBackup, log)
    const place = { dataDir: folder, directory, authSecrets: ['s'.repeat(32)] }
    const before = await readdir(folder)
    await expect(backUp(place, at(`${name}.backup`))).rejects.toMatchObject({
      name: 'BackupError',
      message: expect.stringContaining('See its log'),
    })
    expect(await readdir(folder)).toEqual(before)
    await backups.close()
  })
})

describe('a restore', { timeout: 240_000 }, () => {
  const [old, present, other] = ['o'.repeat(32), 'p'.repeat(32), 'x'.repeat(32)] as const
  const place = (name: string, authSecrets: string[] | null = [present, old]) => ({
    dataDir: at(name),
    directory: at(name, 'database'),
    authSecrets,
  })

  beforeAll(async () => {
    await fillDataDir({ DATA_DIR: at('source') })
    const { db, close } = await openDatabase({ kind: 'embedded', directory: at('source', 'database') })
    await db.user.create({ data: { name: 'Ada', email: 'ada@example.test' } })
    await close()
    await backUp(place('source'), at('ada.backup'))
  }, 240_000)

  test('needs every secret of the backup, and says what is lost without them', async () => {
    await expect(restore(place('one', [other]), at('ada.backup'))).rejects.toThrow(
      /AUTH_SECRET differs from the backup's \(2 of its 2/,
    )
    await expect(restore(place('one', [present]), at('ada.backup'))).rejects.toThrow(
      /\(1 of its 2 not listed\).*--secret-is-another/,
    )
    await expect(restore(place('one', null), at('ada.backup'))).rejects.toThrow(/none is set here: set the same one/)
    await expect(stat(at('one', 'database', 'pgdata'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await restore(place('one', [other, old, present]), at('ada.backup'))).toMatchObject({ users: 1 })
    expect(await restore(place('two', [other]), at('ada.backup'), { secretIsAnother: true })).toMatchObject({ users: 1 })
    const bytes = await readFile(at('ada.backup'))
    for (const secret of [old, present]) expect(bytes.includes(secret)).toBe(false)
  })

  test('runs once when started twice, and touches nothing while another process holds the database', async () => {
    const both = await Promise.allSettled([1, 2].map(() => restore(place('both'), at('ada.backup'))))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { name: 'BackupError', message: expect.stringContaining('nothing was restored') },
    })
    const { db, close } = await openDatabase({ kind: 'embedded', directory: at('both', 'database') })
    expect(await db.user.count()).toBe(1)
    await close()

    const lock = await lockDataDir(at('held', 'database'))
    await expect(restore(place('held'), at('ada.backup'))).rejects.toThrow(
      /A service or another restore uses .*nothing was restored/,
    )
    lock.release()
    expect((await readdir(at('held', 'database'))).sort()).toEqual(['lock', 'lock.pid'])
  })

  test('creates no folder for a damaged file', async () => {
    const bytes = await readFile(at('ada.backup'))
    await writeFile(at('cut.backup'), bytes.subarray(0, bytes.length - 1))
    await expect(restore(place('never'), at('cut.backup'))).rejects.toThrow(/is not a complete backup/)
    await expect(stat(at('never'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('flushes the folder of the secret before the database gets its name', async () => {
    await writeFile(at('source', 'auth-secret'), 's'.repeat(43))
    await backUp(place('source', null), at('secret.backup'))
    const { open, rename } = fs
    onTestFinished(() => {
      Object.assign(fs, { open, rename })
      syncBuiltinESMExports()
    })
    const steps: string[] = []
    fs.open = async (path, ...rest) => {
      const file = await open(path, ...rest)
      const sync = file.sync.bind(file)
      return Object.assign(file, { sync: () => sync().then(() => void steps.push(`flush ${path}`)) })
    }
    fs.rename = (from, to) => rename(from, to).then(() => void steps.push(`name ${to}`))
    syncBuiltinESMExports()
    await restore(place('flushed', null), at('secret.backup'))
    expect(await readFile(at('flushed', 'auth-secret'), 'utf8')).toBe('s'.repeat(43))
    expect(steps.slice(-3)).toEqual([
      `flush ${at('flushed')}`,
      `name ${at('flushed', 'database', 'pgdata')}`,
      `flush ${at('flushed', 'database')}`,
    ])
  })

  test('completes after one that was killed', async () => {
    await mkdir(at('killed', 'database', 'restoring', 'pgdata'), { recursive: true })
    await appendFile(at('killed', 'database', 'restoring', 'pgdata', 'PG_VERSION'), 'half')
    expect(await restore(place('killed'), at('ada.backup'))).toMatchObject({ users: 1 })
    expect(await readdir(at('killed', 'database'))).not.toContain('restoring')
  })
})
