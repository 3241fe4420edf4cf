import type { Database, QueuedMail } from '@floorpass/db'
import { type Mail, MailError, type MailTransport } from '@floorpass/email'
import type { Log } from '../kernel/log.ts'
import type { SecretBox } from '../kernel/secret-box.ts'
import { createAddressOrder } from './address-order.ts'
import { releaseMail } from './claim-mail.ts'
import { nextAttempt } from './next-attempt.ts'
import { createServerPause } from './server-pause.ts'

export type MailDeliveryOptions = { db: Database; transport: MailTransport; secretBox: SecretBox; log: Log }

/** Sends claimed mails, then deletes or reschedules their rows. */
export function createMailDelivery({ db, transport, secretBox, log }: MailDeliveryOptions) {
  let stopped = false
  const inAddressOrder = createAddressOrder()
  const server = createServerPause()
  /** Accepted by the server, while their rows still exist. */
  const awaitingDeletion = new Set<string>()
  /** Prevents a second send when a slow one outlives its lease. */
  const sending = new Set<string>()
  let hasDelivered = false

  async function deliver(claimed: QueuedMail): Promise<void> {
    const { id, mailSealed, expiresAt } = claimed
    if (sending.has(id)) return
    if (awaitingDeletion.has(id)) return remove(id)
    if (expiresAt !== null && expiresAt <= new Date()) {
      log.warn({ mailId: id }, 'mail dropped: link expired before delivery')
      return remove(id)
    }
    sending.add(id)
    try {
      const mail = JSON.parse(secretBox.open(mailSealed, ['queued_mails.mail_sealed', id])) as Mail
      if (!(await sendInOrder(claimed, mail.to, () => transport.send(mail, id)))) return await releaseMail(db, claimed)
    } catch (error) {
      return await reschedule(claimed, error)
    } finally {
      sending.delete(id)
    }
    awaitingDeletion.add(id)
    server.end()
    hasDelivered = true
    await remove(id)
    await resumePostponed()
  }

  /** Sends after earlier claimed mails to the same address. Returns false when the lease has expired by then. */
  const sendInOrder = ({ nextAttemptAt: leasedUntil }: QueuedMail, address: string, send: () => Promise<void>) =>
    inAddressOrder(address, async () => {
      if (stopped || leasedUntil === null || leasedUntil <= new Date()) return false
      await send()
      return true
    })

  async function remove(id: string): Promise<void> {
    await db.queuedMail.deleteMany({ where: { id } })
    awaitingDeletion.delete(id)
  }

  async function reschedule(claimed: QueuedMail, error: unknown): Promise<void> {
    const { id, attempts } = claimed
    const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown'
    const code = error instanceof MailError ? error.code : 'MAIL_DEFERRED'
    const fields = { mailId: id, attempts, reason: lastError }

    const pause = code === 'MAIL_SERVER_UNAVAILABLE' ? server.begin(id) : null
    if (pause) {
      const { nextAttemptAt, seconds } = pause
      await db.queuedMail.updateMany({ where: { id, attempts }, data: { lastError, nextAttemptAt, attempts: { decrement: 1 } } })
      return log.warn({ ...fields, seconds }, 'mail server unavailable: delivery paused')
    }
    const nextAttemptAt = nextAttempt(claimed, code, hasDelivered)
    await db.queuedMail.updateMany({ where: { id, attempts }, data: { lastError, nextAttemptAt } })
    if (nextAttemptAt === null) log.error(fields, 'mail refused permanently: row kept for the operator')
    else log.warn(fields, 'mail delivery failed: retry scheduled')
  }

  async function resumePostponed(): Promise<void> {
    const postponed = server.postponed()
    if (postponed.length === 0) return
    log.info({}, 'mail server available again')
    await db.queuedMail.updateMany({ where: { OR: postponed }, data: { nextAttemptAt: new Date() } })
    server.resume(postponed.map(({ id }) => id))
  }

  return {
    deliver,
    isPaused: server.isPaused,
    isSuspected: server.isSuspected,
    /** Leaves mails unsent that wait for an earlier one to the same address. */
    stop(): void {
      stopped = true
    },
  }
}
