import type { Database, Sql } from '@floorpass/db'
import type { EventFeed } from '../event-feed/event-feed.ts'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'
import type { SecretBox } from '../kernel/secret-box.ts'
import type { Settings } from '../kernel/settings.ts'
import type { MailQueue } from '../mail/mail-queue.ts'
import { type Claimed, claimDeliveries, type Target } from './claim-deliveries.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import type { Outcome } from './finish-delivery.ts'
import { pauseWebhook } from './pause-webhook.ts'
import { type Resolve, resolveHost } from './webhook-target.ts'

/** Sends the events that wait for the webhooks. Each webhook has its own turn, so that a slow one delays no other. */
export type WebhookQueue = {
  drain(): Promise<void>
  start(): void
  stop(): Promise<void>
}

type WebhookQueueOptions = {
  db: Database
  sql: Sql
  events: Pick<EventFeed, 'onGrow'>
  mail: Pick<MailQueue, 'add' | 'wake'>
  secretBox: SecretBox
  settings: Settings
  log: Log
  onAttempt?: (outcome: Outcome) => void
  resolve?: Resolve
}

export function createWebhookQueue(options: WebhookQueueOptions): WebhookQueue {
  const { db, sql, events, mail, secretBox, settings, log, onAttempt = () => {}, resolve = resolveHost } = options
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  /** Most services have no webhook: their events cost no read. */
  let hasWebhooks = false
  let running: Promise<void> | undefined
  let isWoken = false
  let woken = Promise.withResolvers<void>()
  const turns = new Map<string, Promise<void>>()

  async function takeTurn(webhookId: string): Promise<void> {
    const inFlight = new Set<Promise<void>>()
    try {
      while (!isStopped) {
        const [before, underWay] = [woken, inFlight.size]
        const free = policy.webhooks.atOnce - underWay
        const due = free > 0 ? await claimDeliveries(sql, webhookId, free) : null
        if (due)
          for (const claimed of due.claimed) {
            const sending = deliver(due.webhook, claimed).finally(() => inFlight.delete(sending))
            inFlight.add(sending)
          }
        // Events may have come and deliveries ended during the read.
        if (due !== null || before !== woken || inFlight.size < underWay) continue
        if (inFlight.size === 0) return
        await Promise.race([...inFlight, woken.promise])
      }
    } finally {
      await Promise.all(inFlight)
    }
  }

  async function deliver(webhook: Target, claimed: Claimed): Promise<void> {
    const fields = { webhookId: webhook.id, deliveryId: claimed.id, attempts: claimed.attempts }
    try {
      const { outcome, result } = await deliverWebhook(
        { sql, secretBox, allowPrivate: settings.webhooks.allowPrivate, resolve },
        webhook,
        claimed,
      )
      onAttempt(outcome)
      if (outcome === 'delivered') return
      const reason = result.status === null ? result.reason : `status ${result.status}`
      log.warn(
        { ...fields, reason },
        outcome === 'failed' ? 'webhook delivery failed permanently' : 'webhook delivery failed: retry scheduled',
      )
      await pauseIfDead(webhook.id, result.status === 410)
    } catch (err) {
      log.error({ ...fields, err }, 'webhook delivery not recorded: it is sent again')
    }
  }

  async function pauseIfDead(id: string, isGone: boolean): Promise<void> {
    const webhook = await db.webhook.findUnique({ where: { id } })
    const failingSince = webhook?.failingSince?.getTime() ?? Number.POSITIVE_INFINITY
    const isFailing = Date.now() - failingSince >= policy.webhooks.pauseAfter * 1000
    if (!webhook || !(isGone || isFailing)) return
    const reason = isGone ? 'gone' : 'failing'
    if (!(await pauseWebhook({ db, mail, settings }, webhook, reason))) return
    log.error({ webhookId: id, reason }, 'webhook paused')
    mail.wake()
  }

  async function run(): Promise<void> {
    const webhooks = await db.webhook.findMany({ where: { pausedAt: null }, select: { id: true } })
    hasWebhooks = webhooks.length > 0
    for (const { id } of webhooks) {
      if (turns.has(id)) continue
      const turn = takeTurn(id)
        .catch((err) => log.error({ err, webhookId: id }, 'webhook queue read failed'))
        .finally(() => turns.delete(id))
      turns.set(id, turn)
    }
  }

  const wake = (): void => {
    if (isStopped) return
    isWoken = true
    woken.resolve()
    woken = Promise.withResolvers()
    running ??= (async () => {
      while (isWoken && !isStopped) {
        isWoken = false
        await run()
      }
    })()
      .catch((err) => log.error({ err }, 'webhook queue read failed'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    async drain() {
      wake()
      await running
      while (turns.size > 0) await Promise.all(turns.values())
    },
    start() {
      events.onGrow(() => hasWebhooks && wake())
      wake()
      timer = setInterval(wake, policy.webhooks.poll * 1000)
      timer.unref()
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
      await Promise.all(turns.values())
    },
  }
}
