import type { Account, Session, User } from './generated/client.ts'
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
  importedAt: Date | null
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
  importedAt: row.importedAt,
  createdAt: row.userCreatedAt,
  updatedAt: row.userUpdatedAt,
})

const selectSession = statementFrom(
  `SELECT ${sessionSelectList},
          u.name, u.email, u.email_verified AS "emailVerified", u.image, u.locale,
          u.trading_enabled AS "tradingEnabled", u.risk_level::text AS "riskLevel", u.two_factor_enabled AS "twoFactorEnabled",
          u.unlinked_providers AS "unlinkedProviders", u.suspended_at AS "suspendedAt", u.imported_at AS "importedAt",
          u.created_at AS "userCreatedAt", u.updated_at AS "userUpdatedAt",
          coalesce(m.roles, '{}') AS roles
   FROM sessions s JOIN users u ON u.id = s.user_id
   CROSS JOIN LATERAL (
     SELECT jsonb_object_agg(organization_id, role) AS roles FROM members WHERE user_id = u.id AND accepted_at IS NOT NULL
   ) m WHERE s.id = `,
  '',
)

/** Role by organization id. Only accepted memberships count. */
export type Roles = Readonly<Record<string, string>>

export type SessionWithUser = { session: Session; user: User; roles: Roles }

export async function findSessionWithUser(sql: Queryable, id: string): Promise<SessionWithUser | null> {
  const [row] = await sql.$queryRaw<(Session & UserColumns & { roles: Roles })[]>(selectSession, id)
  return row ? { session: toSession(row), user: toUser(row), roles: row.roles } : null
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

/** Finds the password account of an email, which must be in lower case. */
export async function findSignInAccount(sql: Queryable, email: string): Promise<SignInAccount | null> {
  const [row] = await sql.$queryRaw<(Omit<SignInAccount, 'user'> & UserColumns)[]>`
    SELECT a.id, a.user_id AS "userId", a.password_hash AS "passwordHash", a.device_epoch AS "deviceEpoch",
           u.name, u.email, u.email_verified AS "emailVerified", u.image, u.locale,
           u.trading_enabled AS "tradingEnabled", u.risk_level::text AS "riskLevel", u.two_factor_enabled AS "twoFactorEnabled",
           u.unlinked_providers AS "unlinkedProviders", u.suspended_at AS "suspendedAt", u.imported_at AS "importedAt",
           u.created_at AS "userCreatedAt", u.updated_at AS "userUpdatedAt"
    FROM users u JOIN accounts a ON a.user_id = u.id AND a.provider_id = 'credential' WHERE u.email = ${email} LIMIT 1`
  if (!row) return null
  const { id, userId, passwordHash, deviceEpoch } = row
  return { id, userId, passwordHash, deviceEpoch, user: toUser(row) }
}
