import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { repositoryRoot } from './repository-root.ts'
import { schema } from './schema.ts'

type Variable = keyof typeof schema.shape

export type SettingSource = 'environment' | 'file' | 'default'

/** `value` is null for a secret, and where nothing is set and nothing takes its place. */
export type SettingDescription = {
  name: Variable
  value: string | null
  isSet: boolean
  isSecret: boolean
  source: SettingSource
}

/** Every other variable is a secret, or may contain one: the URL of a server may have a password. */
const shown: ReadonlySet<Variable> = new Set([
  'PORT',
  'HOST',
  'BASE_URL',
  'APP_NAME',
  'SUPPORT_URL',
  'BRAND_LOGO',
  'BRAND_FAVICON',
  'BRAND_ACCENT',
  'BRAND_ACCENT_DARK',
  'BRAND_TERMS_URL',
  'BRAND_PRIVACY_URL',
  'BRAND_MAIL_FOOTER',
  'MIGRATE_ON_START',
  'DATA_DIR',
  'MAIL_FROM',
  'TRUSTED_ORIGINS',
  'TOKEN_AUDIENCES',
  'TRUST_PROXY',
  'COOKIE_SAMESITE',
  'COOKIE_DOMAIN',
  'HOLD_HOURS',
  'LOCK_DAYS',
  'ALLOW_LIST_HOURS',
  'CONFIRMATION_RULES',
  'PASSKEY_RP_ID',
  'GOOGLE_CLIENT_ID',
  'GOOGLE_ISSUER',
  'GITHUB_CLIENT_ID',
  'GITHUB_URL',
  'GITHUB_API_URL',
  'PICTURE_ORIGINS',
  'GEOIP_DATABASE',
  'RATE_LIMIT',
  'WEB_CONCURRENCY',
  'EXCHANGES',
  'ADMIN_APPROVAL',
  'WEBHOOK_PRIVATE_TARGETS',
  'MONITOR_API_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
  'LOG_LEVEL',
])

/** Says what is in force and where it came from. `source` is what `loadConfig` read to build `config`. */
export function describeSettings(
  source: Record<string, string | undefined>,
  config: InForce,
  root: string = repositoryRoot(),
): SettingDescription[] {
  const file = join(root, '.env')
  const written = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  const derived = findDerived(config)
  return (Object.keys(schema.shape) as Variable[]).map((name) => {
    const text = source[name]?.trim() || null
    const isSecret = !shown.has(name)
    const value = text ?? derived[name] ?? findDefault(name)
    const origin = text === null ? 'default' : written[name]?.trim() === text ? 'file' : 'environment'
    return { name, value: isSecret ? null : value, isSet: text !== null, isSecret, source: origin }
  })
}

type InForce = {
  baseUrl: string
  dataDir: string
  mail: { from: string }
  trustedOrigins: readonly string[]
  passkeys: { rpId: string } | null
}

/** What the service uses when these are not set. */
const findDerived = ({
  baseUrl,
  dataDir,
  mail,
  trustedOrigins,
  passkeys,
}: InForce): Partial<Record<Variable, string | null>> => ({
  BASE_URL: baseUrl,
  DATA_DIR: dataDir,
  MAIL_FROM: mail.from,
  TRUSTED_ORIGINS: trustedOrigins.join(','),
  PASSKEY_RP_ID: passkeys?.rpId ?? null,
})

function findDefault(name: Variable): string | null {
  const { def } = schema.shape[name]
  return 'defaultValue' in def ? String(def.defaultValue) : null
}
