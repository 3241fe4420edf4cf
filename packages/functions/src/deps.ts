import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import type { BlockList } from 'node:net'
import { join } from 'node:path'
import {
  AppError,
  createExpirySweep,
  createMailQueue,
  createPasswordHasher,
  createQuietAnswers,
  createRateLimiter,
  createSecretBox,
  createSessionCache,
  createSocialProviders,
  type Deps,
  type ExpirySweep,
  type HashCost,
  type Log,
  policy,
} from '@floorpass/api'
import { type ChangeChannel, type Database, openDatabase } from '@floorpass/db'
import { createOutbox, createSmtpTransport, type MailTransport } from '@floorpass/email'
import { type Config, ConfigError, describeLimits, loadConfig, readEnvironment } from '@floorpass/env'
import { Redis } from 'ioredis'
import { destination, pino } from 'pino'
import { serveDumps } from './backup/dump-socket.ts'
import { trustedProxies } from './http/client-address.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import type { SmokeTimes } from './smoke-tests/check-exchanges.ts'
import type { SmokeParts } from './smoke-tests/smoke-tests.ts'
import type { OpenTracing } from './tracing/open-tracing.ts'
import { tracedDatabase, tracedPasswords, tracedTransport } from './tracing/traced-parts.ts'

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
  /** Counters for whoever has `metricsToken`; both null when nobody has. */
  metrics: Metrics | null
  metricsToken: string | null
  /** Null unless an OpenTelemetry receiver is configured. */
  tracing: OpenTracing | null
  smokeTests: SmokeParts
  logFor(requestId: string): Log
  /** Rejects, within two seconds, while the service cannot do its work, and from `drain` on. */
  assertReady(): Promise<void>
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
  for (const limit of describeLimits(config)) log.warn(limit)
  const outbox = config.mail.kind === 'outbox' ? createOutbox(config.mail) : null
  await outbox?.verify()
  const secrets = config.authSecrets ?? [await localSecret(config.dataDir)]
  const metrics = config.metricsToken === null ? null : createMetrics()
  const onConnectionLost = (error: Error) => {
    metrics?.countLostConnection()
    log.warn({ reason: error.message }, 'a database connection was lost')
  }
  const database = await openDatabase(config.database, { onConnectionLost })
  try {
    const { applied } = await database.migrate()
    if (applied.length > 0) log.info({ applied }, 'the database was migrated')
  } catch (error) {
    await database.close()
    throw error
  }
  const transport = outbox ?? openTransport(config)
  const redis = config.redisUrl === null ? null : connectRedis(config.redisUrl, log)
  // Imported on demand: where nobody listens, none of it is loaded.
  const tracing = config.tracing && (await import('./tracing/open-tracing.ts')).openTracing(config.tracing)
  const keepSessions = sessionCache
  const service = composeService({ config, secrets, database, transport, outbox, redis, log, metrics, tracing, keepSessions })
  service.deps.mail.start()
  service.expirySweep.start()
  if (!database.dump) return service
  const dumps = await serveDumps(config.dataDir, database.dump, log)
  return {
    ...service,
    stop: async () => {
      await Promise.all([dumps.close(), service.stop()])
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
  // A shell that names the database and nothing else would mail links to this machine, sealed with a secret of its own.
  const missing = (['BASE_URL', 'AUTH_SECRET'] as const).filter((variable) => !source[variable]?.trim())
  if (options.kind === 'postgres' && missing.length > 0) {
    const fix = 'Set it as the service has it'
    throw new ConfigError(missing.map((variable) => ({ variable, what: 'is missing beside DATABASE_URL', fix })))
  }
  const secrets = config.authSecrets ?? [await keptSecret(config.dataDir)]
  const log = pino({ level: 'warn', base: null, serializers: { err: describeError } }, destination({ dest: 2, sync: true }))
  const database = await openDatabase(options)
  try {
    if (await database.hasPendingMigrations()) {
      throw new DatabaseNotReadyError(
        'The database is older than this version. Start this version of the service once, or use the version that runs.',
      )
    }
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

/** The one that the service made, which stays its own work. */
async function keptSecret(dataDir: string): Promise<string> {
  const file = localSecretFile(dataDir)
  if (existsSync(file)) return localSecret(dataDir)
  throw new DatabaseNotReadyError(
    `There is no secret in ${file}. Set AUTH_SECRET as the service has it, or start the service once.`,
  )
}

/** The newest of what is sealed tells which secret the service has. */
async function assertSameSecret(db: Database, secrets: readonly string[]): Promise<void> {
  const newest = { orderBy: { createdAt: 'desc' } } as const
  const [mail, link, factor] = await db.$transaction([
    db.queuedMail.findFirst(newest),
    db.verification.findFirst({ where: { payloadSealed: { not: null } }, ...newest }),
    db.twoFactor.findFirst(newest),
  ])
  const [last] = [
    { at: mail?.createdAt, sealed: mail?.mailSealed },
    { at: link?.createdAt, sealed: link?.payloadSealed },
    { at: factor?.createdAt, sealed: factor?.secretSealed },
  ].sort((one, other) => Number(other.at ?? 0) - Number(one.at ?? 0))
  if (!last?.sealed) return
  try {
    createSecretBox(secrets).open(last.sealed)
  } catch {
    throw new DatabaseNotReadyError(
      'What the service sealed last cannot be opened: AUTH_SECRET is another one. Set it as the service has it. If it was changed a moment ago, and nothing was sealed since, add --secret-is-new.',
    )
  }
}

/** The database is not one that this version can work on. The message says what to do. */
export class DatabaseNotReadyError extends Error {
  override name = 'DatabaseNotReadyError'
}

const openTransport = ({ mail, appName }: Config): MailTransport =>
  mail.kind === 'smtp' ? createSmtpTransport({ ...mail, appName }) : createOutbox(mail)

const openLog = ({ logLevel }: Config) =>
  pino({ level: logLevel, base: null, serializers: { err: describeError } }, destination({ sync: false }))

/** Wires open parts together. Tests call it with parts of their own. */
export function composeService({
  config,
  secrets,
  database,
  transport,
  outbox,
  redis,
  log,
  metrics = config.metricsToken === null ? null : createMetrics(),
  tracing = null,
  keepSessions = true,
  hashCost,
  quietFloorMs,
  smokeTimes = policy.smokeTests,
}: Parts): Service {
  const secretBox = createSecretBox(secrets)
  let draining = false
  const db = tracing ? tracedDatabase(database.db, tracing) : database.db
  const passwords = createPasswordHasher(hashCost)
  const expirySweep = createExpirySweep({ db: database.db, log, onSwept: (gone) => metrics?.countSwept(gone) })
  const limiter = createRateLimiter({ enabled: config.rateLimit, redis })
  const deps: Deps = {
    db,
    passwords: tracing ? tracedPasswords(passwords, tracing) : passwords,
    limiter: metrics ? metrics.counting(limiter) : limiter,
    quiet: createQuietAnswers(quietFloorMs),
    secretBox,
    sessionCache: createSessionCache({ listen: keepSessions ? database.listen : unheard, log }),
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
    metrics,
    metricsToken: config.metricsToken,
    tracing,
    smokeTests: { secret: config.ciTestSecret, exchanges: config.exchanges, transport, times: smokeTimes },
    logFor: (requestId) => log.child({ requestId }),
    async assertReady() {
      if (draining) throw new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1 })
      await withinSeconds(2, database.ping)
    },
    drain() {
      draining = true
    },
    async stop() {
      await Promise.all([deps.mail.stop(), expirySweep.stop(), deps.sessionCache.close()])
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

const redisPatienceMs = 1_000

function connectRedis(url: string, log: Log): Redis {
  // A Redis that is frozen or unreachable holds its connection open and answers nothing: a limit must not wait for it.
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: redisPatienceMs,
    socketTimeout: redisPatienceMs,
  })
  let down = false
  redis.on('error', (error: Error) => {
    if (!down) log.warn({ reason: error.message }, 'Redis is away: limits are counted in this process until it is back')
    down = true
  })
  redis.on('ready', () => {
    if (down) log.info({}, 'Redis is back')
    down = false
  })
  return redis
}

/** The kept secret cannot be used. The message says what to do. */
export class LocalSecretError extends Error {
  override name = 'LocalSecretError'
}

const localSecretFile = (dataDir: string): string => join(dataDir, 'auth-secret')

/** Local mode's AUTH_SECRET: made once, kept beside the data it protects. */
async function localSecret(dataDir: string): Promise<string> {
  const file = localSecretFile(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  // link() fails when the file exists: two first starts agree on one secret, and none is ever half written.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  await chmod(file, 0o600)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length >= 43) return secret
  throw new LocalSecretError(
    `The secret in ${file} is empty or cut off, so what it sealed cannot be opened. Restore the file from a backup, or delete it to start with a new one: mails that wait and links that are out are lost then.`,
  )
}
