import cluster from 'node:cluster'
import { existsSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, describePending, isDatabaseUnavailable, openDatabase, openDataDir, openReadReplica } from '@floorpass/db'
import { createOutbox, createSmtpTransport, type MailTransport } from '@floorpass/email'
import {
  type Config,
  ConfigError,
  describeLimits,
  describeSettings,
  loadConfig,
  loadDatabaseConfig,
  readEnvironment,
} from '@floorpass/env'
import { destination, type Logger, pino } from 'pino'
import { serveCommands } from './admin-socket.ts'
import { assertSameSecret, localSecret, requireLocalSecret } from './auth-secret.ts'
import { type BackupSource, takeBackup } from './backup/backup.ts'
import { serveBackups } from './backup/backup-socket.ts'
import { openBrand } from './brand/open-brand.ts'
import { openWorkerChannel } from './cluster/worker-channel.ts'
import { composeService, type OpenDatabase, type Service } from './compose-service.ts'
import { DatabaseNotReadyError } from './database-not-ready.ts'
import { describeError } from './describe-error.ts'
import { createMetrics } from './metrics/metrics.ts'
import { assertRedisAccepts, closeRedis, connectRedis } from './redis.ts'

/** Opens the service from the environment: migrates the database and starts the mail queue. ConfigError, DatabaseNotReadyError.
 * `sessionCache: false`: for hosts that freeze a process between requests, such as AWS Lambda (ADR 012). */
export async function openService(source = readEnvironment(), { sessionCache = true } = {}): Promise<Service> {
  const config = loadConfig(source)
  const log = openLog(config)
  const primary = cluster.isWorker ? openWorkerChannel(process) : null
  primary?.on('alive', () => true)
  if (isFirst()) for (const limit of describeLimits(config)) log.warn(limit)
  if (usesDataDir(config)) await openDataDir(config.dataDir)
  const brand = await openBrand(config.brand)
  const findPlace = config.placeDatabase === null ? null : await (await import('./places.ts')).openPlaces(config.placeDatabase)
  const outbox = config.mail.kind === 'outbox' ? createOutbox(config.mail) : null
  await outbox?.verify()
  const metrics = config.metricsToken === null ? null : createMetrics(primary)
  const onConnectionLost = (error: Error) => {
    metrics?.countLostConnection()
    log.warn({ reason: error.message }, 'database connection lost')
  }
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await openDatabase(config.database, { onConnectionLost }), ({ close }) => close())
  const redis = config.redis === null ? null : opened.adopt(connectRedis(config.redis, log), closeRedis)
  // A replacement worker must be able to start while Redis refuses.
  if (redis && isFirst()) await assertRedisAccepts(redis)
  // Holds the database lock, so that no secret is created during a restore.
  const secrets = config.authSecrets ?? [await localSecret(config.dataDir)]
  await prepareSchema(database, config, log)
  const transport = outbox ?? openTransport(config)
  const tracing = config.tracing && (await import('./tracing/open-tracing.ts')).openTracing(config.tracing)
  const replica = opened.adopt(await openReplica(config, database.db, log), ({ close }) => close())
  const variables = describeSettings(source, config)
  const parts = { config, variables, brand, secrets, database, transport, outbox, redis, replica, log, primary, metrics, tracing }
  const service = composeService({ ...parts, ...(findPlace && { findPlace }), cacheSessions: sessionCache })
  service.deps.mail.start()
  service.deps.events.start()
  service.deps.webhooks.start()
  service.deps.serviceUses.start()
  service.deps.keyUses.start()
  service.expirySweep.start()
  service.secretResealer.start()
  service.suspensionEnds.start()
  opened.move()
  if (config.database.kind !== 'embedded' || config.database.directory === null) return service
  const { directory } = config.database
  const sockets = await serveSockets(service, database, { directory, secrets, isOwnSecret: config.authSecrets === null })
  return {
    ...service,
    stop: async () => {
      // A command that works long must not keep the database from closing.
      await Promise.race([sockets.close(), delay(longestCommand)])
      await service.stop()
    },
  }
}

async function prepareSchema(database: OpenDatabase, { migrateOnStart }: Config, log: Logger): Promise<void> {
  if (isFirst() && migrateOnStart) {
    const { applied } = await database.migrate()
    if (applied.length > 0) log.info({ applied }, 'database migrated')
  } else if (isFirst()) {
    await assertMigrated(
      database,
      'With MIGRATE_ON_START=false a start applies none: run `npm run admin -- migrate`, then start again.',
    )
  } else {
    // A replacement worker must be able to start while the database is down.
    await assertMigrated(database, startOnce).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error
    })
  }
}

/** Milliseconds that a command or backup may still take when the service stops. */
const longestCommand = 500

/** Only this process can open the embedded database, so it serves the command line and the backups. */
async function serveSockets(
  { deps }: Service,
  database: OpenDatabase,
  source: Omit<BackupSource, 'copyTo'>,
): Promise<{ close(): Promise<void> }> {
  const copyTo = database.copyTo ?? (() => Promise.reject(new Error('this database cannot be copied')))
  const stayOpen = async () => {}
  const [backups, commands] = await Promise.all([
    serveBackups(source.directory, () => takeBackup({ ...source, copyTo }), deps.log),
    serveCommands(
      source.directory,
      {
        open: async () => ({ deps, isServing: true, stop: stayOpen }),
        openDatabase: async () => ({ ...database, close: stayOpen }),
      },
      deps.log,
    ),
  ])
  return { close: async () => void (await Promise.all([backups.close(), commands.close()])) }
}

