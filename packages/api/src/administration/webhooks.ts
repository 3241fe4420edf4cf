import type { Webhook } from '@floorpass/db'
import { expandTypes } from '../event-feed/event-types.ts'
import { findStart, idOf, positionOf } from '../event-feed/read-events.ts'
import { AppError } from '../kernel/errors.ts'
import type { Locale } from '../kernel/locale.ts'
import { policy } from '../kernel/policy.ts'
import { administratorProcedure } from '../trpc.ts'
import { pauseWebhook as pause } from '../webhooks/pause-webhook.ts'
import { createWebhookKeys, getPublicKey, openKeys, sealKeys } from '../webhooks/webhook-keys.ts'
import { findUrlProblem } from '../webhooks/webhook-target.ts'
import { listWebhookDeliveriesInput } from './operations-contract.ts'
import type { Operator, Reader } from './operator.ts'

export { expandTypes }

const { exactCount } = policy.administration

export type NewWebhook = { url: string; types: readonly string[]; contact: string; locale: Locale }

export type WebhookSecrets = { secret: string; publicKey: string }

export const findWebhookUrlProblem = ({ ctx }: Operator, url: string): string | null => findUrlProblem(url, ctx.settings.webhooks)

/** Sends events of `types` to `url` from now on; no types: all events. */
export async function createWebhook({ ctx, name }: Operator, webhook: NewWebhook): Promise<WebhookSecrets & { id: string }> {
  const keys = createWebhookKeys()
  const types = [...webhook.types]
  const id = await ctx.db.$transaction(async (tx) => {
    const row = await tx.webhook.create({ data: { ...webhook, types, keysSealed: '', createdBy: name } })
    await tx.webhook.update({ where: { id: row.id }, data: { keysSealed: sealKeys(ctx.secretBox, row.id, keys) } })
    return row.id
  })
  return { id, secret: keys.secret, publicKey: getPublicKey(keys) }
}

/** `waiting` counts to one above `exactCount`. */
export async function findWebhooks({ ctx }: Reader) {
  const webhooks = await ctx.db.webhook.findMany({ orderBy: { id: 'asc' } })
  // A webhook that failed for days has millions of rows.
  const waiting = await ctx.db.$queryRaw<{ webhookId: string; count: number }[]>`
    SELECT id AS "webhookId", counted::int AS count FROM webhooks CROSS JOIN LATERAL (
      SELECT count(*) AS counted FROM (
        SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id AND status = 'waiting'
        ORDER BY next_attempt_at LIMIT ${exactCount + 1}
      ) AS due
    ) AS deliveries`
  return webhooks.map(({ id, url, types, contact, createdBy, createdAt, pausedAt, pauseReason, failingSince, keysSealed }) => ({
    id,
    url,
    types,
    contact,
    createdBy,
    createdAt,
    waiting: waiting.find(({ webhookId }) => webhookId === id)?.count ?? 0,
    failingSince,
    pausedAt,
    pauseReason,
    publicKey: findPublicKey(ctx, id, keysSealed),
  }))
}

function findPublicKey({ secretBox }: Reader['ctx'], id: string, sealed: string): string | null {
  try {
    return getPublicKey(openKeys(secretBox, id, sealed))
  } catch {
    return null
  }
}

export const pauseWebhook = async (operator: Operator, id: string): Promise<boolean> =>
  pause(operator.ctx, await requireWebhook(operator, id), 'operator')

