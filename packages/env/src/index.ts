import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { isIP, isIPv4 } from 'node:net'
import { join, resolve } from 'node:path'
import { getDomain } from 'tldts'
import type { z } from 'zod'
import { repositoryRoot } from './repository-root.ts'
import { type ConfirmationRule, type HoldHours, schema } from './schema.ts'

export { describeSettings, type SettingDescription, type SettingSource } from './describe-settings.ts'
export type { ConfirmationRule, HoldHours } from './schema.ts'

export type Variable = keyof typeof schema.shape

/** A wrong environment variable and how to fix it. Never contains the value, which may be a secret. */
export type Problem = { variable: string; what: string; fix: string }

/** The validated configuration. No other code reads the environment. */
export type Config = {
  mode: 'local' | 'deployed'
  host: string
  port: number
  /** The public origin, without a trailing slash. */
  baseUrl: string
  appName: string
  /** Where users get help. */
  supportUrl: string | null
  brand: {
    /** Paths. */
    logo: string | null
    favicon: string | null
    /** `#rrggbb`, by the theme of a page. */
    accent: { light: string; dark: string } | null
    termsUrl: string | null
    privacyUrl: string | null
    /** Lines of plain text. */
    mailFooter: string[]
  }
  /** The first secret seals, and each one can open. Null only in local mode, where the caller generates one in `dataDir`. */
  authSecrets: string[] | null
  database: { kind: 'embedded'; directory: string } | { kind: 'postgres'; url: string }
  migrateOnStart: boolean
  /** A standby for reads that may be seconds old. */
  replicaUrl: string | null
  dataDir: string
  /** With `sentinels`, the host of `url` is the name of the primary that they watch. */
  redis: { url: string; sentinels: string[] } | null
  mail: { kind: 'smtp'; url: string; from: string } | { kind: 'outbox'; directory: string; from: string }
  trustedOrigins: string[]
  /** The resources for which access tokens are signed. BASE_URL comes first. */
  tokenAudiences: string[]
  /** Address ranges (`10.0.0.0/8`, `::1/128`) whose X-Forwarded-* headers are trusted. */
  trustProxy: string[]
  /** `domain`: every host below it gets the session cookie. Null for the host of BASE_URL alone. */
  cookie: { secure: boolean; sameSite: 'lax' | 'none'; domain: string | null }
  /** The relying party of passkeys and the pages that may use them. Null where browsers offer none: BASE_URL names an IP address. */
  passkeys: { rpId: string; origins: string[] } | null
  social: {
    google: { clientId: string; clientSecret: string; issuer: string } | null
    github: { clientId: string; clientSecret: string; url: string; apiUrl: string } | null
  }
  /** From where the service may load a provider's picture. */
  pictureOrigins: string[]
  protection: {
    /** How long each reason holds withdrawals. */
    holdHours: HoldHours
    /** Days that a user may choose between the request to unlock and the unlocking. */
    lockDays: { least: number; most: number }
    /** Hours until a new entry of an allow-list counts, and until a switched-off list is off. */
    allowListHours: number
  }
  /** What a confirmation needs, by type and amount. */
  confirmationRules: ConfirmationRule[]
  /** A file in MaxMind's format that knows where networks are. */
  placeDatabase: string | null
  rateLimit: boolean
  webConcurrency: number
  exchanges: { id: string; baseUrl: string | null }[]
  ciTestSecret: string | null
  /** The token for /metrics. Null closes /metrics. */
  metricsToken: string | null
  /** Secrets that let other services call every service route. */
  serviceKeys: string[]
  /** Whether roles, restores, removals and lost second factors need two administrators. `auto`: while there are two. */
  adminApproval: 'auto' | 'always' | 'never'
  /** Whether webhooks may lead to private addresses, and by http. */
  webhookPrivateTargets: boolean
  monitor: { apiKey: string; accountId: string; apiUrl: string } | null
  tracing: { endpoint: string; headers: Record<string, string>; serviceName: string; ratio: number } | null
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
}

export const variables = Object.keys(schema.shape) as Variable[]