/** The folder of the embedded database. Null on PostgreSQL or with wrong settings: opening the service reports those. */
export function findEmbeddedDirectory(source = readEnvironment()): string | null {
  try {
    const { database } = loadDatabaseConfig(source)
    return database.kind === 'embedded' ? database.directory : null
  } catch {
    return null
  }
}

/** Opens only the database, which may be empty, for the command that migrates it. Needs no setting but DATABASE_URL or DATA_DIR. */
export async function openForMigration(source = readEnvironment(), { planOnly = false } = {}): Promise<OpenDatabase> {
  const { database } = loadDatabaseConfig(source)
  const isMissing = database.kind === 'embedded' && !existsSync(database.directory)
  if (database.kind === 'embedded' && !isMissing) assertOwner(database.directory)
  return openDatabase(isMissing && planOnly ? { kind: 'embedded', directory: null } : database)
}

/** Opens the service for an operator's command: without background work, on an existing and migrated database, with the secret that
 * sealed the newest row, unless `secretIsNew`. Logs warnings to standard error. ConfigError, DatabaseNotReadyError. */
export async function openForOperator(source = readEnvironment(), { secretIsNew = false } = {}): Promise<Service> {
  const config = loadConfig(source)
  const { database: options } = config
  if (options.kind === 'embedded' && !existsSync(options.directory)) {
    throw new DatabaseNotReadyError(
      `There is no database in ${options.directory}. Set DATA_DIR or DATABASE_URL to the value of the service, or start the service once.`,
    )
  }
  if (options.kind === 'embedded') assertOwner(options.directory)
  // With defaults for BASE_URL and AUTH_SECRET, the command would email links to localhost and seal data that the service cannot open.
  const setVariable = options.kind === 'postgres' ? 'DATABASE_URL' : source.AUTH_SECRET?.trim() && 'AUTH_SECRET'
  const missing = (['BASE_URL', 'AUTH_SECRET'] as const).filter((variable) => !source[variable]?.trim())
  if (setVariable && missing.length > 0) {
    const fix = 'Set it to the value of the service; a local service has BASE_URL=http://localhost:3000'
    throw new ConfigError(missing.map((variable) => ({ variable, what: `must be set if ${setVariable} is`, fix })))
  }
  const brand = await openBrand(config.brand)
  const secrets = config.authSecrets ?? [await requireLocalSecret(config.dataDir)]
  const log = pino({ level: 'warn', base: null, serializers: { err: describeError } }, destination({ dest: 2, sync: true }))
  const database = await openDatabase(options)
  try {
    await assertMigrated(database, startOnce)
    if (!secretIsNew) await assertSameSecret(database.db, secrets)
  } catch (error) {
    await database.close()
    throw error
  }
  return composeService({
    config,
    variables: describeSettings(source, config),
    brand,
    secrets,
    database,
    transport: openTransport(config),
    outbox: null,
    redis: null,
    replica: await openReplica(config, database.db, log),
    log,
    metrics: null,
    cacheSessions: false,
  })
}

/** Files that root writes in the database of another user would keep that user's service from starting. DatabaseNotReadyError. */
function assertOwner(directory: string): void {
  const { uid } = statSync(directory)
  if (process.getuid?.() !== 0 || uid === 0) return
  throw new DatabaseNotReadyError(
    `The database in ${directory} belongs to user ${uid}, and you are root. Run the command as that user: sudo -u '#${uid}' -E <command>.`,
  )
}

const startOnce = 'Start this version of the service once, or run `npm run admin -- migrate`.'

async function assertMigrated({ findPendingMigrations }: OpenDatabase, fix: string): Promise<void> {
  const { isNew, pending } = await findPendingMigrations()
  if (isNew) throw new DatabaseNotReadyError(`The database is empty: no migration was applied yet. ${fix}`)
  if (pending.length === 0) return
  const names = describePending(pending.map(({ name }) => name))
  throw new DatabaseNotReadyError(`The database schema is older than this version: ${names}. ${fix}`)
}

/** Whether this process does one-time work: it is the only process or the first worker. */
export const isFirst = (): boolean => (cluster.worker?.id ?? 1) === 1

const usesDataDir = ({ authSecrets, database, mail }: Config): boolean =>
  authSecrets === null || database.kind === 'embedded' || mail.kind === 'outbox'

const openTransport = ({ mail, appName }: Config): MailTransport =>
  mail.kind === 'smtp' ? createSmtpTransport({ ...mail, appName }) : createOutbox(mail)

const openReplica = ({ replicaUrl }: Config, db: Database, log: Logger) =>
  openReadReplica(db, replicaUrl, (reason) => log.warn({ reason }, 'read replica unused: reading the primary'))

const maxAtomicWrite = 4_096

const openLog = ({ logLevel }: Config) =>
  pino(
    { level: logLevel, base: null, serializers: { err: describeError } },
    destination({ sync: false, ...(cluster.isWorker && { maxWrite: maxAtomicWrite }) }),
  )
