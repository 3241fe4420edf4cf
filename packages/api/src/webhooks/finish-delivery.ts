import type { Database } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import type { Claimed } from './claim-deliveries.ts'
import type { WebhookAnswer } from './post-webhook.ts'

/** What a delivery came to. Without an answer there is a reason. */
export type Result = WebhookAnswer | { status: null; reason: string }

export const deliveryOutcomes = ['delivered', 'retried', 'failed'] as const
export type Outcome = (typeof deliveryOutcomes)[number]

/** Writes the result of a delivery, and makes the user's next one due when this one is over. */
export async function finishDelivery(db: Database, claimed: Claimed, result: Result): Promise<Outcome> {
  const { id, webhookId, orderKey } = claimed
  const now = new Date()
  const isDelivered = result.status !== null && result.status >= 200 && result.status < 300
  const next = isDelivered ? null : nextAttempt(claimed, result)
  const outcome = isDelivered ? 'delivered' : next ? 'retried' : 'failed'
  const lastError = result.status === null ? result.reason.slice(0, 500) : null
  await db.$transaction(async (tx) => {
    const data = {
      lastStatus: result.status,
      lastError,
      nextAttemptAt: next,
      ...(next === null && { status: outcome, finishedAt: now }),
    }
    // Another process may hold a newer lease of a delivery that took longer than its own.
    const where = { id, status: 'waiting', ...(!isDelivered && { attempts: claimed.attempts }) }
    const { count } = await tx.webhookDelivery.updateMany({ where, data })
    if (count === 0) return
    if (isDelivered)
      await tx.webhook.updateMany({ where: { id: webhookId, failingSince: { not: null } }, data: { failingSince: null } })
    else await tx.webhook.updateMany({ where: { id: webhookId, failingSince: null }, data: { failingSince: now } })
    if (next !== null) return
    await tx.$executeRaw`
      UPDATE webhook_deliveries SET next_attempt_at = ${now} WHERE id = (
        SELECT id FROM webhook_deliveries
        WHERE webhook_id = ${webhookId} AND status = 'waiting' AND order_key = ${orderKey} ORDER BY position, id LIMIT 1)`
  })
  return outcome
}

/** Null after the last attempt, or when the receiver is gone. */
export function nextAttempt({ attempts }: Pick<Claimed, 'attempts'>, result: Result): Date | null {
  const { firstRetry, retryFactor, longestRetry, mostAttempts } = policy.webhooks
  if (attempts >= mostAttempts || result.status === 410) return null
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
