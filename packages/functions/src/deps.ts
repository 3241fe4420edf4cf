import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import type { BlockList } from 'node:net'
import {
  AppError,
  createExpirySweep,
  createMailQueue,
  createPasswordHasher,
  createQuietAnswers,
  createRateLimiter,
  createSecretBox,
  createSecretResealer,
  createSessionCache,
  createSessionMisses,
  createSocialProviders,
  type Deps,
  type ExpirySweep,
  type HashCost,
  type Log,
  policy,
  type SecretResealer,
} from '@floorpass/api'
import { type ChangeChannel, isDatabaseUnavailable, openDatabase } from '@floorpass/db'
import { createOutbox, createSmtpTransport, type MailTransport } from '@floorpass/email'
import { type Config, ConfigError, describeLimits, loadConfig, readEnvironment } from '@floorpass/env'
import type { Redis } from 'ioredis'
import { destination, pino } from 'pino'
import { assertSameSecret, keptSecret, localSecret } from './auth-secret.ts'
import { takeBackup } from './backup/backup.ts'
import { serveBackups } from './backup/backup-socket.ts'
import { type Line, openLine } from './cluster/line.ts'
import { DatabaseNotReadyError } from './database-not-ready.ts'
import { trustedProxies } from './http/client-address.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { connectRedis } from './redis.ts'
import type { SmokeTimes } from './smoke-tests/check-exchanges.ts'
import type { SmokeParts } from './smoke-tests/smoke-tests.ts'
import type { OpenTracing } from './tracing/open-tracing.ts'
import { tracedDatabase, tracedPasswords, tracedSql, tracedTransport } from './tracing/traced-parts.ts'

type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>
type Outbox = ReturnType<typeof createOutbox>

/** A running service without its transport: hand it to `createEdge`. */
export type Service = {
  deps: Deps
  mode: Config['mode']
  host: string
  port: number
  /** Where local mode keeps its mails; null when they leave by SMTP. */
  outbox: Outbox | null
  trustedProxies: BlockList
  expirySweep: ExpirySweep
  secretResealer: SecretResealer
  /** Counters for whoever has `metricsToken`; both null when nobody has. */
  metrics: Metrics | null
  metricsToken: string | null
  /** Null unless an OpenTelemetry receiver is configured. */
  tracing: OpenTracing | null
  /** What this process asks and tells the one whose worker it is; null when it is alone. */
  primary: Line | null
  smokeTests: SmokeParts
  logFor(requestId: string): Log
  /** Rejects, within two seconds, while the service cannot do its work. */
  assertReady(): Promise<void>
  /** Whether it has said that it is about to end. */
  isDraining(): boolean
  /** Says that it is about to end: whoever balances sends its requests elsewhere. */
  drain(): void
  /** Ends background work and closes every connection. */
  stop(): Promise<void>
}

type Parts = {
  config: Config
  secrets: readonly string[]
  database: OpenDatabase
  transport: MailTransport
  outbox: Outbox | null
  redis: Redis | null
  log: Log & { child(fields: Record<string, unknown>): Log }
  primary?: Line | null
  metrics?: Metrics | null
  tracing?: OpenTracing | null
  keepSessions?: boolean
  hashCost?: HashCost
  quietFloorMs?: number
  smokeTimes?: SmokeTimes
}

/**
 * The one place where configuration turns into things: reads the environment, opens and migrates the database, starts the mail queue. `sessionCache: false` for
 * hosts that freeze a process between requests, such as AWS Lambda (ADR 012).
 */
