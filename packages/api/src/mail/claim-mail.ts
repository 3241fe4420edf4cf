import type { Database, QueuedMail } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'

/** Leases the oldest due mail, so that two workers never send the same one. New mails are due whatever the clock says. */
export async function claimNextMail(db: Database): Promise<QueuedMail | null> {
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
  return claimed ?? (await claimNextMail(db))
}

/** Makes a claimed mail due again without counting the attempt. */
export async function releaseMail(db: Database, { id, attempts }: QueuedMail): Promise<void> {
  await db.queuedMail.updateMany({ where: { id, attempts }, data: { attempts: { decrement: 1 }, nextAttemptAt: new Date() } })
}
