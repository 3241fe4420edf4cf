import type { QueuedMail } from '@floorpass/db'
import type { Mail } from '@floorpass/email'
import { recordAuditEvent } from '../security/audit-log.ts'
import { actorOf, type Operator } from './operator.ts'

/** Mails that the server refused for good, the oldest first; `to` and `subject` are null when AUTH_SECRET no longer opens them. */
export async function listRefusedMails(operator: Operator) {
  const mails = await operator.ctx.db.queuedMail.findMany({ where: { nextAttemptAt: null }, orderBy: { createdAt: 'asc' } })
  return mails.map((mail) => ({
    id: mail.id,
    createdAt: mail.createdAt,
    attempts: mail.attempts,
    lastError: mail.lastError,
    to: openMail(operator, mail)?.to ?? null,
    subject: openMail(operator, mail)?.subject ?? null,
  }))
}

/** Queues refused mails again: that one, or all. A running service sends them within seconds, a stopped one when it starts. */
export async function retryRefusedMails({ ctx }: Operator, id?: string): Promise<{ queued: number }> {
  const { count } = await ctx.db.queuedMail.updateMany({
    where: { nextAttemptAt: null, ...(id !== undefined && { id }) },
    data: { nextAttemptAt: new Date() },
  })
  return { queued: count }
}

/** Deletes refused mails unsent: that one, or all. Each is an audit event of its recipient, as far as there is one. */
export async function dropRefusedMails(operator: Operator, id?: string): Promise<{ dropped: number }> {
  const { db, client } = operator.ctx
  return db.$transaction(async (tx) => {
    const refused = await tx.queuedMail.findMany({ where: { nextAttemptAt: null, ...(id !== undefined && { id }) } })
    let dropped = 0
    for (const mail of refused) {
      const { count } = await tx.queuedMail.deleteMany({ where: { id: mail.id, nextAttemptAt: null } })
      dropped += count
      const opened = openMail(operator, mail)
      const owner = opened && (await tx.user.findUnique({ where: { email: opened.to } }))
      if (count === 0 || !owner) continue
      const details = { subject: opened.subject }
      await recordAuditEvent(tx, client, { userId: owner.id, ...actorOf(operator), action: 'drop-mail', details })
    }
    return { dropped }
  })
}

function openMail({ ctx }: Operator, { mailSealed }: QueuedMail): Pick<Mail, 'to' | 'subject'> | null {
  try {
    return JSON.parse(ctx.secretBox.open(mailSealed)) as Mail
  } catch {
    return null
  }
}
