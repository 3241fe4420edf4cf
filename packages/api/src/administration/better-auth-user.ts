import { z } from 'zod'
import { toFieldFailure } from '../kernel/field-problems.ts'
import { emailAddress, imageUrl, locale, personName, riskLevel } from '../kernel/fields.ts'
import { defaultLocale, locales } from '../kernel/locale.ts'
import { providerIds } from '../kernel/provider-ids.ts'
import { isSupportedHash } from '../password-hashing/password-hasher.ts'

export type LeftBehind = (kind: string, count?: number) => void

export type ImportableAccount = {
  providerId: string
  accountId: string
  passwordHash: string | null
  scopes: string[]
  createdAt: Date | null
  updatedAt: Date | null
}

export type ImportableUser = {
  id: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  locale: z.output<typeof locale>
  tradingEnabled: boolean
  riskLevel: z.output<typeof riskLevel>
  isSuspended: boolean
  createdAt: Date | null
  updatedAt: Date | null
  accounts: ImportableAccount[]
  notes: string[]
  /** Why the import refuses this user, unless an earlier run imported it. */
  obstacle: string | null
}

export type RowIdentity = { id: string | null; email: string | null }

/** Parses better-auth dates: zoneless text is UTC. Numbers are milliseconds; seconds would date a running ban to 1970. */
const timestamp = z.union([z.string(), z.number(), z.date()]).transform((value, ctx) => {
  const isZoneless = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)
  const date = new Date(isZoneless ? `${value.replace(' ', 'T')}Z` : value)
  const isSeconds = typeof value === 'number' && value < 1e11
  if (!isSeconds && date.getTime() >= 0 && date.getUTCFullYear() < 10_000) return date
  ctx.addIssue('Invalid date')
  return z.NEVER
})

const textMatching = (shape: RegExp, problem: string) =>
  z.union([z.string(), z.number().int()]).transform(String).pipe(z.string().regex(shape, problem))

const accountRow = z.object({
  providerId: z.string().min(1).max(255),
  accountId: textMatching(/^[!-~]{1,255}$/, 'Not 1 to 255 visible ASCII characters'),
  password: z.string().nullish(),
  scope: z
    .string()
    .regex(/^[\s!-~]{0,2000}$/, 'Not up to 2000 visible ASCII characters and spaces')
    .nullish(),
  createdAt: timestamp.nullish(),
  updatedAt: timestamp.nullish(),
})

/** A better-auth user with accounts, in better-auth's column names. */
const userRow = z.object({
  // Without @ and colon, an id cannot be mistaken for an address, an identity or an operator.
  id: textMatching(/^[\w-]{1,255}$/, 'Not 1 to 255 letters, digits, _ and -'),
  name: personName,
  email: emailAddress,
  emailVerified: z.boolean().default(false),
  image: z.string().nullish(),
  createdAt: timestamp.nullish(),
  updatedAt: timestamp.nullish(),
  twoFactorEnabled: z.boolean().nullish(),
  banned: z.boolean().nullish(),
  banExpires: timestamp.nullish(),
  tradingEnabled: z.boolean().nullish(),
  riskLevel: z.unknown().optional(),
  locale: z.unknown().optional(),
  accounts: z.array(accountRow),
})

type UserRow = z.output<typeof userRow>

