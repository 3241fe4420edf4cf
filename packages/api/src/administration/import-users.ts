import { isDatabaseUnavailable, isUniqueViolation, type Prisma, type User } from '@floorpass/db'
import { z } from 'zod'
import { toFieldFailure } from '../kernel/field-problems.ts'
import { emailAddress, imageUrl, personName } from '../kernel/fields.ts'
import { providerIds } from '../kernel/provider-ids.ts'
import { isSupportedHash } from '../password-hashing/password-hasher.ts'
import { deleteUnverifiedUser } from '../users/delete-unverified-user.ts'
import { type Operator, toActor } from './operator.ts'

export type ImportOutcome = {
  id: string | null
  email: string | null
  /** `present`: imported earlier. In a dry run, `imported` means that the import would succeed. */
  status: 'imported' | 'present' | 'refused'
  reason?: string
  notes: string[]
}

export type ImportOptions = {
  dryRun: boolean
  withoutTwoFactor: boolean
}

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
  createdAt: timestamp.optional(),
})

/** A better-auth user with accounts, in better-auth's column names. Other columns are ignored. */
const userRow = z.object({
  // Without @ and colon, an id cannot be mistaken for an address, an identity or an operator.
  id: textMatching(/^[\w-]{1,255}$/, 'Not 1 to 255 letters, digits, _ and -'),
  name: personName,
  email: emailAddress,
  emailVerified: z.boolean().default(false),
  image: z.string().nullish(),
  createdAt: timestamp.optional(),
  twoFactorEnabled: z.boolean().nullish(),
  banned: z.boolean().nullish(),
  banExpires: timestamp.nullish(),
  accounts: z.array(accountRow),
})

type UserRow = z.output<typeof userRow>

const normalizeColumn = (key: string): string => key.toLowerCase().replaceAll('_', '').replace(/^is/, '')

/** Finds a misspelled column. Ignoring `is_banned`, for example, would import a banned user as active. */
function findMisnamedColumn(row: unknown, { shape }: z.ZodObject): string | undefined {
  if (typeof row !== 'object' || row === null) return
  const known = Object.keys(shape)
  return Object.keys(row).find(
    (key) => !known.includes(key) && known.some((name) => normalizeColumn(name) === normalizeColumn(key)),
  )
}

export function createUserImport(operator: Operator, { dryRun, withoutTwoFactor }: ImportOptions) {
  const { db } = operator.ctx
  /** Keys of earlier rows, since a dry run writes none to the database. */
  const takenKeys = new Set<string>()

  async function add(row: unknown): Promise<ImportOutcome> {
    const misnamed = findMisnamedColumn(row, userRow) ?? findMisnamedAccountColumn(row)
    if (misnamed !== undefined) {
      const reason = `Column ${JSON.stringify(misnamed)} does not have better-auth's name: rename it`
      return { ...identifyRow(row), status: 'refused', reason, notes: [] }
    }
    const parsed = userRow.safeParse(row)
    if (!parsed.success) return { ...identifyRow(row), status: 'refused', reason: formatIssues(parsed.error), notes: [] }
    const user = parsed.data
    const { accounts, notes } = convertAccounts(user)
    const ids = { id: user.id, email: user.email }
    const refused = (reason: string): ImportOutcome => ({ ...ids, status: 'refused', reason, notes: [] })

    const known = await db.user.findUnique({ where: { id: user.id } })
    if (known)
      return known.email === user.email
        ? { ...ids, status: 'present', notes: [] }
        : refused('A user with this id has another email address')
    const obstacle = findObstacle(user)
    if (obstacle) return refused(obstacle)
    const keys = [
      `user ${user.id}`,
      `address ${user.email}`,
      ...accounts.map(({ providerId, accountId }) => `${providerId} ${accountId}`),
    ]
    if (keys.some((key) => takenKeys.has(key))) return refused('An earlier row has the same id, email address or identity')
    const holder = await db.user.findUnique({ where: { email: user.email } })
    if (holder && !isReplaceableSignUp(holder, user)) return refused('A user of this service has the same email address')
    const identities = accounts.map(({ providerId, accountId }) => ({ providerId, accountId }))
    if ((await db.account.count({ where: { OR: identities } })) > 0)
      return refused('A user of this service has one of the identities')

    if (!dryRun) {
      try {
        await insertUser(user, accounts)
      } catch (error) {
        if (isUniqueViolation(error)) return refused('The email address or an identity was taken during the import')
        if (isDatabaseUnavailable(error)) throw error
        return refused(`The database refused the row${error instanceof Error && 'code' in error ? ` (${error.code})` : ''}`)
      }
    } else for (const key of keys) takenKeys.add(key)
    return { ...ids, status: 'imported', notes: [...notes, ...describeLosses(user)] }
  }

  function findObstacle(user: UserRow): string | null {
    const hashes = user.accounts.flatMap(({ providerId, password }) =>
      providerId === 'credential' && password ? [password] : [],
    )
    if (!hashes.every(isSupportedHash))
      return 'The password hash is neither scrypt as better-auth makes it nor argon2 at an acceptable cost'
    if (new Set(hashes).size > 1) return 'The user has several passwords'
    if (user.twoFactorEnabled && !withoutTwoFactor)
      return 'The user has a second factor, which only better-auth can decrypt: import without it with --without-two-factor'
    return null
  }

  const insertUser = (user: UserRow, accounts: Prisma.AccountCreateWithoutUserInput[]): Promise<void> =>
    db.$transaction(async (tx) => {
      const image = parseImage(user)
      if (user.emailVerified) await deleteUnverifiedUser(tx, user.email)
      await tx.user.create({
        data: {
          id: user.id,
          name: user.name,
          email: user.email,
          emailVerified: user.emailVerified,
          importedAt: new Date(),
          ...(image !== null && { image }),
          ...(isBanned(user) && { suspendedAt: new Date() }),
          ...(user.createdAt && { createdAt: user.createdAt }),
          accounts: { create: accounts },
        },
      })
      const details = { from: 'better-auth', verified: user.emailVerified, accounts: accounts.length }
      await operator.ctx.record(tx, { userId: user.id, ...toActor(operator), action: 'import-user', details })
    })

  return { add }
}

