import { randomUUIDv7 } from 'node:crypto'
import type { Database, QueuedMail, Transaction } from '@floorpass/db'
import { type Mail, MailError, type MailTransport } from '@floorpass/email'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'
import type { SecretBox } from '../kernel/secret-box.ts'

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

type MailQueueOptions = { db: Database; transport: MailTransport; secretBox: SecretBox; log: Log; pollSeconds?: number }

export function createMailQueue({ db, transport, secretBox, log, pollSeconds = 5 }: MailQueueOptions): MailQueue {
  let running: Promise<void> | undefined
  let wakeRequested = false
  let woken = Promise.withResolvers<void>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const inFlight = new Set<Promise<void>>()
  const lastByAddress = new Map<string, Promise<void>>()
  /** Accepted by the server, while their rows still exist. */
  const awaitingDeletion = new Set<string>()
  /** Next attempts that this process set. Another process may have claimed the mail since. */
  const postponed = new Map<string, Date>()
  /** Prevents a second send when a slow one outlives its lease. */
  const sending = new Set<string>()
  let consecutiveFailures = 0
  let hasDelivered = false
  let pause = { from: 0, until: 0 }

  async function deliverDue(): Promise<void> {
    do {
      woken = Promise.withResolvers()
      while (!stopped && !isPaused() && inFlight.size < (consecutiveFailures > 0 ? 1 : policy.mail.atOnce)) {
        const claimed = await claimNext(db)
        if (!claimed) break
        const delivery = deliver(claimed).catch((error) =>
          log.error({ err: error, mailId: claimed.id }, 'mail queue write failed'),
        )
        inFlight.add(delivery)
        void delivery.finally(() => inFlight.delete(delivery))
      }
      await Promise.race([...inFlight, woken.promise, ...(inFlight.size === 0 ? [null] : [])])
    } while (inFlight.size > 0)
  }

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
      if (!(await sendInOrder(claimed, mail.to, () => transport.send(mail, id)))) return await release(claimed)
    } catch (error) {
      return await reschedule(claimed, error)
    } finally {
      sending.delete(id)
    }
    awaitingDeletion.add(id)
    consecutiveFailures = 0
    hasDelivered = true
    await remove(id)
    await resumePostponed()
  }

  /** Sends after earlier claimed mails to the same address. Returns false when the lease has expired by then. */
  async function sendInOrder(
    { nextAttemptAt: leasedUntil }: QueuedMail,
    address: string,
    send: () => Promise<void>,
  ): Promise<boolean> {
    const turn = (lastByAddress.get(address) ?? Promise.resolve()).then(async () => {
      if (stopped || leasedUntil === null || leasedUntil <= new Date()) return false
      await send()
      return true
    })
    const settled = turn.then(
      () => {},
      () => {},
    )
    lastByAddress.set(address, settled)
    void settled.then(() => lastByAddress.get(address) === settled && lastByAddress.delete(address))
    return turn
  }

  async function remove(id: string): Promise<void> {
    await db.queuedMail.deleteMany({ where: { id } })
    awaitingDeletion.delete(id)
  }

  const release = ({ id, attempts }: QueuedMail) =>
    db.queuedMail
      .updateMany({ where: { id, attempts }, data: { attempts: { decrement: 1 }, nextAttemptAt: new Date() } })
      .then(() => {})

  async function reschedule({ id, attempts, createdAt, triedSince }: QueuedMail, error: unknown): Promise<void> {
    const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown'
    const code = error instanceof MailError ? error.code : 'MAIL_DEFERRED'
    const fields = { mailId: id, attempts, reason: lastError }
    const now = Date.now()

    if (code === 'MAIL_SERVER_UNAVAILABLE' && ++consecutiveFailures > 1) {
      // The server failed, not this mail. This mail waits longer, so that another one probes the server.
      const seconds = Math.min(policy.mail.firstRetry * 4 ** (consecutiveFailures - 2), policy.mail.longestPause)
      pause = { from: now, until: now + seconds * 1000 }
      const nextAttemptAt = new Date(now + 2 * seconds * 1000)
      postponed.set(id, nextAttemptAt)
      await db.queuedMail.updateMany({ where: { id, attempts }, data: { lastError, nextAttemptAt, attempts: { decrement: 1 } } })
      return log.warn({ ...fields, seconds }, 'mail server unavailable: delivery paused')
    }
    const wait = Math.min(policy.mail.firstRetry * 4 ** (attempts - 1), policy.mail.longestRetry)
    // Before the first delivery, a server outage looks like a failure of the mail.
    const mayBlameMail = code === 'MAIL_DEFERRED' || hasDelivered
    const isOverdue = (triedSince ?? createdAt).getTime() + policy.mail.longestTry * 1000 < now
    const isFinal = (code !== 'MAIL_SERVER_UNAVAILABLE' && code !== 'MAIL_DEFERRED') || (isOverdue && mayBlameMail)
    const nextAttemptAt = isFinal ? null : new Date(now + wait * 1000)
    await db.queuedMail.updateMany({ where: { id, attempts }, data: { lastError, nextAttemptAt } })
    if (isFinal) log.error(fields, 'mail refused permanently: row kept for the operator')
    else log.warn(fields, 'mail delivery failed: retry scheduled')
  }

  async function resumePostponed(): Promise<void> {
    if (postponed.size === 0) return
    log.info({}, 'mail server available again')
    const due = [...postponed].map(([id, nextAttemptAt]) => ({ id, nextAttemptAt }))
    await db.queuedMail.updateMany({ where: { OR: due }, data: { nextAttemptAt: new Date() } })
    for (const { id } of due) postponed.delete(id)
  }

  // A clock that steps back must not prolong the pause.
  const isPaused = () => Date.now() < pause.until && Date.now() >= pause.from

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
    },
    start() {
      wake()
      timer = setInterval(wake, pollSeconds * 1000)
      timer.unref()
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
      await Promise.all(inFlight)
    },
  }
}

/** Leases the oldest due mail, so that two workers never send the same one. New mails are due whatever the clock says. */
async function claimNext(db: Database): Promise<QueuedMail | null> {
  const now = new Date()
  const due = await db.queuedMail.findFirst({
    where: { OR: [{ nextAttemptAt: { lte: now } }, { nextAttemptAt: { not: null }, attempts: 0, lastError: null }] },
    orderBy: { id: 'asc' },
  })
  if (!due) return null
  const [claimed] = await db.queuedMail.updateManyAndReturn({
    where: { id: due.id, attempts: due.attempts, nextAttemptAt: due.nextAttemptAt },
    data: { attempts: { increment: 1 }, nextAttemptAt: new Date(now.getTime() + policy.mail.lease * 1000) },
  })
  return claimed ?? (await claimNext(db))
}
