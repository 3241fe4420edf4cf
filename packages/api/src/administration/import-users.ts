import { isDatabaseUnavailable, isUniqueViolation, type Prisma, type User } from '@floorpass/db'
import { z } from 'zod'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { emailAddress, imageUrl, personName } from '../kernel/fields.ts'
import { providerIds } from '../kernel/provider-ids.ts'
import { isSupportedHash } from '../password-hashing/password-hasher.ts'
import { deleteUnverifiedUser } from '../users/delete-unverified-user.ts'
import { actorOf, type Operator } from './operator.ts'

export type ImportOutcome = {
  id: string | null
  email: string | null
  /** `present`: was imported before. With `dryRun`, `imported` is what would be. */
  status: 'imported' | 'present' | 'refused'
  /** Why it was refused. */
  reason?: string
  /** What of the row was left behind. */
  notes: string[]
}

export type ImportOptions = {
  dryRun: boolean
  /** Also take users who have a second factor there: here they have none until they set one up. */
  withoutTwoFactor: boolean
}

/**
 * better-auth writes UTC, in columns of older versions without saying so. A number is of milliseconds: one of seconds would be a day of 1970,
 * and a ban that is over.
 */
const moment = z.union([z.string(), z.number(), z.date()]).transform((value, ctx) => {
  const isZoneless = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)
  const date = new Date(isZoneless ? `${value.replace(' ', 'T')}Z` : value)
  const isSeconds = typeof value === 'number' && value < 1e11
  if (!isSeconds && date.getTime() >= 0 && date.getUTCFullYear() < 10_000) return date
  ctx.addIssue('Invalid date')
  return z.NEVER
})

const textOf = (shape: RegExp, problem: string) =>
  z.union([z.string(), z.number().int()]).transform(String).pipe(z.string().regex(shape, problem))

const accountRow = z.object({
  providerId: z.string().min(1).max(255),
  accountId: textOf(/^[!-~]{1,255}$/, 'Not 1 to 255 visible ASCII characters'),
  password: z.string().nullish(),
  scope: z
    .string()
    .regex(/^[\s!-~]{0,2000}$/, 'Not up to 2000 visible ASCII characters and spaces')
    .nullish(),
  createdAt: moment.optional(),
})

/** A user of better-auth with its accounts, by the names of its own schema; what else is in the row is left. */
const userRow = z.object({
  // No @ and no colon: it is neither an address, nor an identity, nor an operator.
  id: textOf(/^[\w-]{1,255}$/, 'Not 1 to 255 letters, digits, _ and -'),
  name: personName,
  email: emailAddress,
  emailVerified: z.boolean().default(false),
  image: z.string().nullish(),
  createdAt: moment.optional(),
  twoFactorEnabled: z.boolean().nullish(),
  banned: z.boolean().nullish(),
  banExpires: moment.nullish(),
  accounts: z.array(accountRow),
})

type UserRow = z.output<typeof userRow>

const plain = (key: string): string => key.toLowerCase().replaceAll('_', '').replace(/^is/, '')

/** A column that looks like one of ours under another name: what it says (banned, a second factor) must not be lost in silence. */
function twinOf(row: unknown, { shape }: z.ZodObject): string | undefined {
  if (typeof row !== 'object' || row === null) return
  const known = Object.keys(shape)
  return Object.keys(row).find((key) => !known.includes(key) && known.some((name) => plain(name) === plain(key)))
}

