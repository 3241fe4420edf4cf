import type { QueuedMail, Transaction } from '@floorpass/db'
import type { Mail } from '@floorpass/email'
import { lockUser } from '../users/lock-user.ts'
import { type Operator, toActor } from './operator.ts'

export const mostMails = 1000

/** Lists refused mails, oldest first. `to` and `subject` are null when no AUTH_SECRET opens the mail. */
export async function listRefusedMails(operator: Operator) {
  const mails = await operator.ctx.db.queuedMail.findMany({
    where: { nextAttemptAt: null },
    orderBy: { createdAt: 'asc' },
    take: mostMails,
  })
  return mails.map((mail) => {
    const { id, createdAt, attempts, lastError } = mail
    const mailContent = openMail(operator, mail)
    return { id, createdAt, attempts, lastError, to: mailContent?.to ?? null, subject: mailContent?.subject ?? null }
  })
}

/** Queues one refused mail again, or all whose links are still valid. Records each for its recipient, or logs it. */
export async function retryRefusedMails(operator: Operator, id?: string): Promise<{ queued: number }> {
  const isStillValid = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
  const queued = await forEachRefusedMail(
    operator,
    'retry-mail',
    { ...(id !== undefined && { id }), ...isStillValid },
    (tx, where) => tx.queuedMail.updateMany({ where, data: { nextAttemptAt: new Date(), triedSince: new Date(), attempts: 0 } }),
  )
  return { queued }
}

export async function dropRefusedMails(operator: Operator, id?: string): Promise<{ dropped: number }> {
  const dropped = await forEachRefusedMail(operator, 'drop-mail', id === undefined ? {} : { id }, (tx, where) =>
    tx.queuedMail.deleteMany({ where }),
  )
  return { dropped }
}

type MailChange = (tx: Transaction, where: { id: string; nextAttemptAt: null }) => Promise<{ count: number }>

/** Uses one transaction per mail, so that an error keeps the work done. Returns how many mails changed. */
async function forEachRefusedMail(
  operator: Operator,
  action: 'retry-mail' | 'drop-mail',
  which: object,
  change: MailChange,
): Promise<number> {
  const { db, record, log } = operator.ctx
  const ids = await db.queuedMail.findMany({
    where: { nextAttemptAt: null, ...which },
    orderBy: { createdAt: 'asc' },
    select: { id: true },
  })
  let done = 0
  for (const { id } of ids) {
    done += await db.$transaction(async (tx) => {
      const mail = await tx.queuedMail.findUnique({ where: { id } })
      const mailContent = mail && openMail(operator, mail)
      const owner = mailContent && (await tx.user.findUnique({ where: { email: mailContent.to } }))
      const isOwnerLocked = await lockUser(tx, owner?.id ?? null)
      const { count } = await change(tx, { id, nextAttemptAt: null })
      if (count === 0) return 0
      if (owner && isOwnerLocked) {
        const details = { subject: mailContent.subject }
        await record(tx, { userId: owner.id, ...toActor(operator), action, details })
      } else log.warn({ mailId: id, action, ...toActor(operator) }, 'operator handled mail to unknown recipient')
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
