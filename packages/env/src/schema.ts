import { isIP, isIPv4 } from 'node:net'
import { getDomain } from 'tldts'
import { z } from 'zod'
import { isDecodable, type PostgresUrl, PostgresUrlError, parsePostgresUrl } from './postgres-url.ts'

const PROXY_KEYWORDS: Record<string, string[]> = {
  off: [],
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

const PLACEHOLDER =
  /change[-_ ]?me|replace[-_ ]?me|password|secret|example|placeholder|default|insecure|your[-_]|0123456789|abcdefgh/i
const REPEATED = /^(.+?)\1+$/s
const MAIL_ADDRESS = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/
const NAMED_MAIL_ADDRESS = /^[^<>"\p{Cc}]+ <[^\s@<>,;:"]+@[^\s@<>,;:"]+>$/u
const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i

// zod's messages may quote the value, and the value may be a password. Every rule here has a custom message.
const parsing = <Value>(wrong: string, read: (text: string) => Value | null) =>
  z.string().transform((text, ctx) => {
    const value = read(text)
    if (value !== null) return value
    ctx.addIssue(wrong)
    return z.NEVER
  })

const matching = (wrong: string, accepts: (text: string) => boolean) => z.string().refine(accepts, wrong)

const wholeNumber = (from: number, to: number) =>
  parsing(`must be a whole number from ${from} to ${to}`, (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return value >= from && value <= to ? value : null
  })

const oneOf = <const Word extends string>(...words: Word[]) => z.enum(words, { error: `must be one of: ${words.join(', ')}` })

const listOf = <Entry extends z.ZodType<unknown, string>>(entry: Entry) =>
  parsing('is an empty list', (text) => {
    const entries = text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
    return entries.length > 0 ? entries : null
  }).pipe(z.array(entry))

const isUrl = (text: string, protocols: string[]) => {
  const url = URL.parse(text)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== ''
}

const hasDecodableUser = (text: string) => {
  const { username = '', password = '' } = URL.parse(text) ?? {}
  return isDecodable(username) && isDecodable(password)
}

const connection = (...protocols: string[]) =>
  matching(`must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`, (text) =>
    isUrl(text, protocols),
  ).refine(hasDecodableUser, 'has a user or password that is not percent-encoded: write % as %25, / as %2F, ? as %3F, @ as %40')

const redisUrl = connection('redis:', 'rediss:').refine((text) => {
  const { pathname = '', search = '' } = URL.parse(text) ?? {}
  return /^(\/\d*)?$/.test(pathname) && /^(\?family=[046])?$/.test(search)
}, 'may have only the number of a database and ?family=0, 4 or 6 after the host')

const postgresUrlOf = (assert: (url: PostgresUrl) => void) =>
  z.string().superRefine((text, ctx) => {
    try {
      assert(parsePostgresUrl(text))
    } catch (error) {
      ctx.addIssue(error instanceof PostgresUrlError ? error.message : 'must be a URL of PostgreSQL')
    }
  })

const postgresUrl = postgresUrlOf(() => {})
const standbyUrl = postgresUrlOf(({ hosts, target }) => {
  if (hosts.length > 1 || target !== 'any') throw new PostgresUrlError('must name one host, without target_session_attrs')
})

const endpoint = parsing('must be an http(s) URL without credentials, query or fragment', (text) => {
  const url = URL.parse(text)
  const plain = url && isUrl(text, ['http:', 'https:']) && !url.username && !url.password && !/[?#]/.test(text)
  return plain ? text.replace(/\/+$/, '') : null
})

const origin = parsing('must be an origin: scheme, host and port only, without path, query, credentials or wildcard', (text) => {
  const url = URL.parse(text)
  const exact = url && isUrl(text, ['http:', 'https:']) && url.href === `${url.origin}/` && !/[*?#]/.test(text)
  return exact ? url.origin : null
})

const LOOPBACK_HTTP = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/

const pictureOrigin = origin.refine(
  (text) => text.startsWith('https://') || LOOPBACK_HTTP.test(text),
  'must use https:// (http only on this machine)',
)

const filePath = matching('must be a path', (text) => !text.includes('\0')).optional()

const color = parsing('must be a colour of six hexadecimal digits such as #0b5674', (text) =>
  /^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : null,
)

const legalPage = parsing('must be an https:// URL', (text) => (isUrl(text, ['https:']) ? new URL(text).href : null)).optional()

/** Lines that a file of settings may write as a line break or as \\n. */
const twoLines = parsing('must be one or two lines of at most 160 characters each, without control characters', (text) => {
  const lines = text.split(/\r?\n|\\n/).map((line) => line.trim())
  return lines.length <= 2 && lines.every((line) => /^[^\p{C}]{1,160}$/u.test(line)) ? lines : null
})

/** Compared exactly with the `aud` claim (RFC 9068), so it is kept verbatim. */
const audience = matching(
  'must be an https URL (http only on this machine) without credentials, query or fragment, or a urn:',
  (text) =>
    /^[!-~]{1,255}$/.test(text) &&
    (/^urn:./.test(text) || ((text.startsWith('https://') || LOOPBACK_HTTP.test(text)) && endpoint.safeParse(text).success)),
)

const sharedDomain = parsing('must be a domain that you own, such as example.com: no IP address and no public suffix', (text) => {
  const name = text.toLowerCase()
  // Browsers refuse a cookie for a public suffix such as co.uk or github.io.
  const isOwned = getDomain(name, { allowPrivateDomains: true }) !== null
  return isOwned && URL.parse(`https://${name}`)?.hostname === name ? name : null
})

const signingSecret = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= 32, { error: 'is shorter than 32 bytes', abort: true })
  .refine((text) => new Set(text).size >= 8 && !REPEATED.test(text) && !PLACEHOLDER.test(text), 'is easy to guess')

const serviceKey = signingSecret.refine((text) => /^[!-~]+$/.test(text), 'must have visible ASCII characters only')

const proxy = parsing('must be an IP address, a range such as 10.0.0.0/8, loopback, private or off', (text) => {
  if (Object.hasOwn(PROXY_KEYWORDS, text)) return PROXY_KEYWORDS[text] ?? null
  const [address = '', size, ...rest] = text.split('/')
  const bits = isIPv4(address) ? 32 : 128
  if (!isIP(address) || address.includes('%') || rest.length > 0 || !/^\d{1,3}$/.test(size ?? '0') || Number(size ?? bits) > bits)
    return null
  return [`${address}/${Number(size ?? bits)}`]
}).refine((ranges) => !ranges.some((range) => range.endsWith('/0')), 'would trust every address on the internet')

const exchange = parsing(
  'must be an id of lower-case letters, digits and dashes, optionally followed by =http(s)://…',
  (text) => {
    const [id = '', ...url] = text.split('=')
    const baseUrl = url.length > 0 ? endpoint.safeParse(url.join('=')) : { success: true, data: null }
    return /^[a-z0-9][a-z0-9-]{0,31}$/.test(id) && baseUrl.success ? { id, baseUrl: baseUrl.data ?? null } : null
  },
)

export const holdReasons = [
  'change-password',
  'reset-password',
  'change-email',
  'change-factor',
  'add-passkey',
  'remove-passkey',
  'link-account',
  'operator',
  'panic',
] as const

export type HoldHours = Record<(typeof holdReasons)[number], number>

/** `24`, `24,panic=72` or `panic=72`. What is not named lasts as long as the number, else a day. */
function readHoldHours(text: string): HoldHours | null {
  const entries = text.split(',').map((entry) => /^(?:([a-z-]+)=)?(\d{2})$/.exec(entry.trim()))
  const hours = Object.fromEntries(entries.map((entry) => [entry?.[1] ?? '', Number(entry?.[2])]))
  const isValid = (name: string) => name === '' || holdReasons.some((reason) => reason === name)
  const isWithin = (value = Number.NaN) => value >= 24 && value <= 72
  if (Object.keys(hours).length < entries.length || !Object.keys(hours).every(isValid)) return null
  if (!Object.values(hours).every(isWithin)) return null
  return Object.fromEntries(holdReasons.map((reason) => [reason, hours[reason] ?? hours[''] ?? 24])) as HoldHours
}

export const confirmationLevels = ['none', 'otp', 'passkey', 'passkey+hold'] as const

export type ConfirmationRule = {
  type: string
  /** The rule is for this amount or less. Null: for any. */
  most: { amount: string; currency: string } | null
  level: (typeof confirmationLevels)[number]
}

/** `type=level` or `type<=amount CUR=level`. */
const confirmationRule = parsing(
  'must be type=level or type<=amount CUR=level, with the levels none, otp, passkey and passkey+hold',
  (text): ConfirmationRule | null => {
    const [, type, amount, currency, level] =
      /^([\w.:/-]{1,128})(?:<=((?:0|[1-9]\d{0,29})(?:\.\d{1,18})?) ([A-Z0-9]{2,12}))?=(.+)$/.exec(text) ?? []
    const known = confirmationLevels.find((name) => name === level)
    if (type === undefined || known === undefined) return null
    return { type, most: amount === undefined || currency === undefined ? null : { amount, currency }, level: known }
  },
)

const isPercentEncoded = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text) && !/%[89a-f][0-9a-f]/i.test(text)

const secret = z.string().optional()

const headerSecret = matching(
  'must have only letters, digits and other visible ASCII characters: it is sent in a header',
  (text) => /^[ -~]+$/.test(text),
).optional()

/** One entry per variable. Each description says how to fix a wrong value. */
export const schema = z.object({
  PORT: wholeNumber(0, 65_535).default(3000).describe('Set a free port, for example PORT=3000'),
  HOST: matching('must be an IP address or a host name', (text) => isIP(text) > 0 || HOST_NAME.test(text))
    .default('127.0.0.1')
    .describe('Set 127.0.0.1 for this machine only, or 0.0.0.0 for every network'),
  BASE_URL: origin.optional().describe('Set the public origin that users type, for example https://accounts.example.com'),
  APP_NAME: matching('must be at most 64 characters, without control characters or any of < > " :', (text) =>
    /^[^\p{C}<>":]{1,64}$/u.test(text),
  )
    .default('Floorpass')
    .describe('Set the name that users know the application by'),
  SUPPORT_URL: matching(
    'must be an https:// or mailto: URL without spaces',
    // Emails show it as it is, and a URL parser skips line breaks.
    (text) => !/[\s\p{C}]/u.test(text) && (/^mailto:[^@]+@[^@]+$/.test(text) || isUrl(text, ['https:'])),
  )
    .optional()
    .describe('Set where users get help, for example https://example.com/help or mailto:help@example.com'),
  BRAND_LOGO: filePath.describe('Set the path of an SVG or PNG file, or unset it'),
  BRAND_FAVICON: filePath.describe('Set the path of an SVG, PNG or ICO file, or unset it'),
  BRAND_ACCENT: color.optional().describe('Set the colour of buttons and links on light pages, for example #0b5674, or unset it'),
  BRAND_ACCENT_DARK: color
    .optional()
    .describe('Set the colour of buttons and links on dark pages, for example #7ec6e6, or unset it'),
  BRAND_TERMS_URL: legalPage.describe('Set the page of your terms of use, for example https://example.com/terms'),
  BRAND_PRIVACY_URL: legalPage.describe('Set the page of your privacy policy, for example https://example.com/privacy'),
  BRAND_MAIL_FOOTER: twoLines
    .optional()
    .describe('Set plain text for the foot of every email, for example: Example Ltd, 1 Harbour Street, London'),
  AUTH_SECRET: listOf(signingSecret)
    .optional()
    .describe('Set the output of: node -p "crypto.randomBytes(32).toString(\'base64url\')"'),
  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'Set postgresql://user:password@host:5432/database, with several hosts as a:5432,b:5432, or unset it to use the embedded database',
    ),
  MIGRATE_ON_START: oneOf('true', 'false')
    .default('true')
    .describe('Set true, or false if `npm run admin -- migrate` applies the migrations'),
  DATABASE_REPLICA_URL: standbyUrl
    .optional()
    .describe('Set postgresql://user:password@host:5432/database of one standby, or unset it'),
  DATA_DIR: matching('must be a path', (text) => !text.includes('\0'))
    .default('.data')
    .describe('Set a folder that the service may write to'),
  REDIS_URL: redisUrl.optional().describe('Set redis://host:6379, or unset it'),
  REDIS_SENTINELS: listOf(connection('redis:', 'rediss:'))
    .refine(
      (entries) => new Set(entries.map((entry) => entry.replace(/[^/@]*$/, ''))).size === 1,
      'must have the same scheme, user and password in each entry',
    )
    .optional()
    .describe('Set redis://host:26379 for each sentinel, separated by commas, or unset it'),
  SMTP_URL: connection('smtp:', 'smtps:')
    .optional()
    .describe('Set smtps://user:password@host:465 or smtp://user:password@host:587'),
  MAIL_FROM: matching(
    'must be one address, alone or as: Name <address>',
    (text) => MAIL_ADDRESS.test(text) || NAMED_MAIL_ADDRESS.test(text),
  )
    .optional()
    .describe('Set for example: no-reply@example.com'),
  TRUSTED_ORIGINS: listOf(origin)
    .optional()
    .describe('Set exact origins separated by commas, for example https://app.example.com'),
  TOKEN_AUDIENCES: listOf(audience)
    .optional()
    .describe('Set the resources that read access tokens, separated by commas, for example https://api.example.com'),
  TRUST_PROXY: listOf(proxy)
    .transform((ranges) => ranges.flat())
    .prefault('off')
    .describe('Set the addresses of your own proxies separated by commas (or loopback, private, off)'),
  COOKIE_SAMESITE: oneOf('lax', 'none').default('lax').describe('Set lax, unless the front end lives on another site'),
  COOKIE_DOMAIN: sharedDomain
    .optional()
    .describe('Set the domain of BASE_URL whose hosts may read the session cookie, for example example.com, or unset it'),
  HOLD_HOURS: parsing(
    `must be whole numbers from 24 to 72: one for every reason, or reason=hours separated by commas, with the reasons ${holdReasons.join(', ')}`,
    readHoldHours,
  )
    .prefault('reset-password=48,change-email=72,remove-passkey=72,operator=72,panic=72')
    .describe('Set 24, or for example 24,reset-password=48, or unset it'),
  LOCK_DAYS: parsing('must be a range of days within 1-30 such as 1-30', (text) => {
    const [, least = '', most = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
    const days = { least: Number(least), most: Number(most) }
    return days.least >= 1 && days.least <= days.most && days.most <= 30 ? days : null
  })
    .prefault('1-30')
    .describe('Set the days that a lock may wait, for example 1-30'),
  ALLOW_LIST_HOURS: wholeNumber(1, 168)
    .default(24)
    .describe('Set the hours until a new entry of an allow-list counts, for example 24'),
  CONFIRMATION_RULES: listOf(confirmationRule)
    .refine(
      (rules) => new Set(rules.map(({ type, most }) => JSON.stringify([type, most]))).size === rules.length,
      'names a type and amount twice',
    )
    .optional()
    .describe(
      'Set for example withdrawal<=100 EUR=otp,order=passkey, or unset it: each confirmation then needs a passkey and no hold',
    ),
  PASSKEY_RP_ID: matching('must be a host name', (text) => HOST_NAME.test(text) && !isIP(text))
    .transform((text) => text.toLowerCase())
    .optional()
    .describe('Set the host of BASE_URL or a domain above it, or unset it'),
  GOOGLE_CLIENT_ID: secret,
  GOOGLE_CLIENT_SECRET: secret,
  // Kept verbatim: OpenID compares the issuer exactly, with its trailing slash.
  GOOGLE_ISSUER: matching('must be an http(s) URL', (text) => endpoint.safeParse(text).success)
    .default('https://accounts.google.com')
    .describe('Unset it to use the default'),
  GITHUB_CLIENT_ID: secret,
  GITHUB_CLIENT_SECRET: secret,
  GITHUB_URL: endpoint.default('https://github.com').describe('Unset it to use the default'),
  GITHUB_API_URL: endpoint.default('https://api.github.com').describe('Unset it to use the default'),
  PICTURE_ORIGINS: listOf(pictureOrigin)
    .prefault('https://lh3.googleusercontent.com,https://avatars.githubusercontent.com')
    .describe('Set the https origins of the pictures of your providers, separated by commas, or unset it'),
  GEOIP_DATABASE: filePath.describe('Set the path of a .mmdb file, or unset it'),
  RATE_LIMIT: oneOf('on', 'off').default('on').describe('Set on, or unset it: off is for tests and benchmarks on this machine'),
  WEB_CONCURRENCY: wholeNumber(1, 128).default(1).describe('Set 1, or the number of cores'),
  EXCHANGES: listOf(exchange)
    .refine((exchanges) => new Set(exchanges.map(({ id }) => id)).size === exchanges.length, 'names an exchange twice')
    .prefault('binance,coinbase,kraken')
    .describe('Set ids separated by commas, for example: binance,kraken=https://api.kraken.com'),
  CI_TEST_SECRET: headerSecret.describe('Set the output of: node -p "crypto.randomBytes(32).toString(\'base64url\')"'),
  METRICS_TOKEN: matching('must be 16 or more letters, digits and other visible ASCII characters', (text) =>
    /^[!-~]{16,}$/.test(text),
  )
    .optional()
    .describe('Set the output of: node -p "crypto.randomBytes(32).toString(\'base64url\')"'),
  SERVICE_KEYS: listOf(serviceKey)
    .optional()
    .describe('Set the output of: node -p "crypto.randomBytes(32).toString(\'base64url\')"'),
  ADMIN_APPROVAL: oneOf('auto', 'always', 'never').default('auto').describe('Set always or never, or unset it'),
  WEBHOOK_PRIVATE_TARGETS: oneOf('on', 'off')
    .default('off')
    .describe('Set on where webhooks lead to your own network, or unset it'),
  MONITOR_API_KEY: headerSecret.describe('Set a key from the settings of the monitoring service'),
  MONITOR_ACCOUNT_ID: headerSecret.describe('Set the account that the key belongs to'),
  MONITOR_API_URL: endpoint.default('https://api.checklyhq.com').describe('Unset it to use the default'),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint.optional().describe('Set the base URL of an OTLP/HTTP collector, or unset it'),
  OTEL_EXPORTER_OTLP_HEADERS: parsing('must be name=value pairs separated by commas, percent-encoded', (text) => {
    const pairs = text.split(',').map((pair) => /^\s*([\w-]+)\s*=\s*([!-~]+)\s*$/.exec(pair))
    if (!pairs.every((pair) => pair !== null) || !isPercentEncoded(text)) return null
    return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]))
  })
    .optional()
    .describe('Set for example: authorization=Bearer%20…'),
  OTEL_SERVICE_NAME: matching('must be at most 64 visible ASCII characters', (text) => /^[!-~]{1,64}$/.test(text))
    .default('floorpass')
    .describe('Set floorpass'),
  OTEL_TRACES_SAMPLER_ARG: parsing('must be a number from 0 to 1', (text) =>
    /^(0|1|0?\.\d+|1\.0+|0\.0+)$/.test(text) ? Number(text) : null,
  )
    .prefault('1')
    .describe('Set 1 for every trace, 0.1 for one in ten'),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info').describe('Set info'),
})
