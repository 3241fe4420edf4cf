import {
  AppError,
  type Brand,
  createChangeFeed,
  createEventFeed,
  createExpirySweep,
  createKeyCache,
  createKeyUses,
  createMailQueue,
  createPasswordHasher,
  createRareLog,
  createRateLimiter,
  createResponseFloor,
  createSecretBox,
  createSecretResealer,
  createServiceUses,
  createSessionCache,
  createSessionMisses,
  createSigningKeys,
  createSocialProviders,
  createSuspensionEnds,
  createWebhookQueue,
  type Deps,
  type ExpirySweep,
  type FindPlace,
  type HashCost,
  type Log,
  policy,
  type SecretResealer,
  type Settings,
  type SuspensionEnds,
} from '@floorpass/api'
import { hashToken } from '@floorpass/api/random-token'
import { type ChangeChannel, explainDatabaseFailure, type openDatabase, type ReadReplica, readPrimary } from '@floorpass/db'
import type { createOutbox, MailTransport } from '@floorpass/email'
import type { Config, SettingDescription } from '@floorpass/env'
import { type EdgeService, type SmokeTimes, trustedProxies } from '@floorpass/functions'
import type { Redis } from 'ioredis'
import type { WorkerChannel } from './cluster/worker-channel.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { closeRedis } from './redis.ts'
import type { OpenTracing } from './tracing/open-tracing.ts'
import { tracedDatabase, tracedPasswords, tracedSql, tracedTransport } from './tracing/traced-parts.ts'

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>
export type Outbox = ReturnType<typeof createOutbox>

export type Service = EdgeService & {
  mode: Config['mode']
  host: string
  port: number
  expirySweep: ExpirySweep
  secretResealer: SecretResealer
  suspensionEnds: SuspensionEnds
  metrics: Metrics | null
  tracing: OpenTracing | null
  primary: WorkerChannel | null
  drain(): void
  stop(): Promise<void>
}

type ServiceParts = {
  config: Config
  variables: readonly SettingDescription[]
  brand: Brand
  secrets: readonly string[]
  database: OpenDatabase
  transport: MailTransport
  outbox: Outbox | null
  redis: Redis | null
  replica?: ReadReplica
  log: Log & { child(fields: Record<string, unknown>): Log }
  primary?: WorkerChannel | null
  metrics?: Metrics | null
  tracing?: OpenTracing | null
  findPlace?: FindPlace
  cacheSessions?: boolean
  hashCost?: HashCost
  responseFloorMs?: number
  smokeTimes?: SmokeTimes
  /** Finds the addresses of a webhook's host. */
  resolveWebhookHost?: Parameters<typeof createWebhookQueue>[0]['resolve']
}

