import { randomUUIDv7 } from 'node:crypto'
import type { Database, Queryable } from '@floorpass/db'
import type { Client } from '../kernel/request.ts'
import { lockUser } from '../users/lock-user.ts'
import type { AuditAction } from './audit-actions.ts'

export type { AuditAction } from './audit-actions.ts'

export type AuditEntry<Action extends AuditAction = AuditAction> = {
  userId: string
  /** Set when another party acted: a user id, `operator:<name>`, `service:<name>`, `report` for the finder of a leaked key, or `schedule`. */
  actorId?: string
  organizationId?: string
  action: Action
  succeeded?: boolean
  details?: Record<string, string | number | boolean>
}

/** A context that may record these actions. A helper that records one asks for it. */
export type Records<Action extends AuditAction> = {
  record: (tx: Queryable, ...entries: readonly AuditEntry<Action>[]) => Promise<void>
}

export async function recordAuditEvents(
  tx: Queryable,
  client: Pick<Client, 'ip' | 'userAgent'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const now = new Date()
  const rows = entries.map((entry) => ({ ...entry, id: randomUUIDv7(), succeeded: entry.succeeded ?? true }))
  await tx.$queryRaw`
    INSERT INTO audit_events (id, user_id, actor_id, organization_id, action, succeeded, details, ip_address, user_agent, created_at)
    SELECT id, "userId", "actorId", "organizationId", action, succeeded, details, ${client.ip ?? ''}, ${client.userAgent}, ${now}::timestamp
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS entry(id text, "userId" text, "actorId" text, "organizationId" text, action text, succeeded boolean, details jsonb)`
}

/** Whether another party acted. Their device and IP address are hidden from the user. */
export const isByAnother = ({ userId, actorId }: { userId: string; actorId: string | null }): boolean =>
  actorId !== null && actorId !== userId

/** Records an event outside a transaction. Skips it when the user is deleted. */
export async function recordAuditEventIfUserExists(db: Database, client: Client, entry: AuditEntry): Promise<void> {
  await db.$transaction(async (tx) => {
    if (await lockUser(tx, entry.userId)) await recordAuditEvents(tx, client, [entry])
  })
}
