import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { explainStartFailure } from '@floorpass/service'
import { fillDataDir } from '@floorpass/testing/migrated-data-dir'
import { placeDatabase } from '@floorpass/testing/place-database'
import { databaseEnvironment, failToStart, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { describe, expect, onTestFinished, test } from 'vitest'

const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
const database = await databaseEnvironment()
const complete = async (environment: Record<string, string> = {}) => ({
  ...database,
  DATA_DIR: await temporaryFolder(),
  PORT: String(await freePort()),
  ...environment,
})

/** Expects exit code 1, a message that starts like this, no stack and no sign of a running server. */
async function expectRefusal(environment: Record<string, string>, message: RegExp) {
  const { code, signal, stdout, stderr } = await failToStart(environment)
  expect(stderr).toMatch(message)
  expect({ code, signal }).toEqual({ code: 1, signal: null })
  expect(stderr).not.toMatch(/^\s+at |node_modules|node:internal|\.ts:\d+/m)
  expect(stdout).not.toMatch(/runs at|listening/)
  return stderr
}

describe('the server does not start', () => {
  test('on a port in use, and names another', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const stderr = await expectRefusal(
      await fillDataDir(await complete({ PORT: String(port) })),
      /^Port \d+ is in use by another program\./,
    )
    expect(stderr).toBe(
      `Port ${port} is in use by another program. Stop that program, or choose another port: PORT=${port + 1} npm start\n`,
    )
    taken.close()
  })

  test('on an address that this machine does not have', async () => {
    const environment = {
      HOST: '192.0.2.1',
      BASE_URL: 'https://accounts.example.test',
      AUTH_SECRET: 'k3yB8q-Zt0vR5nLw2XcJ7mPd9HsFgUaE4iToY6rQ',
      SMTP_URL: 'smtp://127.0.0.1:1',
    }
    await expectRefusal(await fillDataDir(await complete(environment)), /^HOST 192\.0\.2\.1 is not an address of this machine\./)
    const unknown = { ...environment, HOST: 'nosuchhost.invalid' }
    await expectRefusal(
      await fillDataDir(await complete(unknown)),
      /^HOST nosuchhost\.invalid does not resolve on this machine\./,
    )
  })

  test('with a DATA_DIR that is a file, below a file, in a read-only folder or in /proc', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'file')
    await writeFile(file, '')
    for (const path of [file, join(file, 'below'), '/sys/floorpass', '/proc', '/proc/floorpass', '/proc/floorpass/data']) {
      const stderr = await expectRefusal(await complete({ DATA_DIR: path }), /E(NOENT|NOTDIR|PERM|ACCES|ROFS) during /)
      expect(stderr).toContain(path)
      expect(stderr).toContain('Set DATA_DIR to a folder that this user can create and write')
    }
  })

  test('with invalid variables, and lists each without its value', async () => {
    const bad = {
      PORT: 'eighty',
      BASE_URL: 'https://accounts.example.test/path',
      AUTH_SECRET: 'hunter2',
      DATABASE_URL: 'mysql://user:hunter2@host/db',
      TRUST_PROXY: 'everybody',
      COOKIE_SAMESITE: 'sometimes',
      LOG_LEVEL: 'loud',
    }
    const stderr = await expectRefusal(
      { ...bad, DATA_DIR: await temporaryFolder() },
      /^Floorpass cannot start: 8 settings are wrong\.\n/,
    )
    for (const variable of [...Object.keys(bad), 'SMTP_URL'])
      expect(stderr).toMatch(new RegExp(`^  ${variable} .+\\. .+\\.$`, 'm'))
    expect(stderr.trimEnd().split('\n')).toHaveLength(9)
    expect(stderr).not.toMatch(/hunter2|eighty|everybody|sometimes|loud/)
  })

  test('with a place database that is missing, cut, damaged or of another kind', async () => {
    const whole = await readFile(await placeDatabase({ '203.0.113.0/24': { city: { names: { en: 'Paris' } } } }))
    const folder = await temporaryFolder()
    const write = async (name: string, content: Buffer) => {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    }
    const damaged = [
      await write('empty', Buffer.alloc(0)),
      await write('text', Buffer.from('no database')),
      await write('end-cut', whole.subarray(0, whole.length - 40)),
      await write('start-cut', whole.subarray(300)),
    ]
    for (const GEOIP_DATABASE of damaged) {
      const stderr = await expectRefusal(
        await complete({ GEOIP_DATABASE }),
        /^GEOIP_DATABASE .+ is damaged or has another format\. Set it to a city or country database/,
      )
      expect(stderr).toContain(GEOIP_DATABASE)
    }
    await expectRefusal(
      await complete({ GEOIP_DATABASE: join(folder, 'missing') }),
      /^GEOIP_DATABASE .+ cannot be read \(ENOENT\)\./,
    )
    const GEOIP_DATABASE = await placeDatabase({}, 'Test-ASN')
    await expectRefusal(
      await complete({ GEOIP_DATABASE }),
      /^GEOIP_DATABASE .+ has no cities or countries: its type is Test-ASN\./,
    )
  })

  test('on every network interface with a loopback base URL', async () => {
    const stderr = await expectRefusal(
      await complete({ HOST: '0.0.0.0' }),
      /^Floorpass cannot start: one setting is wrong\.\n {2}BASE_URL /,
    )
    expect(stderr).toContain('Set BASE_URL to the public https origin, or unset HOST')
  })

  test('T190: in deployed mode without the settings that it needs', async () => {
    const stderr = await expectRefusal(
      await complete({ BASE_URL: 'http://accounts.example.test', RATE_LIMIT: 'off' }),
      /^Floorpass cannot start: 4 settings are wrong\.\n/,
    )
    for (const variable of ['AUTH_SECRET', 'BASE_URL', 'SMTP_URL', 'RATE_LIMIT'])
      expect(stderr).toMatch(new RegExp(`^  ${variable} `, 'm'))
  })

  test('on a PostgreSQL that does not answer, or without the user or the database', async () => {
    const urls = ['postgres://absent:hunter2@127.0.0.1:1/none']
    if (database.DATABASE_URL) {
      const noDatabase = new URL('/floorpass_no_such_database', database.DATABASE_URL)
      const noRole = new URL(database.DATABASE_URL)
      noRole.username = 'floorpass_no_such_role'
      noRole.password = 'hunter2'
      urls.push(noDatabase.href, noRole.href)
    }
    for (const DATABASE_URL of urls) {
      const stderr = await expectRefusal(
        await complete({ DATABASE_URL }),
        /^The database at DATABASE_URL cannot be used: .+ (Correct|Nothing listens)/,
      )
      expect(stderr).not.toContain('hunter2')
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    }
  })

  if (testDatabase.kind === 'embedded') {
    test('a second time on the same DATA_DIR, and the first goes on', async () => {
      const environment = await complete()
      const first = await startServer(environment)
      const stderr = await expectRefusal(
        { ...environment, PORT: String(await freePort()) },
        /another process \(id \d+\) is using it/,
      )
      expect(stderr).toContain(`id ${first.pid}`)
      expect(stderr).toMatch(/Stop that process, or set DATA_DIR to another folder/)
      expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
      await first.end('SIGTERM')
    })

    test.runIf(canMount)('on a full disk, and starts once there is space', async () => {
      const environment = await complete()
      const disk = join(environment.DATA_DIR, 'disk')
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk])
      onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
      const onDisk = { ...environment, DATA_DIR: join(disk, 'data') }
      await expectRefusal(onDisk, /^The disk of DATA_DIR is full\. Free some space, then try again\.\n$/)
      // Half a database would be called damaged.
      expect(existsSync(join(disk, 'data', 'database', 'pgdata'))).toBe(false)
      execFileSync('mount', ['-o', 'remount,size=200m', disk])
      const server = await startServer(onDisk)
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
      await server.end('SIGTERM')
    })

    test('with a damaged database, and says what to do', async () => {
      const environment = await complete()
      await mkdir(join(environment.DATA_DIR, 'database', 'pgdata'), { recursive: true })
      await writeFile(join(environment.DATA_DIR, 'database', 'pgdata', 'PG_VERSION'), '9\n')
      await expectRefusal(environment, /did not start: .+put a backup in their place/)
    })
  }
})

