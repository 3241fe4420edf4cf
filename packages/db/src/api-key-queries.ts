import type { ApiKey, User } from './generated/client.ts'
import { joinMemberships, type Memberships } from './session-queries.ts'
import { type Queryable, statementFrom } from './sql.ts'

/** What decides about a call of a program: the key, its user and the user's memberships. */
export type KeyWithOwner = {
  key: Omit<ApiKey, 'lastUsedAt' | 'lastUsedIp' | 'uses'>
  user: { id: string } & OwnerState
  memberships: Memberships
}

type OwnerState = Pick<User, 'tradingEnabled' | 'suspendedAt' | 'heldUntil' | 'lockedAt' | 'unlockAt'>

type Row = KeyWithOwner['key'] & OwnerState & { memberships: Memberships }

const selectKey = statementFrom(
  `SELECT k.id, k.user_id AS "userId", k.organization_id AS "organizationId", k.name, k.prefix, k.start,
          k.secret_hash AS "secretHash", k.public_key AS "publicKey", k.scopes, k.ip_allowlist AS "ipAllowlist", k.enabled,
          k.metadata, k.expires_at AS "expiresAt", k.created_at AS "createdAt", k.updated_at AS "updatedAt",
          u.trading_enabled AS "tradingEnabled", u.suspended_at AS "suspendedAt",
          u.held_until AS "heldUntil", u.locked_at AS "lockedAt", u.unlock_at AS "unlockAt", m.memberships
   FROM api_keys k JOIN users u ON u.id = k.user_id ${joinMemberships} WHERE k.id = `,
  '',
)

/** One statement: programs call often, and Prisma needs three. */
export async function findKeyWithOwner(sql: Queryable, id: string): Promise<KeyWithOwner | null> {
  const [row] = await sql.$queryRaw<Row[]>(selectKey, id)
  if (!row) return null
  const { tradingEnabled, suspendedAt, heldUntil, lockedAt, unlockAt, memberships, ...key } = row
  return { key, user: { id: key.userId, tradingEnabled, suspendedAt, heldUntil, lockedAt, unlockAt }, memberships }
}
