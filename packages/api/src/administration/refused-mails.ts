import type { QueuedMail, Transaction } from '@floorpass/db'
import type { Mail } from '@floorpass/email'
import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { administratorProcedure } from '../trpc.ts'
import { listRefusedMailsInput, refusedMailInput } from './operations-contract.ts'
import { asOperator, type Operator, type Reader, toActor } from './operator.ts'

export const mostMails = 1000

/** Lists refused mails, oldest first. `to` and `subject` are null when no AUTH_SECRET opens the mail. */
export async function findRefusedMails(
  reader: Reader,
  { limit = mostMails, after }: { limit?: number; after?: string | undefined } = {},
) {
  const mails = await reader.ctx.db.queuedMail.findMany({
    where: { nextAttemptAt: null, ...(after !== undefined && { id: { gt: after } }) },
    // As the index has them.
    orderBy: [{ nextAttemptAt: 'asc' }, { id: 'asc' }],
    take: limit,
  })
  return mails.map((mail) => {
    const { id, createdAt, attempts, lastError, expiresAt } = mail
    const mailContent = openMail(reader, mail)
    return { id, createdAt, attempts, lastError, expiresAt, to: mailContent?.to ?? null, subject: mailContent?.subject ?? null }
  })
}

/** Queues one refused mail again, or all whose links are still valid. Records each for its recipient, or logs it. */
export async function retryRefusedMails(operator: Operator<'retry-mail', never>, id?: string): Promise<{ queued: number }> {
  const isStillValid = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
  const queued = await forEachRefusedMail(
    operator,
    'retry-mail',
    { ...(id !== undefined && { id }), ...isStillValid },
    (tx, where) => tx.queuedMail.updateMany({ where, data: { nextAttemptAt: new Date(), triedSince: new Date(), attempts: 0 } }),
  )
  return { queued }
}

export async function dropRefusedMails(operator: Operator<'drop-mail', never>, id?: string): Promise<{ dropped: number }> {
  const dropped = await forEachRefusedMail(operator, 'drop-mail', id === undefined ? {} : { id }, (tx, where) =>
    tx.queuedMail.deleteMany({ where }),
  )
  return { dropped }
}

type MailChange = (tx: Transaction, where: { id: string; nextAttemptAt: null }) => Promise<{ count: number }>

/** Uses one transaction per mail, so that an error keeps the work done. Returns how many mails changed. */
async function forEachRefusedMail<Action extends 'retry-mail' | 'drop-mail'>(
  operator: Operator<Action, never>,
  action: Action,
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
      await operator.lockSubject(tx, ...(owner ? [owner.id] : []))
      const { count } = await change(tx, { id, nextAttemptAt: null })
      if (count === 0) return 0
      if (owner) {
        const details = { subject: mailContent.subject }
        await record(tx, { userId: owner.id, ...toActor(operator), action, details })
      } else log.warn({ mailId: id, action, ...toActor(operator) }, 'operator handled mail to unknown recipient')
      return count
    })
  }
  return done
}

function openMail({ ctx }: Reader, { id, mailSealed }: QueuedMail): Pick<Mail, 'to' | 'subject'> | null {
  try {
    return JSON.parse(ctx.secretBox.open(mailSealed, ['queued_mails.mail_sealed', id])) as Mail
  } catch {
    return null
  }
}

/** `to` and `subject` are null when no secret of the service opens the mail. Its text stays sealed. */
export const listRefusedMails = administratorProcedure('mail:list')
  .input(listRefusedMailsInput)
  .query(async ({ ctx, input }) => ({ mails: await findRefusedMails({ ctx }, input) }))

const handling = { sensitive: true, input: refusedMailInput, limit: null, lock: 'own', mails: [], cookies: [] } as const

/** NOT_FOUND: the mail is sent or deleted, or its link has expired. */
export const retryRefusedMail = customMutation({
  ...handling,
  access: 'mail:retry',
  events: ['retry-mail'],

  async run({ ctx, input: { id } }) {
    const { queued } = await retryRefusedMails(asOperator(ctx, 'mail:retry'), id)
    if (queued === 0) throw new AppError('NOT_FOUND')
    return { success: true as const }
  },
})

/** NOT_FOUND. */
export const dropRefusedMail = customMutation({
  ...handling,
  access: 'mail:drop',
  events: ['drop-mail'],

  async run({ ctx, input: { id } }) {
    const { dropped } = await dropRefusedMails(asOperator(ctx, 'mail:drop'), id)
    if (dropped === 0) throw new AppError('NOT_FOUND')
    return { success: true as const }
  },
})