/** Converts a row, or says why it is refused. Counts what Floorpass does not store. */
export function parseBetterAuthUser(
  row: unknown,
  { withoutTwoFactor, leaveBehind }: { withoutTwoFactor: boolean; leaveBehind: LeftBehind },
): { user: ImportableUser } | { reason: string } {
  countUnknownColumns(row, leaveBehind)
  const misnamed = findMisnamedColumn(row)
  if (misnamed !== undefined) return { reason: `Column ${JSON.stringify(misnamed)} does not have better-auth's name: rename it` }
  const parsed = userRow.safeParse(row)
  if (!parsed.success) return { reason: formatIssues(parsed.error) }
  const user = parsed.data
  const notes: string[] = []
  const lose = (kind: string, note: string): void => {
    leaveBehind(kind)
    notes.push(note)
  }
  const accounts = convertAccounts(user, lose)
  if (accounts.length === 0) notes.push('no sign-in method imported: the user can set a password with a reset link')
  const image = user.image ? (imageUrl.safeParse(user.image).data ?? null) : null
  if (user.image && image === null) lose('pictures', 'picture is not an http(s) URL: not imported')
  if (user.twoFactorEnabled)
    lose('second factors', 'second factor not imported: sign-in needs no code until the user sets it up again')
  const isSuspended = user.banned === true && !(user.banExpires && user.banExpires < new Date())
  if (isSuspended) notes.push('banned in better-auth: imported as suspended')
  if (isSuspended && user.banExpires) lose('ends of bans', 'the ban would have ended by itself: the suspension stays')
  // The sign-up may not come from the mailbox owner.
  if (user.tradingEnabled && !user.emailVerified)
    lose('trading permissions', 'email address not verified: trading stays switched off')
  return {
    user: {
      id: user.id,
      name: user.name,
      email: user.email,
      emailVerified: user.emailVerified,
      image,
      locale: convertLocale(user, lose),
      tradingEnabled: user.tradingEnabled === true && user.emailVerified,
      riskLevel: convertRiskLevel(user, lose),
      isSuspended,
      createdAt: user.createdAt ?? null,
      updatedAt: user.updatedAt ?? null,
      accounts,
      notes,
      obstacle: findObstacle(user, withoutTwoFactor),
    },
  }
}