/** Returns the number of events skipped during the pause, and the event before them. Null: it was not paused. WEBHOOK_NOT_FOUND. */
export async function resumeWebhook(operator: Operator, id: string): Promise<{ missed: number; after: string } | null> {
  await requireWebhook(operator, id)
  const { db } = operator.ctx
  const resumed = await db.$transaction(async (tx) => {
    // What is appended from now on is queued.
    const [feed] = await tx.$queryRaw<{ position: bigint }[]>`SELECT position FROM event_feed FOR UPDATE`
    const [webhook] = await tx.$queryRaw<{ pausedAfter: bigint | null; types: string[] }[]>`
      SELECT paused_after AS "pausedAfter", types FROM webhooks WHERE id = ${id} FOR NO KEY UPDATE`
    if (!feed || !webhook || webhook.pausedAfter === null) return null
    await tx.webhook.update({ where: { id }, data: { pausedAt: null, pauseReason: null, pausedAfter: null, failingSince: null } })
    return { after: webhook.pausedAfter, until: feed.position, types: webhook.types }
  })
  if (!resumed) return null
  const { after, until, types } = resumed
  // Restart the attempts of waiting deliveries, but of those that a process may be sending.
  await inBatches(
    () => db.$executeRaw`
      UPDATE webhook_deliveries SET attempts = 0, next_attempt_at = ${new Date()} WHERE id IN (
        SELECT id FROM webhook_deliveries WHERE webhook_id = ${id} AND status = 'waiting' AND attempts > 0
          AND (next_attempt_at <= ${new Date()} OR next_attempt_at > ${new Date(Date.now() + policy.webhooks.lease * 1000)})
        LIMIT ${Number(replayBatch)} FOR UPDATE SKIP LOCKED)`,
  )
  const position = { gt: after, lte: until }
  const missed = await db.event.count({ where: { position, ...(types.length > 0 && { type: { in: types } }) } })
  return { missed, after: idOf(after) }
}

/** Replaces the keys. The old ones keep signing for a day; with `now` they stop at once. WEBHOOK_NOT_FOUND. */
export async function rotateWebhook(
  operator: Operator,
  id: string,
  { now }: { now: boolean },
): Promise<WebhookSecrets & { formerUntil: Date | null }> {
  const { ctx } = operator
  const { keysSealed } = await requireWebhook(operator, id)
  const keys = createWebhookKeys()
  const formerUntil = now ? null : new Date(Date.now() + policy.webhooks.keyOverlap * 1000)
  const { count } = await ctx.db.webhook.updateMany({
    where: { id, keysSealed },
    data: {
      keysSealed: sealKeys(ctx.secretBox, id, keys),
      formerKeysSealed: now ? null : keysSealed,
      formerKeysUntil: formerUntil,
    },
  })
  if (count === 0) return rotateWebhook(operator, id, { now })
  return { secret: keys.secret, publicKey: getPublicKey(keys), formerUntil }
}

/** Deletes a webhook with its queue and log. WEBHOOK_NOT_FOUND. */
export async function dropWebhook(operator: Operator, id: string): Promise<void> {
  await pauseWebhook(operator, id)
  const { db } = operator.ctx
  await inBatches(
    () => db.$executeRaw`
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM webhook_deliveries WHERE webhook_id = ${id} LIMIT ${Number(replayBatch)})`,
  )
  await db.webhook.deleteMany({ where: { id } })
}

export type DeliveryFilter = { status?: string; limit: number }

/** The newest deliveries of a webhook. WEBHOOK_NOT_FOUND. */
export async function findDeliveries(reader: Reader, id: string, { status, limit }: DeliveryFilter) {
  await requireWebhook(reader, id)
  const rows = await reader.ctx.db.webhookDelivery.findMany({
    where: { webhookId: id, ...(status !== undefined && { status }) },
    orderBy: [{ position: 'desc' }, { createdAt: 'desc' }],
    take: limit,
  })
  return rows.map(({ eventId, type, status, attempts, lastStatus, lastError, createdAt, nextAttemptAt, finishedAt }) => ({
    event: eventId,
    type,
    status,
    attempts,
    answer: lastStatus ?? lastError,
    createdAt,
    nextAttemptAt,
    finishedAt,
  }))
}

export type ReplayRange = { event: string } | { after: string } | { since: Date; until: Date | null }

const replayBatch = 500n

