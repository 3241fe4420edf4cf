import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase, openDataDir } from '@floorpass/db'
import { eventually } from '@floorpass/testing/eventually'
import { fillDataDir } from '@floorpass/testing/migrated-data-dir'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))
let parent: string
let directory: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'floorpass-data-'))
  directory = join(parent, 'deep', 'database')
})

afterEach(() => rm(parent, { recursive: true }))

/** Puts a migrated database in the directory. */
const fill = () => fillDataDir({ DATA_DIR: join(parent, 'deep') })

/** Starts another process that opens a migrated database in the directory. */
async function runInChild(script: string) {
  await fill()
  return spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { openDatabase } from '@floorpass/db'
      const { db } = await openDatabase({ kind: 'embedded', directory: ${JSON.stringify(directory)} })
      ${script}`,
    ],
    { cwd: packageFolder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
}

const open = (path = directory) => openDatabase({ kind: 'embedded', directory: path })

// An initial database is a thousand real files, which is slow on a busy disk.
describe('the data directory', () => {
  it('keeps its data across restarts, readable by its owner alone', async () => {
    const first = await open()
    expect((await first.migrate()).applied).toContain('20261121000000_init')
    await first.db.user.create({ data: { name: 'Ada', email: 'ada@example.test' } })
    await first.close()

    const second = await open()
    expect(await second.migrate()).toEqual({ applied: [] })
    expect(await second.db.user.count()).toBe(1)
    await second.close()
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  })

  it('is created by several openers at once', async () => {
    for (let round = 0; round < 100; round += 1) {
      const folder = join(parent, String(round), 'deep', 'database')
      await Promise.all(Array.from({ length: 4 }, () => openDataDir(folder)))
    }
  })

  it('is on a full disk, and says so', async () => {
    await openDataDir(directory)
    await symlink('/dev/full', join(directory, 'lock.pid'))
    await expect(open()).rejects.toMatchObject({ name: 'Error', code: 'ENOSPC' })
  })

  it.runIf(fs.existsSync('/proc/self'))('is not copied to a disk that its files do not fit on', async () => {
    await fill()
    const { copyTo, close } = await open()
    const refused = await copyTo?.('/proc/copy').then(String, String)
    const [, size, free] = /the copy of the database takes (\d+) MB .* where (\d+) MB are free$/.exec(refused ?? '') ?? []
    // The tables are in folders of folders.
    expect([Number(size) > 20, free]).toEqual([true, '0'])
    await close()
  })

  it('refuses a second opener until the first closes', async () => {
    await fill()
    const first = await open()
    await expect(open()).rejects.toMatchObject({
      name: 'DataDirInUseError',
      message: expect.stringContaining(`id ${process.pid}`),
    })
    await first.close()
    await (await open()).close()
  })

  it('refuses access while another process lives, and after its kill -9 opens at once with every acknowledged write', async () => {
    const child = await runInChild(`
      for (let count = 0; ; count++) {
        await db.user.create({ data: { name: 'Ada', email: count + '@example.test' } })
        process.stdout.write(count + '\\n')
      }`)
    let acknowledged = 0
    child.stdout.on('data', (chunk: Buffer) => {
      acknowledged += chunk.toString().split('\n').length - 1
    })
    await eventually(() => expect(acknowledged).toBeGreaterThan(5), 60_000)

    await expect(open()).rejects.toMatchObject({ name: 'DataDirInUseError', message: expect.stringContaining(`id ${child.pid}`) })
    child.kill('SIGKILL')
    await once(child, 'close')

    const { db, close } = await open()
    expect(await db.user.count()).toBeGreaterThanOrEqual(acknowledged)
    await close()
  })

  it('is refused with a reason when its files are damaged', async () => {
    await fill()
    await writeFile(join(directory, 'pgdata', 'PG_VERSION'), '9\n')
    await expect(open()).rejects.toMatchObject({
      name: 'DataDirUnusableError',
      message: expect.stringMatching(/database files are incompatible.*put a backup in their place/s),
    })
  })

  it('is refused with a reason when it is a file, or in /proc, where Node would hang', async () => {
    await writeFile(join(parent, 'file'), '')
    for (const path of [join(parent, 'file'), join(parent, 'file', 'below'), '/proc/floorpass/database']) {
      await expect(open(path)).rejects.toMatchObject({
        name: 'DataDirUnusableError',
        message: expect.stringMatching(/(ENOENT|ENOTDIR).*Set DATA_DIR/s),
      })
    }
  })

  it('is refused with a reason when it is not writable', async () => {
    fs.chmodSync(parent, 0o500)
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    const failure = await open().catch((error: unknown) => error)
    if (isRoot) process.seteuid?.(0)
    fs.chmodSync(parent, 0o700)
    expect(failure).toMatchObject({ name: 'DataDirUnusableError', message: expect.stringMatching(/EACCES.*Set DATA_DIR/s) })
  })

  it('syncs each commit to the disk before acknowledging it', async () => {
    await fill()
    const { db, close } = await open()
    const realFsync = fs.fsyncSync
    let written = 0
    fs.fsyncSync = (descriptor) => {
      written++
      realFsync(descriptor)
    }
    syncBuiltinESMExports()
    try {
      for (const name of ['Ada', 'Bob', 'Cleo']) {
        const before = written
        await db.user.create({ data: { name, email: `${name.toLowerCase()}@example.test` } })
        expect(written).toBeGreaterThan(before)
      }
    } finally {
      fs.fsyncSync = realFsync
      syncBuiltinESMExports()
    }
    await close()
  })

  it('T194: answers 503 while the disk is full, keeps every acknowledged write, and recovers when there is space', async () => {
    const child = await runInChild(`
      import fs, { readlinkSync } from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      import { toAppError } from '@floorpass/api'
      await db.user.create({ data: { name: 'Ada', email: 'ada@example.test' } })
      const { writeSync } = fs
      // The write-ahead log reuses existing files, so it is the tables that find no space.
      const failing = (file, ...rest) => {
        if (readlinkSync('/proc/self/fd/' + file).includes('pg_wal')) return writeSync(file, ...rest)
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28 })
      }
      const use = (write) => { fs.writeSync = write; syncBuiltinESMExports() }
      use(failing)
      const told = []
      for (let row = 0; row < 3; row += 1) {
        const image = Array.from({ length: 20_000 }, (_, at) => (at * 7919 + row).toString(36)).join('')
        const made = db.user.create({ data: { name: 'Bob', email: 'bob' + row + '@example.test', image } })
        told.push(await made.then(() => 'made', (error) => toAppError(error).key))
      }
      use(writeSync)
      await db.user.create({ data: { name: 'Cleo', email: 'cleo@example.test' } })
      const kept = (await db.user.findMany({ orderBy: { email: 'asc' } })).map(({ name }) => name)
      process.stdout.write(JSON.stringify({ told, kept }))
      process.exit(0)`)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk
      })
    }
    await once(child, 'close')
    const busy = 'SERVICE_UNAVAILABLE'
    expect(output).toContain(JSON.stringify({ told: [busy, busy, busy], kept: ['Ada', 'Cleo'] }))
    const { db, close } = await open()
    expect(await db.user.count()).toBe(2)
    await close()
  })

  it('T194: stops the process when the disk fails, and reopens with every acknowledged write', async () => {
    const child = await runInChild(`
      import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      await db.user.create({ data: { name: 'Ada', email: 'ada@example.test' } })
      fs.fsyncSync = () => { throw Object.assign(new Error('EIO'), { code: 'EIO', errno: -5 }) }
      syncBuiltinESMExports()
      await db.$transaction((tx) => tx.user.create({ data: { name: 'Bob', email: 'bob@example.test' } }))`)
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk
    })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(complaint).toMatch(/^The embedded database stopped \(.*PANIC.*Then start again\.\n$/s)

    const { db, close } = await open()
    expect(await db.user.count({ where: { email: 'ada@example.test' } })).toBe(1)
    await close()
  })
})
