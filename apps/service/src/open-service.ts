import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { isDatabaseUnavailable, openDatabase } from '@floorpass/db'
import { createOutbox, createSmtpTransport, type MailTransport } from '@floorpass/email'
import { type Config, ConfigError, describeLimits, loadConfig, readEnvironment } from '@floorpass/env'
import { destination, pino } from 'pino'
import { assertSameSecret, keptSecret, localSecret } from './auth-secret.ts'
import { takeBackup } from './backup/backup.ts'
import { serveBackups } from './backup/backup-socket.ts'
import { openWorkerChannel } from './cluster/worker-channel.ts'
import { composeService, type OpenDatabase, type Service } from './compose-service.ts'
import { DatabaseNotReadyError } from './database-not-ready.ts'
import { describeError } from './describe-error.ts'
import { createMetrics } from './metrics/metrics.ts'
import { connectRedis } from './redis.ts'

/**
 * The one place where configuration turns into things: reads the environment, opens and migrates the database, starts the mail queue. `sessionCache: false` for
 * hosts that freeze a process between requests, such as AWS Lambda (ADR 012).
 */
export async function openService(source = readEnvironment(), { sessionCache = true } = {}): Promise<Service> {
  const config = loadConfig(source)
  const log = openLog(config)
  const primary = cluster.isWorker ? openWorkerChannel(process) : null
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
