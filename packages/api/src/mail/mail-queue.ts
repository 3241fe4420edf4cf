import { randomUUIDv7 } from 'node:crypto'
import type { Transaction } from '@floorpass/db'
import type { Mail } from '@floorpass/email'
import { policy } from '../kernel/policy.ts'
import { claimNextMail } from './claim-mail.ts'
import { createMailDelivery, type MailDeliveryOptions } from './mail-delivery.ts'

/** Transactional outbox (ADR 013). Mails to one address keep their order; a failing mail blocks no other. */
export type MailQueue = {
  /** Drops the mail unsent after `expiresAt`. */
  add(tx: Transaction, mail: Mail, expiresAt?: Date | null): Promise<void>
  /** Starts delivery. Call after the commit. */
  wake(): void
  drain(): Promise<void>
  start(): void
  stop(): Promise<void>
}

type MailQueueOptions = MailDeliveryOptions & { pollSeconds?: number }

export function createMailQueue({ db, transport, secretBox, log, pollSeconds = 5 }: MailQueueOptions): MailQueue {
  let running: Promise<void> | undefined
  let wakeRequested = false
  let woken = Promise.withResolvers<void>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const inFlight = new Set<Promise<void>>()
  const delivery = createMailDelivery({ db, transport, secretBox, log })

  async function deliverDue(): Promise<void> {
    do {
      woken = Promise.withResolvers()
      while (!stopped && !delivery.isPaused() && inFlight.size < (delivery.isSuspected() ? 1 : policy.mail.atOnce)) {
        const claimed = await claimNextMail(db)
        if (!claimed) break
        const sending = delivery
          .deliver(claimed)
          .catch((error) => log.error({ err: error, mailId: claimed.id }, 'mail queue write failed'))
        inFlight.add(sending)
        void sending.finally(() => inFlight.delete(sending))
      }
      await Promise.race([...inFlight, woken.promise, ...(inFlight.size === 0 ? [null] : [])])
    } while (inFlight.size > 0)
  }

  const drain = async (): Promise<void> => {
    do {
      wakeRequested = false
      await deliverDue()
    } while (wakeRequested)
  }

  const wake = (): void => {
    if (stopped) return
    wakeRequested = true
    woken.resolve()
    running ??= drain()
      .catch((error) => log.error({ err: error }, 'mail queue read failed'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    add: async (tx, mail, expiresAt = null) => {
      const id = randomUUIDv7()
      const mailSealed = secretBox.seal(JSON.stringify(mail), ['queued_mails.mail_sealed', id])
      await tx.queuedMail.create({ data: { id, mailSealed, expiresAt } })
    },
    wake,
    drain: async () => {
      await running
      await drain()
      // A wake meanwhile may have claimed a mail that this drain then did not find.
      await running
    },
    start() {
      wake()
      timer = setInterval(wake, pollSeconds * 1000)
      timer.unref()
    },
    async stop() {
      stopped = true
      delivery.stop()
      clearInterval(timer)
      await running
      await Promise.all(inFlight)
    },
  }
}