/** The environment is invalid. `message` is ready to print: one line per problem, never a value. */
export class ConfigError extends Error {
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    const lines = problems.map(({ variable, what, fix }) => `  ${variable} ${what}. ${fix}.`)
    super(
      `Floorpass cannot start: ${problems.length === 1 ? 'one setting is' : `${problems.length} settings are`} wrong.\n${lines.join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Builds the configuration from environment variables. Throws a ConfigError that lists every problem. */
export function loadConfig(source: Record<string, string | undefined>, root = repositoryRoot()): Config {
  const { env, problems } = readVariables(source)
  const report = (variable: Variable, what: string, fix = schema.shape[variable].description ?? '') => {
    if (!problems.some((problem) => problem.variable === variable)) problems.push({ variable, what, fix })
  }

  // An invalid BASE_URL still decides the mode, so that the other problems of the mode are listed too.
  const named = env.BASE_URL ?? source.BASE_URL?.trim()
  const publicHost = named ? (URL.parse(named.includes('://') ? named : `http://${named}`)?.hostname ?? '') : 'localhost'
  const mode = isLoopback(publicHost) ? 'local' : 'deployed'
  const baseUrl = env.BASE_URL ?? new URL(`http://localhost:${env.PORT}`).origin
  const secure = baseUrl.startsWith('https:')

  if (mode === 'deployed') {
    if (!env.AUTH_SECRET) report('AUTH_SECRET', 'is missing')
    if (!secure) report('BASE_URL', 'must start with https:// on a host other than this machine')
    if (!env.SMTP_URL) report('SMTP_URL', 'is missing: users could not verify their email or reset a password')
    if (env.RATE_LIMIT === 'off') report('RATE_LIMIT', 'must not be off when other machines can reach the service')
    if (env.PORT === 0) report('PORT', 'must not be 0 when other machines must reach the service')
    for (const name of ['GOOGLE_ISSUER', 'GITHUB_URL', 'GITHUB_API_URL'] as const) {
      const { protocol, hostname } = new URL(env[name])
      if (protocol === 'http:' && !isLoopback(hostname)) report(name, 'must use https://: identities are asserted over it')
    }
    for (const origin of env.TRUSTED_ORIGINS ?? []) {
      if (origin.startsWith('http:') && !isLoopback(new URL(origin).hostname)) report('TRUSTED_ORIGINS', 'must use https:// only')
    }
  } else if (!isLoopback(env.HOST)) {
    report(
      'BASE_URL',
      'names this machine only, but HOST accepts connections from other machines',
      'Set BASE_URL to the public https origin, or unset HOST',
    )
  }
  if (env.PORT === 0 && !named) report('BASE_URL', 'is needed when PORT is 0', 'Set BASE_URL, or set a fixed PORT')
  if (env.COOKIE_SAMESITE === 'none' && !secure) {
    report('COOKIE_SAMESITE', 'cannot be none without https', 'Set COOKIE_SAMESITE=lax, or an https BASE_URL')
  }
  if (env.COOKIE_DOMAIN !== undefined && !secure) {
    report('COOKIE_DOMAIN', 'cannot be used without https', 'Unset COOKIE_DOMAIN, or set an https BASE_URL')
  }
  if (env.COOKIE_DOMAIN !== undefined && publicHost !== env.COOKIE_DOMAIN && !publicHost.endsWith(`.${env.COOKIE_DOMAIN}`)) {
    report('COOKIE_DOMAIN', 'must be the host of BASE_URL or a domain above it')
  }
  const rpId = env.PASSKEY_RP_ID ?? publicHost
  if (rpId !== publicHost && (!publicHost.endsWith(`.${rpId}`) || getDomain(rpId, { allowPrivateDomains: true }) === null)) {
    report('PASSKEY_RP_ID', 'must be the host of BASE_URL or a domain above it that can be registered, unlike co.uk')
  }
  for (const [name, other] of [
    ['BRAND_ACCENT', 'BRAND_ACCENT_DARK'],
    ['BRAND_ACCENT_DARK', 'BRAND_ACCENT'],
  ] as const) {
    if (env[name] === undefined && env[other] !== undefined) report(name, `is missing: ${other} is the colour of one theme only`)
  }
  if (env.WEB_CONCURRENCY > 1 && !source.DATABASE_URL?.trim()) {
    report(
      'WEB_CONCURRENCY',
      'must be 1 with the embedded database',
      'Set DATABASE_URL to a PostgreSQL database, or unset WEB_CONCURRENCY',
    )
  }
  if (env.DATABASE_REPLICA_URL !== undefined && !source.DATABASE_URL?.trim()) {
    report('DATABASE_URL', 'is missing: DATABASE_REPLICA_URL names its standby')
  }
  if (env.REDIS_SENTINELS !== undefined && env.REDIS_URL === undefined) {
    report('REDIS_URL', 'is missing: it names the primary that REDIS_SENTINELS watch', 'Set REDIS_URL=redis://<its name>')
  }
  if (problems.length > 0) throw new ConfigError(problems)

  const trustedOrigins = [...new Set([baseUrl, ...(env.TRUSTED_ORIGINS ?? (mode === 'local' ? loopbackOrigins(baseUrl) : []))])]
  const { database, dataDir } = locateDatabase(env, root)
  const path = (name: string | undefined) => (name === undefined ? null : resolve(root, name))
  const from = env.MAIL_FROM ?? `no-reply@${isIP(publicHost) || publicHost.startsWith('[') ? 'localhost' : publicHost}`
  return {
    mode,
    host: env.HOST,
    port: env.PORT,
    baseUrl,
    appName: env.APP_NAME,
    supportUrl: env.SUPPORT_URL ?? null,
    brand: {
      logo: path(env.BRAND_LOGO),
      favicon: path(env.BRAND_FAVICON),
      accent: env.BRAND_ACCENT && env.BRAND_ACCENT_DARK ? { light: env.BRAND_ACCENT, dark: env.BRAND_ACCENT_DARK } : null,
      termsUrl: env.BRAND_TERMS_URL ?? null,
      privacyUrl: env.BRAND_PRIVACY_URL ?? null,
      mailFooter: env.BRAND_MAIL_FOOTER ?? [],
    },
    authSecrets: env.AUTH_SECRET ?? null,
    database,
    dataDir,
    migrateOnStart: env.MIGRATE_ON_START === 'true',
    replicaUrl: env.DATABASE_REPLICA_URL ?? null,
    redis: env.REDIS_URL ? { url: env.REDIS_URL, sentinels: env.REDIS_SENTINELS ?? [] } : null,
    mail: env.SMTP_URL ? { kind: 'smtp', url: env.SMTP_URL, from } : { kind: 'outbox', directory: join(dataDir, 'outbox'), from },
    trustedOrigins,
    tokenAudiences: [...new Set([baseUrl, ...(env.TOKEN_AUDIENCES ?? [])])],
    trustProxy: [...new Set(env.TRUST_PROXY)],
    cookie: { secure, sameSite: env.COOKIE_SAMESITE, domain: env.COOKIE_DOMAIN ?? null },
    passkeys: isIP(rpId) || rpId.startsWith('[') ? null : { rpId, origins: trustedOrigins },
    social: {
      google:
        env.GOOGLE_CLIENT_ID && env.GOOGLE_CLIENT_SECRET
          ? { clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET, issuer: env.GOOGLE_ISSUER }
          : null,
      github:
        env.GITHUB_CLIENT_ID && env.GITHUB_CLIENT_SECRET
          ? {
              clientId: env.GITHUB_CLIENT_ID,
              clientSecret: env.GITHUB_CLIENT_SECRET,
              url: env.GITHUB_URL,
              apiUrl: env.GITHUB_API_URL,
            }
          : null,
    },
    pictureOrigins: env.PICTURE_ORIGINS,
    protection: { holdHours: env.HOLD_HOURS, lockDays: env.LOCK_DAYS, allowListHours: env.ALLOW_LIST_HOURS },
    confirmationRules: env.CONFIRMATION_RULES ?? [],
    adminApproval: env.ADMIN_APPROVAL,
    placeDatabase: path(env.GEOIP_DATABASE),
    rateLimit: env.RATE_LIMIT === 'on',
    webConcurrency: env.WEB_CONCURRENCY,
    exchanges: env.EXCHANGES,
    ciTestSecret: env.CI_TEST_SECRET ?? null,
    metricsToken: env.METRICS_TOKEN ?? null,
    serviceKeys: env.SERVICE_KEYS ?? [],
    webhookPrivateTargets: env.WEBHOOK_PRIVATE_TARGETS === 'on',
    monitor:
      env.MONITOR_API_KEY && env.MONITOR_ACCOUNT_ID
        ? { apiKey: env.MONITOR_API_KEY, accountId: env.MONITOR_ACCOUNT_ID, apiUrl: env.MONITOR_API_URL }
        : null,
    tracing: env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
          serviceName: env.OTEL_SERVICE_NAME,
          ratio: env.OTEL_TRACES_SAMPLER_ARG,
        }
      : null,
    logLevel: env.LOG_LEVEL,
  }
}

