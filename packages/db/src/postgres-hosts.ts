import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresHost, type PostgresUrl, parsePostgresUrl } from '@floorpass/env/postgres-url'
import pg from 'pg'
import { PostgresTlsError, readTlsOptions } from './postgres-tls.ts'

export type PostgresClient = (new (
  config?: pg.ClientConfig,
) => pg.Client) & {
  /** Asks every host whether a newer primary exists, and ends the connections to an older one. Never rejects. */
  verifyHost(): Promise<void>
  /** Ends every connection. */
  dropAll(reason: string): void
}

type Callback = (error: Error | null, client?: pg.Client) => void
type Internals = {
  host: string
  port: number
  ssl: unknown
  connection: NodeJS.EventEmitter & { stream: Socket; ssl: unknown }
}

// A frozen host accepts connections and stays silent.
const connectPatience = 3_000
const searchPause = 250
const grace = 250

/** Creates a client class of `pg`. All its clients connect to one host: of several, the one that accepts writes (ADR 044). */
export function createPostgresClient(url: string): PostgresClient {
  const address = parsePostgresUrl(url)
  const { hosts, target, connectTimeoutSeconds, driverUrl } = address
  const patience = connectTimeoutSeconds === null ? connectPatience : 1000 * connectTimeoutSeconds
  const open = new Map<TargetClient, PostgresHost>()
  let current: PostgresHost | null = target === 'any' ? (hosts[0] ?? null) : null
  let timeline = 0
  let search: Promise<PostgresHost> | null = null

  const adopt = (found: FoundHost): PostgresHost => {
    // Of two hosts that accept writes on one timeline, none is older: stay.
    if (current && found.timeline <= timeline) return current
    current = found.host
    timeline = found.timeline
    for (const [client, at] of open) if (at !== current) client.drop('another host accepts writes now')
    return current
  }
  const startSearch = (): Promise<PostgresHost> => {
    search ??= findHost(hosts, (host) => probe(address, host, patience))
      .then(adopt)
      .catch((error: unknown) => delay(searchPause).then(() => Promise.reject(error)))
      .finally(() => {
        search = null
      })
    return search
  }
  const locate = async (): Promise<PostgresHost> => current ?? startSearch()
  const forget = (host: PostgresHost) => {
    if (target !== 'any' && current === host) current = null
  }

  class TargetClient extends pg.Client {
    // A former primary that nothing stops, such as one whose Patroni died, answers as before.
    static async verifyHost(): Promise<void> {
      if (hosts.length > 1) await startSearch().catch(() => {})
    }

    static dropAll(reason: string): void {
      for (const client of open.keys()) client.drop(reason)
    }

    constructor(config: pg.ClientConfig = {}) {
      const { connectionTimeoutMillis = Number.POSITIVE_INFINITY } = config
      super({
        ...config,
        connectionString: driverUrl,
        ...((target !== 'any' || connectTimeoutSeconds !== null) && {
          connectionTimeoutMillis: Math.min(connectionTimeoutMillis, patience),
        }),
      })
      // `pg` listens only from its own connect on, and a caller may destroy the socket before.
      ;(this as unknown as Internals).connection.stream.on('error', () => {})
    }

    override connect(): Promise<pg.Client>
    override connect(callback: Callback): void
    override connect(callback?: Callback): Promise<pg.Client> | undefined {
      const connected = this.#connect()
      if (!callback) return connected
      connected.then(
        (client) => callback(null, client),
        (error: Error) => callback(error),
      )
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      const host = await locate()
      const { connection } = this as unknown as Internals
      open.set(this, host)
      this.once('end', () => open.delete(this))
      this.on('error', () => forget(host))
      const settings = readSettings(this)
      connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code && lostHostStates.test(code)) forget(host)
        if (code === '25006') setImmediate(() => this.drop('the server is read-only'))
      })
      try {
        await connectTo(this, address, host, () => super.connect())
        await assertTarget(this, settings, target)
      } catch (error) {
        forget(host)
        open.delete(this)
        abandon(this)
        throw error
      }
      connection.on('parameterStatus', () => {
        if (isTarget(settings, target) !== false) return
        forget(host)
        setImmediate(() => this.drop('the server is read-only'))
      })
      return this
    }

    drop(reason: string): void {
      const { connection } = this as unknown as Internals
      connection.stream.destroy(new Error(`Connection terminated: ${reason}`))
    }
  }
  return TargetClient
}

/** 25006: read-only. 57P01 to 57P03: the server stops, crashed or starts. */
const lostHostStates = /^(25006|57P0[123])$/

