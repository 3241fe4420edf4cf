import type { Sql } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import type { Claimed } from './claim-deliveries.ts'
import type { WebhookAnswer } from './post-webhook.ts'

export type Result = WebhookAnswer | { status: null; reason: string }

export const deliveryOutcomes = ['delivered', 'retried', 'failed'] as const
export type Outcome = (typeof deliveryOutcomes)[number]

/** Writes the result of a delivery, and makes the user's next one due when this one is over. */
export async function finishDelivery(sql: Sql, claimed: Claimed, result: Result): Promise<Outcome> {
  const { id, webhookId, orderKey, attempts } = claimed
  const now = new Date()
  const isDelivered = result.status !== null && result.status >= 200 && result.status < 300
  const next = isDelivered ? null : nextAttempt(claimed, result)
  const outcome = isDelivered ? 'delivered' : next ? 'retried' : 'failed'
  const lastError = result.status === null ? result.reason.slice(0, 500) : null
  const isReceiverFault = claimed.event !== null
  await sql.transaction((tx) =>
    Promise.all([
      // Serialize the claims and results of a webhook.
      tx.$queryRaw`SELECT FROM webhooks WHERE id = ${webhookId} FOR NO KEY UPDATE`,
      // After the lease ran out, another process may have claimed the delivery: accept only a success.
      tx.$queryRaw`
        WITH finished AS (
          UPDATE webhook_deliveries SET last_status = ${result.status}::smallint, last_error = ${lastError}, next_attempt_at = ${next}::timestamp,
            status = CASE WHEN ${next}::timestamp IS NULL THEN ${outcome} ELSE status END,
            finished_at = CASE WHEN ${next}::timestamp IS NULL THEN ${now}::timestamp END
          WHERE id = ${id} AND status = 'waiting' AND (${isDelivered} OR attempts = ${attempts}::int)
          RETURNING status
        ), marked AS (
          UPDATE webhooks SET failing_since = CASE WHEN NOT ${isDelivered} THEN ${now}::timestamp END
          WHERE id = ${webhookId} AND (failing_since IS NULL) <> ${isDelivered} AND ${isReceiverFault} AND EXISTS (SELECT FROM finished)
        )
        UPDATE webhook_deliveries SET next_attempt_at = ${now} WHERE id = (
          SELECT id FROM webhook_deliveries
          WHERE webhook_id = ${webhookId} AND status = 'waiting' AND order_key = ${orderKey} AND id <> ${id}
          ORDER BY attempts = 0, position, id LIMIT 1
        ) AND EXISTS (SELECT FROM finished WHERE status <> 'waiting')`,
    ]),
  )
  return outcome
}

/** Null after the last attempt, when the receiver is gone, or without an event to send. */
function nextAttempt({ attempts, event }: Claimed, result: Result): Date | null {
  const { firstRetry, retryFactor, longestRetry, mostAttempts } = policy.webhooks
  if (attempts >= mostAttempts || result.status === 410 || event === null) return null
  const usual = Math.min(firstRetry * retryFactor ** (attempts - 1), longestRetry)
  // So that the deliveries of an outage do not return together.
  const jittered = usual * (0.8 + 0.4 * Math.random())
  const asked = result.status === null ? 0 : readRetryAfter(result.retryAfter)
  return new Date(Date.now() + Math.max(jittered, Math.min(asked, longestRetry)) * 1000)
}

/** Seconds, or a date (RFC 9110 10.2.3). */
function readRetryAfter(text: string | null): number {
  if (text === null) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? seconds : 0
}
