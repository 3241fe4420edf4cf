import type { Database, Webhook } from '@floorpass/db'
import { renderMail } from '@floorpass/email'
import { toLocale } from '../kernel/locale.ts'
import type { Settings } from '../kernel/settings.ts'
import type { MailQueue } from '../mail/mail-queue.ts'

export type PauseReason = 'operator' | 'gone' | 'failing'

type Deps = { db: Database; mail: Pick<MailQueue, 'add'>; settings: Settings }

/** Stops the deliveries of a webhook, and mails its contact unless an operator did it. False: it was paused already. */
export async function pauseWebhook({ db, mail, settings }: Deps, webhook: Webhook, reason: PauseReason): Promise<boolean> {
  return db.$transaction(async (tx) => {
    // Events that are being placed have their deliveries queued. The position after them begins the pause.
    await tx.$queryRaw`SELECT FROM event_feed FOR UPDATE`
    const paused = await tx.$queryRaw<unknown[]>`
      UPDATE webhooks SET paused_at = ${new Date()}, pause_reason = ${reason}, paused_after = (SELECT position FROM event_feed)
      WHERE id = ${webhook.id} AND paused_at IS NULL RETURNING id`
    if (paused.length === 0) return false
    if (reason === 'operator') return true
    const { appName, baseUrl, supportUrl, brand } = settings
    const locale = toLocale(webhook.locale)
    const { host } = new URL(webhook.url)
    const mailed = renderMail('webhook-paused', {
      locale,
      name: '',
      appName,
      baseUrl,
      supportUrl,
      brand,
      webhook: webhook.id,
      host,
      reason,
    })
    await mail.add(tx, { to: webhook.contact, ...mailed })
    return true
  })
}