test.each([
  ['write', undefined],
  ['mkdir', '/data/database'],
])('a full disk during %s is reported as such, by the service and by a restore', (syscall, path) => {
  const full = Object.assign(new Error(`ENOSPC: no space left on device, ${syscall}`), { code: 'ENOSPC', syscall, path })
  expect(explainStartFailure(full)).toBe('The disk of DATA_DIR is full. Free some space, then try again.')
})

test.each([
  ['53100', 'could not extend file "base/5/1249": No space left on device', 'Free some space on the disk of DATA_DIR.'],
  ['58030', 'could not write block 7: I/O error', 'Check that the disk of DATA_DIR is writable and has no fault.'],
])('the embedded database that reports %s names DATA_DIR', (code, message, fix) => {
  const failure = Object.assign(new Error(message), { code })
  expect(explainStartFailure(failure, 'embedded')).toBe(`The database in DATA_DIR cannot be used: ${message} (${code}). ${fix}`)
  const onPostgres = explainStartFailure(failure, 'postgres')
  expect(onPostgres).toMatch(/^The database at DATABASE_URL cannot be used/)
  expect(onPostgres).not.toContain('DATA_DIR')
})

test('a file that cannot be used is named, in DATA_DIR or elsewhere', () => {
  const path = '/srv/certificates/key.pem'
  const denied = Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: 'EACCES', syscall: 'open', path })
  const explained = explainStartFailure(denied)
  expect(explained).toContain(`Check that ${path} exists and that this user may read and write it.`)
  expect(explained).not.toContain('DATA_DIR')
})

test('a refused start leaves a usable DATA_DIR', async () => {
  const environment = await fillDataDir(await complete())
  const taken = createServer().listen(Number(environment.PORT), '127.0.0.1')
  await once(taken, 'listening')
  await expectRefusal(environment, /^Port \d+ is in use/)
  taken.close()
  await once(taken, 'close')
  const server = await startServer(environment)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect((await stat(join(environment.DATA_DIR, 'auth-secret'))).mode & 0o777).toBe(0o600)
  await server.end('SIGTERM')
})