/** Reads only where the database is: commands that migrate it need no other setting. Throws ConfigError. */
export function loadDatabaseConfig(
  source: Record<string, string | undefined>,
  root = repositoryRoot(),
): Pick<Config, 'database' | 'dataDir'> {
  const { env, problems } = readVariables(source)
  const wrong = problems.filter(({ variable }) => variable === 'DATABASE_URL' || variable === 'DATA_DIR')
  if (wrong.length > 0) throw new ConfigError(wrong)
  return locateDatabase(env, root)
}

function locateDatabase(
  { DATABASE_URL: url, DATA_DIR }: Pick<z.output<typeof schema>, 'DATABASE_URL' | 'DATA_DIR'>,
  root: string,
): Pick<Config, 'database' | 'dataDir'> {
  const dataDir = resolve(root, DATA_DIR)
  return { dataDir, database: url ? { kind: 'postgres', url } : { kind: 'embedded', directory: join(dataDir, 'database') } }
}

/** Describes the limits of a valid deployed configuration, as sentences to log at startup. */
export function describeLimits(config: Config): string[] {
  if (config.mode === 'local') return []
  const limits: string[] = []
  if (config.database.kind === 'embedded') {
    limits.push(
      `The database is embedded: one process on one machine. Back up ${config.database.directory} with npm run backup, or set DATABASE_URL.`,
    )
  } else if (!config.redis) {
    limits.push('Rate limits are counted by this service and its workers only. Set REDIS_URL before you run a second service.')
  }
  if (config.ciTestSecret !== null && config.ciTestSecret.length < 16) {
    limits.push(
      'CI_TEST_SECRET is short enough to guess. With it, anyone can make the service call the exchanges. Make it longer.',
    )
  }
  if (config.cookie.domain !== null) {
    limits.push(
      `Every host under ${config.cookie.domain} receives the session cookie and can act for its user. Run only services that you trust there, or unset COOKIE_DOMAIN.`,
    )
  }
  if (config.webhookPrivateTargets) {
    limits.push(
      'WEBHOOK_PRIVATE_TARGETS is on: the URL of a webhook may lead into your private network, and by http. Unset it if no webhook needs it.',
    )
  }
  if (config.trustProxy.length === 0) {
    limits.push(
      'No proxy is trusted: behind one, all visitors share its address and rate limits. Set TRUST_PROXY to its address.',
    )
  }
  return limits
}

