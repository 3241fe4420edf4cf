import { randomUUIDv7 } from 'node:crypto'
import type { Database, Queryable } from '@floorpass/db'
import type { Client } from '../kernel/request.ts'
import { lockUser } from '../users/lock-user.ts'

export type AuditAction =
  | 'sign-up'
  | 'sign-in'
  | 'sign-out'
  | 'reauthenticate'
  | 'request-reauthentication-link'
  | 'pause-password'
  | 'revoke-session'
  | 'verify-email'
  | 'request-email-change'
  | 'change-email'
  | 'undo-email-change'
  | 'clear-password'
  | 'restore-two-factor'
  | 'remove-backup-codes'
  | 'request-password-reset'
  | 'reset-password'
  | 'change-password'
  | 'set-password'
  | 'link-account'
  | 'unlink-account'
  | 'add-passkey'
  | 'rename-passkey'
  | 'remove-passkey'
  | 'refuse-passkey'
  | 'update-user'
  | 'export-data'
  | 'request-account-deletion'
  | 'create-organization'
  | 'update-organization'
  | 'delete-organization'
  | 'add-member'
  | 'accept-membership'
  | 'drop-membership'
  | 'remove-member'
  | 'update-member-role'
  | 'leave-organization'
  | 'invite-member'
  | 'accept-invitation'
  | 'reject-invitation'
  | 'cancel-invitation'
  | 'two-factor-challenge'
  | 'prepare-two-factor'
  | 'enable-two-factor'
  | 'add-authenticator'
  | 'verify-two-factor'
  | 'lock-two-factor'
  | 'disable-two-factor'
  | 'replace-backup-codes'
  | 'revoke-trusted-device'
  | 'import-user'
  | 'retry-mail'
  | 'drop-mail'
  | 'suspend-user'
  | 'restore-user'
  | 'name-session'
  | 'create-api-key'
  | 'update-api-key'
  | 'delete-api-key'
  | 'report-api-key'
  | 'lock-account'
  | 'request-unlock'
  | 'cancel-unlock'
  | 'unlock-account'
  | 'refuse-unlock'
  | 'lift-hold'
  | 'set-phrase'
  | 'panic'
  | 'undo-panic'
  | 'add-allow-list-entry'
  | 'remove-allow-list-entry'
  | 'enable-allow-list'
  | 'disable-allow-list'
  | 'approve-confirmation'
  | 'refuse-confirmation'
  | 'reject-confirmation'
  | 'consume-confirmation'

export type AuditEntry<Action extends AuditAction = AuditAction> = {
  userId: string
  /** Set when another party acted: a user id, `operator:<name>`, `service:<name>`, or `report` for the finder of a leaked key. */
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

export async function recordAuditEvents(tx: Queryable, client: Client, entries: readonly AuditEntry[]): Promise<void> {
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