export async function openService(source = readEnvironment(), { sessionCache = true } = {}): Promise<Service> {
  const config = loadConfig(source)
  const log = openLog(config)
  const primary = cluster.isWorker ? openLine(process) : null
  primary?.on('alive', () => true)
  if (isFirst()) for (const limit of describeLimits(config)) log.warn(limit)
  const outbox = config.mail.kind === 'outbox' ? createOutbox(config.mail) : null
  await outbox?.verify()
  const metrics = config.metricsToken === null ? null : createMetrics(primary)
  const onConnectionLost = (error: Error) => {
    metrics?.countLostConnection()
    log.warn({ reason: error.message }, 'a database connection was lost')
  }
  const database = await openDatabase(config.database, { onConnectionLost })
  let secrets: readonly string[]
  try {
    // Under the lock of the database: beside a restore no secret of another is made.
    secrets = config.authSecrets ?? [await localSecret(config.dataDir)]
    if (isFirst()) {
      const { applied } = await database.migrate()
      if (applied.length > 0) log.info({ applied }, 'the database was migrated')
    } else {
      // A worker that takes the place of another must start while the database is away.
      await assertMigrated(database).catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) throw error
      })
    }
  } catch (error) {
    await database.close()
    throw error
  }
  const transport = outbox ?? openTransport(config)
  const redis = config.redisUrl === null ? null : connectRedis(config.redisUrl, log)
  // Imported on demand: where nobody listens, none of it is loaded.
  const tracing = config.tracing && (await import('./tracing/open-tracing.ts')).openTracing(config.tracing)
  const keepSessions = sessionCache
  const parts = { config, secrets, database, transport, outbox, redis, log, primary, metrics, tracing, keepSessions }
  const service = composeService(parts)
  service.deps.mail.start()
  service.expirySweep.start()
  service.secretResealer.start()
  const { copyTo } = database
  if (!copyTo || config.database.kind !== 'embedded' || config.database.directory === null) return service
  const { directory } = config.database
  const opened = { directory, copyTo, secrets, isOwnSecret: config.authSecrets === null }
  const backups = await serveBackups(directory, () => takeBackup(opened), log)
  return {
    ...service,
    stop: async () => {
      await Promise.all([backups.close(), service.stop()])
    },
  }
}

/**
 * The same parts for an operator's command beside the service, or instead of it: the database must be there and migrated, nothing
 * runs in the background, and its log is of warnings, on standard error. What it seals the service must open: it makes no secret, and
 * takes none that did not seal the newest row, unless `secretIsNew`. ConfigError, DatabaseNotReadyError.
 */
export async function openForOperator(source = readEnvironment(), { secretIsNew = false } = {}): Promise<Service> {
  const config = loadConfig(source)
  const { database: options } = config
  if (options.kind === 'embedded' && !existsSync(options.directory)) {
    throw new DatabaseNotReadyError(
      `There is no database in ${options.directory}. Set DATA_DIR or DATABASE_URL as the service has it, or start the service once.`,
    )
  }
  // A shell that names the database and nothing else would mail links to this machine, sealed with a secret of its own. An embedded one
  // whose secret is named, and not kept beside it, may be deployed too.
  const named = options.kind === 'postgres' ? 'DATABASE_URL' : source.AUTH_SECRET?.trim() && 'AUTH_SECRET'
  const missing = (['BASE_URL', 'AUTH_SECRET'] as const).filter((variable) => !source[variable]?.trim())
  if (named && missing.length > 0) {
    const fix = 'Set it as the service has it; one on this machine has http://localhost:3000 by itself'
    throw new ConfigError(missing.map((variable) => ({ variable, what: `is missing beside ${named}`, fix })))
  }
  const secrets = config.authSecrets ?? [await keptSecret(config.dataDir)]
  const log = pino({ level: 'warn', base: null, serializers: { err: describeError } }, destination({ dest: 2, sync: true }))
  const database = await openDatabase(options)
  try {
    await assertMigrated(database)
    if (!secretIsNew) await assertSameSecret(database.db, secrets)
  } catch (error) {
    await database.close()
    throw error
  }
  return composeService({
    config,
    secrets,
    database,
    transport: openTransport(config),
    outbox: null,
    redis: null,
    log,
    metrics: null,
    keepSessions: false,
  })
}

async function assertMigrated({ hasPendingMigrations }: OpenDatabase): Promise<void> {
  if (!(await hasPendingMigrations())) return
  throw new DatabaseNotReadyError(
    'The database is older than this version. Start this version of the service once, or use the version that runs.',
  )
}

/** One process of a service does what is done once: it alone, or the first of its workers. */
export const isFirst = (): boolean => (cluster.worker?.id ?? 1) === 1