async function connectTo(client: pg.Client, { tls }: PostgresUrl, { host, port }: PostgresHost, connect: () => Promise<unknown>) {
  const internals = client as unknown as Internals
  Object.assign(internals, { host, port })
  if (tls !== null) {
    const isPlain = tls === 'disable' || host.startsWith('/')
    internals.ssl = internals.connection.ssl = isPlain ? false : await readTlsOptions(tls)
  }
  // A destroyed socket would connect again.
  if (internals.connection.stream.destroyed) throw new Error('Connection terminated before it was made')
  return connect()
}

async function probe(address: PostgresUrl, host: PostgresHost, patience: number): Promise<number> {
  const { driverUrl, target } = address
  const client = new pg.Client({
    connectionString: driverUrl,
    application_name: 'floorpass host search',
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  } as pg.ClientConfig)
  client.on('error', () => {})
  const settings = readSettings(client)
  try {
    await connectTo(client, address, host, () => client.connect())
    await assertTarget(client, settings, target)
    const wal = await client.query<{ name: string }>('SELECT pg_walfile_name(pg_current_wal_lsn()) AS name').catch(() => null)
    return Number.parseInt(wal?.rows[0]?.name.slice(0, 8) ?? '0', 16)
  } finally {
    abandon(client)
  }
}

const abandon = (client: pg.Client): void => {
  void client.end().catch(() => {})
  ;(client as unknown as Internals).connection.stream.destroy()
}

type FoundHost = { host: PostgresHost; timeline: number }

/** Of several hosts that accept writes, the newest timeline wins: a former primary that nothing has stopped yet has an older one. */
async function findHost(hosts: PostgresHost[], ask: (host: PostgresHost) => Promise<number>): Promise<FoundHost> {
  const found: FoundHost[] = []
  const failures = new Map<PostgresHost, Error>()
  const first = Promise.withResolvers<void>()
  let silent = hosts.length
  let isOver = false
  const answers = hosts.map(async (host) => {
    for (let isFirst = true; isFirst || (silent > 0 && !isOver); isFirst = false) {
      try {
        found.push({ host, timeline: await ask(host) })
        first.resolve()
        return
      } catch (error) {
        failures.set(host, error as Error)
      } finally {
        if (isFirst) silent -= 1
      }
      // While a frozen primary keeps the search open, a standby may be promoted.
      if (silent > 0) await delay(searchPause)
    }
  })
  await Promise.race([Promise.all(answers), first.promise.then(() => delay(grace))])
  isOver = true
  const [best] = found.sort((left, right) => right.timeline - left.timeline)
  if (best) return best
  const reasons = [...failures.values()]
  throw reasons.find((reason) => reason instanceof PostgresTlsError) ?? noHostError(reasons)
}

/** Has the fields of a PostgreSQL error, since Prisma's adapter drops others. The code is that of a host that refused. */
function noHostError(failures: (Error & { code?: string })[]): Error {
  const reasons = failures.map(({ message, code }) => message || code || 'no answer').join('; ')
  const refusal = failures.find(({ code }) => /^(28|3D|53)...$/.test(code ?? ''))
  const error = new AggregateError(failures, `No host in DATABASE_URL accepts writes: ${reasons}`)
  return Object.assign(error, { code: refusal?.code ?? '08001', severity: 'FATAL' })
}

type Settings = Map<string, string>

function readSettings(client: pg.Client): Settings {
  const settings: Settings = new Map()
  const { connection } = client as unknown as Internals
  connection.on('parameterStatus', ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) =>
    settings.set(parameterName, parameterValue),
  )
  return settings
}

/** Null when the server, older than PostgreSQL 14 or behind a pooler, did not report it. */
function isTarget(settings: Settings, target: PostgresUrl['target']): boolean | null {
  const standby = settings.get('in_hot_standby')
  const readOnly = settings.get('default_transaction_read_only')
  if (target === 'any') return true
  if (standby === undefined || readOnly === undefined) return null
  return standby === 'off' && (target === 'primary' || readOnly === 'off')
}

async function assertTarget(client: pg.Client, settings: Settings, target: PostgresUrl['target']): Promise<void> {
  const known = isTarget(settings, target)
  const question =
    target === 'primary'
      ? 'SELECT pg_is_in_recovery() AS wrong'
      : `SELECT current_setting('transaction_read_only')::bool AS wrong`
  const isRight = known ?? !(await client.query<{ wrong: boolean }>(question)).rows[0]?.wrong
  if (!isRight) throw Object.assign(new Error(target === 'primary' ? 'a standby' : 'read-only'), { code: '25006' })
}
