import { randomUUIDv7 } from 'node:crypto'
import type { Database, QueuedMail, Transaction } from '@floorpass/db'
import { type Mail, MailError, type MailTransport } from '@floorpass/email'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'
import type { SecretBox } from '../kernel/secret-box.ts'

/**
 * Mail leaves through a table: written in the transaction of the change that it tells of, sent afterwards, tried again until the
 * server takes it. No caller waits for a mail server, and no crash between commit and send loses a mail. Mails to one address keep
 * their order; a mail in trouble holds up no other.
 */
export type MailQueue = {
  /** `expiresAt`: when the mail stops being of use. It is dropped then, unsent. */
  add(tx: Transaction, mail: Mail, expiresAt?: Date | null): Promise<void>
  /** Starts delivery now. Call it after the commit. */
  wake(): void
  /** Delivers all that is due and resolves when nothing is. */
  drain(): Promise<void>
  start(): void
  /** Sends no further mail and resolves when those in hand are done with. */
  stop(): Promise<void>
}

type MailQueueOptions = { db: Database; transport: MailTransport; secretBox: SecretBox; log: Log; pollSeconds?: number }

export function createMailQueue({ db, transport, secretBox, log, pollSeconds = 5 }: MailQueueOptions): MailQueue {
  let running: Promise<void> | undefined
  let again = false
  let woken = Promise.withResolvers<void>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const inHand = new Set<Promise<void>>()
  const lastTo = new Map<string, Promise<void>>()
  /** Accepted by the server, and their rows could not be removed yet. */
  const delivered = new Set<string>()
  /** Put back because the server was away, and until when: another process may have taken one up since. */
  const heldBack = new Map<string, Date>()
  /** Between claim and outcome: one that outlives its lease is not sent a second time beside itself. */
  const sending = new Set<string>()
  let failuresInARow = 0
  let hasDelivered = false
  let pause = { from: 0, until: 0 }

  async function deliverDue(): Promise<void> {
    do {
      woken = Promise.withResolvers()
      while (!stopped && !isPaused() && inHand.size < (failuresInARow > 0 ? 1 : policy.mail.atOnce)) {
        const claimed = await claimNext(db)
        if (!claimed) break
        const work = deliver(claimed).catch((error) =>
          log.error({ err: error, mailId: claimed.id }, 'the mail queue could not be written'),
        )
        inHand.add(work)
        void work.finally(() => inHand.delete(work))
      }
      await Promise.race([...inHand, woken.promise, ...(inHand.size === 0 ? [null] : [])])
    } while (inHand.size > 0)
  }

  async function deliver(claimed: QueuedMail): Promise<void> {
    const { id, mailSealed, expiresAt } = claimed
    if (sending.has(id)) return
    if (delivered.has(id)) return remove(id)
    if (expiresAt !== null && expiresAt <= new Date()) {
      log.warn({ mailId: id }, 'a mail was dropped: its link expired before the mail server took it')
      return remove(id)
    }
    sending.add(id)
    try {
      const mail = JSON.parse(secretBox.open(mailSealed, ['queued_mails.mail_sealed', id])) as Mail
      if (!(await inTurn(claimed, mail.to, () => transport.send(mail, id)))) return await release(claimed)
    } catch (error) {
      return await putBack(claimed, error)
    } finally {
      sending.delete(id)
    }
    delivered.add(id)
    failuresInARow = 0
    hasDelivered = true
    await remove(id)
    await bringForward()
  }

  /** After the mails to the same address that were claimed before it. False when its time with us is over by then. */
  async function inTurn(
    { nextAttemptAt: leasedUntil }: QueuedMail,
    address: string,
    send: () => Promise<void>,
  ): Promise<boolean> {
    const turn = (lastTo.get(address) ?? Promise.resolve()).then(async () => {
      if (stopped || leasedUntil === null || leasedUntil <= new Date()) return false
      await send()
      return true
    })
    const settled = turn.then(
      () => {},
      () => {},
    )
    lastTo.set(address, settled)
    void settled.then(() => lastTo.get(address) === settled && lastTo.delete(address))
    return turn
  }

  async function remove(id: string): Promise<void> {
    await db.queuedMail.deleteMany({ where: { id } })
    delivered.delete(id)
  }

  const release = ({ id, attempts }: QueuedMail) =>
    db.queuedMail
      .updateMany({ where: { id, attempts }, data: { attempts: { decrement: 1 }, nextAttemptAt: new Date() } })
      .then(() => {})

  async function putBack({ id, attempts, createdAt, triedSince }: QueuedMail, error: unknown): Promise<void> {
    const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown'
    const code = error instanceof MailError ? error.code : 'MAIL_DEFERRED'
    const fields = { mailId: id, attempts, reason: lastError }
    const now = Date.now()

    if (code === 'MAIL_SERVER_UNAVAILABLE' && ++failuresInARow > 1) {
      // It is the server, not this mail: everything waits, briefly. This mail longer, so that it cannot be what keeps the others waiting.
      const seconds = Math.min(policy.mail.firstRetry * 4 ** (failuresInARow - 2), policy.mail.longestPause)
      pause = { from: now, until: now + seconds * 1000 }
      const nextAttemptAt = new Date(now + 2 * seconds * 1000)
      heldBack.set(id, nextAttemptAt)
      await db.queuedMail.updateMany({ where: { id, attempts }, data: { lastError, nextAttemptAt, attempts: { decrement: 1 } } })
      return log.warn({ ...fields, seconds }, 'the mail server is away: mails wait')
    }
    const wait = Math.min(policy.mail.firstRetry * 4 ** (attempts - 1), policy.mail.longestRetry)
    // Of a server that takes no mail at all, the first failure of each process looks like the mail's own.
    const mayBeItsOwn = code === 'MAIL_DEFERRED' || hasDelivered
    const isOverdue = (triedSince ?? createdAt).getTime() + policy.mail.longestTry * 1000 < now
    const isHopeless = (code !== 'MAIL_SERVER_UNAVAILABLE' && code !== 'MAIL_DEFERRED') || (isOverdue && mayBeItsOwn)
    const nextAttemptAt = isHopeless ? null : new Date(now + wait * 1000)
    await db.queuedMail.updateMany({ where: { id, attempts }, data: { lastError, nextAttemptAt } })
    if (isHopeless) log.error(fields, 'a mail was refused for good: its row stays for the operator')
    else log.warn(fields, 'a mail could not be sent and stays queued')
  }

  /** The mail server is back: what this process held back is due, as far as nobody else has taken it up. */
  async function bringForward(): Promise<void> {
    if (heldBack.size === 0) return
    log.info({}, 'the mail server is back')
    const held = [...heldBack].map(([id, nextAttemptAt]) => ({ id, nextAttemptAt }))
    await db.queuedMail.updateMany({ where: { OR: held }, data: { nextAttemptAt: new Date() } })
    for (const { id } of held) heldBack.delete(id)
  }

  // A clock that stepped back must not prolong it.
  const isPaused = () => Date.now() < pause.until && Date.now() >= pause.from

  const drain = async (): Promise<void> => {
    do {
      again = false
      await deliverDue()
    } while (again)
  }

  const wake = (): void => {
    if (stopped) return
    again = true
    woken.resolve()
    running ??= drain()
      .catch((error) => log.error({ err: error }, 'the mail queue could not be read'))
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
      await Promise.all(inHand)
    },
  }
}

/**
 * Takes the oldest due mail and moves its next attempt to the end of a lease before the first byte goes out: two workers never hold
 * the same mail, and one that dies in mid-send is followed by another. A mail that nobody tried is due whatever the clock says.
 */
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
