import type { Sql } from '@floorpass/db'
import type { FeedRow } from '../events/read-events.ts'
import { policy } from '../kernel/policy.ts'

export type Claimed = {
  id: string
  webhookId: string
  orderKey: string
  attempts: number
  eventId: string
  event: FeedRow | null
}

type Row = Claimed & { isClaimed: boolean }

/**
 * Leases due deliveries of a webhook, at most one of each user, and always the user's oldest. Leaves a later one until the oldest is due
 * again: its end makes the next one due at once. Resolves to null when nothing is due.
 */
export async function claimDeliveries(sql: Sql, webhookId: string, limit: number): Promise<Claimed[] | null> {
  const now = new Date()
  const leasedUntil = new Date(now.getTime() + policy.webhooks.lease * 1000)
  const rows = await sql.$queryRaw<Row[]>`
    WITH due AS (
      SELECT id, order_key FROM webhook_deliveries
      WHERE webhook_id = ${webhookId} AND status = 'waiting' AND next_attempt_at <= ${now}
      ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), judged AS (
      SELECT due.id, oldest.id = due.id AS is_oldest, oldest.next_attempt_at FROM due CROSS JOIN LATERAL (
        SELECT id, next_attempt_at FROM webhook_deliveries
        WHERE webhook_id = ${webhookId} AND status = 'waiting' AND order_key = due.order_key ORDER BY position, id LIMIT 1
      ) AS oldest
    )
    UPDATE webhook_deliveries SET
      attempts = attempts + is_oldest::int,
      next_attempt_at = CASE WHEN is_oldest THEN ${leasedUntil}::timestamp
        ELSE greatest(judged.next_attempt_at, ${now}::timestamp + interval '1 second') END
    FROM judged WHERE webhook_deliveries.id = judged.id
    RETURNING webhook_deliveries.id, webhook_id AS "webhookId", order_key AS "orderKey", attempts, event_id AS "eventId",
      is_oldest AS "isClaimed", (
        SELECT json_build_object('id', id, 'type', type, 'userId', user_id, 'organizationId', organization_id, 'data', data, 'createdAt', created_at)
        FROM events WHERE events.position = webhook_deliveries.position AND events.id = webhook_deliveries.event_id
      ) AS event`
  return rows.length === 0 ? null : rows.filter(({ isClaimed }) => isClaimed)
}
