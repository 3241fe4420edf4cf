import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import type { BlockList } from 'node:net'
import { join } from 'node:path'
import {
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
import { type ChangeChannel, openDatabase } from '@floorpass/db'
import { createOutbox, createSmtpTransport, type MailTransport } from '@floorpass/email'
import { type Config, describeLimits, loadConfig, readEnvironment } from '@floorpass/env'
import { Redis } from 'ioredis'
import { destination, pino } from 'pino'
import { trustedProxies } from './http/client-address.ts'
import type { SmokeTimes } from './smoke-tests/check-exchanges.ts'
import type { SmokeParts } from './smoke-tests/smoke-tests.ts'

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
  smokeTests: SmokeParts
  logFor(requestId: string): Log
  /** Rejects while the service cannot do its work. */
  assertReady(): Promise<void>
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
  const log = pino({ level: config.logLevel, base: null, serializers: { err: describeError } }, destination({ sync: false }))
  for (const limit of describeLimits(config)) log.warn(limit)
  const outbox = config.mail.kind === 'outbox' ? createOutbox(config.mail) : null
  await outbox?.verify()
  const secrets = config.authSecrets ?? [await localSecret(config.dataDir)]
  const onConnectionLost = (error: Error) => log.warn({ reason: error.message }, 'a database connection was lost')
  const database = await openDatabase(config.database, { onConnectionLost })
  try {
    const { applied } = await database.migrate()
    if (applied.length > 0) log.info({ applied }, 'the database was migrated')
  } catch (error) {
    await database.close()
    throw error
  }
  const transport = config.mail.kind === 'smtp' ? createSmtpTransport({ ...config.mail, appName: config.appName }) : outbox
  const redis = config.redisUrl === null ? null : connectRedis(config.redisUrl, log)
  const service = composeService({
    config,
    secrets,
    database,
    transport: transport as MailTransport,
    outbox,
    redis,
    log,
    keepSessions: sessionCache,
  })
  service.deps.mail.start()
  service.expirySweep.start()
  return service
}

/** Wires open parts together. Tests call it with parts of their own. */
export function composeService({
  config,
  secrets,
  database,
  transport,
  outbox,
  redis,
  log,
  keepSessions = true,
  hashCost,
  quietFloorMs,
  smokeTimes = policy.smokeTests,
}: Parts): Service {
  const secretBox = createSecretBox(secrets)
  const expirySweep = createExpirySweep({ db: database.db, log })
  const deps: Deps = {
    db: database.db,
    passwords: createPasswordHasher(hashCost),
    limiter: createRateLimiter({ enabled: config.rateLimit, redis }),
    quiet: createQuietAnswers(quietFloorMs),
    secretBox,
    sessionCache: createSessionCache({ listen: keepSessions ? database.listen : unheard, log }),
    providers: createSocialProviders(config.social, config.baseUrl),
    mail: createMailQueue({ db: database.db, transport, secretBox, log }),
    settings: {
      appName: config.appName,
      baseUrl: config.baseUrl,
      trustedOrigins: config.trustedOrigins,
      cookie: config.cookie,
    },
    log,
  }
  return {
    deps,
    mode: config.mode,
    host: config.host,
    port: config.port,
    outbox,
    trustedProxies: trustedProxies(config.trustProxy),
    expirySweep,
    smokeTests: { secret: config.ciTestSecret, exchanges: config.exchanges, transport, times: smokeTimes },
    logFor: (requestId) => log.child({ requestId }),
    assertReady: () => database.ping(),
    async stop() {
      await Promise.all([deps.mail.stop(), expirySweep.stop(), deps.sessionCache.close()])
      transport.close()
      redis?.disconnect()
      await database.close()
    },
  }
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

function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1 })
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

/** Local mode's AUTH_SECRET: made once, kept beside the data it protects. */
async function localSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'auth-secret')
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
