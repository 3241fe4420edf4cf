import type { ApiKey } from './generated/client.ts'
import type { Roles } from './session-queries.ts'
import type { Queryable } from './sql.ts'

/** What decides about a call of a program: the key, its user and the user's roles. */
export type KeyWithOwner = {
  key: Omit<ApiKey, 'lastUsedAt' | 'lastUsedIp' | 'uses'>
  user: { id: string; tradingEnabled: boolean; suspendedAt: Date | null }
  roles: Roles
}

type Row = KeyWithOwner['key'] & { tradingEnabled: boolean; suspendedAt: Date | null; roles: Roles }

/** One statement: programs call often, and Prisma needs three. */
export async function findKeyWithOwner(sql: Queryable, id: string): Promise<KeyWithOwner | null> {
  const [row] = await sql.$queryRaw<Row[]>`
    SELECT k.id, k.user_id AS "userId", k.organization_id AS "organizationId", k.name, k.prefix, k.start,
           k.secret_hash AS "secretHash", k.public_key AS "publicKey", k.scopes, k.ip_allowlist AS "ipAllowlist", k.enabled,
           k.metadata, k.expires_at AS "expiresAt", k.created_at AS "createdAt", k.updated_at AS "updatedAt",
           u.trading_enabled AS "tradingEnabled", u.suspended_at AS "suspendedAt", coalesce(m.roles, '{}') AS roles
    FROM api_keys k JOIN users u ON u.id = k.user_id
    CROSS JOIN LATERAL (
      SELECT jsonb_object_agg(organization_id, role) AS roles FROM members WHERE user_id = u.id AND accepted_at IS NOT NULL
    ) m WHERE k.id = ${id}`
  if (!row) return null
  const { tradingEnabled, suspendedAt, roles, ...key } = row
  return { key, user: { id: key.userId, tradingEnabled, suspendedAt }, roles }
}