export function identifyRow(row: unknown): RowIdentity {
  const { id, email } = (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>
  return { id: id == null ? null : String(id).slice(0, 255), email: typeof email === 'string' ? email.slice(0, 255) : null }
}

function findObstacle(user: UserRow, withoutTwoFactor: boolean): string | null {
  const hashes = user.accounts.flatMap(({ providerId, password }) => (providerId === 'credential' && password ? [password] : []))
  if (!hashes.every(isSupportedHash))
    return 'The password hash is neither scrypt as better-auth makes it nor argon2 at an acceptable cost'
  if (new Set(hashes).size > 1) return 'The user has several passwords'
  if (user.twoFactorEnabled && !withoutTwoFactor)
    return 'The user has a second factor, which only better-auth can decrypt: import without it with --without-two-factor'
  return null
}

type Lose = (kind: string, note: string) => void

function convertAccounts(user: UserRow, lose: Lose): ImportableAccount[] {
  const accounts = new Map<string, ImportableAccount>()
  for (const { providerId, accountId, password, scope, createdAt = null, updatedAt = null } of user.accounts) {
    const dates = { createdAt, updatedAt }
    const name = JSON.stringify(providerId)
    if (providerId === 'credential') {
      if (password) accounts.set(providerId, { providerId, accountId: user.id, passwordHash: password, scopes: [], ...dates })
    } else if (!providerIds.some((id) => id === providerId)) {
      lose(`accounts at ${name}`, `provider ${name} is not one of ${providerIds.join(', ')}: account not imported`)
    } else if (!user.emailVerified) {
      // The sign-up may not come from the mailbox owner. After verification, only the owner may be able to sign in.
      lose('identities of unverified users', `email address not verified: account at ${name} not imported`)
    } else {
      const scopes = (scope ?? '').split(/[\s,]+/).filter(Boolean)
      accounts.set(`${providerId} ${accountId}`, { providerId, accountId, passwordHash: null, scopes, ...dates })
    }
  }
  return [...accounts.values()]
}

function convertRiskLevel(user: UserRow, lose: Lose): ImportableUser['riskLevel'] {
  const { data } = riskLevel.safeParse(user.riskLevel ?? 'conservative')
  if (data === undefined)
    lose(
      'risk levels',
      `riskLevel ${describeValue(user.riskLevel)} is not one of ${riskLevel.options.join(', ')}: imported as conservative`,
    )
  return data ?? 'conservative'
}

function convertLocale(user: UserRow, lose: Lose): ImportableUser['locale'] {
  const { data } = locale.safeParse(user.locale ?? defaultLocale)
  if (data === undefined)
    lose('languages', `locale ${describeValue(user.locale)} is not one of ${locales.join(', ')}: imported as ${defaultLocale}`)
  return data ?? defaultLocale
}

const describeValue = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? ''

const normalizeColumn = (key: string): string => key.toLowerCase().replaceAll('_', '').replace(/^is/, '')

const createColumns = ({ shape }: z.ZodObject) => {
  const names = new Set(Object.keys(shape))
  const normalized = new Set([...names].map(normalizeColumn))
  return { has: (key: string) => names.has(key), resembles: (key: string) => normalized.has(normalizeColumn(key)) }
}
const userColumns = createColumns(userRow)
const accountColumns = createColumns(accountRow)

/** Finds a misspelled column. Ignoring `is_banned`, for example, would import a banned user as active. */
function findMisnamedColumn(row: unknown): string | undefined {
  if (typeof row !== 'object' || row === null) return undefined
  const find = (item: object, columns: typeof userColumns) =>
    Object.keys(item).find((key) => !columns.has(key) && columns.resembles(key))
  return (
    find(row, userColumns) ??
    listAccounts(row)
      .map((account) => find(account, accountColumns))
      .find(Boolean)
  )
}

const listAccounts = (row: object): object[] => {
  const { accounts } = row as { accounts?: unknown }
  return Array.isArray(accounts) ? accounts.filter((account) => typeof account === 'object' && account !== null) : []
}

export const tableKinds: Record<string, string> = {
  session: 'sessions',
  organization: 'organizations',
  member: 'memberships',
  invitation: 'invitations',
  organizationRole: 'organization roles',
  team: 'teams',
  teamMember: 'team memberships',
  passkey: 'passkeys',
  apikey: 'API keys',
  verification: 'open links',
  jwks: 'signing keys',
  oauthApplication: 'OAuth clients',
  oauthClient: 'OAuth clients',
  oauthAccessToken: 'OAuth tokens',
  oauthRefreshToken: 'OAuth tokens',
  oauthConsent: 'OAuth consents',
  ssoProvider: 'SSO providers',
  subscription: 'subscriptions',
  walletAddress: 'wallet addresses',
  deviceCode: 'device codes',
}

const emptyColumns = ['id', 'userId', 'accessTokenExpiresAt', 'refreshTokenExpiresAt']
const tokenColumns = ['accessToken', 'refreshToken', 'idToken']

function countUnknownColumns(row: unknown, leaveBehind: LeftBehind): void {
  if (typeof row !== 'object' || row === null) return
  for (const [key, value] of Object.entries(row)) {
    if (userColumns.has(key) || isEmpty(value)) continue
    const kind = tableKinds[key] ?? tableKinds[key.replace(/s$/, '')]
    if (kind !== undefined && typeof value === 'object') leaveBehind(kind, Array.isArray(value) ? value.length : 1)
    else if (key !== 'role') leaveBehind(`user field ${JSON.stringify(key)}`)
    else if (value !== 'user') leaveBehind('roles')
  }
  for (const account of listAccounts(row)) {
    const values = Object.entries(account).filter(([, value]) => !isEmpty(value))
    if (values.some(([key]) => tokenColumns.includes(key))) leaveBehind('provider tokens')
    for (const [key] of values)
      if (!accountColumns.has(key) && !tokenColumns.includes(key) && !emptyColumns.includes(key))
        leaveBehind(`account field ${JSON.stringify(key)}`)
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)

const formatIssues = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'row'}: ${toFieldFailure(message).sentence}`).join('; ')
