import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createChangeFeed } from '@floorpass/api'
import { createPostgresClient, isDatabaseUnavailable, openDatabase } from '@floorpass/db'
import {
  ask,
  findPostgres,
  freePort,
  outboxOf,
  type PostgresCluster,
  type PostgresStandby,
  signedInPerson,
  startPostgresCluster,
} from '@floorpass/reliability'
import { databaseProxy } from '@floorpass/testing/database-proxy'
import { eventually } from '@floorpass/testing/eventually'
import { startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { describe, expect, onTestFinished, test } from 'vitest'

const binaries = findPostgres()

/** A primary with a database, its standby, and the URL that names a host without a server, the standby and the primary, in this order. */
async function startPair(): Promise<{ primary: PostgresCluster; standby: PostgresStandby; url: string; urls: [string, string] }> {
  const primary = await startPostgresCluster(binaries ?? '')
  onTestFinished(() => primary.remove())
  const old = new URL(await primary.createDatabase())
  const standby = await primary.createStandby()
  onTestFinished(() => standby.remove())
  const hosts = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${standby.port}`, old.host]
  const at = (host: string) => `postgresql://floorpass@${host}${old.pathname}`
  return { primary, standby, url: at(hosts.join(',')), urls: [at(old.host), at(hosts[1] ?? '')] }
}

const isInRecovery = async ({ sql }: Awaited<ReturnType<typeof openDatabase>>) => {
  const [row] = await sql.$queryRaw<{ standby: boolean; port: number }[]>`
    SELECT pg_is_in_recovery() AS standby, inet_server_port() AS port`
  return row
}

// Once: the embedded run has no PostgreSQL, but this file brings its own.
describe.runIf(binaries && testDatabase.kind === 'postgres')('a DATABASE_URL with several hosts', () => {
  test('leads to the host that accepts writes, and to another after a switch without a restart', async () => {
    const { standby, url, urls } = await startPair()
    const database = await openDatabase({ kind: 'postgres', url })
    onTestFinished(database.close)
    await database.migrate()
    expect(await isInRecovery(database)).toEqual({ standby: false, port: Number(new URL(urls[0]).port) })
    const downs: string[] = []
    const log = { info: () => {}, warn: ({ reason }: { reason?: string }) => void downs.push(reason ?? ''), error: () => {} }
    const changes = createChangeFeed({ listen: database.listen, log })
    onTestFinished(changes.close)
    await eventually(() => expect(changes.isCurrent()).toBe(true))

    // The old primary stays up: a manager only made it read-only.
    await standby.promote()
    const old = await openDatabase({ kind: 'postgres', url: urls[0], poolSize: 1 })
    onTestFinished(old.close)
    await old.db.$executeRawUnsafe(`ALTER SYSTEM SET default_transaction_read_only = on`)
    await old.db.$executeRawUnsafe('SELECT pg_reload_conf()')
    await eventually(() => expect(downs.join()).toMatch(/read-only|another host accepts writes now/))
    await eventually(() => expect(changes.isCurrent()).toBe(true))
    expect(await isInRecovery(database)).toEqual({ standby: false, port: Number(new URL(urls[1]).port) })
    const left = await old.db.$queryRaw`
      SELECT application_name FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
    expect(left).toEqual([])
  })

  test.each([
    ['reports both settings', true],
    ['reports neither, as before PostgreSQL 14', false],
  ])('with read-write refuses a primary that is set read-only and %s, and with primary takes it', async (_, reports) => {
    const cluster = await startPostgresCluster(binaries ?? '')
    onTestFinished(() => cluster.remove())
    const { url } = await databaseProxy(await cluster.createDatabase(), { reports })
    const open = async (target: string, options = '') => {
      const parameters = `target_session_attrs=${target}&options=${encodeURIComponent(options)}`
      const database = await openDatabase({ kind: 'postgres', url: `${url}?${parameters}`, poolSize: 1 })
      onTestFinished(database.close)
      return isInRecovery(database)
    }
    const readOnly = '-c default_transaction_read_only=on'
    await expect(open('read-write', readOnly)).rejects.toThrow(/No host in DATABASE_URL accepts writes: read-only/)
    expect(await open('primary', readOnly)).toMatchObject({ standby: false })
    expect(await open('read-write')).toMatchObject({ standby: false })
  })

  test('answers 503 while no host accepts writes, then serves from the new primary and keeps every acknowledged change', async () => {
    const { primary, standby, url } = await startPair()
    await primary.waitForStandby()
    const DATA_DIR = await temporaryFolder()
    const service = await startServer({ DATABASE_URL: url, DATA_DIR, RATE_LIMIT: 'off' })
    const target = { url: service.url, origin: service.url }
    const [stays, ends] = [await signedInPerson(target, outboxOf(DATA_DIR)), await signedInPerson(target, outboxOf(DATA_DIR))]
    const opens = async (cookie: string) => (await ask(target, 'GET', '/auth/get-session', { cookie })).body !== null
    for (const { cookie } of [stays, ends]) expect(await opens(cookie)).toBe(true)
    expect((await ask(target, 'POST', '/auth/sign-out', { cookie: ends.cookie })).status).toBe(200)

    await primary.stop('kill -9')
    const refused = await ask(target, 'POST', '/auth/update-user', { cookie: stays.cookie, body: { name: 'Grace' } })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await ask(target, 'GET', '/readyz')).status).toBe(503)
    // The log is written in the background.
    await eventually(() =>
      expect(service.stdout()).toMatch(/No host in DATABASE_URL accepts writes: .+ECONNREFUSED.+read-only.+ one is the primary/),
    )
    await standby.promote()
    await eventually(async () => expect((await ask(target, 'GET', '/readyz')).status).toBe(200))
    expect(await opens(stays.cookie)).toBe(true)
    expect(await opens(ends.cookie)).toBe(false)
    const changed = await ask(target, 'POST', '/auth/update-user', { cookie: stays.cookie, body: { name: 'Grace' } })
    expect(changed.status).toBe(200)
    await eventually(() => expect(service.stdout()).toContain('session invalidation channel up'))
  })

  test('leaves a frozen primary for the new one, and never returns when it thaws', async () => {
    const { primary, standby, url, urls } = await startPair()
    await primary.waitForStandby()
    const database = await openDatabase({ kind: 'postgres', url })
    onTestFinished(database.close)
    await database.migrate()
    const channel = database.listen({ onChange() {}, onUp() {}, onDown() {} })
    onTestFinished(channel.close)
    await eventually(() => expect(channel.isCurrent()).toBe(true))
    primary.freeze()
    onTestFinished(primary.thaw)
    await standby.promote()
    const failures: unknown[] = []
    await eventually(async () => {
      const at = await isInRecovery(database).catch((error: unknown) => {
        failures.push(error)
        throw error
      })
      expect(at).toEqual({ standby: false, port: Number(new URL(urls[1]).port) })
    })
    // The heartbeat of the channel notices, not the timeout of a statement.
    expect(failures.map(String).join()).not.toMatch(/time/i)
    expect(failures.every(isDatabaseUnavailable)).toBe(true)
    primary.thaw()
    // Both accept writes now. The newer timeline wins, for new processes too.
    const others = await Promise.all(Array.from({ length: 8 }, () => openDatabase({ kind: 'postgres', url, poolSize: 1 })))
    onTestFinished(async () => void (await Promise.all(others.map((other) => other.close()))))
    for (const opened of [database, ...others]) expect((await isInRecovery(opened))?.port).toBe(Number(new URL(urls[1]).port))
  })

  test('leaves a former primary that still accepts writes', async () => {
    const { standby, url, urls } = await startPair()
    const database = await openDatabase({ kind: 'postgres', url })
    onTestFinished(database.close)
    await database.migrate()
    const changes = createChangeFeed({ listen: database.listen, log: { info: () => {}, warn: () => {}, error: () => {} } })
    onTestFinished(changes.close)
    await eventually(() => expect(changes.isCurrent()).toBe(true))
    // Nothing tells the process: every connection to the old primary goes on.
    await standby.promote()
    await eventually(async () => expect((await isInRecovery(database))?.port).toBe(Number(new URL(urls[1]).port)))
  })
})

async function startHost(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('the only host of a DATABASE_URL has all the time that its caller gives', async () => {
  const sockets: Socket[] = []
  const silent = await startHost((socket) => void sockets.push(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const Client = createPostgresClient(`postgresql://ada@127.0.0.1:${silent}/none`)
  const startedAt = performance.now()
  // Of several hosts, each has three seconds.
  await expect(new Client({ connectionTimeoutMillis: 3_500 }).connect()).rejects.toThrow(/timeout/)
  expect(performance.now() - startedAt).toBeGreaterThan(3_400)
})

describe.runIf(testDatabase.kind === 'postgres')('a search that has its answer', () => {
  test('asks no other host again, even while one stays silent', async () => {
    let asked = 0
    const sockets: Socket[] = []
    const silent = await startHost((socket) => void sockets.push(socket))
    const refusing = await startHost((socket) => {
      asked += 1
      socket.destroy()
    })
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    const url = new URL(process.env.TEST_DATABASE_URL || (process.env.DATABASE_URL ?? ''))
    const Client = createPostgresClient(url.href.replace(url.host, `127.0.0.1:${silent},127.0.0.1:${refusing},${url.host}`))
    const client = new Client()
    await client.connect()
    const before = asked
    // Six times the pause between two searches.
    await delay(1_500)
    await client.end()
    expect(asked - before).toBeLessThanOrEqual(1)
  })
})