export function composeService({
  config,
  variables,
  brand,
  secrets,
  database,
  transport,
  outbox,
  redis,
  replica = readPrimary(database.db),
  log,
  primary = null,
  metrics = config.metricsToken === null ? null : createMetrics(primary),
  tracing = null,
  findPlace = () => null,
  cacheSessions = true,
  hashCost,
  responseFloorMs,
  smokeTimes = policy.smokeTests,
  resolveWebhookHost,
}: ServiceParts): Service {
  const secretBox = createSecretBox(secrets)
  let draining = false
  const db = tracing ? tracedDatabase(database.db, tracing) : database.db
  const sql = tracing ? tracedSql(database.sql, tracing) : database.sql
  const passwords = createPasswordHasher(hashCost, { processes: primary ? config.webConcurrency : 1 })
  const expirySweep = createExpirySweep({ db: database.db, log, onSwept: (rows) => metrics?.countSwept(rows) })
  const secretResealer = createSecretResealer({ db: database.db, secretBox, log })
  const limiter = createRateLimiter({ enabled: config.rateLimit, redis, isWorker: primary !== null, log })
  const changes = createChangeFeed({ listen: cacheSessions ? database.listen : createIdleChannel, log })
  const mail = createMailQueue({
    db: database.db,
    transport: tracing ? tracedTransport(transport, tracing) : transport,
    secretBox,
    log,
  })
  const settings: Settings = {
    appName: config.appName,
    supportUrl: config.supportUrl,
    brand,
    baseUrl: config.baseUrl,
    trustedOrigins: config.trustedOrigins,
    tokenAudiences: config.tokenAudiences,
    serviceKeyHashes: config.serviceKeys.map(hashToken),
    passkeys: config.passkeys,
    pictureOrigins: config.pictureOrigins,
    protection: config.protection,
    webhooks: { allowPrivate: config.webhookPrivateTargets },
    confirmationRules: config.confirmationRules,
    variables,
    administration: { approval: config.adminApproval },
    cookie: config.cookie,
  }
  const logRarely = createRareLog(log)
  const events = createEventFeed({ sql: database.sql, changes, logRarely })
  const deps: Deps = {
    db,
    sql,
    replica,
    passwords: tracing ? tracedPasswords(passwords, tracing) : passwords,
    limiter: metrics ? metrics.withRefusalCount(limiter) : limiter,
    responseFloor: createResponseFloor(responseFloorMs),
    secretBox,
    signingKeys: createSigningKeys({ db, secretBox, log }),
    changes,
    sessionCache: createSessionCache({ changes }),
    sessionMisses: createSessionMisses(config.rateLimit),
    serviceUses: createServiceUses({ db: database.db, log }),
    keyCache: createKeyCache(changes),
    keyUses: createKeyUses({ db: database.db, log }),
    providers: createSocialProviders(config.social, config.baseUrl),
    mail,
    events,
    webhooks: createWebhookQueue({
      db: database.db,
      sql: database.sql,
      events,
      mail,
      secretBox,
      settings,
      log,
      onAttempt: (outcome) => metrics?.countWebhookAttempt(outcome),
      ...(resolveWebhookHost && { resolve: resolveWebhookHost }),
    }),
    settings,
    findPlace,
    log,
    logRarely,
    onError: (code) => metrics?.countError(code),
    onServiceCall: (service, outcome) => metrics?.countServiceCall(service, outcome),
    tracing,
  }
  const suspensionEnds = createSuspensionEnds(deps)
  metrics?.register({ deps, outbox }, { poolState: database.poolState, redis })
  const onExportFailed = (error: Error) => log.warn({ reason: error.message }, 'trace export failed: last spans lost')
  return {
    deps,
    mode: config.mode,
    host: config.host,
    port: config.port,
    outbox,
    trustedProxies: trustedProxies(config.trustProxy),
    expirySweep,
    secretResealer,
    suspensionEnds,
    metrics,
    metricsToken: config.metricsToken,
    tracing,
    primary,
    smokeTests: { secret: config.ciTestSecret, exchanges: config.exchanges, transport, times: smokeTimes },
    logFor: (requestId) => log.child({ requestId }),
    isDraining: () => draining,
    assertReady: () => runWithin(2, database.ping).catch((error: unknown) => throwUnready(error, config.database.kind)),
    drain() {
      draining = true
      deps.events.stopReaders()
      // A delivery that begins now may not end in time.
      void deps.webhooks.stop().catch((err) => log.error({ err }, 'webhook queue not stopped'))
    },
    async stop() {
      const writers = [
        deps.webhooks,
        deps.mail,
        deps.events,
        expirySweep,
        secretResealer,
        suspensionEnds,
        deps.serviceUses,
        deps.keyUses,
      ]
      const stopped = await Promise.allSettled([...writers.map((writer) => writer.stop()), changes.close()])
      transport.close()
      if (redis) closeRedis(redis)
      // In parallel: a hanging trace receiver must not delay the close of the database.
      const closed = await Promise.allSettled([database.close(), replica.close(), tracing?.stop().catch(onExportFailed)])
      const failed = [...stopped, ...closed].find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

async function runWithin(seconds: number, work: () => Promise<void>): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`timeout: the database did not answer within ${seconds} s`)), seconds * 1000)
  await Promise.race([work(), timeout]).finally(() => clearTimeout(timer))
}

function throwUnready(error: unknown, kind: Config['database']['kind']): never {
  const failure = explainDatabaseFailure(error, kind)
  if (!failure) throw error
  const cause = new Error(`${failure.reason}. ${failure.fix}`, { cause: error })
  throw new AppError('SERVICE_UNAVAILABLE', { retryAfter: 1, cause })
}

const createIdleChannel = (): ChangeChannel => ({ isCurrent: () => false, flush: async () => {}, close: async () => {} })
