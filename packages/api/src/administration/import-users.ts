import { isUniqueViolation, type Prisma } from '@floorpass/db'
import { z } from 'zod'
import { emailAddress, imageUrl, personName } from '../fields.ts'
import { providerIds } from '../provider-ids.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { isSupportedHash } from '../security/password-hasher.ts'
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

/** better-auth writes UTC, in columns of older versions without saying so. */
const moment = z.union([z.string(), z.number(), z.date()]).transform((value, ctx) => {
  const isZoneless = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)
  const date = new Date(isZoneless ? `${value.replace(' ', 'T')}Z` : value)
  if (!Number.isNaN(date.getTime())) return date
  ctx.addIssue('Invalid date')
  return z.NEVER
})

const idText = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .pipe(z.string().regex(/^[!-~]{1,255}$/, 'Not 1 to 255 visible ASCII characters'))

const accountRow = z.object({
  providerId: z.string().min(1).max(255),
  accountId: idText,
  password: z.string().nullish(),
  scope: z.string().nullish(),
  createdAt: moment.optional(),
})

/** A user of better-auth with its accounts, by the names of its own schema; what else is in the row is left. */
const userRow = z.object({
  id: idText,
  name: personName,
  email: emailAddress,
  emailVerified: z.boolean().default(false),
  image: z.string().nullish(),
  createdAt: moment.optional(),
  updatedAt: moment.optional(),
  twoFactorEnabled: z.boolean().nullish(),
  banned: z.boolean().nullish(),
  banExpires: moment.nullish(),
  accounts: z.array(accountRow),
})

type UserRow = z.output<typeof userRow>

/** An import; `add` takes one row after the other. A user comes whole, in one transaction, or not at all. */
export function createUserImport(operator: Operator, { dryRun, withoutTwoFactor }: ImportOptions) {
  const { db } = operator.ctx
  const taken = new Set<string>()

  async function add(row: unknown): Promise<ImportOutcome> {
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
    if (await db.user.findUnique({ where: { email: user.email } })) return refused('A user of this service has its address')
    const identities = accounts.map(({ providerId, accountId }) => ({ providerId, accountId }))
    if ((await db.account.count({ where: { OR: identities } })) > 0)
      return refused('A user of this service has one of its identities')

    if (!dryRun) {
      try {
        await store(user, accounts)
      } catch (error) {
        if (isUniqueViolation(error)) return refused('Its address or one of its identities was taken meanwhile')
        throw error
      }
    }
    for (const key of keys) taken.add(key)
    return { ...named, status: 'imported', notes: [...notes, ...notesOf(user)] }
  }

  function refusalOf(user: UserRow): string | null {
    const hash = user.accounts.find(({ providerId }) => providerId === 'credential')?.password
    if (hash && !isSupportedHash(hash)) return 'Its password hash is neither scrypt as better-auth makes it nor argon2'
    if (user.twoFactorEnabled && !withoutTwoFactor)
      return 'It has a second factor, which is sealed with a secret of better-auth and stays there'
    return null
  }

  const store = (user: UserRow, accounts: Prisma.AccountCreateWithoutUserInput[]): Promise<void> =>
    db.$transaction(async (tx) => {
      const image = imageOf(user)
      await tx.user.create({
        data: {
          id: user.id,
          name: user.name,
          email: user.email,
          emailVerified: user.emailVerified,
          ...(image !== null && { image }),
          ...(isBanned(user) && { suspendedAt: new Date() }),
          ...(user.createdAt && { createdAt: user.createdAt }),
          ...(user.updatedAt && { updatedAt: user.updatedAt }),
          accounts: { create: accounts },
        },
      })
      const details = { from: 'better-auth', verified: user.emailVerified, accounts: accounts.length }
      await recordAuditEvent(tx, operator.ctx.client, { userId: user.id, ...actorOf(operator), action: 'import-user', details })
    })

  return { add }
}

function accountsOf(user: UserRow): { accounts: Prisma.AccountCreateWithoutUserInput[]; notes: string[] } {
  const accounts: Prisma.AccountCreateWithoutUserInput[] = []
  const notes: string[] = []
  for (const { providerId, accountId, password, scope, createdAt } of user.accounts) {
    const dates = createdAt && { createdAt }
    if (providerId === 'credential') {
      if (password) accounts.push({ providerId, accountId: user.id, passwordHash: password, ...dates })
    } else if (providerIds.some((id) => id === providerId)) {
      accounts.push({ providerId, accountId, scopes: (scope ?? '').split(/[\s,]+/).filter(Boolean), ...dates })
    } else
      notes.push(`the provider ${JSON.stringify(providerId)} is not one of ${providerIds.join(', ')}: its account stays behind`)
  }
  if (accounts.length === 0) notes.push('no way to sign in came along: a reset link sets a password')
  return { accounts, notes }
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