/** An unverified sign-up must not block the import of the verified owner. */
const isReplaceableSignUp = (holder: User, { emailVerified }: UserRow): boolean =>
  emailVerified && !holder.emailVerified && holder.suspendedAt === null && holder.importedAt === null

const findMisnamedAccountColumn = (row: unknown): string | undefined => {
  const { accounts } = (row ?? {}) as { accounts?: unknown }
  return Array.isArray(accounts) ? accounts.map((account) => findMisnamedColumn(account, accountRow)).find(Boolean) : undefined
}

function convertAccounts(user: UserRow): { accounts: Prisma.AccountCreateWithoutUserInput[]; notes: string[] } {
  const accounts = new Map<string, Prisma.AccountCreateWithoutUserInput>()
  const notes: string[] = []
  for (const { providerId, accountId, password, scope, createdAt } of user.accounts) {
    const dates = createdAt && { createdAt }
    const name = JSON.stringify(providerId)
    if (providerId === 'credential') {
      if (password) accounts.set(providerId, { providerId, accountId: user.id, passwordHash: password, ...dates })
    } else if (!providerIds.some((id) => id === providerId)) {
      notes.push(`provider ${name} is not one of ${providerIds.join(', ')}: account not imported`)
    } else if (!user.emailVerified) {
      // The sign-up may not come from the mailbox owner. After verification, only the owner may be able to sign in.
      notes.push(`email address not verified: account at ${name} not imported`)
    } else {
      const scopes = (scope ?? '').split(/[\s,]+/).filter(Boolean)
      accounts.set(`${providerId} ${accountId}`, { providerId, accountId, scopes, ...dates })
    }
  }
  if (accounts.size === 0) notes.push('no sign-in method imported: the user can set a password with a reset link')
  return { accounts: [...accounts.values()], notes }
}

function describeLosses(user: UserRow): string[] {
  return [
    ...(user.image && parseImage(user) === null ? ['picture is not an http(s) URL: not imported'] : []),
    ...(user.twoFactorEnabled ? ['second factor not imported: sign-in needs no code until the user sets it up again'] : []),
    ...(isBanned(user) ? ['banned in better-auth: imported as suspended'] : []),
  ]
}

const parseImage = ({ image }: UserRow): string | null => (image ? (imageUrl.safeParse(image).data ?? null) : null)

const isBanned = ({ banned, banExpires }: UserRow): boolean => banned === true && !(banExpires && banExpires < new Date())

const formatIssues = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'row'}: ${toFieldFailure(message).sentence}`).join('; ')

function identifyRow(row: unknown): { id: string | null; email: string | null } {
  const { id, email } = (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>
  return { id: id == null ? null : String(id).slice(0, 255), email: typeof email === 'string' ? email.slice(0, 255) : null }
}
