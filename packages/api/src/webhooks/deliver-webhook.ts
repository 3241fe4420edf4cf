import type { Sql } from '@floorpass/db'
import { presentEvent } from '../event-feed/read-events.ts'
import type { SecretBox } from '../kernel/secret-box.ts'
import type { Claimed, Target } from './claim-deliveries.ts'
import { finishDelivery, type Outcome, type Result } from './finish-delivery.ts'
import { postWebhook } from './post-webhook.ts'
import { openKeys, signWebhook } from './webhook-keys.ts'
import type { Resolve } from './webhook-target.ts'

type Options = { sql: Sql; secretBox: SecretBox; allowPrivate: boolean; resolve: Resolve }

export async function deliverWebhook(
  options: Options,
  webhook: Target,
  claimed: Claimed,
): Promise<{ outcome: Outcome; result: Result }> {
  const result = await send(options, webhook, claimed).catch(
    (error: unknown): Result => ({ status: null, reason: describe(error) }),
  )
  return { outcome: await finishDelivery(options.sql, claimed, result), result }
}

async function send({ secretBox, allowPrivate, resolve }: Options, webhook: Target, claimed: Claimed): Promise<Result> {
  if (!claimed.event) throw new Error('the event is no longer kept')
  const { id, type, timestamp: madeAt, data } = presentEvent(claimed.event)
  const body = JSON.stringify({ type, timestamp: madeAt, data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Floorpass-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signWebhook(readKeys(secretBox, webhook), { id, timestamp, body }),
  }
  return postWebhook(webhook.url, { headers, body, allowPrivate, resolve })
}

function readKeys(secretBox: SecretBox, { id, keysSealed, formerKeysSealed, formerKeysUntil }: Target) {
  const former = formerKeysSealed && formerKeysUntil && formerKeysUntil > new Date() ? [formerKeysSealed] : []
  return [keysSealed, ...former].map((sealed) => openKeys(secretBox, id, sealed))
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  // The message is empty when every address of a host failed.
  return [code, message].filter(Boolean).join(': ')
}