const openTransport = ({ mail, appName }: Config): MailTransport =>
  mail.kind === 'smtp' ? createSmtpTransport({ ...mail, appName }) : createOutbox(mail)

/** What a pipe takes whole (PIPE_BUF): longer writes of several workers would get into each other's lines. */
const wholeWrite = 4_096

const openLog = ({ logLevel }: Config) =>
  pino(
    { level: logLevel, base: null, serializers: { err: describeError } },
    destination({ sync: false, ...(cluster.isWorker && { maxWrite: wholeWrite }) }),
  )

/** Wires open parts together. Tests call it with parts of their own. */
export function composeService({
  config,
  secrets,
  database,
  transport,
  outbox,
  redis,
  log,
  primary = null,
  metrics = config.metricsToken === null ? null : createMetrics(primary),
  tracing = null,
  keepSessions = true,
  hashCost,
  quietFloorMs,
  smokeTimes = policy.smokeTests,
}: Parts): Service {
  const secretBox = createSecretBox(secrets)
  let draining = false
  const db = tracing ? tracedDatabase(database.db, tracing) : database.db
  const sql = tracing ? tracedSql(database.sql, tracing) : database.sql
  const passwords = createPasswordHasher(hashCost, { processes: primary ? config.webConcurrency : 1 })
  const expirySweep = createExpirySweep({ db: database.db, log, onSwept: (gone) => metrics?.countSwept(gone) })
  const secretResealer = createSecretResealer({ db: database.db, secretBox, log })
  const limiter = createRateLimiter({ enabled: config.rateLimit, redis, isWorker: primary !== null, log })
  const deps: Deps = {
    db,
    sql,
    passwords: tracing ? tracedPasswords(passwords, tracing) : passwords,
    limiter: metrics ? metrics.counting(limiter) : limiter,
    quiet: createQuietAnswers(quietFloorMs),
    secretBox,
    sessionCache: createSessionCache({ listen: keepSessions ? database.listen : unheard, log }),
    sessionMisses: createSessionMisses(config.rateLimit),
    providers: createSocialProviders(config.social, config.baseUrl),
    mail: createMailQueue({
      db: database.db,
      transport: tracing ? tracedTransport(transport, tracing) : transport,
      secretBox,
      log,
    }),
    settings: {
      appName: config.appName,
      baseUrl: config.baseUrl,
      trustedOrigins: config.trustedOrigins,
      cookie: config.cookie,
    },
    log,
    onError: (code) => metrics?.countError(code),
    tracing,
  }
  metrics?.watch(deps)
  const onSpansLost = (error: Error) => log.warn({ reason: error.message }, 'the last spans did not reach their receiver')
  return {
    deps,
    mode: config.mode,
    host: config.host,
    port: config.port,
    outbox,
    trustedProxies: trustedProxies(config.trustProxy),
    expirySweep,
    secretResealer,
    metrics,
    metricsToken: config.metricsToken,
    tracing,
    primary,
    smokeTests: { secret: config.ciTestSecret, exchanges: config.exchanges, transport, times: smokeTimes },
    logFor: (requestId) => log.child({ requestId }),
    isDraining: () => draining,
    assertReady: () => withinSeconds(2, database.ping),
    drain() {
      draining = true
    },
    async stop() {
      await Promise.all([deps.mail.stop(), expirySweep.stop(), secretResealer.stop(), deps.sessionCache.close()])
      transport.close()
      redis?.disconnect()
      // Side by side: a receiver that hangs must not keep the database from its end.
      await Promise.all([database.close(), tracing?.stop().catch(onSpansLost)])
    },
  }
}

/** SERVICE_UNAVAILABLE when the work takes longer. */
async function withinSeconds(seconds: number, work: () => Promise<void>): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1 })), seconds * 1000)
  await Promise.race([work(), tooLate]).finally(() => clearTimeout(timer))
}

/** A channel on which nothing is ever current: all is read from the database. */
const unheard = (): ChangeChannel => ({ isCurrent: () => false, settle: async () => {}, close: async () => {} })

/** Only what is known to hold no data: the driver's details of a database error quote whole rows. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error }
  const { name, message, stack, cause } = error
  const code = (error as NodeJS.ErrnoException).code
  return {
    name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  }
}
