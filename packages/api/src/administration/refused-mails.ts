import type { QueuedMail, Transaction } from '@floorpass/db'
import type { Mail } from '@floorpass/email'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { lockUser } from '../users/lock-user.ts'
import { actorOf, type Operator } from './operator.ts'

export const mostMails = 1000

/**
 * Mails that the server refused for good, the oldest first, at most `mostMails`; `to` and `subject` are null when AUTH_SECRET no longer opens
 * them.
 */
export async function listRefusedMails(operator: Operator) {
  const mails = await operator.ctx.db.queuedMail.findMany({
    where: { nextAttemptAt: null },
    orderBy: { createdAt: 'asc' },
    take: mostMails,
  })
  return mails.map((mail) => {
    const { id, createdAt, attempts, lastError } = mail
    const opened = openMail(operator, mail)
    return { id, createdAt, attempts, lastError, to: opened?.to ?? null, subject: opened?.subject ?? null }
  })
}

/**
 * Queues refused mails again, to be tried as long as a new one: that one, or all whose link is still of use. A running service sends
 * them within seconds, a stopped one when it starts. Each is an audit event of its recipient, or a line in the log when there is none.
 */
export async function retryRefusedMails(operator: Operator, id?: string): Promise<{ queued: number }> {
  const isOfUse = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
  const queued = await forEachRefused(operator, 'retry-mail', { ...(id !== undefined && { id }), ...isOfUse }, (tx, where) =>
    tx.queuedMail.updateMany({ where, data: { nextAttemptAt: new Date(), triedSince: new Date(), attempts: 0 } }),
  )
  return { queued }
}

/** Deletes refused mails unsent: that one, or all. Each is an audit event of its recipient, or a line in the log when there is none. */
export async function dropRefusedMails(operator: Operator, id?: string): Promise<{ dropped: number }> {
  const dropped = await forEachRefused(operator, 'drop-mail', id === undefined ? {} : { id }, (tx, where) =>
    tx.queuedMail.deleteMany({ where }),
  )
  return { dropped }
}

type Deed = (tx: Transaction, where: { id: string; nextAttemptAt: null }) => Promise<{ count: number }>

/** One transaction a mail: of thousands, what is done stays done. Counts those that were still refused. */
async function forEachRefused(
  operator: Operator,
  action: 'retry-mail' | 'drop-mail',
  which: object,
  deed: Deed,
): Promise<number> {
  const { db, client, log } = operator.ctx
  const ids = await db.queuedMail.findMany({
    where: { nextAttemptAt: null, ...which },
    orderBy: { createdAt: 'asc' },
    select: { id: true },
  })
  let done = 0
  for (const { id } of ids) {
    done += await db.$transaction(async (tx) => {
      const mail = await tx.queuedMail.findUnique({ where: { id } })
      const opened = mail && openMail(operator, mail)
      const owner = opened && (await tx.user.findUnique({ where: { email: opened.to } }))
      const isOwned = await lockUser(tx, owner?.id ?? null)
      const { count } = await deed(tx, { id, nextAttemptAt: null })
      if (count === 0) return 0
      if (owner && isOwned) {
        const details = { subject: opened.subject }
        await recordAuditEvent(tx, client, { userId: owner.id, ...actorOf(operator), action, details })
      } else log.warn({ mailId: id, action, ...actorOf(operator) }, 'an operator handled a mail to nobody we know')
      return count
    })
  }
  return done
}

function openMail({ ctx }: Operator, { id, mailSealed }: QueuedMail): Pick<Mail, 'to' | 'subject'> | null {
  try {
    return JSON.parse(ctx.secretBox.open(mailSealed, ['queued_mails.mail_sealed', id])) as Mail
  } catch {
    return null
  }
}