/** Reads the process environment and fills gaps from the repository's `.env` file. Throws ConfigError. */
export function readEnvironment(): Record<string, string | undefined> {
  const file = join(repositoryRoot(), '.env')
  try {
    // A worker inherits what its primary read: the file may change before a worker is replaced.
    if (!cluster.isWorker && existsSync(file)) process.loadEnvFile(file)
  } catch {
    throw new ConfigError([
      { variable: file, what: 'cannot be read', fix: 'Make it a text file that this user may read, or remove it' },
    ])
  }
  return process.env
}

function readVariables(source: Record<string, string | undefined>) {
  const env: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const variable of variables) {
    const setting = schema.shape[variable]
    const result = setting.safeParse(source[variable]?.trim() || undefined)
    // Replace an invalid value with its default, so that rules across variables still run.
    env[variable] = result.success ? result.data : setting.parse(undefined)
    for (const { path, message } of result.error?.issues ?? []) {
      const [entry] = path
      const what = typeof entry === 'number' ? `(entry ${entry + 1}) ${message}` : message
      problems.push({ variable, what, fix: setting.description ?? '' })
    }
  }
  return { env: env as z.output<typeof schema>, problems }
}

function loopbackOrigins(baseUrl: string) {
  return ['localhost', '127.0.0.1', '[::1]'].map((name) => Object.assign(new URL(baseUrl), { hostname: name }).origin)
}

function isLoopback(host: string) {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    host === '[::1]' ||
    (isIPv4(host) && host.startsWith('127.'))
  )
}
