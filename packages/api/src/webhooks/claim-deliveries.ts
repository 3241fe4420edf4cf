import type { Sql, Webhook } from '@floorpass/db'
import type { FeedRow } from '../event-feed/read-events.ts'
import { policy } from '../kernel/policy.ts'

export type Target = Pick<Webhook, 'id' | 'url' | 'keysSealed' | 'formerKeysSealed' | 'formerKeysUntil'>

export type Claimed = {
  id: string
  webhookId: string
  orderKey: string
  attempts: number
  eventId: string
  /** Null: the sweep removed it. */
  event: FeedRow | null
}

type Row = Claimed & { isClaimed: boolean }

/**
 * Leases due deliveries of a webhook that is not paused: for each user the delivery already attempted, else the oldest. Defers the user's
 * others until that delivery is due again; `finishDelivery` makes the next one due. Null: nothing is due.
 */
export async function claimDeliveries(
  sql: Sql,
  webhookId: string,
  limit: number,
): Promise<{ webhook: Target; claimed: Claimed[] } | null> {
  const now = new Date()
  const leasedUntil = new Date(now.getTime() + policy.webhooks.lease * 1000)
  const [[webhook], rows] = await sql.transaction((tx) =>
    Promise.all([
      // Serialize the claims and results of a webhook.
      tx.$queryRaw<Target[]>`
        SELECT id, url, keys_sealed AS "keysSealed", former_keys_sealed AS "formerKeysSealed", former_keys_until AS "formerKeysUntil"
        FROM webhooks WHERE id = ${webhookId} FOR NO KEY UPDATE`,
      tx.$queryRaw<Row[]>`
        WITH due AS (
          SELECT id, order_key, next_attempt_at FROM webhook_deliveries
          WHERE webhook_id = ${webhookId} AND status = 'waiting' AND next_attempt_at <= ${now}
            AND EXISTS (SELECT FROM webhooks WHERE id = ${webhookId} AND paused_at IS NULL)
          ORDER BY next_attempt_at LIMIT ${policy.webhooks.rankedAtOnce}
        ), ranked AS (
          SELECT due.id, first.id = due.id AS is_first, first.next_attempt_at,
            row_number() OVER (PARTITION BY first.id = due.id ORDER BY due.next_attempt_at) AS number FROM due CROSS JOIN LATERAL (
            SELECT id, next_attempt_at FROM webhook_deliveries
            WHERE webhook_id = ${webhookId} AND status = 'waiting' AND order_key = due.order_key
            ORDER BY attempts = 0, position, id LIMIT 1
          ) AS first
        )
        UPDATE webhook_deliveries SET
          attempts = attempts + is_first::int,
          next_attempt_at = CASE WHEN is_first THEN ${leasedUntil}::timestamp
            ELSE greatest(ranked.next_attempt_at, ${now}::timestamp + interval '1 second') END
        FROM ranked WHERE webhook_deliveries.id = ranked.id AND (NOT is_first OR number <= ${limit}::int)
        RETURNING webhook_deliveries.id, webhook_id AS "webhookId", order_key AS "orderKey", attempts, event_id AS "eventId",
          is_first AS "isClaimed", (
            SELECT json_build_object('id', id, 'type', type, 'userId', user_id, 'organizationId', organization_id, 'data', data, 'createdAt', created_at)
            FROM events WHERE events.position = webhook_deliveries.position AND events.id = webhook_deliveries.event_id
          ) AS event`,
    ]),
  )
  return webhook && rows.length > 0 ? { webhook, claimed: rows.filter(({ isClaimed }) => isClaimed) } : null
}
