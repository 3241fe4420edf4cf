import type { Database, QueuedMail, Transaction } from '@floorpass/db'
import { type Mail, MailError, type MailTransport } from '@floorpass/email'
import type { Log } from './context.ts'
import { policy } from './policy.ts'
import type { SecretBox } from './security/secret-box.ts'

/**
 * Mail leaves through a table: written in the transaction of the change that it tells of, sent afterwards, tried again until the
 * server takes it. No caller waits for a mail server, and no crash between commit and send loses a mail.
 */
export type MailQueue = {
  add(tx: Transaction, mail: Mail): Promise<void>
  /** Starts delivery now. Call it after the commit. */
  wake(): void
  /** Delivers all that is due and resolves when nothing is. */
  drain(): Promise<void>
  start(): void
  /** Sends no further mail and resolves when the one in hand is done with. */
  stop(): Promise<void>
}

type MailQueueOptions = { db: Database; transport: MailTransport; secretBox: SecretBox; log: Log; pollSeconds?: number }

export function createMailQueue({ db, transport, secretBox, log, pollSeconds = 5 }: MailQueueOptions): MailQueue {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function deliverDue(): Promise<void> {
    while (!stopped) {
      const claimed = await claimNext(db)
      if (!claimed) return
      try {
        await transport.send(JSON.parse(secretBox.open(claimed.mailSealed)) as Mail)
        await db.queuedMail.deleteMany({ where: { id: claimed.id } })
      } catch (error) {
        await putBack(claimed, error)
      }
    }
  }

  async function putBack({ id, attempts }: QueuedMail, error: unknown): Promise<void> {
    const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown'
    const isHopeless = error instanceof MailError && error.code !== 'MAIL_SERVER_UNAVAILABLE'
    const wait = Math.min(policy.mail.firstRetry * 4 ** (attempts - 1), policy.mail.longestRetry)
    const nextAttemptAt = isHopeless ? null : new Date(Date.now() + wait * 1000)
    await db.queuedMail.updateMany({ where: { id }, data: { lastError, nextAttemptAt } })
    const fields = { mailId: id, attempts, reason: lastError }
    if (isHopeless) log.error(fields, 'a mail was refused for good: its row stays for the operator')
    else log.warn(fields, 'a mail could not be sent and stays queued')
  }

  const drain = async (): Promise<void> => {
    do {
      again = false
      await deliverDue()
    } while (again)
  }

  const wake = (): void => {
    if (stopped) return
    again = true
    running ??= drain()
      .catch((error) => log.error({ err: error }, 'the mail queue could not be read'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    add: async (tx, mail) => {
      await tx.queuedMail.create({ data: { mailSealed: secretBox.seal(JSON.stringify(mail)) } })
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
    },
  }
}

/**
 * Takes one due mail and moves its next attempt to the end of a lease before the first byte goes out: two workers never hold the
 * same mail, and one that dies in mid-send is followed by another.
 */
async function claimNext(db: Database): Promise<QueuedMail | null> {
  const now = new Date()
  const due = await db.queuedMail.findFirst({ where: { nextAttemptAt: { lte: now } }, orderBy: { nextAttemptAt: 'asc' } })
  if (!due) return null
  const [claimed] = await db.queuedMail.updateManyAndReturn({
    where: { id: due.id, attempts: due.attempts },
    data: { attempts: { increment: 1 }, nextAttemptAt: new Date(now.getTime() + policy.mail.lease * 1000) },
  })
  return claimed ?? (await claimNext(db))
}
