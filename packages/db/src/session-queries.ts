import type { Account, Passkey, Session, User } from './generated/client.ts'
import { sessionColumnNames, sessionSelectList, sessionValues, toSession } from './session-row.ts'
import { type Queryable, statementFrom } from './sql.ts'

// Prisma needs two statements to read a row with its user. These hot paths need one.

type UserColumns = {
  userId: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  locale: User['locale']
  tradingEnabled: boolean
  riskLevel: User['riskLevel']
  twoFactorEnabled: boolean
  unlinkedProviders: string[]
  suspendedAt: Date | null
  suspendedUntil: Date | null
  role: string | null
  roleGrantedAt: Date | null
  importedAt: Date | null
  heldUntil: Date | null
  lockKind: string | null
  lockedAt: Date | null
  unlockDays: number | null
  unlockAt: Date | null
  lockKeyHash: string | null
  phraseSealed: string | null
  userCreatedAt: Date
  userUpdatedAt: Date
}

const toUser = (row: UserColumns): User => ({
  id: row.userId,
  name: row.name,
  email: row.email,
  emailVerified: row.emailVerified,
  image: row.image,
  locale: row.locale,
  tradingEnabled: row.tradingEnabled,
  riskLevel: row.riskLevel,
  twoFactorEnabled: row.twoFactorEnabled,
  unlinkedProviders: row.unlinkedProviders,
  suspendedAt: row.suspendedAt,
  suspendedUntil: row.suspendedUntil,
  role: row.role,
  roleGrantedAt: row.roleGrantedAt,
  importedAt: row.importedAt,
  heldUntil: row.heldUntil,
  lockKind: row.lockKind,
  lockedAt: row.lockedAt,
  unlockDays: row.unlockDays,
  unlockAt: row.unlockAt,
  lockKeyHash: row.lockKeyHash,
  phraseSealed: row.phraseSealed,
  createdAt: row.userCreatedAt,
  updatedAt: row.userUpdatedAt,
})

const userSelectList = `
  u.name, u.email, u.email_verified AS "emailVerified", u.image, u.locale,
  u.trading_enabled AS "tradingEnabled", u.risk_level::text AS "riskLevel", u.two_factor_enabled AS "twoFactorEnabled",
  u.unlinked_providers AS "unlinkedProviders", u.suspended_at AS "suspendedAt", u.suspended_until AS "suspendedUntil",
  u.role, u.role_granted_at AS "roleGrantedAt", u.imported_at AS "importedAt",
  u.held_until AS "heldUntil", u.lock_kind AS "lockKind", u.locked_at AS "lockedAt", u.unlock_days AS "unlockDays",
  u.unlock_at AS "unlockAt", u.lock_key_hash AS "lockKeyHash", u.phrase_sealed AS "phraseSealed",
  u.created_at AS "userCreatedAt", u.updated_at AS "userUpdatedAt"`

/** `heldUntil`, in milliseconds since 1970: withdrawals for the organization are on hold until then. */
type Membership = { readonly role: string; readonly heldUntil: number | null }

/** By organization id. Only accepted memberships count, and none in a suspended organization. */
export type Memberships = Readonly<Record<string, Membership>>

/** A join to the user `u`. */
export const joinMemberships = `CROSS JOIN LATERAL (
  SELECT coalesce(jsonb_object_agg(organization_id, jsonb_build_object(
    'role', role, 'heldUntil', (date_part('epoch', held_until) * 1000)::bigint)), '{}') AS memberships
  FROM members JOIN organizations o ON o.id = organization_id AND o.suspended_at IS NULL
  WHERE user_id = u.id AND accepted_at IS NOT NULL) m`

const selectSession = statementFrom(
  `SELECT ${sessionSelectList},
          ${userSelectList}, m.memberships
   FROM sessions s JOIN users u ON u.id = s.user_id ${joinMemberships} WHERE s.id = `,
  '',
)

export type SessionWithUser = { session: Session; user: User; memberships: Memberships }

export async function findSessionWithUser(sql: Queryable, id: string): Promise<SessionWithUser | null> {
  const [row] = await sql.$queryRaw<(Session & UserColumns & { memberships: Memberships })[]>(selectSession, id)
  return row ? { session: toSession(row), user: toUser(row), memberships: row.memberships } : null
}

const insertRow = statementFrom(
  `INSERT INTO sessions (${sessionColumnNames.join(', ')}) VALUES (`,
  ...sessionColumnNames.slice(1).map(() => ', '),
  ')',
)

export async function insertSession(sql: Queryable, session: Session): Promise<void> {
  await sql.$queryRaw(insertRow, ...sessionValues(session))
}

export type SignInAccount = Pick<Account, 'id' | 'userId' | 'passwordHash' | 'deviceEpoch'> & { user: User }

const selectAccount = statementFrom(
  `SELECT a.id, a.user_id AS "userId", a.password_hash AS "passwordHash", a.device_epoch AS "deviceEpoch", ${userSelectList}
   FROM users u JOIN accounts a ON a.user_id = u.id AND a.provider_id = 'credential' WHERE u.email = `,
  ' LIMIT 1',
)

/** Finds the password account of an email, which must be in lower case. */
export async function findSignInAccount(sql: Queryable, email: string): Promise<SignInAccount | null> {
  const [row] = await sql.$queryRaw<(Omit<SignInAccount, 'user'> & UserColumns)[]>(selectAccount, email)
  if (!row) return null
  const { id, userId, passwordHash, deviceEpoch } = row
  return { id, userId, passwordHash, deviceEpoch, user: toUser(row) }
}

export type PasskeyWithUser = { passkey: Passkey; user: User; handle: string | null }

const selectPasskey = statementFrom(
  `SELECT p.id, p.name AS "passkeyName", p.credential_id AS "credentialId", p.public_key AS "publicKey", p.counter,
          p.is_syncable AS "isSyncable", p.backed_up AS "backedUp", p.transports, p.aaguid, p.created_at AS "createdAt",
          p.last_used_at AS "lastUsedAt", h.handle, u.id AS "userId", ${userSelectList}
   FROM passkeys p JOIN users u ON u.id = p.user_id LEFT JOIN passkey_handles h ON h.user_id = u.id WHERE p.credential_id = `,
  '',
)

/** Finds a passkey with its user and the name by which its authenticator knows that user. */
export async function findPasskeyWithUser(sql: Queryable, credentialId: string): Promise<PasskeyWithUser | null> {
  type Row = Omit<Passkey, 'name'> & UserColumns & { passkeyName: string; handle: string | null }
  const [row] = await sql.$queryRaw<Row[]>(selectPasskey, credentialId)
  if (!row) return null
  const { id, userId, publicKey, counter, isSyncable, backedUp, transports, aaguid, createdAt, lastUsedAt, handle } = row
  const passkey = {
    id,
    userId,
    name: row.passkeyName,
    credentialId,
    publicKey,
    counter,
    isSyncable,
    backedUp,
    transports,
    aaguid,
  }
  return { passkey: { ...passkey, createdAt, lastUsedAt }, user: toUser(row), handle }
}