/** An import; `add` takes one row after the other. A user comes whole, in one transaction, or not at all. */
export function createUserImport(operator: Operator, { dryRun, withoutTwoFactor }: ImportOptions) {
  const { db } = operator.ctx
  /** What rows before it would have taken: in earnest the database knows. */
  const taken = new Set<string>()

  async function add(row: unknown): Promise<ImportOutcome> {
    const twin = twinOf(row, userRow) ?? accountTwinOf(row)
    if (twin !== undefined) {
      const reason = `Its column ${JSON.stringify(twin)} is not called as better-auth calls it: rename it`
      return { ...nameOf(row), status: 'refused', reason, notes: [] }
    }
    const parsed = userRow.safeParse(row)
    if (!parsed.success) return { ...nameOf(row), status: 'refused', reason: wordsOf(parsed.error), notes: [] }
    const user = parsed.data
    const { accounts, notes } = accountsOf(user)
    const named = { id: user.id, email: user.email }
    const refused = (reason: string): ImportOutcome => ({ ...named, status: 'refused', reason, notes: [] })

    const known = await db.user.findUnique({ where: { id: user.id } })
    if (known)
      return known.email === user.email
        ? { ...named, status: 'present', notes: [] }
        : refused('Its id is that of a user with another address')
    const obstacle = refusalOf(user)
    if (obstacle) return refused(obstacle)
    const keys = [
      `user ${user.id}`,
      `address ${user.email}`,
      ...accounts.map(({ providerId, accountId }) => `${providerId} ${accountId}`),
    ]
    if (keys.some((key) => taken.has(key))) return refused('An earlier row has its id, its address or one of its identities')
    const holder = await db.user.findUnique({ where: { email: user.email } })
    if (holder && !isSquatter(holder, user)) return refused('A user of this service has its address')
    const identities = accounts.map(({ providerId, accountId }) => ({ providerId, accountId }))
    if ((await db.account.count({ where: { OR: identities } })) > 0)
      return refused('A user of this service has one of its identities')

    if (!dryRun) {
      try {
        await store(user, accounts)
      } catch (error) {
        if (isUniqueViolation(error)) return refused('Its address or one of its identities was taken meanwhile')
        if (isDatabaseUnavailable(error)) throw error
        return refused(`The database refused it${error instanceof Error && 'code' in error ? ` (${error.code})` : ''}`)
      }
    } else for (const key of keys) taken.add(key)
    return { ...named, status: 'imported', notes: [...notes, ...notesOf(user)] }
  }

  function refusalOf(user: UserRow): string | null {
    const hashes = user.accounts.flatMap(({ providerId, password }) =>
      providerId === 'credential' && password ? [password] : [],
    )
    if (!hashes.every(isSupportedHash))
      return 'Its password hash is neither scrypt as better-auth makes it nor argon2 of a bearable cost'
    if (new Set(hashes).size > 1) return 'It has several passwords'
    if (user.twoFactorEnabled && !withoutTwoFactor)
      return 'It has a second factor, which is sealed with a secret of better-auth and stays there'
    return null
  }

  const store = (user: UserRow, accounts: Prisma.AccountCreateWithoutUserInput[]): Promise<void> =>
    db.$transaction(async (tx) => {
      const image = imageOf(user)
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
      await recordAuditEvent(tx, operator.ctx.client, { userId: user.id, ...actorOf(operator), action: 'import-user', details })
    })

  return { add }
}

/** A sign-up that never proved the address must not keep out who proved it there. */
const isSquatter = (holder: User, { emailVerified }: UserRow): boolean =>
  emailVerified && !holder.emailVerified && holder.suspendedAt === null && holder.importedAt === null

const accountTwinOf = (row: unknown): string | undefined => {
  const { accounts } = (row ?? {}) as { accounts?: unknown }
  return Array.isArray(accounts) ? accounts.map((account) => twinOf(account, accountRow)).find(Boolean) : undefined
}

function accountsOf(user: UserRow): { accounts: Prisma.AccountCreateWithoutUserInput[]; notes: string[] } {
  const accounts = new Map<string, Prisma.AccountCreateWithoutUserInput>()
  const notes: string[] = []
  for (const { providerId, accountId, password, scope, createdAt } of user.accounts) {
    const dates = createdAt && { createdAt }
    const name = JSON.stringify(providerId)
    if (providerId === 'credential') {
      if (password) accounts.set(providerId, { providerId, accountId: user.id, passwordHash: password, ...dates })
    } else if (!providerIds.some((id) => id === providerId)) {
      notes.push(`the provider ${name} is not one of ${providerIds.join(', ')}: its account stays behind`)
    } else if (!user.emailVerified) {
      // Nobody here signs in before the address is proved, and who proves it must be the only one who then can.
      notes.push(`its address is not proved: its account at ${name} stays behind`)
    } else {
      const scopes = (scope ?? '').split(/[\s,]+/).filter(Boolean)
      accounts.set(`${providerId} ${accountId}`, { providerId, accountId, scopes, ...dates })
    }
  }
  if (accounts.size === 0) notes.push('no way to sign in came along: a reset link sets a password')
  return { accounts: [...accounts.values()], notes }
}

function notesOf(user: UserRow): string[] {
  return [
    ...(user.image && imageOf(user) === null ? ['its picture is no http(s) address and stays behind'] : []),
    ...(user.twoFactorEnabled ? ['its second factor stays behind: sign-ins need no code until it is set up again'] : []),
    ...(isBanned(user) ? ['it is banned there, and suspended here'] : []),
  ]
}

const imageOf = ({ image }: UserRow): string | null => (image ? (imageUrl.safeParse(image).data ?? null) : null)

const isBanned = ({ banned, banExpires }: UserRow): boolean => banned === true && !(banExpires && banExpires < new Date())

const wordsOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'row'}: ${message}`).join('; ')

/** As much of a row that is no user as tells it from others. */
function nameOf(row: unknown): { id: string | null; email: string | null } {
  const { id, email } = (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>
  return { id: id == null ? null : String(id).slice(0, 255), email: typeof email === 'string' ? email.slice(0, 255) : null }
}