/** Queues events again, in their order. Leaves out those that wait. Returns their count. WEBHOOK_NOT_FOUND. */
export async function replayEvents(operator: Operator, id: string, range: ReplayRange): Promise<number> {
  const { ctx } = operator
  await requireWebhook(operator, id)
  await ctx.events.flush()
  const [first, last] = await findPositions(ctx, range)
  const exactId = 'event' in range ? range.event : null
  let count = 0
  for (let after = first; after < last; after += replayBatch) {
    const until = after + replayBatch < last ? after + replayBatch : last
    count += await ctx.db.$transaction(async (tx) => {
      // Two replays at once queue no event twice.
      await tx.$queryRaw`SELECT id FROM webhooks WHERE id = ${id} FOR NO KEY UPDATE`
      return tx.$executeRaw`
        INSERT INTO webhook_deliveries (id, webhook_id, position, event_id, type, order_key, next_attempt_at, created_at)
        SELECT gen_random_uuid()::text, webhooks.id, position, events.id, type, coalesce(user_id, events.organization_id, ''), ${new Date()}, ${new Date()}
        FROM events JOIN webhooks ON webhooks.id = ${id} AND (types = '{}' OR type = ANY (types))
        WHERE position > ${after} AND position <= ${until} AND (${exactId}::text IS NULL OR events.id = ${exactId})
          AND NOT EXISTS (
            SELECT FROM webhook_deliveries waiting
            WHERE waiting.webhook_id = ${id} AND waiting.position = events.position AND waiting.status = 'waiting')`
    })
  }
  return count
}

/** Queues the failed deliveries of a webhook again, with new attempts. Returns their count. WEBHOOK_NOT_FOUND. */
export async function replayFailed(operator: Operator, id: string): Promise<number> {
  await requireWebhook(operator, id)
  return inBatches(
    () => operator.ctx.db.$executeRaw`
      UPDATE webhook_deliveries SET status = 'waiting', attempts = 0, next_attempt_at = ${new Date()}, finished_at = NULL
      WHERE id IN (
        SELECT id FROM webhook_deliveries failed WHERE webhook_id = ${id} AND status = 'failed' AND NOT EXISTS (
          SELECT FROM webhook_deliveries later
          WHERE later.webhook_id = ${id} AND later.position = failed.position AND later.created_at > failed.created_at)
        ORDER BY position LIMIT ${Number(replayBatch)} FOR UPDATE SKIP LOCKED)`,
  )
}

/** Small transactions: appending to the feed waits for the rows of a webhook. */
async function inBatches(change: () => Promise<number>): Promise<number> {
  let total = 0
  for (let count = Number(replayBatch); count === Number(replayBatch); total += count) count = await change()
  return total
}

async function findPositions(ctx: Operator['ctx'], range: ReplayRange): Promise<[first: bigint, last: bigint]> {
  if ('event' in range) return [positionOf(range.event) - 1n, positionOf(range.event)]
  const find = async (time: Date) => positionOf(await findStart(ctx, time.toISOString()))
  const { position, swept } = await ctx.db.eventFeed.findFirstOrThrow()
  if ('after' in range) {
    if (positionOf(range.after) < swept) throw new AppError('CURSOR_EXPIRED')
    return [positionOf(range.after), position]
  }
  return [await find(range.since), range.until ? await find(range.until) : position]
}

async function requireWebhook({ ctx }: Reader, id: string): Promise<Webhook> {
  const webhook = await ctx.db.webhook.findUnique({ where: { id } })
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND')
  return webhook
}

export const listWebhooks = administratorProcedure('webhook:list').query(async ({ ctx }) => ({
  webhooks: await findWebhooks({ ctx }),
}))

/** WEBHOOK_NOT_FOUND. */
export const listWebhookDeliveries = administratorProcedure('webhook:list')
  .input(listWebhookDeliveriesInput)
  .query(async ({ ctx, input: { webhookId, limit } }) => ({ deliveries: await findDeliveries({ ctx }, webhookId, { limit }) }))
