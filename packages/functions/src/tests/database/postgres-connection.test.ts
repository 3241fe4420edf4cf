import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  type DatabaseFailure,
  explainDatabaseFailure,
  isDatabaseUnavailable,
  type OpenDatabase,
  openDatabase,
} from '@floorpass/db'
import { findPostgres, freePort, startPostgresCluster } from '@floorpass/reliability'
import { explainStartFailure } from '@floorpass/service'
import { createAuthority, giveToServer } from '@floorpass/testing/certificates'
import { eventually } from '@floorpass/testing/eventually'
import { startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

const binaries = findPostgres()
const secret = 'hunter2'

// Once: the embedded run has no PostgreSQL, but this file brings its own.
describe.runIf(binaries && testDatabase.kind === 'postgres')('a connection to PostgreSQL', async () => {
  if (!binaries || testDatabase.kind !== 'postgres') return
  const folder = join(await temporaryFolder(), 'files')
  await mkdir(folder)
  await chmod(join(folder, '..'), 0o755)
  const [ours, other] = [await createAuthority(folder, 'ours'), await createAuthority(folder, 'other')]
  const server = await ours.issue('server', 'localhost')
  const client = await ours.issue('floorpass', null)
  const foreign = await other.issue('floorpass', null)
  const rules = join(folder, 'pg_hba.conf')
  await writeFile(
    rules,
    `hostssl certificates all 127.0.0.1/32 cert
     host closed all 127.0.0.1/32 reject
     host all locked 127.0.0.1/32 scram-sha-256
     host postgres,service,busy,absent all 127.0.0.1/32 trust\n`,
  )
  for (const file of [server.key, rules]) await giveToServer(file)
  const cluster = await startPostgresCluster(binaries, {
    hba_file: rules,
    ssl: 'on',
    ssl_cert_file: server.certificate,
    ssl_key_file: server.key,
    ssl_ca_file: ours.certificate,
  })
  const url = (path: string, { user = 'floorpass', host = '127.0.0.1' } = {}) =>
    `postgresql://${user}@${host}:${cluster.port}/${path}`
  const owner = await openDatabase({ kind: 'postgres', url: url('postgres'), poolSize: 1 })
  for (const statement of [
    'CREATE DATABASE certificates',
    'CREATE DATABASE closed',
    'CREATE DATABASE service',
    'CREATE DATABASE busy',
    'ALTER DATABASE busy ALLOW_CONNECTIONS false',
    `CREATE ROLE locked LOGIN PASSWORD 'right'`,
    'CREATE ROLE sleeper NOLOGIN',
    'CREATE ROLE crowd LOGIN CONNECTION LIMIT 0',
    'CREATE ROLE guest LOGIN',
  ])
    await owner.db.$executeRawUnsafe(statement)
  const warnings: Error[] = []
  const keepWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', keepWarning)
  afterAll(async () => {
    process.off('warning', keepWarning)
    await owner.close()
    await cluster.remove()
  })

  const withDatabase = async <Result>(address: string, work: (database: OpenDatabase) => Promise<Result>): Promise<Result> => {
    const database = await openDatabase({ kind: 'postgres', url: address, poolSize: 1 })
    return work(database).finally(database.close)
  }
  /** Resolves to whether the connection is encrypted, or to the message of a failed start. */
  const connect = (address: string) =>
    withDatabase(address, async ({ sql }) => {
      try {
        const [row] = await sql.$queryRaw<{ ssl: boolean }[]>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
        return row?.ssl ? 'encrypted' : 'plain'
      } catch (error) {
        expect(isDatabaseUnavailable(error)).toBe(true)
        return explainStartFailure(error)
      }
    })
  const psqlConnects = (address: string) => {
    try {
      execFileSync(join(binaries, 'psql'), ['-X', '-w', '-c', 'SELECT 1', address], {
        stdio: 'pipe',
        env: { HOME: '/nonexistent' },
      })
      return true
    } catch {
      return false
    }
  }

  const [root, wrongRoot] = [`sslrootcert=${ours.certificate}`, `sslrootcert=${other.certificate}`]
  const certificate = ({ certificate, key }: typeof client) => `sslcert=${certificate}&sslkey=${key}`
  const unknownIssuer = /No authority in sslrootcert issued the certificate of the server\. Set sslrootcert/
  test.each<[title: string, path: string, expected: string | RegExp, host?: string]>([
    ['disable', 'service?sslmode=disable', 'plain'],
    ['require', 'service?sslmode=require', 'encrypted'],
    ['require with the authority', `service?sslmode=require&${root}`, 'encrypted'],
    ['require with another authority', `service?sslmode=require&${wrongRoot}`, unknownIssuer],
    ['verify-ca', `service?sslmode=verify-ca&${root}`, 'encrypted'],
    ['verify-ca with another authority', `service?sslmode=verify-ca&${wrongRoot}`, unknownIssuer],
    ['verify-full', `service?sslmode=verify-full&${root}`, 'encrypted', 'localhost'],
    [
      'verify-full on another host name',
      `service?sslmode=verify-full&${root}`,
      /certificate of the server is for another host name/,
    ],
    ['verify-full with another authority', `service?sslmode=verify-full&${wrongRoot}`, unknownIssuer, 'localhost'],
    [
      'verify-full with the authorities of the machine',
      'service?sslmode=verify-full&sslrootcert=system',
      unknownIssuer,
      'localhost',
    ],
    ['TLS 1.3', `service?sslmode=verify-full&${root}&ssl_min_protocol_version=TLSv1.3`, 'encrypted', 'localhost'],
    ['a client certificate', `certificates?sslmode=verify-full&${root}&${certificate(client)}`, 'encrypted', 'localhost'],
    [
      'no client certificate',
      `certificates?sslmode=require`,
      /requires a valid client certificate \(28000\)\. Add sslcert and sslkey/,
    ],
    [
      'a client certificate of another authority',
      `certificates?sslmode=require&${certificate(foreign)}`,
      /TLS failed: check sslcert and sslkey|closed the connection/,
    ],
    [
      'a missing file',
      `service?sslmode=verify-full&sslrootcert=${folder}/absent.pem`,
      /sslrootcert .+absent\.pem does not exist\. Set a file/,
    ],
  ])('%s connects or not as psql does', async (_, path, expected, host = '127.0.0.1') => {
    const address = url(path, { host })
    const found = await connect(address)
    expect(found).toMatch(expected)
    expect(psqlConnects(address)).toBe(typeof expected === 'string')
    expect(warnings).toEqual([])
  })

  test('refuses files that others can read, that are damaged or do not belong together', async () => {
    const [shared, damaged] = [join(folder, 'shared.key'), join(folder, 'damaged.pem')]
    await copyFile(client.key, shared)
    await chmod(shared, 0o644)
    await writeFile(damaged, 'no certificate')
    const encrypted = 'service?sslmode=require'
    expect(await connect(url(`${encrypted}&sslcert=${client.certificate}&sslkey=${shared}`))).toBe(
      `The database at DATABASE_URL cannot be used: other users can read sslkey ${shared} (mode 0644). Run: chmod 600 ${shared}`,
    )
    expect(await connect(url(`${encrypted}&sslcert=${damaged}&sslkey=${client.key}`))).toMatch(/sslcert .+ is damaged or has/)
    expect(await connect(url(`${encrypted}&sslcert=${client.certificate}&sslkey=${foreign.key}`))).toMatch(/does not belong to/)
    expect(await connect(url(`${encrypted}&sslrootcert=${folder}`))).toMatch(/sslrootcert .+ cannot be read \(EISDIR\)/)
  })

  test('reads an encrypted key, a list of revoked certificates and the lowest version of TLS', async () => {
    const openssl = (...args: string[]) => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
    openssl('ec', '-in', client.key, '-aes256', '-passout', `pass:${secret}`, '-out', 'locked.key')
    await chmod(join(folder, 'locked.key'), 0o600)
    const locked = `certificates?sslmode=require&sslcert=${client.certificate}&sslkey=${folder}/locked.key`
    expect(await connect(url(`${locked}&sslpassword=${secret}`))).toBe('encrypted')
    expect(await connect(url(`${locked}&sslpassword=wrong`))).toMatch(
      /sslkey .+ is damaged or has another format\. .+sslpassword/,
    )

    await writeFile(
      join(folder, 'ca.cnf'),
      '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=2\n',
    )
    await writeFile(join(folder, 'index.txt'), '')
    const authority = ['ca', '-config', 'ca.cnf', '-keyfile', 'ours.key', '-cert', ours.certificate]
    openssl(...authority, '-gencrl', '-out', 'none.crl')
    openssl(...authority, '-revoke', server.certificate)
    openssl(...authority, '-gencrl', '-out', 'revoked.crl')
    const checked = (list: string) => url(`service?sslmode=verify-full&${root}&sslcrl=${folder}/${list}`, { host: 'localhost' })
    expect(await connect(checked('none.crl'))).toBe('encrypted')
    expect(await connect(checked('revoked.crl'))).toMatch(/Have another certificate issued for the server/)

    const setNewest = async (version: string) => {
      await owner.db.$executeRawUnsafe(`ALTER SYSTEM SET ssl_max_protocol_version = '${version}'`)
      await owner.db.$executeRawUnsafe('SELECT pg_reload_conf()')
    }
    onTestFinished(() => setNewest(''))
    await setNewest('TLSv1.2')
    await eventually(async () =>
      expect(await connect(url('service?sslmode=require&ssl_min_protocol_version=TLSv1.3'))).toMatch(/TLS failed/),
    )
    expect(await connect(url('service?sslmode=require'))).toBe('encrypted')
  })

  test('to a server without TLS is refused unless sslmode=disable', async () => {
    const plain = createServer((socket) => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    onTestFinished(() => void plain.close())
    const { port } = plain.address() as { port: number }
    expect(await connect(`postgresql://floorpass@127.0.0.1:${port}/service?sslmode=require`)).toMatch(
      /does not support SSL connections\. The server offers no TLS\. Turn it on/,
    )
  })

  test('with TLS starts the service without a warning', async () => {
    const DATABASE_URL = url(`service?sslmode=verify-full&${root}`, { host: 'localhost' })
    const service = await startServer({ DATABASE_URL, DATA_DIR: await temporaryFolder() })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    const { stdout, stderr } = await service.end('SIGTERM')
    expect(`${stdout}${stderr}`).not.toMatch(/warning|SECURITY/i)
    expect(stderr).toBe('')
  })

  test.each<[why: string, address: () => string | Promise<string>, message: RegExp]>([
    [
      'a wrong password',
      () => url('service', { user: `locked:${secret}` }),
      /password authentication failed for user "locked" \(28P01\)\. Correct/,
    ],
    ['no password', () => url('service', { user: 'locked' }), /The server asks for a password, and DATABASE_URL has none/],
    ['a line of pg_hba.conf that rejects', () => url('closed'), /pg_hba\.conf rejects connection .+ \(28000\)\. Add a line/],
    [
      'no line in pg_hba.conf',
      () => url('template1'),
      /no pg_hba\.conf entry .+no encryption \(28000\)\. .+add sslmode=verify-full/,
    ],
    ['a missing database', () => url('absent'), /database "absent" does not exist \(3D000\)\. .+CREATE DATABASE/],
    [
      'a missing role',
      () => url('service', { user: `unknown_role:${secret}` }),
      /role "unknown_role" does not exist \(28000\)\. .+CREATE ROLE/,
    ],
    [
      'a role that may not log in',
      () => url('service', { user: 'sleeper' }),
      /not permitted to log in \(28000\)\. .+ALTER ROLE … LOGIN/,
    ],
    [
      'a URL without a user',
      () => url('service').replace(/\/\/[^@]*@/, '//'),
      /no PostgreSQL user name .+\(28000\)\. Add the user to DATABASE_URL/,
    ],
    [
      'too many connections',
      () => url('service', { user: 'crowd' }),
      /too many connections for role "crowd" \(53300\)\. Raise max_connections/,
    ],
    [
      'a database that accepts none',
      () => url('busy'),
      /not currently accepting connections \(55000\)\. .+ALLOW_CONNECTIONS true/,
    ],
    [
      'a port without a server',
      async () => `postgresql://ada:${secret}@127.0.0.1:${await freePort()}/x`,
      /ECONNREFUSED .+\. Nothing listens there/,
    ],
    [
      'a socket of a stopped server',
      () => `postgresql://ada:${secret}@/x?host=/nowhere`,
      /ENOENT .+\. This user finds no socket there/,
    ],
    [
      'a host without an address',
      () => `postgresql://ada:${secret}@no-such-host.invalid/x`,
      /no-such-host\.invalid\. .+does not resolve/,
    ],
    [
      'a host that stays silent',
      async () => `postgresql://ada:${secret}@127.0.0.1:${await listen(() => {})}/x?connect_timeout=1`,
      /timeout.+\. Nothing answers/,
    ],
    [
      'a server that starts',
      async () =>
        `postgresql://ada:${secret}@127.0.0.1:${await listen((socket) => socket.end(refusal('57P03', 'the database system is starting up')))}/x`,
      /is starting up \(57P03\)\. It accepts connections again by itself/,
    ],
  ])('says PostgreSQL’s reason and what to do on %s', async (_, getAddress, message) => {
    const found = await connect(await getAddress())
    expect(found).toMatch(message)
    expect(found).toMatch(/^The database at DATABASE_URL cannot be used: .+\. .+\.$/)
    expect(found.split('\n')).toHaveLength(1)
    expect(found).not.toContain(secret)
  })

  test('says who may migrate when the role may not, and what a read-only or full server needs', async () => {
    const failure = (address: string, work: (database: OpenDatabase) => Promise<unknown>) =>
      withDatabase(address, (database) => work(database).then(() => 'no failure', explainStartFailure))
    expect(await failure(url('postgres', { user: 'guest' }), ({ migrate }) => migrate())).toMatch(/lacks CREATE on schema public/)
    expect(await failure(url('postgres?options=-c%20default_transaction_read_only%3Don'), ({ migrate }) => migrate())).toMatch(
      /in a read-only transaction \(25006\)\. DATABASE_URL leads to a standby/,
    )
    const full = `DO $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`
    for (const run of [
      ({ db }: OpenDatabase) => db.$executeRawUnsafe(full),
      ({ db }: OpenDatabase) => db.$transaction((tx) => tx.$executeRawUnsafe(full)),
    ])
      expect(await failure(url('service'), run)).toMatch(/No space left on device \(53100\)\. Free some space on the disk/)
  })
})

/** An ErrorResponse in PostgreSQL's format. */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

async function listen(onConnection: (socket: import('node:net').Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => onConnection(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

/** Why a statement fails on a server that answers the first message with `answer`. */
async function explainAnswer(answer: Buffer): Promise<DatabaseFailure | null> {
  const port = await listen((socket) => socket.end(answer))
  const { sql, close } = await openDatabase({ kind: 'postgres', url: `postgresql://ada@127.0.0.1:${port}/x` })
  onTestFinished(close)
  return sql.$queryRaw`SELECT 1`.then(() => null, explainDatabaseFailure)
}

test.each<[code: string, message: string, advice: string]>([
  ['57P01', 'terminating connection due to administrator command', 'It accepts connections again by itself.'],
  ['57P04', 'database was dropped', 'The database was dropped. Restore it'],
  ['57P05', 'terminating connection due to idle-session timeout', 'Set idle_session_timeout of the role to 0'],
  ['53200', 'out of memory', 'Give PostgreSQL more memory'],
  ['55P03', 'canceling statement due to lock timeout', 'Another transaction holds a lock'],
  ['57014', 'canceling statement due to statement timeout', 'Another transaction holds a lock'],
  ['40P01', 'deadlock detected', 'Try again.'],
  ['08P01', 'server conn crashed?', 'Check the server or pooler that DATABASE_URL names'],
  ['58030', 'could not read file', 'Look at the log of PostgreSQL: it reports a fault'],
  ['XX000', 'cache lookup failed', 'Look at the log of PostgreSQL: it reports a fault'],
])('a server that refuses with %s is named with its reason and what to do', async (code, message, advice) => {
  expect(await explainAnswer(refusal(code, message))).toEqual({
    reason: `${message} (${code})`,
    fix: expect.stringContaining(advice),
  })
})

test('a server that hangs up is named with what to do', async () => {
  expect(await explainAnswer(Buffer.alloc(0))).toEqual({
    reason: expect.stringMatching(/\S/),
    fix: 'The server or something before it closed the connection: look at its log.',
  })
})

test('a missing socket means that PostgreSQL is away, and a missing file does not', () => {
  const missing = (syscall: string) => Object.assign(new Error(`${syscall} ENOENT /nowhere`), { code: 'ENOENT', syscall })
  expect([isDatabaseUnavailable(missing('connect')), isDatabaseUnavailable(missing('open'))]).toEqual([true, false])
})

test('a service takes ten connections at most, besides its channel', async () => {
  const database = await openDatabase({ kind: 'postgres', url: 'postgresql://127.0.0.1:1/none' })
  onTestFinished(database.close)
  expect(database.poolState?.()).toEqual({ open: 0, idle: 0, limit: 10, waiting: 0, longestWait: 0 })
})
